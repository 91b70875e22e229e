//! Every code: its severity and the text that `runpress explain`, the reference page and reports show.
//!
//! The explanation is written once, next to its code, and every page is generated from it.

use super::Code;

/// Declares the codes of a file and lists them.
macro_rules! codes {
    ($($name:ident = $code:literal $severity:ident $summary:literal
        why $why:literal bad $bad:literal good $good:literal;)*) => {
        $(
            #[doc = concat!("`", $code, "`: ", $summary)]
            pub static $name: $crate::diagnostics::Code = $crate::diagnostics::Code {
                name: $code,
                severity: $crate::diagnostics::Severity::$severity,
                summary: $summary,
                explanation: $why,
                bad: $bad,
                good: $good,
            };
        )*
        pub(super) static ALL: &[&$crate::diagnostics::Code] = &[$(&$name),*];
    };
}

mod annotations;
mod import;
mod inputs;
mod logs;
mod secret;
mod site;
mod verify;

pub use annotations::*;
pub use import::*;
pub use inputs::*;
pub use logs::*;
pub use secret::*;
pub use site::*;
pub use verify::*;

/// Every code, in the order of the reference page, in which the codes of a family are next to each other.
pub fn all() -> impl Iterator<Item = &'static Code> {
    let files = [
        inputs::ALL,
        logs::ALL,
        annotations::ALL,
        site::ALL,
        import::ALL,
        secret::ALL,
        verify::ALL,
    ];
    files.into_iter().flatten().copied()
}

pub fn find(name: &str) -> Option<&'static Code> {
    all().find(|code| code.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_well_formed() {
        let mut names: Vec<_> = all().map(|code| code.name).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
        for code in all() {
            let (family, name) = code.name.split_once('.').expect("family.name");
            assert!(
                !family.is_empty() && !name.is_empty() && !name.contains('_'),
                "{}",
                code.name
            );
            assert!(
                !code.explanation.is_empty() && !code.bad.is_empty() && !code.good.is_empty(),
                "{}",
                code.name
            );
        }
    }
}
