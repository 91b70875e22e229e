//! Times and durations: RFC 3339 in, UTC and plain words out.

use std::fmt;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::fmt::temporal::DateTimePrinter;

use super::written::Written;

/// Milliseconds since 1970-01-01 UTC. Formatted like [`push_iso_ms`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Milliseconds(pub i64);

impl fmt::Display for Milliseconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        push_iso_ms(&mut text, self.0);
        f.write_str(&text)
    }
}

/// A time with its text in the input.
pub type Moment = Written<Milliseconds>;

impl Moment {
    /// Reads an RFC 3339 time; rejects other formats.
    pub fn parse(text: &str) -> Option<Self> {
        parse_rfc3339(text).map(|ms| Self::new(text, Milliseconds(ms)))
    }

    /// Milliseconds since 1970-01-01 UTC.
    pub fn ms(&self) -> i64 {
        self.value().0
    }
}

/// Milliseconds since 1970-01-01 UTC of an RFC 3339 time with date, time and offset.
pub fn parse_rfc3339(text: &str) -> Option<i64> {
    let (moment, offset) = text.as_bytes().split_at_checked(19)?;
    let fits = |(byte, shape): (&u8, &u8)| match shape {
        b'0' => byte.is_ascii_digit(),
        b'T' => matches!(byte, b'T' | b't' | b' '),
        _ => byte == shape,
    };
    let shaped = moment.iter().zip(b"0000-00-00T00:00:00").all(fits) && offset_is_shaped(offset);
    if !shaped {
        return None;
    }
    plain(moment, offset).or_else(|| Some(text.parse::<Timestamp>().ok()?.as_millisecond()))
}

/// A time of this shape in UTC with milliseconds, as nearly every recorder writes it: an event log has one per line.
fn plain(moment: &[u8], offset: &[u8]) -> Option<i64> {
    let [b'.', fraction @ .., b'Z'] = offset else {
        return None;
    };
    let number = |digits: &[u8]| {
        let values = digits.iter().map(|digit| i16::from(digit - b'0'));
        values.fold(0, |sum, digit| sum * 10 + digit)
    };
    let two = |at: usize| number(&moment[at..at + 2]);
    let (year, hour, minute, second) = (number(&moment[..4]), two(11), two(14), two(17));
    let (month, day) = (i8::try_from(two(5)).ok()?, i8::try_from(two(8)).ok()?);
    let is_time = hour < 24 && minute < 60 && second < 60;
    // The parser handles everything else, such as leap seconds and the last year.
    let is_date = year < 9999 && Date::new(year, month, day).is_ok();
    if !is_time || !is_date || fraction.len() != 3 {
        return None;
    }
    let minutes = (days(year, month, day) * 24 + i64::from(hour)) * 60 + i64::from(minute);
    Some((minutes * 60 + i64::from(second)) * 1000 + i64::from(number(fraction)))
}

/// Days since 1970-01-01. Years begin in March, so that a leap day is the last day of a year.
fn days(year: i16, month: i8, day: i8) -> i64 {
    let (month, day) = (i64::from(month), i64::from(day));
    let year = i64::from(year) - i64::from(month <= 2);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + of_year
        - 719_468
}

fn offset_is_shaped(rest: &[u8]) -> bool {
    let fraction = if rest.first() == Some(&b'.') {
        1 + rest[1..].iter().take_while(|b| b.is_ascii_digit()).count()
    } else {
        0
    };
    if fraction == 1 || fraction > 10 {
        return false;
    }
    match &rest[fraction..] {
        [b'Z' | b'z'] => true,
        [b'+' | b'-', h1, h2, b':', m1, m2] => {
            [h1, h2, m1, m2].iter().all(|b| b.is_ascii_digit())
                && [*h1, *h2] < *b"24"
                && [*m1, *m2] < *b"60"
        }
        _ => false,
    }
}

/// `2026-03-01 10:00:00 UTC`
pub fn utc(ms: i64) -> String {
    at(ms).map_or_else(
        || "unknown".to_owned(),
        |t| t.strftime("%Y-%m-%d %H:%M:%S UTC").to_string(),
    )
}

/// `2026-03-01`
pub fn utc_date(ms: i64) -> String {
    at(ms).map_or_else(
        || "unknown".to_owned(),
        |t| t.strftime("%Y-%m-%d").to_string(),
    )
}

/// `2026-03-01T10:00:00Z`, for machines.
pub fn iso(ms: i64) -> String {
    at(ms).map_or_else(String::new, |t| {
        t.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
    })
}

/// Appends `2026-03-01T10:00:00.250Z`, for machines.
pub fn push_iso_ms(out: &mut String, ms: i64) {
    const PRINTER: DateTimePrinter = DateTimePrinter::new().precision(Some(3));
    if let Some(timestamp) = at(ms) {
        // Writing to a string cannot fail.
        let _ = PRINTER.print_timestamp(&timestamp, out);
    }
}

/// The time, if it is in the displayable years -9999 to 9999.
pub fn showable(ms: i64) -> Option<i64> {
    at(ms).map(|_| ms)
}

fn at(ms: i64) -> Option<Timestamp> {
    Timestamp::from_millisecond(ms).ok()
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

/// Appends the elapsed time as a clock: `0:07`, `12:03`, `1:02:03`.
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

    #[test]
    fn a_plain_time_is_what_the_parser_makes_of_it() {
        for date in [
            "0000-01-01",
            "0000-02-29",
            "1600-02-29",
            "1899-12-31",
            "1900-02-28",
            "1969-12-31",
            "1970-01-01",
            "1999-12-31",
            "2000-02-29",
            "2000-03-01",
            "2026-11-23",
            "2100-03-01",
            "9998-12-31",
        ] {
            for time in ["00:00:00.000", "23:59:59.999", "09:08:07.065"] {
                let text = format!("{date}T{time}Z");
                let parsed = text.parse::<Timestamp>().expect("a time");
                let (moment, offset) = text.as_bytes().split_at(19);
                assert_eq!(
                    plain(moment, offset),
                    Some(parsed.as_millisecond()),
                    "{text}"
                );
            }
        }
        for other in [
            "2026-02-29",
            "2026-13-01",
            "2026-00-10",
            "1900-02-29",
            "2026-04-31",
        ] {
            assert_eq!(
                parse_rfc3339(&format!("{other}T00:00:00.000Z")),
                None,
                "{other}"
            );
        }
        for at_the_end in ["9999-12-30T21:59:59.999Z", "9999-12-31T23:59:59.999Z"] {
            let parsed = at_the_end.parse().ok().map(Timestamp::as_millisecond);
            assert_eq!(parse_rfc3339(at_the_end), parsed, "{at_the_end}");
        }
        let leap = parse_rfc3339("2016-12-31T23:59:60.000Z");
        assert_eq!(
            leap,
            "2016-12-31T23:59:60.000Z"
                .parse()
                .ok()
                .map(Timestamp::as_millisecond)
        );
    }

    #[test]
    fn only_rfc_3339_is_a_time() {
        for good in [
            "2026-03-01T10:00:00Z",
            "2026-03-01t10:00:00.123456789+01:30",
            "2026-03-01 10:00:00-00:00",
        ] {
            assert!(parse_rfc3339(good).is_some(), "{good}");
        }
        for bad in [
            "2026-03-01T10:00:00+24:00",
            "2026-03-01T10:00:00+01:60",
            "2026-03-01",
            "2026-03-01T10:00:00",
            "2026-13-01T10:00:00Z",
            "2026-03-01T10:00Z",
            "2026-03-01T10:00:00.Z",
            "2026-03-01T10:00:00+0100",
            "",
        ] {
            assert!(parse_rfc3339(bad).is_none(), "{bad}");
        }
        assert_eq!(
            parse_rfc3339("2026-03-01T01:00:00.250+01:00"),
            parse_rfc3339("2026-03-01T00:00:00.250Z")
        );
    }

    #[test]
    fn a_clock_counts_from_the_start() {
        let shown = |ms| {
            let mut out = String::new();
            push_clock(&mut out, ms);
            out
        };
        assert_eq!(
            [7_400, 723_000, 3_723_000, -61_000].map(shown),
            ["0:07", "12:03", "1:02:03", "-1:01"]
        );
    }

    #[test]
    fn durations_have_two_units() {
        let shown: Vec<_> = [0.0, 1.25, 48.0, 59.96, 723.0, 7500.0, 273_600.0]
            .map(duration)
            .into();
        assert_eq!(
            shown,
            [
                "0 s",
                "1.2 s",
                "48 s",
                "60 s",
                "12 min 3 s",
                "2 h 5 min",
                "3 d 4 h"
            ]
        );
    }
}
