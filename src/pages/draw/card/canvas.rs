//! The pixels of a card, and their encoding as a PNG of 256 colors.

use std::io;

use fdeflate::Compressor;
use flate2::Crc;

use super::font::{self, LEVELS, Size};

/// Size of a card.
pub(super) const WIDTH: u32 = 1200;
const HEIGHT: u32 = 630;

/// A color of the palette.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Paint(u8);

/// Number of colors without levels.
const COLORS: u8 = 12;

/// Colors by palette index, then the kinds of ink except the first; all from the light theme. The compressor has short codes for
/// small differences between rows, so common colors have indexes close to the background's.
const FLAT: [[u8; 3]; COLORS as usize] = [
    PAPER,
    WELL,
    [0x3b, 0x6f, 0xb6],
    [0x74, 0x99, 0xc9],
    [0x7a, 0x52, 0xb3],
    [0x1f, 0x7f, 0x76],
    [0x3d, 0x8b, 0x3d],
    [0x5b, 0x6b, 0x8c],
    [0xb3, 0x48, 0x9b],
    [0xc2, 0x2f, 0x2a],
    [0xa8, 0x6a, 0x00],
    [0x8a, 0x8f, 0x94],
];
const PAPER: [u8; 3] = [0xfb, 0xfa, 0xf7];
const WELL: [u8; 3] = [0xf2, 0xf0, 0xea];
const SOFT: [u8; 3] = [0x56, 0x5f, 0x66];
const BAD: [u8; 3] = [0xa3, 0x20, 0x1d];

/// The colors of text, in the order of [`Ink`]: background and foreground.
const INKS: [(Ink, [[u8; 3]; 2]); 7] = [
    (Ink::Plain, [PAPER, [0x1d, 0x22, 0x26]]),
    (Ink::Soft, [PAPER, SOFT]),
    (Ink::Good, [PAPER, [0x1c, 0x6b, 0x3c]]),
    (Ink::Poor, [PAPER, [0x7a, 0x4b, 0x00]]),
    (Ink::Bad, [PAPER, BAD]),
    (Ink::SoftOnWell, [WELL, SOFT]),
    (Ink::BadOnWell, [WELL, BAD]),
];

/// A color of text, with its background.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ink {
    Plain,
    Soft,
    Good,
    Poor,
    Bad,
    SoftOnWell,
    BadOnWell,
}

impl Paint {
    pub(super) const WELL: Self = Self(1);
    pub(super) const FAILURE: Self = Self(9);
    pub(super) const SOFT: Self = Self(Ink::Soft.index(FULL));

    /// The paint of an event family.
    pub(super) fn family(number: u8) -> Self {
        Self(2 + number.min(9))
    }
}

/// The last level.
const FULL: u8 = LEVELS - 1;

impl Ink {
    /// The palette index of a level, from 1: plain ink ends at the last color, the others follow the flat colors.
    const fn index(self, level: u8) -> u8 {
        match self as u8 {
            0 => u8::MAX - FULL + level,
            other => COLORS + other * FULL - level,
        }
    }

    /// The level of this ink in a color; 0 for any other color.
    fn level(self, index: u8) -> u8 {
        (1..=FULL)
            .find(|level| self.index(*level) == index)
            .unwrap_or_default()
    }
}

/// A card being drawn.
pub(super) struct Canvas(Vec<u8>);

impl Canvas {
    pub(super) fn new() -> Self {
        Self(vec![0; (WIDTH * HEIGHT) as usize])
    }

    /// Fills a rectangle, clipped to the card.
    pub(super) fn fill(&mut self, (x, y): (u32, u32), (width, height): (u32, u32), paint: Paint) {
        let right = x.saturating_add(width).min(WIDTH);
        for row in y.min(HEIGHT)..y.saturating_add(height).min(HEIGHT) {
            let row = row * WIDTH;
            let range = (row + x.min(right)) as usize..(row + right) as usize;
            self.0[range].fill(paint.0);
        }
    }

    /// Writes a text from `x` to the right, with its baseline at `y`, and returns its width.
    pub(super) fn text(&mut self, (x, y): (u32, u32), size: Size, ink: Ink, text: &str) -> u32 {
        for (at, glyph) in font::letters(text, size) {
            let left = x.saturating_add(at).checked_add_signed(glyph.left);
            let top = y.checked_add_signed(glyph.top);
            let (Some(left), Some(top)) = (left, top) else {
                continue;
            };
            let rows = glyph.ink.chunks(glyph.width.max(1) as usize);
            for (row, levels) in (top..HEIGHT).zip(rows) {
                for (column, level) in (left..WIDTH).zip(levels) {
                    if *level > 0 {
                        // Overlapping letters do not lighten each other.
                        let pixel = &mut self.0[(row * WIDTH + column) as usize];
                        let before = if *pixel == 0 { 0 } else { ink.level(*pixel) };
                        *pixel = ink.index(before.max(*level));
                    }
                }
            }
        }
        font::width(text, size)
    }

    /// Encodes the PNG: differences from the row above, compressed.
    pub(super) fn png(&self) -> Vec<u8> {
        let mut head = [WIDTH.to_be_bytes(), HEIGHT.to_be_bytes()].concat();
        head.extend([8, 3, 0, 0, 0]); // 8 bits, a palette, not interlaced
        let mut out = b"\x89PNG\r\n\x1a\n".to_vec();
        push_chunk(&mut out, *b"IHDR", &head);
        push_chunk(&mut out, *b"PLTE", palette().as_flattened());
        // Writing to memory cannot fail.
        push_chunk(&mut out, *b"IDAT", &self.compressed().unwrap_or_default());
        push_chunk(&mut out, *b"IEND", &[]);
        out
    }

    fn compressed(&self) -> io::Result<Vec<u8>> {
        let width = WIDTH as usize;
        let mut out = Compressor::new(Vec::with_capacity(32 * 1024))?;
        let mut above: &[u8] = &[0; WIDTH as usize];
        let mut filtered = vec![2; width + 1]; // each row begins with the filter “up”
        for row in self.0.chunks_exact(width) {
            for (pixel, (a, b)) in filtered[1..].iter_mut().zip(row.iter().zip(above)) {
                *pixel = a.wrapping_sub(*b);
            }
            out.write_data(&filtered)?;
            above = row;
        }
        out.finish()
    }
}

fn push_chunk(out: &mut Vec<u8>, kind: [u8; 4], data: &[u8]) {
    out.extend(u32::try_from(data.len()).unwrap_or(u32::MAX).to_be_bytes());
    let start = out.len();
    out.extend(kind);
    out.extend(data);
    let mut sum = Crc::new();
    sum.update(&out[start..]);
    out.extend(sum.sum().to_be_bytes());
}

fn palette() -> [[u8; 3]; 256] {
    let mut palette = [PAPER; 256];
    palette[..FLAT.len()].copy_from_slice(&FLAT);
    let most = u16::from(FULL);
    for (ink, [ground, full]) in INKS {
        for level in 1..=FULL {
            let part = u16::from(level);
            let mixed = |at: usize| {
                let mixed = u16::from(ground[at]) * (most - part) + u16::from(full[at]) * part;
                u8::try_from((mixed + most / 2) / most).unwrap_or(u8::MAX)
            };
            palette[usize::from(ink.index(level))] = [mixed(0), mixed(1), mixed(2)];
        }
    }
    palette
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_level_of_every_ink_has_a_color_of_its_own_place() {
        let mut taken: Vec<u8> = (0..COLORS).collect();
        for (ink, _) in INKS {
            for level in 1..=FULL {
                let index = ink.index(level);
                assert!(!taken.contains(&index), "{ink:?} {level}");
                assert_eq!(ink.level(index), level);
                taken.push(index);
            }
        }
    }
}
