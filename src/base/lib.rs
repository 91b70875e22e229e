//! The crate that all others use: characters, addresses, links of the site, pictures, diagnostics with their codes and reports,
//! and files that are opened without leaving a folder.

pub mod characters;
pub mod diagnostics;
pub mod files;
pub mod links;
pub mod pictures;
pub mod shapes;
pub mod url;

/// Declares a document that is written as JSON, or a part of one: each key once, with its description, type and value. `let` names
/// what several values need.
#[macro_export]
macro_rules! document {
    (
        $(#[$attr:meta])*
        $vis:vis struct $name:ident $(<$life:lifetime>)? ($($from:ident: $type:ty),+)
        $(let $local:pat = $bound:expr;)*
        {
            $($(#[$key_attr:meta])* $key_vis:vis $key:ident: $field:ty = $value:expr,)+
        }
    ) => {
        #[derive(Debug, serde::Serialize)]
        $(#[$attr])*
        $vis struct $name $(<$life>)? {
            $($(#[$key_attr])* $key_vis $key: $field,)+
        }

        impl $(<$life>)? $name $(<$life>)? {
            #[doc = concat!("Makes a [`", stringify!($name), "`].")]
            $vis fn of($($from: $type),+) -> Self {
                $(let $local = $bound;)*
                Self { $($key: $value,)+ }
            }
        }
    };
}
