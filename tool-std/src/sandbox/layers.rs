//! The layers of the sandbox, the guarantees they give, and what is lost with each (sandbox.md §6, §13).
//!
//! Pure tables: [`Layers`] says what works here; everything that is decided or reported about it is read from it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// One means of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    /// User namespace.
    Userns,
    /// Mount namespace with a view of its own.
    Mounts,
    /// PID namespace with its own `/proc`.
    Pidns,
    /// Network namespace.
    Netns,
    /// No capabilities, no new privileges.
    Caps,
    /// Landlock domain.
    Landlock,
    /// System call filter.
    Seccomp,
    /// Limits of a process.
    Rlimits,
    /// Limit of process numbers in the PID namespace.
    PidMax,
    /// Control group of the call.
    Cgroup,
    /// Orphans come back to the helper, which kills them.
    Sweep,
}

impl Layer {
    /// Every layer, in the order in which the helper builds them.
    pub const ALL: [Layer; 11] = [
        Layer::Userns,
        Layer::Mounts,
        Layer::Pidns,
        Layer::Netns,
        Layer::Caps,
        Layer::Landlock,
        Layer::Seccomp,
        Layer::Rlimits,
        Layer::PidMax,
        Layer::Cgroup,
        Layer::Sweep,
    ];

    /// The word on the wire, in reports and in `TOOLBOX_SANDBOX_FORCE_MISSING`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Userns => "userns",
            Self::Mounts => "mounts",
            Self::Pidns => "pidns",
            Self::Netns => "netns",
            Self::Caps => "caps",
            Self::Landlock => "landlock",
            Self::Seccomp => "seccomp",
            Self::Rlimits => "rlimits",
            Self::PidMax => "pid_max",
            Self::Cgroup => "cgroup",
            Self::Sweep => "sweep",
        }
    }

    /// The layer of a word.
    pub fn from_word(word: &str) -> Option<Layer> {
        Self::ALL.into_iter().find(|layer| layer.as_str() == word)
    }

    fn noun(self) -> &'static str {
        match self {
            Self::Userns => "user namespace",
            Self::Mounts => "mount view",
            Self::Pidns => "PID namespace",
            Self::Netns => "network namespace",
            Self::Landlock => "Landlock",
            other => other.as_str(),
        }
    }
}

/// What the sandbox promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Guarantee {
    /// Writes only in writable places.
    Writes,
    /// Mode, owner and times of other files stay.
    Metadata,
    /// No network.
    Network,
    /// Nothing outlives the call.
    Tree,
    /// The program and other processes stay unread and unsignalled.
    Secrets,
    /// The limits of §10 hold.
    Limits,
}

/// A guarantee with its name in reports, what is said when it is missing, whether `enforce` needs it, and the sets of
/// layers of which each alone gives it.
struct Row(Guarantee, &'static str, &'static str, bool, &'static [&'static [Layer]]);

const GUARANTEES: [Row; 6] = [
    Row(Guarantee::Writes, "writes", "no write isolation", true, &[&[Layer::Mounts], &[Layer::Landlock]]),
    Row(Guarantee::Metadata, "metadata", "no metadata isolation", false, &[&[Layer::Mounts]]),
    Row(Guarantee::Network, "network", "no network isolation", true, &[&[Layer::Seccomp], &[Layer::Netns]]),
    Row(
        Guarantee::Tree,
        "tree",
        "no process cleanup",
        true,
        &[&[Layer::Pidns], &[Layer::Cgroup], &[Layer::Sweep]],
    ),
    Row(
        Guarantee::Secrets,
        "secrets",
        "no process isolation",
        true,
        &[&[Layer::Pidns], &[Layer::Caps, Layer::Landlock]],
    ),
    Row(
        Guarantee::Limits,
        "limits",
        "no limits",
        false,
        &[&[Layer::Rlimits], &[Layer::Cgroup], &[Layer::PidMax]],
    ),
];

/// What is lost without mounts while protected names are watched, and what is where they are not.
pub(super) const WATCHED: &str = "protected names in the workspace are in reach of commands: what is written there is \
                                  noticed and moved away afterwards, what is read is not";
pub(super) const UNWATCHED: &str = "protected names in the workspace are in reach of commands";

/// What is lost with a layer.
const GAPS: [(Layer, &str); 7] = [
    (Layer::Mounts, "mode, owner and times of other files, and the names of other processes, are in reach"),
    (Layer::Mounts, WATCHED),
    (Layer::Landlock, "files have no second layer"),
    (Layer::Seccomp, "daemon sockets in readable places and io_uring are in reach"),
    (Layer::Pidns, "a process may live 100 ms longer than its call"),
    (Layer::Netns, "the network has no second layer"),
    (Layer::Cgroup, "the memory of all processes of a command together is not limited"),
];

/// Which layers work here, and why the others do not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layers {
    working: Vec<Layer>,
    missing: BTreeMap<Layer, String>,
    /// Of layers whose interface has versions.
    versions: BTreeMap<Layer, i32>,
}

impl Layers {
    /// All but those that are forced to be missing.
    pub fn without(forced: &[Layer]) -> Self {
        let mut layers = Self { working: Layer::ALL.to_vec(), ..Self::default() };
        for layer in forced {
            layers.remove(*layer, "forced to be missing");
        }
        layers
    }

    /// Takes a layer away.
    pub fn remove(&mut self, layer: Layer, why: impl Into<String>) {
        self.working.retain(|working| *working != layer);
        self.missing.entry(layer).or_insert_with(|| why.into());
    }

    /// Whether a layer works.
    pub fn has(&self, layer: Layer) -> bool {
        self.working.contains(&layer)
    }

    /// The layers that work.
    pub fn working(&self) -> &[Layer] {
        &self.working
    }

    /// Notes the version of a layer's interface.
    pub(super) fn set_version(&mut self, layer: Layer, version: i32) {
        self.versions.insert(layer, version);
    }

    /// The version of a layer's interface, if it works and has versions.
    pub fn version(&self, layer: Layer) -> Option<i32> {
        self.versions.get(&layer).copied().filter(|_| self.has(layer))
    }

    /// What is not covered because a layer does not work.
    pub(super) fn leaves_open(&self, layer: Layer) -> impl Iterator<Item = &'static str> {
        let is_lost = !self.has(layer);
        GAPS.iter().filter(move |(lost, _)| is_lost && *lost == layer).map(|(_, gap)| *gap)
    }

    /// Why a layer does not work.
    pub fn why_missing(&self, layer: Layer) -> Option<&str> {
        self.missing.get(&layer).map(String::as_str)
    }

    /// Each guarantee by its name, with the layers that give it.
    pub fn guarantees(&self) -> impl Iterator<Item = (&'static str, Vec<Layer>)> {
        GUARANTEES.iter().map(|row| {
            let whole = row.4.iter().filter(|set| set.iter().all(|layer| self.has(*layer)));
            let mut layers: Vec<Layer> = whole.flat_map(|set| set.iter().copied()).collect();
            layers.dedup();
            (row.1, layers)
        })
    }

    /// Whether a guarantee is given.
    pub fn gives(&self, guarantee: Guarantee) -> bool {
        GUARANTEES.iter().filter(|row| row.0 == guarantee).any(|row| self.any_whole(row.4))
    }

    /// The guarantees that `enforce` needs and nothing gives, each with the reasons.
    pub fn broken(&self) -> Vec<String> {
        let broken = GUARANTEES.iter().filter(|row| row.3 && !self.any_whole(row.4));
        broken.map(|row| format!("{} ({})", row.2, self.reasons(row.4))).collect()
    }

    /// What is not covered, though every guarantee that is needed is given.
    pub fn gaps(&self) -> Vec<String> {
        let lost = GAPS.iter().filter(|(layer, _)| !self.has(*layer));
        lost.map(|(_, gap)| (*gap).to_owned()).collect()
    }

    fn any_whole(&self, sets: &[&[Layer]]) -> bool {
        sets.iter().any(|set| set.iter().all(|layer| self.has(*layer)))
    }

    fn reasons(&self, sets: &[&[Layer]]) -> String {
        let mut layers: Vec<Layer> = sets.iter().flat_map(|set| set.iter().copied()).collect();
        layers.retain(|layer| !self.has(*layer));
        let reason =
            |layer: &Layer| format!("{}: {}", layer.noun(), self.why_missing(*layer).unwrap_or("missing"));
        layers.iter().map(reason).collect::<Vec<_>>().join("; ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_layer_is_found_by_its_word() {
        for layer in Layer::ALL {
            assert_eq!(Layer::from_word(layer.as_str()), Some(layer));
        }
        assert_eq!(Layer::from_word("hope"), None);
    }

    #[test]
    fn each_needed_guarantee_stands_until_its_last_layer_goes() {
        let mut layers = Layers::without(&[Layer::Seccomp]);
        assert!(layers.broken().is_empty());
        layers.remove(Layer::Netns, "EPERM");
        assert_eq!(
            layers.broken(),
            ["no network isolation (seccomp: forced to be missing; network namespace: EPERM)"]
        );
    }

    #[test]
    fn a_missing_limit_or_metadata_layer_is_a_gap_and_no_refusal() {
        let layers = Layers::without(&[Layer::Mounts, Layer::Cgroup, Layer::PidMax]);
        assert!(layers.broken().is_empty());
        assert_eq!(layers.gaps().len(), 3);
        assert!(Layers::without(&[]).gaps().is_empty());
    }

    #[test]
    fn secrets_need_a_pid_namespace_or_both_others() {
        assert!(Layers::without(&[Layer::Pidns]).gives(Guarantee::Secrets));
        assert!(!Layers::without(&[Layer::Pidns, Layer::Caps]).gives(Guarantee::Secrets));
    }
}
