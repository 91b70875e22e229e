//! The feeds: one struct per document, written by serde, never by a template.

/// Declares a part of a document: each key once, with what it says, its type and its value.
macro_rules! document {
    (
        $(#[$attr:meta])*
        $vis:vis struct $name:ident $(<$life:lifetime>)? ($($from:ident: $type:ty),+) {
            $($(#[$key_attr:meta])* $key:ident: $held:ty = $value:expr,)+
        }
    ) => {
        #[derive(Debug, serde::Serialize, schemars::JsonSchema)]
        $(#[$attr])*
        $vis struct $name $(<$life>)? {
            $($(#[$key_attr])* $key: $held,)+
        }

        impl $(<$life>)? $name $(<$life>)? {
            #[doc = concat!("Makes a [`", stringify!($name), "`].")]
            #[must_use]
            $vis fn of($($from: $type),+) -> Self {
                Self { $($key: $value,)+ }
            }
        }
    };
}

pub(crate) mod annotations;
pub(crate) mod archive;
pub(crate) mod downloads;
pub(crate) mod groups;
pub(crate) mod json_feed;
pub(crate) mod json_ld;
mod reconciliation;
pub mod report;
pub(crate) mod run;
pub(crate) mod table;
pub mod transcript;

use std::borrow::Cow;
use std::io::{self, Write};

use serde::Serialize;
use serde_json::value::RawValue;

use crate::formats::portable::portable;

/// Writes a document on one line, without blanks: what is meant for programs is a third smaller so.
///
/// # Errors
/// Those of the writer.
pub fn write_document(out: &mut dyn Write, document: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, document)?;
    out.write_all(b"\n")
}

/// Text of the input that is JSON, to be written as it came in, except for what some readers refuse. Every value of an
/// input goes into a feed through this function.
///
/// # Errors
/// Never in practice: what is handed in was parsed before.
pub fn raw(json: &str) -> serde_json::Result<Cow<'_, RawValue>> {
    Ok(match portable(json) {
        Cow::Borrowed(json) => Cow::Borrowed(serde_json::from_str(json)?),
        Cow::Owned(json) => Cow::Owned(RawValue::from_string(json)?),
    })
}
