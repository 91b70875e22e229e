//! What everything else uses: characters, addresses, links of the site, pictures, diagnostics with their codes and reports, and
//! files that are opened without leaving a folder.

pub mod beneath;
pub mod characters;
pub mod diagnostics;
pub mod links;
pub mod pictures;
pub mod shapes;
pub mod url;
