//! A secret that a tool declares, so that it can be asked for, checked and shown as missing without running anything.

/// A declared secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SecretDef<'a> {
    /// Its name, `^[A-Z][A-Z0-9_]{0,63}$`.
    pub key: &'a str,
    /// What a settings page calls it.
    pub label: Option<&'a str>,
    /// What it is for and where it comes from.
    pub description: Option<&'a str>,
    /// Whether the tool also works without it.
    pub optional: bool,
    /// The values to choose from; such a value may be shown.
    pub choices: &'a [&'a str],
}

impl<'a> SecretDef<'a> {
    /// A secret without which the tool cannot run.
    pub const fn required(key: &'a str) -> Self {
        Self { key, label: None, description: None, optional: false, choices: &[] }
    }
}
