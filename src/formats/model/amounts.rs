//! Amounts for people: counts with their nouns, bytes, dollars, tokens and durations. Recorded digits stay as they are.

use std::fmt::Display;

use super::run::Number;

/// A number with its digits in groups of three: `1234567` as `1,234,567`.
pub fn grouped(number: impl Display) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    // Only digits before the point are grouped.
    let whole = digits.find('.').unwrap_or(digits.len());
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
#[allow(clippy::cast_precision_loss, reason = "one decimal of a file size")]
pub fn bytes(size: u64) -> String {
    match size {
        0..1024 => format!("{size} B"),
        1024..1_048_576 => format!("{:.1} KiB", size as f64 / 1024.0),
        1_048_576..1_073_741_824 => format!("{:.1} MiB", size as f64 / 1_048_576.0),
        1_073_741_824..1_099_511_627_776 => format!("{:.1} GiB", size as f64 / 1_073_741_824.0),
        _ => format!("{:.1} TiB", size as f64 / 1_099_511_627_776.0),
    }
}

/// The digits of a number without exponent and without a trailing `.0`.
pub fn digits(number: &Number) -> String {
    let literal = number.text();
    if literal.contains(['e', 'E']) {
        return number.value().to_string();
    }
    match literal.split_once('.') {
        Some((whole, fraction)) if fraction.bytes().all(|b| b == b'0') => whole.to_owned(),
        _ => literal.to_owned(),
    }
}

/// USD with the recorded digits, at least cents: `$0.4210`, `$3.00`.
pub fn dollars(number: &Number) -> String {
    let digits = digits(number);
    let ending = match digits.split_once('.') {
        None => ".00",
        Some((_, tenths)) if tenths.len() == 1 => "0",
        Some(_) => "",
    };
    format!("${}{ending}", grouped(digits))
}

/// USD with two or three significant digits: `$0.42`, `$0.0042`.
pub fn short_dollars(value: f64) -> String {
    let short = match value.abs() {
        0.095.. => format!("{value:.2}"),
        0.0095.. => format!("{value:.3}"),
        0.00095.. => format!("{value:.4}"),
        0.0 => "0.00".to_owned(),
        _ => format!("{value:.6}"),
    };
    format!("${}", grouped(short))
}

/// USD at a tick of a scale: `$5`, `$0.5`, `$0.002`.
pub fn round_dollars(value: f64) -> String {
    if value == 0.0 || value >= 0.1 {
        let text = format!("{value:.2}");
        return format!("${}", grouped(text.strip_suffix(".00").unwrap_or(&text)));
    }
    let text = format!("{value:.6}");
    format!("${}", text.trim_end_matches('0'))
}

/// Many tokens in thousands, millions or billions; `None` if there are fewer than 1,000.
pub fn short_tokens(value: f64) -> Option<String> {
    Some(match value {
        ..1e3 => return None,
        1e3..1e6 => format!("{:.1} k", value / 1e3),
        1e6..1e9 => format!("{:.2} M", value / 1e6),
        _ => format!("{:.2} G", value / 1e9),
    })
}

/// A number of tokens in short: `940`, `1.2 k`, `3.64 M`.
#[allow(clippy::cast_precision_loss, reason = "two or three digits are shown")]
pub fn tokens(count: u64) -> String {
    short_tokens(count as f64).unwrap_or_else(|| count.to_string())
}

/// Tokens at a tick of a scale: `500`, `1.5 k`, `20 M`.
pub fn round_tokens(value: f64) -> String {
    let (value, unit) = match value {
        1e9.. => (value / 1e9, " G"),
        1e6.. => (value / 1e6, " M"),
        1e3.. => (value / 1e3, " k"),
        _ => (value, ""),
    };
    let text = format!("{value:.1}");
    format!("{}{unit}", text.strip_suffix(".0").unwrap_or(&text))
}

/// A duration in two units: `48 s`, `12 min 3 s`, `2 h 5 min`, `3 d 4 h`.
pub fn duration(seconds: f64) -> String {
    if seconds < 60.0 {
        let tenths = format!("{seconds:.1}");
        return format!("{} s", tenths.strip_suffix(".0").unwrap_or(&tenths));
    }
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "seconds of a run are far below 2^63"
    )]
    let whole = seconds.round() as u64;
    let (big, unit, small, small_unit) = match whole {
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

/// A duration in milliseconds, in two units.
#[allow(clippy::cast_precision_loss, reason = "a duration in two units")]
pub fn milliseconds(ms: i64) -> String {
    duration(ms as f64 / 1000.0)
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
            (bytes(12 << 20), "12.0 MiB"),
            (bytes(3 << 30), "3.0 GiB"),
            (bytes(2 << 40), "2.0 TiB"),
            (digits(&number("9.0")), "9"),
            (digits(&number("15e2")), "1500"),
            (dollars(&number("0.4210")), "$0.4210"),
            (dollars(&number("1234.5")), "$1,234.50"),
            (dollars(&number("3")), "$3.00"),
            (short_dollars(1_234.567), "$1,234.57"),
            (short_dollars(0.0421), "$0.042"),
            (short_dollars(0.00421), "$0.0042"),
            (short_dollars(0.000_04), "$0.000040"),
            (short_dollars(0.0), "$0.00"),
            (round_dollars(5_000.0), "$5,000"),
            (round_dollars(0.5), "$0.50"),
            (round_dollars(0.002), "$0.002"),
            (short_tokens(999.0).unwrap_or_default(), ""),
            (short_tokens(15_200.0).unwrap_or_default(), "15.2 k"),
            (short_tokens(1_520_000.0).unwrap_or_default(), "1.52 M"),
            (short_tokens(2e9).unwrap_or_default(), "2.00 G"),
            (round_tokens(500.0), "500"),
            (round_tokens(1_500.0), "1.5 k"),
            (round_tokens(2e7), "20 M"),
            (duration(0.0), "0 s"),
            (duration(1.25), "1.2 s"),
            (duration(59.96), "60 s"),
            (duration(723.0), "12 min 3 s"),
            (duration(7_500.0), "2 h 5 min"),
            (duration(273_600.0), "3 d 4 h"),
            (milliseconds(48_000), "48 s"),
            (clock(7_400), "0:07"),
            (clock(723_000), "12:03"),
            (clock(3_723_000), "1:02:03"),
            (clock(-61_000), "-1:01"),
        ] {
            assert_eq!(shown, expected);
        }
    }
}
