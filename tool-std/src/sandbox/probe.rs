//! Finds out which layers work here, by building them and by trying to break out of them (sandbox.md §15).

use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use super::layers::{Layer, Layers};
use super::wire::{Refusal, Stage};

/// The layers that an attempt which got through takes away; the others give what they give.
const BROKEN_BY: [(&str, &[Layer]); 10] = [
    ("write", &[Layer::Mounts, Layer::Landlock]),
    ("system", &[Layer::Mounts, Layer::Landlock]),
    ("chmod", &[Layer::Mounts]),
    ("mknod", &[Layer::Mounts, Layer::Seccomp]),
    ("socket", &[Layer::Seccomp]),
    ("io_uring", &[Layer::Seccomp]),
    ("environ", &[Layer::Pidns, Layer::Landlock]),
    ("signal", &[Layer::Pidns, Layer::Landlock]),
    ("ptrace", &[Layer::Pidns, Layer::Seccomp]),
    ("userns", &[Layer::Seccomp]),
];

/// What the helper found from where a command would be.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Found {
    /// The attempts to break out that got through.
    pub(super) through: Vec<String>,
    /// The version of the Landlock interface, where it confines.
    pub(super) landlock: Option<i32>,
}

/// What one try came to.
pub(super) enum Try {
    /// The helper could not build a layer, or anything else.
    Refused(Refusal),
    /// Everything was built.
    Built(Found),
}

/// Tries until what is asked for can be built, taking away what cannot.
///
/// # Errors
/// Why nothing can be built at all.
pub(super) fn explore(
    mut layers: Layers,
    mut attempt: impl FnMut(&Layers) -> Result<Try, String>,
) -> Result<Layers, String> {
    loop {
        match attempt(&layers)? {
            Try::Refused(Refusal { stage: Stage::Layer(layer), errno }) if layers.has(layer) => {
                layers.remove(layer, errno_name(errno));
            }
            Try::Refused(Refusal { stage: Stage::Threads, .. }) => {
                return Err("Sandbox::init() is not the first statement of main".to_owned());
            }
            Try::Refused(refusal) => {
                return Err(format!("{} while {}", errno_name(refusal.errno), refusal.stage));
            }
            Try::Built(found) => {
                if let Some(version) = found.landlock {
                    layers.set_version(Layer::Landlock, version);
                }
                for name in found.through {
                    let broken = BROKEN_BY.iter().filter(|(attempt, _)| *attempt == name);
                    for layer in broken.flat_map(|(_, layers)| layers.iter()) {
                        layers.remove(*layer, format!("the probe `{name}` got through"));
                    }
                }
                return Ok(layers);
            }
        }
    }
}

/// The usual name of an error number.
pub(super) fn errno_name(errno: i32) -> String {
    let rows = [
        (Errno::PERM, "EPERM"),
        (Errno::ACCESS, "EACCES"),
        // What is told where the user has as many processes as `RLIMIT_NPROC` lets it have.
        (Errno::AGAIN, "EAGAIN"),
        (Errno::NOMEM, "ENOMEM"),
        (Errno::MFILE, "EMFILE"),
        (Errno::INVAL, "EINVAL"),
        (Errno::NOSYS, "ENOSYS"),
        (Errno::NOSPC, "ENOSPC"),
        (Errno::OPNOTSUPP, "EOPNOTSUPP"),
        (Errno::USERS, "EUSERS"),
        (Errno::NOENT, "ENOENT"),
        (Errno::NODEV, "ENODEV"),
        (Errno::PIPE, "EPIPE"),
    ];
    let known = rows.iter().find(|(known, _)| known.raw_os_error() == errno);
    known.map_or_else(|| format!("errno {errno}"), |(_, name)| (*name).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(layer: Layer) -> Try {
        Try::Refused(Refusal { stage: Stage::Layer(layer), errno: Errno::PERM.raw_os_error() })
    }

    #[test]
    fn what_cannot_be_built_is_taken_away_until_the_rest_stands() {
        let layers = explore(Layers::without(&[]), |layers| {
            Ok(match layers.has(Layer::Userns) || layers.has(Layer::Netns) {
                true if layers.has(Layer::Userns) => refused(Layer::Userns),
                true => refused(Layer::Netns),
                false => Try::Built(Found::default()),
            })
        });
        let layers = layers.unwrap();
        assert_eq!(layers.why_missing(Layer::Netns), Some("EPERM"));
        assert!(layers.broken().is_empty());
    }

    #[test]
    fn a_break_out_takes_away_the_layers_that_should_have_stopped_it() {
        let layers = explore(Layers::without(&[]), |_| {
            Ok(Try::Built(Found { through: vec!["write".to_owned()], landlock: Some(7) }))
        })
        .unwrap();
        assert_eq!(layers.broken().len(), 1);
        assert_eq!(layers.version(Layer::Landlock), None, "it does not confine");
        let whole = explore(Layers::without(&[]), |_| {
            Ok(Try::Built(Found { landlock: Some(7), ..Found::default() }))
        })
        .unwrap();
        assert_eq!(whole.version(Layer::Landlock), Some(7));
        assert!(whole.broken().is_empty());
    }

    #[test]
    fn anything_else_ends_the_search() {
        let outcome =
            explore(Layers::without(&[]), |_| Ok(Try::Refused(Refusal { stage: Stage::Threads, errno: 22 })));
        assert!(outcome.unwrap_err().contains("init()"));
    }
}
