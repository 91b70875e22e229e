//! Made-up secrets of many kinds, with real lengths, alphabets and checksums.
//!
//! They are assembled at run time: no file of the repository contains one, so no host's push protection reports one.

use std::ops::Range;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};

const DIGITS: &str = "0123456789";
const LOWER: &str = "abcdefghijklmnopqrstuvwxyz";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// A pseudo-random sequence (`SplitMix64`).
pub(super) struct Numbers(u64);

impl Numbers {
    /// The sequence for a name.
    pub(super) fn of(name: &str) -> Self {
        let hash = blake3::hash(name.as_bytes());
        Self(
            hash.as_bytes()
                .iter()
                .take(8)
                .fold(0, |seed, byte| (seed << 8) | u64::from(*byte)),
        )
    }

    /// A number below a limit.
    pub(super) fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        usize::try_from(mixed % limit as u64).expect("below a limit")
    }

    fn text(&mut self, alphabet: &str, count: usize) -> String {
        let all = alphabet.as_bytes();
        (0..count)
            .map(|_| char::from(all[self.below(all.len())]))
            .collect()
    }
}

/// How a secret is recognized.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Form {
    /// By its own shape.
    Token,
    /// Only next to the name of its variable.
    Named,
    /// By its surrounding text.
    Text,
}

/// A kind of secret.
#[derive(Debug, Clone, Copy)]
pub(super) struct Family {
    pub(super) name: &'static str,
    pub(super) form: Form,
    pub(super) variable: &'static str,
    shape: &'static str,
}

/// A text with a secret in it.
#[derive(Debug, Clone)]
pub(super) struct Secret {
    pub(super) text: String,
    /// The range of the secret in the text.
    pub(super) value: Range<usize>,
}

/// Every kind of families.txt.
pub(super) fn families() -> Vec<Family> {
    let rows = include_str!("families.txt").lines();
    rows.filter(|row| !row.is_empty() && !row.starts_with('#'))
        .map(family)
        .collect()
}

fn family(row: &'static str) -> Family {
    let mut rest = row;
    let mut word = || {
        let (word, after) = rest.split_once(' ').expect("four columns");
        rest = after.trim_start();
        word
    };
    let (name, form, variable) = (word(), word(), word());
    let form = match form {
        "token" => Form::Token,
        "named" => Form::Named,
        "text" => Form::Text,
        _ => panic!("{row}"),
    };
    Family {
        name,
        form,
        variable,
        shape: rest,
    }
}

impl Family {
    /// A secret of this kind; always the same for the same number.
    pub(super) fn secret(&self, number: u32) -> Secret {
        let mut numbers = Numbers::of(&format!("{}/{number}", self.name));
        let shape = self.shape.replace("\\n", "\n");
        let mut text = String::new();
        let (mut start, mut end) = (0, None);
        let mut rest = shape.as_str();
        while let Some(char) = rest.chars().next() {
            rest = &rest[char.len_utf8()..];
            match char {
                '<' => {
                    let (word, after) = rest.split_once('>').expect("a closed word");
                    let made = piece(&mut numbers, word, &text);
                    text.push_str(&made);
                    rest = after;
                }
                '«' => start = text.len(),
                '»' => end = Some(text.len()),
                _ => text.push(char),
            }
        }
        let value = start..end.unwrap_or(text.len());
        Secret { text, value }
    }
}

/// The text for a word in angle brackets; `before` is the text so far.
fn piece(numbers: &mut Numbers, word: &str, before: &str) -> String {
    let mut hex = |count| numbers.text("0123456789abcdef", count);
    match word {
        "uuid" => [8, 4, 4, 4, 12].map(&mut hex).join("-"),
        "crc" => checksum(before),
        "basic" => STANDARD.encode(format!("agent:{}", hex(24))),
        "jwt" => jwt(numbers),
        _ => {
            if let Some((kind, rest)) = word.split_once(':') {
                let (label, rest) = rest.split_once(':').expect("a label");
                let (begin, lines) = rest.split_once(':').expect("how the key begins");
                let lines = lines.parse().expect("a number of lines");
                let block = armor(numbers, label, begin, lines);
                match kind {
                    "armor" => block,
                    "armor-line" => block.replace('\n', "\\n"),
                    _ => panic!("{word}"),
                }
            } else {
                let (name, count) = word.split_once('*').unwrap_or((word, "1"));
                numbers.text(&alphabet(name), count.parse().expect("a count"))
            }
        }
    }
}

fn alphabet(name: &str) -> String {
    match name {
        "10" => DIGITS.to_owned(),
        "36" => [LOWER, DIGITS].concat(),
        "62" => [UPPER, LOWER, DIGITS].concat(),
        "64" => [UPPER, LOWER, DIGITS, "+/"].concat(),
        "url" => [UPPER, LOWER, DIGITS, "_-"].concat(),
        "az" => [UPPER, LOWER].concat(),
        "AZ9" => [UPPER, DIGITS].concat(),
        "32" => [UPPER, "234567"].concat(),
        "hex" => "0123456789abcdef".to_owned(),
        "HEX" => "0123456789ABCDEF".to_owned(),
        "bech" => "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L".to_owned(),
        "bech32" => alphabet("bech").to_lowercase(),
        "58" => [
            &DIGITS[1..],
            &UPPER.replace(['I', 'O'], ""),
            &LOWER.replace('l', ""),
        ]
        .concat(),
        "django" => [LOWER, DIGITS, "!@#$%^*(-_=+)"].concat(),
        _ => panic!("no alphabet {name}"),
    }
}

/// The last six characters of GitHub and npm tokens: the CRC-32 of the others, in base 62.
fn checksum(before: &str) -> String {
    let digits = [DIGITS, UPPER, LOWER].concat().into_bytes();
    let random = before.rsplit('_').next().unwrap_or(before);
    let mut crc = flate2::Crc::new();
    crc.update(random.as_bytes());
    let mut sum = crc.sum() as usize;
    let mut out = [b'0'; 6];
    for place in out.iter_mut().rev() {
        *place = digits[sum % 62];
        sum /= 62;
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn jwt(numbers: &mut Numbers) -> String {
    let header = URL_SAFE_NO_PAD.encode(r#"{"alg":"HS256","typ":"JWT"}"#);
    let subject = numbers.text(DIGITS, 10);
    let claims = URL_SAFE_NO_PAD.encode(format!(r#"{{"sub":"{subject}","iat":1772355600}}"#));
    let mut signature = numbers.text(&alphabet("url"), 42);
    signature.push('A');
    format!("{header}.{claims}.{signature}")
}

/// A key between its header and footer, in lines of 64 characters.
fn armor(numbers: &mut Numbers, label: &str, begin: &str, lines: usize) -> String {
    let body = numbers.text(&alphabet("64"), lines * 64 + 30 - begin.len());
    let body = format!("{begin}{body}==").into_bytes();
    let rows: Vec<_> = body.chunks(64).map(String::from_utf8_lossy).collect();
    let dashes = "-".repeat(5);
    format!(
        "{dashes}BEGIN {label}{dashes}\n{}\n{dashes}END {label}{dashes}",
        rows.join("\n")
    )
}
