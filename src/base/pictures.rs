//! Sizes of images, so that a page can reserve space while they load.

use std::collections::BTreeMap;
use std::io::Cursor;

use exif::{In, Tag};

use crate::url;

/// The intrinsic size of an image, in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageSize {
    /// Never 0.
    pub width: u16,
    /// Never 0.
    pub height: u16,
}

impl ImageSize {
    /// The same proportions, no higher than `height`.
    pub fn no_higher_than(self, height: u16) -> Self {
        if self.height <= height {
            return self;
        }
        let (own, most) = (u32::from(self.height), u32::from(height));
        let width = (u32::from(self.width) * most + own / 2) / own;
        Self {
            width: u16::try_from(width).unwrap_or(u16::MAX).max(1),
            height,
        }
    }
}

/// Reads the size from the header of a PNG, JPEG, GIF or WebP. `None` for any other file, for a damaged header, and for a side of
/// 0 or of more than 65,535 pixels, which no browser shows.
pub fn size(bytes: &[u8]) -> Option<ImageSize> {
    let found = imagesize::blob_size(bytes).ok()?;
    let side = |pixels: usize| u16::try_from(pixels).ok().filter(|side| *side > 0);
    let (mut width, mut height) = (side(found.width)?, side(found.height)?);
    if is_rotated(bytes) {
        std::mem::swap(&mut width, &mut height);
    }
    Some(ImageSize { width, height })
}

/// Sizes of images among a site's static files.
#[derive(Debug, Default)]
pub struct StaticImages(BTreeMap<String, ImageSize>);

impl StaticImages {
    /// Measures static files: pairs of path below the site's root and content.
    pub fn of(files: &[(String, Vec<u8>)]) -> Self {
        let sizes = files
            .iter()
            .filter_map(|(path, bytes)| Some((path.clone(), size(bytes)?)));
        Self(sizes.collect())
    }

    /// The size of the image at `address`, as linked from the page at path `page`.
    pub fn size(&self, page: &str, address: &str) -> Option<ImageSize> {
        if self.0.is_empty() {
            return None;
        }
        self.0.get(&url::resolve(page, address)?).copied()
    }
}

/// Whether the Exif block of a JPEG says that it is rotated by 90°, as cameras write it for portrait photos. Browsers rotate such
/// an image before showing it.
fn is_rotated(bytes: &[u8]) -> bool {
    if !bytes.starts_with(b"\xff\xd8") {
        return false;
    }
    let mut reader = exif::Reader::new();
    let found = reader
        .continue_on_error(true)
        .read_from_container(&mut Cursor::new(bytes))
        .or_else(|error| error.distill_partial_result(|_| {}));
    let quarter_turns = 5..=8;
    found.is_ok_and(|exif| {
        let orientation = exif.get_field(Tag::Orientation, In::PRIMARY);
        let orientation = orientation.and_then(|field| field.value.get_uint(0));
        orientation.is_some_and(|orientation| quarter_turns.contains(&orientation))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn png(width: u32, height: u32) -> Vec<u8> {
        let sides = [width.to_be_bytes(), height.to_be_bytes()].concat();
        [
            b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".as_slice(),
            &sides,
            b"\x08\x02\0\0\0",
        ]
        .concat()
    }

    /// A JPEG of 4 by 3 pixels, with or without a segment before its frame.
    fn jpeg(segment: &[u8]) -> Vec<u8> {
        let frame = b"\xff\xc0\0\x0b\x08\0\x03\0\x04\x01\x01\x11\0";
        [b"\xff\xd8".as_slice(), segment, frame].concat()
    }

    fn exif_segment(tiff: &[u8]) -> Vec<u8> {
        let length = u16::try_from(tiff.len() + 8).expect("short").to_be_bytes();
        [b"\xff\xe1".as_slice(), &length, b"Exif\0\0", tiff].concat()
    }

    const fn sides(width: u16, height: u16) -> ImageSize {
        ImageSize { width, height }
    }

    #[test]
    fn pictures_of_four_kinds_say_how_large_they_are() {
        assert_eq!(size(&png(160, 90)), Some(sides(160, 90)));
        assert_eq!(size(&jpeg(b"")), Some(sides(4, 3)));
        assert_eq!(size(b"GIF89a\x05\0\x07\0\0\0\0;"), Some(sides(5, 7)));
        let extended = b"RIFF\x16\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\x09\0\0\x13\0\0";
        assert_eq!(size(extended), Some(sides(10, 20)));
    }

    #[test]
    fn a_header_that_cannot_be_true_has_no_size() {
        for (width, height) in [
            (0, 5),
            (5, 0),
            (65_536, 1),
            (1, u32::MAX),
            (u32::MAX, u32::MAX),
        ] {
            assert_eq!(size(&png(width, height)), None, "{width} by {height}");
        }
        assert_eq!(size(&png(65_535, 1)), Some(sides(65_535, 1)));
        for bytes in [
            b"".as_slice(),
            b"\x89PNG",
            b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0",
            b"\xff\xd8\xff",
            b"\xff\xd8\xff\xe0\0\0\0\0\0\0\0\0\0\0",
            b"\xff\xd8\xff\xe0\0\x01\xff\xe0\0\x01\xff\xe0",
            b"\xff\xd8\xff\xe1\xff\xff\xff\xff\xff\xff\xff\xff",
            b"GIF89a\x05\0\x07",
            b"RIFF\0\0\0\0WEBP",
            b"RIFF\0\0\0\0WEBPVP8?",
            b"BM\x1a\0\0\0\0\0\0\0\x1a\0\0\0\x0c\0\0\0\x05\0\x07\0\x01\0\x18\0",
            b"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"5\" height=\"7\"/>",
        ] {
            assert_eq!(size(bytes), None, "{bytes:?}");
        }
    }

    #[test]
    fn a_header_that_ends_anywhere_is_read_without_harm() {
        let exif = exif_segment(b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0");
        for whole in [png(3, 4), jpeg(&exif)] {
            for end in 0..whole.len() {
                let _ = size(&whole[..end]);
            }
        }
    }

    #[test]
    fn a_photograph_that_was_taken_upright_is_measured_as_it_is_shown() {
        let entries = b"\x01\x0e\0\x02\0\0\0\x01a\0\0\0\x01\x12\0\x03\0\0\0\x01\0\x06\0\0";
        let big = [b"MM\0*\0\0\0\x08\0\x02".as_slice(), entries].concat();
        let little = b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x08\0\0\0";
        for tiff in [big.as_slice(), little] {
            assert_eq!(size(&jpeg(&exif_segment(tiff))), Some(sides(3, 4)));
        }
        let flat = b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x03\0\0";
        let nowhere = b"MM\0*\xff\xff\xff\xff\0\x01";
        for tiff in [flat.as_slice(), nowhere, b"", b"PNG!"] {
            assert_eq!(
                size(&jpeg(&exif_segment(tiff))),
                Some(sides(4, 3)),
                "{tiff:?}"
            );
        }
    }

    #[test]
    fn a_high_picture_is_made_lower_in_its_own_proportions() {
        assert_eq!(sides(160, 90).no_higher_than(480), sides(160, 90));
        assert_eq!(sides(1080, 2400).no_higher_than(480), sides(216, 480));
        assert_eq!(sides(1, 65_535).no_higher_than(480), sides(1, 480));
        assert_eq!(sides(65_535, 481).no_higher_than(480), sides(65_399, 480));
    }

    #[test]
    fn a_picture_is_found_from_every_page_that_names_it() {
        let files = [
            ("pictures/court.png".to_owned(), png(160, 90)),
            ("a b.png".to_owned(), png(1, 2)),
            ("notes.txt".to_owned(), b"not a picture".to_vec()),
        ];
        let pictures = StaticImages::of(&files);
        let court = Some(sides(160, 90));
        assert_eq!(pictures.size("index.html", "pictures/court.png"), court);
        assert_eq!(
            pictures.size("guide/index.html", "../pictures/court.png"),
            court
        );
        assert_eq!(
            pictures.size("cases/pong/index.html", "../../a%20b.png"),
            Some(sides(1, 2))
        );
        assert_eq!(
            pictures.size("guide/index.html", "pictures/court.png"),
            None
        );
        assert_eq!(pictures.size("index.html", "notes.txt"), None);
        assert_eq!(pictures.size("index.html", "nowhere.png"), None);
    }
}
