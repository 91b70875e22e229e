//! Amounts for people: counts with their nouns, bytes, dollars, tokens, durations and digests. Recorded digits stay as they are;
//! what is rounded is rounded in decimal.

use std::fmt::Display;
use std::ops::Range;

use super::run::Number;
use crate::decimal::{self, Decimal};

/// A number with its digits in groups of three: `1234567` as `1,234,567`.
pub fn grouped(number: impl Display) -> String {
    let number = number.to_string();
    let (sign, digits) = number.split_at(usize::from(number.starts_with('-')));
    let mut out = String::with_capacity(number.len() + digits.len() / 3);
    out.push_str(sign);
    // Only digits before the point or the exponent are grouped.
    let whole = digits.find(['.', 'e']).unwrap_or(digits.len());
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && index < whole && (whole - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A count with its noun: `1 run`, `2,000 runs`.
pub fn count(number: usize, noun: &str) -> String {
    format!("{} {}", grouped(number), plural(number, noun))
}

/// The noun in singular or plural: `harness` and `harnesses`, `entry` and `entries`.
pub fn plural(number: usize, noun: &str) -> String {
    match noun.strip_suffix('y') {
        _ if number == 1 => noun.to_owned(),
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{stem}ies"),
        _ if noun.ends_with("ss") => format!("{noun}es"),
        _ => format!("{noun}s"),
    }
}

/// `3 more runs`, if not all are shown; the noun is `more run`.
pub fn rest(all: usize, shown: usize, noun: &str) -> Option<String> {
    let rest = all.saturating_sub(shown);
    (rest > 0).then(|| count(rest, noun))
}

/// `12 more scripts are in run.json`, if not all are shown.
pub fn more(all: usize, shown: usize, noun: &str) -> Option<String> {
    let verb = if all == shown + 1 { "is" } else { "are" };
    rest(all, shown, &format!("more {noun}")).map(|more| format!("{more} {verb} in run.json"))
}

/// A size: `512 B`, `1.5 KiB`, `12.0 MiB`.
pub fn bytes(size: u64) -> String {
    let mut unit = 1;
    let mut tenths = u128::from(size) * 10;
    for name in ["B", "KiB", "MiB", "GiB"] {
        // What rounds up to 1,024 belongs to the next unit.
        if tenths < 10_240 {
            let number = if unit == 1 {
                size.to_string()
            } else {
                number_of(tenths)
            };
            return format!("{number} {name}");
        }
        unit *= 1_024;
        tenths = (u128::from(size) * 10 + unit / 2) / unit;
    }
    format!("{} TiB", number_of(tenths))
}

/// Writes a number of tenths with its decimal point.
fn number_of(tenths: u128) -> String {
    format!("{}.{}", tenths / 10, tenths % 10)
}

/// A share of a whole in percent: `12.5 %`.
pub fn percent(part: usize, whole: usize) -> String {
    let whole = whole.max(1) as u128;
    format!(
        "{} %",
        number_of((part as u128 * 2_000 + whole) / (2 * whole))
    )
}

/// Powers of ten of numbers that are written as digits. Of others, most digits would be zeros, and nobody counts them.
const READABLE: Range<i32> = -15..15;

/// A number as digits, or with an exponent if there would be too many: `1500`, `1e21`.
pub fn decimal(value: f64) -> String {
    // Minus zero becomes zero.
    let value = value + 0.0;
    let magnitude = Decimal::of(value).and_then(Decimal::magnitude);
    if magnitude.is_none_or(|magnitude| READABLE.contains(&magnitude)) {
        value.to_string()
    } else {
        format!("{value:e}")
    }
}

/// Whether a number is written with an exponent because it is large.
fn is_large(value: Decimal) -> bool {
    value
        .magnitude()
        .is_some_and(|magnitude| magnitude >= READABLE.end)
}

/// The digits of a number without a trailing `.0` and without the sign of minus zero. An exponent stays if there would be too many.
pub fn digits(number: &Number) -> String {
    let literal = number.text();
    if literal.contains(['e', 'E']) {
        return decimal(number.value());
    }
    let literal = match literal.strip_prefix('-') {
        Some(zero) if number.value() == 0.0 => zero,
        _ => literal,
    };
    match literal.split_once('.') {
        Some((whole, fraction)) if fraction.bytes().all(|b| b == b'0') => whole.to_owned(),
        _ => literal.to_owned(),
    }
}

/// USD with the recorded digits, at least cents: `$0.4210`, `$3.00`. Only the last digits of a binary sum are left out.
pub fn dollars(number: &Number) -> String {
    let sum = decimal::without_noise(number.value());
    let is_noisy = sum.to_bits() != number.value().to_bits();
    let digits = if is_noisy {
        decimal(sum)
    } else {
        digits(number)
    };
    let ending = match digits.split_once('.') {
        _ if digits.contains('e') => "",
        None => ".00",
        Some((_, tenths)) if tenths.len() == 1 => "0",
        Some(_) => "",
    };
    format!("${}{ending}", grouped(digits))
}

/// A smaller amount of dollars is shown as less than this one.
const LEAST: Decimal = Decimal::new(1, -6);

/// USD in short, two significant digits below 1 and cents above: `$12.40`, `$0.42`, `$0.0042`.
pub fn short_dollars(value: f64) -> String {
    let Some(value) = Decimal::of(value).filter(|value| !is_large(*value)) else {
        return format!("${}", decimal(value));
    };
    let significant = |value: Decimal| 1 - value.magnitude().unwrap_or_default();
    // Rounding may lead to one more digit before the point: 0.0996 is 0.10.
    let places = significant(value.rounded(significant(value).max(2)));
    match u16::try_from(places.max(2)) {
        Ok(places @ ..=7) => format!("${}", grouped(value.fixed(places))),
        _ => format!("<${}", LEAST.fixed(6)),
    }
}

/// USD at a tick of a scale: `$5`, `$0.50`, `$0.002`.
pub fn round_dollars(value: f64) -> String {
    let Some(value) = Decimal::of(value).filter(|value| !is_large(*value)) else {
        return format!("${}", decimal(value));
    };
    if value.magnitude().is_none_or(|magnitude| magnitude >= -1) {
        let text = value.fixed(2);
        return format!("${}", grouped(text.strip_suffix(".00").unwrap_or(&text)));
    }
    format!("${}", value.fixed(6).trim_end_matches('0'))
}

/// A number of tokens in short: `940`, `1.2 k`, `3.64 M`.
pub fn tokens(count: u64) -> String {
    let value = Decimal::new(count.into(), 0);
    match count {
        0..1_000 => count.to_string(),
        // What rounds up to 1,000 belongs to the next unit.
        1_000..999_950 => format!("{} k", value.shifted(-3).fixed(1)),
        999_950..999_995_000 => format!("{} M", value.shifted(-6).fixed(2)),
        _ => format!("{} G", grouped(value.shifted(-9).fixed(2))),
    }
}

/// Tokens at a tick of a scale: `500`, `1.5 k`, `20 M`.
pub fn round_tokens(value: f64) -> String {
    let Some(value) = Decimal::of(value).filter(|value| !is_large(*value)) else {
        return decimal(value);
    };
    let (places, unit) = match value.magnitude().unwrap_or_default() {
        9.. => (-9, " G"),
        6.. => (-6, " M"),
        3.. => (-3, " k"),
        _ => (0, ""),
    };
    let text = value.shifted(places).fixed(1);
    format!("{}{unit}", text.strip_suffix(".0").unwrap_or(&text))
}

/// A duration in two units: `<0.1 s`, `48 s`, `12 min 3 s`, `2 h 5 min`, `3 d 4 h`. One that is no time that anybody waits is in
/// seconds with an exponent: `1e21 s`.
pub fn duration(seconds: f64) -> String {
    Decimal::of(seconds).map_or_else(|| format!("{seconds} s"), duration_of)
}

fn duration_of(seconds: Decimal) -> String {
    if is_large(seconds) {
        return format!("{} s", decimal(seconds.value()));
    }
    let tenths = seconds.fixed(1);
    if tenths == "0.0" && seconds.value() > 0.0 {
        return "<0.1 s".to_owned();
    }
    let whole: u64 = seconds.fixed(0).parse().unwrap_or_default();
    // What rounds up to a minute is one.
    let is_short = seconds.rounded(1).value() < 60.0;
    let (big, unit, small, small_unit) = match whole {
        _ if is_short => return format!("{} s", tenths.strip_suffix(".0").unwrap_or(&tenths)),
        0..3600 => (whole / 60, "min", whole % 60, "s"),
        3600..86400 => (whole / 3600, "h", whole % 3600 / 60, "min"),
        _ => (whole / 86400, "d", whole % 86400 / 3600, "h"),
    };
    if small == 0 {
        format!("{big} {unit}")
    } else {
        format!("{big} {unit} {small} {small_unit}")
    }
}

/// A digest, or a name that is one, cut to its first eight digits; `None` if it is none.
pub fn abbreviated_digest(name: &str) -> Option<String> {
    let is_digest = name.len() >= 32 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_digest.then(|| format!("{}…", &name[..8]))
}

/// A duration in milliseconds, in two units.
pub fn milliseconds(ms: i64) -> String {
    duration_of(Decimal::new(ms.into(), -3))
}

/// An elapsed time in seconds as a clock; one that is too long for a clock as a duration.
pub fn clock_of(seconds: f64) -> String {
    let whole = Decimal::of(seconds).filter(|whole| !is_large(*whole));
    let whole: Option<i64> = whole.and_then(|whole| whole.fixed(0).parse().ok());
    whole.map_or_else(
        || duration(seconds),
        |whole| clock(whole.saturating_mul(1000)),
    )
}

/// An elapsed time as a clock: `0:07`, `12:03`, `1:02:03`.
pub fn clock(ms: i64) -> String {
    let mut out = String::new();
    push_clock(&mut out, ms);
    out
}

/// Appends an elapsed time as a clock.
pub fn push_clock(out: &mut String, ms: i64) {
    let mut digits = itoa::Buffer::new();
    let seconds = ms.unsigned_abs() / 1000;
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if ms < 0 {
        out.push('-');
    }
    if hours > 0 {
        out.push_str(digits.format(hours));
        out.push(':');
        if minutes < 10 {
            out.push('0');
        }
    }
    out.push_str(digits.format(minutes));
    out.push_str(if seconds < 10 { ":0" } else { ":" });
    out.push_str(digits.format(seconds));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(literal: &str) -> Number {
        Number::new(literal, literal.parse().expect("a number"))
    }

    #[test]
    fn amounts_are_written_for_people() {
        for (shown, expected) in [
            (grouped(1_234_567), "1,234,567"),
            (grouped("1234.5678"), "1,234.5678"),
            (grouped(-123_456), "-123,456"),
            (grouped("1e21"), "1e21"),
            (count(1, "run"), "1 run"),
            (count(2_000, "harness"), "2,000 harnesses"),
            (count(0, "entry"), "0 entries"),
            (count(2, "day"), "2 days"),
            (rest(5, 2, "more run").unwrap_or_default(), "3 more runs"),
            (rest(2, 2, "more run").unwrap_or_default(), ""),
            (
                more(3, 2, "script").unwrap_or_default(),
                "1 more script is in run.json",
            ),
            (bytes(512), "512 B"),
            (bytes(1_536), "1.5 KiB"),
            (bytes(1_023), "1023 B"),
            (bytes((1 << 20) - 1), "1.0 MiB"),
            (bytes(12 << 20), "12.0 MiB"),
            (bytes(3 << 30), "3.0 GiB"),
            (bytes(2 << 40), "2.0 TiB"),
            (percent(1, 3), "33.3 %"),
            (percent(1, 8), "12.5 %"),
            (percent(0, 0), "0.0 %"),
            (digits(&number("9.0")), "9"),
            (digits(&number("15e2")), "1500"),
            (digits(&number("1E+21")), "1e21"),
            (digits(&number("1e-9")), "0.000000001"),
            (digits(&number("1e-300")), "1e-300"),
            (digits(&number("-0")), "0"),
            (digits(&number("-0.0")), "0"),
            (digits(&number("-0e9")), "0"),
            (digits(&number("-0.5")), "-0.5"),
            (dollars(&number("0.4210")), "$0.4210"),
            (dollars(&number("1234.5")), "$1,234.50"),
            (dollars(&number("3")), "$3.00"),
            (dollars(&number("-0")), "$0.00"),
            (dollars(&number("1e300")), "$1e300"),
            (dollars(&number("0.028000000000000004")), "$0.028"),
            (dollars(&number("0.30000000000000004")), "$0.30"),
            (short_dollars(1_234.567), "$1,234.57"),
            (short_dollars(1.005), "$1.01"),
            (short_dollars(0.996), "$1.00"),
            (short_dollars(0.421), "$0.42"),
            (short_dollars(0.0996), "$0.10"),
            (short_dollars(0.028_000_000_000_000_004), "$0.028"),
            (short_dollars(0.0421), "$0.042"),
            (short_dollars(0.00421), "$0.0042"),
            (short_dollars(0.000_04), "$0.000040"),
            (short_dollars(0.0), "$0.00"),
            (short_dollars(-0.0), "$0.00"),
            (short_dollars(1e14), "$100,000,000,000,000.00"),
            (short_dollars(1e300), "$1e300"),
            (short_dollars(4e-8), "<$0.000001"),
            (round_dollars(5_000.0), "$5,000"),
            (round_dollars(0.5), "$0.50"),
            (round_dollars(1e300), "$1e300"),
            (round_dollars(0.002), "$0.002"),
            (tokens(999), "999"),
            (tokens(15_250), "15.3 k"),
            (tokens(999_949), "999.9 k"),
            (tokens(999_950), "1.00 M"),
            (tokens(1_520_000), "1.52 M"),
            (tokens(999_995_000), "1.00 G"),
            (tokens(2_000_000_000_000), "2,000.00 G"),
            (round_tokens(500.0), "500"),
            (round_tokens(1_500.0), "1.5 k"),
            (round_tokens(2e7), "20 M"),
            (round_tokens(1e300), "1e300"),
            (duration(0.0), "0 s"),
            (duration(-0.0), "0 s"),
            (duration(1e-9), "<0.1 s"),
            (duration(0.049), "<0.1 s"),
            (duration(0.05), "0.1 s"),
            (duration(1.25), "1.3 s"),
            (duration(59.94), "59.9 s"),
            (duration(59.96), "1 min"),
            (duration(3_599.6), "1 h"),
            (duration(723.0), "12 min 3 s"),
            (duration(7_500.0), "2 h 5 min"),
            (duration(273_600.0), "3 d 4 h"),
            (duration(1e14), "1157407407 d 9 h"),
            (duration(1.5e21), "1.5e21 s"),
            (duration(1e300), "1e300 s"),
            (milliseconds(48_000), "48 s"),
            (milliseconds(1_050), "1.1 s"),
            (milliseconds(13), "<0.1 s"),
            (clock_of(7.4), "0:07"),
            (clock_of(1e21), "1e21 s"),
            (
                abbreviated_digest(&"0123abcd".repeat(8)).unwrap_or_default(),
                "0123abcd…",
            ),
            (abbreviated_digest("deadbeef").unwrap_or_default(), ""),
            (clock(7_400), "0:07"),
            (clock(723_000), "12:03"),
            (clock(3_723_000), "1:02:03"),
            (clock(-61_000), "-1:01"),
        ] {
            assert_eq!(shown, expected);
        }
    }
}
