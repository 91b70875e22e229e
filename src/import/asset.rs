//! Images and file contents that are kept next to a record.

/// A file next to the record that belongs to an event.
#[derive(Debug, PartialEq, Eq)]
pub enum Asset {
    /// An image, with the extension of its format.
    Image(Vec<u8>, &'static str),
    /// The content of a file.
    Text(String),
}

impl Asset {
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Image(bytes, _) => bytes,
            Self::Text(text) => text.as_bytes(),
        }
    }

    /// Its path in the run folder. No part of it comes from the log.
    pub fn path(&self) -> String {
        let extension = match self {
            Self::Image(_, extension) => extension,
            Self::Text(_) => "txt",
        };
        let digest = blake3::hash(self.bytes()).to_hex();
        format!("assets/{}.{extension}", &digest[..32])
    }
}
