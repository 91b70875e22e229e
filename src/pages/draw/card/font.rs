//! The letters of cards: Inter 600, rasterized once by `font.py`, so that they are equal on every machine.

use std::collections::BTreeMap;
use std::io::Read;
use std::sync::LazyLock;

use flate2::read::ZlibDecoder;

/// Number of ink levels, from none to full.
pub(super) const LEVELS: u8 = 16;
/// Height and advance of the box for a character that the font lacks, in pixels of the largest size.
const BOX: u32 = 44;

static FONT: LazyLock<BTreeMap<char, [Glyph; 3]>> =
    LazyLock::new(|| read(include_bytes!("inter.bin")).unwrap_or_default());
static MISSING: LazyLock<[Glyph; 3]> = LazyLock::new(|| sizes(missing_glyph()));

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Size {
    /// 64 pixels.
    Large,
    /// 32 pixels.
    Medium,
    /// 16 pixels.
    Small,
}

/// A letter in one size.
#[derive(Debug, Clone, Default)]
pub(super) struct Glyph {
    pub(super) width: u32,
    /// Offset from the pen to the right, and from the baseline down.
    pub(super) left: i32,
    pub(super) top: i32,
    /// Advance in pixels of the largest size.
    advance: u32,
    /// Ink levels row by row, each below [`LEVELS`].
    pub(super) ink: Vec<u8>,
}

impl Size {
    const fn divisor(self) -> u32 {
        match self {
            Self::Large => 1,
            Self::Medium => 2,
            Self::Small => 4,
        }
    }
}

/// The letters of a text, with their distances from its left end. A character that the font lacks becomes a box.
pub(super) fn letters(text: &str, size: Size) -> impl Iterator<Item = (u32, &'static Glyph)> {
    let mut pen = 0;
    text.chars().map(move |c| {
        let glyphs = FONT.get(&c).unwrap_or(&MISSING);
        let at = pen / size.divisor();
        pen += glyphs[0].advance;
        (at, &glyphs[size as usize])
    })
}

pub(super) fn width(text: &str, size: Size) -> u32 {
    let glyphs = text.chars().map(|c| FONT.get(&c).unwrap_or(&MISSING));
    glyphs.map(|glyphs| glyphs[0].advance).sum::<u32>() / size.divisor()
}

/// The text, truncated with an ellipsis to at most `most` pixels.
pub(super) fn cut(text: &str, size: Size, most: u32) -> String {
    if width(text, size) <= most {
        return text.to_owned();
    }
    let mut out = String::new();
    let room = most.saturating_sub(width("…", size));
    for c in text.chars() {
        out.push(c);
        if width(&out, size) > room {
            out.pop();
            break;
        }
    }
    format!("{}…", out.trim_end())
}

fn read(packed: &[u8]) -> Option<BTreeMap<char, [Glyph; 3]>> {
    let mut bytes = Vec::new();
    ZlibDecoder::new(packed).read_to_end(&mut bytes).ok()?;
    let mut font = BTreeMap::new();
    let mut rest = bytes.as_slice();
    while let Some((head, body)) = rest.split_first_chunk::<9>() {
        let [a, b, c, d, width, height, left, top, advance] = *head;
        let count = usize::from(width) * usize::from(height);
        let (pixels, after) = body.split_at_checked(count.div_ceil(2))?;
        let levels = pixels.iter().flat_map(|pair| [pair >> 4, pair % LEVELS]);
        let glyph = Glyph {
            width: width.into(),
            left: left.cast_signed().into(),
            top: top.cast_signed().into(),
            advance: advance.into(),
            ink: levels.take(count).collect(),
        };
        let letter = char::from_u32(u32::from_le_bytes([a, b, c, d]))?;
        font.insert(letter, sizes(glyph));
        rest = after;
    }
    Some(font)
}

fn sizes(large: Glyph) -> [Glyph; 3] {
    let (medium, small) = (smaller(&large, 2), smaller(&large, 4));
    [large, medium, small]
}

/// A letter scaled down: each pixel is the mean of `by` × `by` pixels.
fn smaller(glyph: &Glyph, by: u32) -> Glyph {
    let step = by.cast_signed();
    let height = u32::try_from(glyph.ink.len()).unwrap_or(0) / glyph.width.max(1);
    let (left, top) = (glyph.left.div_euclid(step), glyph.top.div_euclid(step));
    let (x, y) = (
        (glyph.left - left * step).unsigned_abs(),
        (glyph.top - top * step).unsigned_abs(),
    );
    let (width, rows) = ((x + glyph.width).div_ceil(by), (y + height).div_ceil(by));
    let mut sums = vec![0_u32; (width * rows) as usize];
    for (at, level) in (0..).zip(&glyph.ink) {
        let (column, row) = (at % glyph.width + x, at / glyph.width + y);
        sums[(row / by * width + column / by) as usize] += u32::from(*level);
    }
    let mean = |sum: u32| u8::try_from((sum + by * by / 2) / (by * by)).unwrap_or(LEVELS - 1);
    Glyph {
        width,
        left,
        top,
        advance: glyph.advance,
        ink: sums.into_iter().map(mean).collect(),
    }
}

fn missing_glyph() -> Glyph {
    let width = BOX - 12;
    let is_line = |at: u32, size: u32| !(4..size - 4).contains(&at);
    let ink = (0..BOX).flat_map(|row| {
        (0..width).map(move |column| {
            if is_line(column, width) || is_line(row, BOX) {
                LEVELS - 1
            } else {
                0
            }
        })
    });
    Glyph {
        width,
        left: 6,
        top: -BOX.cast_signed(),
        advance: BOX,
        ink: ink.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_font_has_the_letters_of_western_and_central_europe() {
        for c in ('!'..='~').chain("Åéñøß°ŁžőĞ–—“”…·•€×".chars()) {
            assert!(FONT.contains_key(&c), "{c}");
        }
        assert!(FONT.values().flatten().all(|glyph| {
            glyph.ink.len() % glyph.width.max(1) as usize == 0
                && glyph.ink.iter().all(|level| *level < LEVELS)
        }));
    }

    #[test]
    fn a_character_that_the_font_lacks_takes_the_place_of_a_box() {
        assert_eq!(width("漢\u{202e}", Size::Large), 2 * BOX);
        let (_, glyph) = letters("漢", Size::Medium).next().expect("a letter");
        assert_eq!((glyph.width, glyph.ink.len()), (16, 16 * 22));
    }

    #[test]
    fn a_text_that_is_too_wide_ends_with_an_ellipsis() {
        assert_eq!(cut("short", Size::Medium, 1000), "short");
        let text = cut(&"long ".repeat(800), Size::Medium, 300);
        assert!(text.ends_with("long…") || text.ends_with("lo…"), "{text}");
        assert!(width(&text, Size::Medium) <= 300);
    }
}
