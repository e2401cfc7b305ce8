//! What `doctor` shows of a sandbox: mode, level, guarantees with the layers that give them, gaps (sandbox.md §15).

use serde_json::{Map, Value, json};

use super::layers::{Guarantee, Layer, Layers, UNWATCHED, WATCHED};
use super::outcome::Confinement;
use super::policy::{Mode, Network, SandboxPolicy};

/// What works here, found out once when the sandbox was opened.
#[derive(Clone, Debug)]
pub struct Report {
    mode: Mode,
    network: Network,
    helper: &'static str,
    forced: Vec<Layer>,
    layers: Layers,
    gaps: Vec<String>,
    missing: Vec<String>,
    /// Why no command can be started at all.
    unusable: Option<String>,
}

impl Report {
    pub(super) fn new(policy: &SandboxPolicy, layers: Layers, helper: &'static str) -> Self {
        let mut missing = layers.broken();
        if policy.network == Network::Allow {
            missing.retain(|guarantee| !guarantee.starts_with("no network isolation"));
        }
        if policy.network == Network::Loopback && !layers.has(Layer::Netns) {
            let why = layers.why_missing(Layer::Netns).unwrap_or("missing");
            missing.push(format!("no loopback of its own (network namespace: {why})"));
        }
        let mut gaps = layers.gaps();
        if policy.mode == Mode::Off {
            gaps.iter_mut().filter(|gap| *gap == WATCHED).for_each(|gap| UNWATCHED.clone_into(gap));
        }
        let forced = policy.missing.clone();
        Self {
            mode: policy.mode,
            network: policy.network,
            helper,
            forced,
            layers,
            gaps,
            missing,
            unusable: None,
        }
    }

    pub(super) fn unusable(mut self, why: String) -> Self {
        self.unusable = Some(why);
        self
    }

    /// Tells operators once when commands run without a guarantee.
    pub(super) fn warn(&self) {
        if self.mode == Mode::BestEffort && !self.missing.is_empty() {
            tracing::warn!(missing = self.missing.join("; "), "commands run without some guarantees");
        }
    }

    /// Adds a gap, unless it is one already.
    pub(super) fn gap(&mut self, gap: &str) {
        if !self.gaps.iter().any(|known| known == gap) {
            self.gaps.push(gap.to_owned());
        }
    }

    /// What commands reach of the network: everything where nothing keeps them from it, whatever was asked for.
    pub fn network(&self) -> Network {
        if self.layers.gives(Guarantee::Network) { self.network } else { Network::Allow }
    }

    /// The layers that work, and why the others do not.
    pub fn layers(&self) -> &Layers {
        &self.layers
    }

    /// `full` when nothing is missing, `partial`, or `none`.
    pub fn level(&self) -> &'static str {
        let unconfined = self.mode == Mode::Off || self.unusable.is_some() || !self.missing.is_empty();
        match (unconfined, self.gaps.is_empty()) {
            (true, _) => "none",
            (false, true) => "full",
            (false, false) => "partial",
        }
    }

    /// What is not covered.
    pub fn gaps(&self) -> &[String] {
        &self.gaps
    }

    /// What is open because a layer does not work here; nothing, where others do what it does.
    pub fn open(&self, layer: Layer) -> Vec<&'static str> {
        let is_off = self.mode == Mode::Off;
        let told = |gap| if is_off && gap == WATCHED { UNWATCHED } else { gap };
        self.layers.leaves_open(layer).map(told).collect()
    }

    /// Why commands cannot run here, if they cannot.
    pub fn refusal(&self) -> Option<String> {
        if self.unusable.is_some() {
            return self.unusable.clone();
        }
        let refuses = self.mode == Mode::Enforce && !self.missing.is_empty();
        refuses.then(|| format!("Commands cannot run in the sandbox here: {}.", self.missing.join("; ")))
    }

    /// The form in results.
    pub fn confinement(&self) -> Confinement {
        Confinement {
            level: self.level().to_owned(),
            network: self.network().as_str().to_owned(),
            missing: self.missing.clone(),
            gaps: self.gaps.clone(),
        }
    }

    /// The section `sandbox` of `toolbox doctor --json`.
    pub fn to_json(&self) -> Value {
        let words = |layers: &[Layer]| layers.iter().map(|layer| layer.as_str()).collect::<Vec<_>>();
        let guarantees: Map<String, Value> =
            self.layers.guarantees().map(|(name, layers)| (name.to_owned(), json!(words(&layers)))).collect();
        let layers: Map<String, Value> = Layer::ALL
            .into_iter()
            .map(|layer| {
                let state = match self.layers.why_missing(layer) {
                    None => match self.layers.version(layer) {
                        Some(version) => json!({"ok": true, "version": version}),
                        None => json!({"ok": true}),
                    },
                    Some(why) => json!({"ok": false, "why": why, "open": self.open(layer)}),
                };
                (layer.as_str().to_owned(), state)
            })
            .collect();
        let mut section = json!({
            "mode": self.mode.as_str(),
            "level": self.level(),
            "helper": self.helper,
            "forced_missing": words(&self.forced),
            "gaps": self.gaps,
            "guarantees": guarantees,
            "layers": layers,
        });
        if let (Some(refusal), Some(section)) = (self.refusal(), section.as_object_mut()) {
            section.insert("refuses".to_owned(), json!(refusal));
        }
        section
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(mode: Mode, missing: &[Layer]) -> Report {
        let policy = SandboxPolicy { mode, ..SandboxPolicy::default() };
        Report::new(&policy, Layers::without(missing), "self")
    }

    #[test]
    fn the_level_falls_with_gaps_and_is_none_without_a_guarantee() {
        assert_eq!(report(Mode::Enforce, &[]).level(), "full");
        assert_eq!(report(Mode::Enforce, &[Layer::Landlock]).level(), "partial");
        let broken = [Layer::Mounts, Layer::Landlock];
        assert_eq!(report(Mode::Enforce, &broken).level(), "none");
        assert!(report(Mode::Enforce, &broken).refusal().unwrap().contains("no write isolation"));
        assert!(report(Mode::BestEffort, &broken).refusal().is_none());
        assert!(report(Mode::Enforce, &[]).refusal().is_none());
    }

    #[test]
    fn what_is_told_of_network_and_protected_names_is_what_holds() {
        let told = |mode, missing: &[Layer]| {
            let mut report = report(mode, missing);
            report.gap(WATCHED);
            report.gap(UNWATCHED);
            (report.network(), report.gaps().len())
        };
        let nothing = [Layer::Mounts, Layer::Seccomp, Layer::Netns];
        assert_eq!(told(Mode::Enforce, &[]), (Network::Deny, 2));
        assert_eq!(told(Mode::BestEffort, &[Layer::Netns]).0, Network::Deny);
        assert_eq!(told(Mode::BestEffort, &nothing).0, Network::Allow);
        let gaps = |mode| report(mode, &nothing).gaps().join("; ");
        assert!(gaps(Mode::BestEffort).contains("moved away"));
        assert!(!gaps(Mode::Off).contains("moved away") && gaps(Mode::Off).contains(UNWATCHED));
        let mut report = report(Mode::Off, &nothing);
        let before = report.gaps().len();
        report.gap(UNWATCHED);
        assert_eq!(report.gaps().len(), before);
    }

    #[test]
    fn the_section_names_every_layer_and_guarantee() {
        let section = report(Mode::Enforce, &[Layer::Cgroup]).to_json();
        assert_eq!(section["layers"]["cgroup"]["ok"], false);
        assert_eq!(section["layers"]["cgroup"]["open"].as_array().unwrap().len(), 1);
        assert_eq!(section["layers"]["landlock"], json!({"ok": true}));
        assert_eq!(section["guarantees"]["writes"], json!(["mounts", "landlock"]));
        assert_eq!(section["layers"].as_object().unwrap().len(), Layer::ALL.len());
    }
}
