//! Times: RFC 3339 in, UTC out. Durations are in `amounts`.

use jiff::SignedDuration;
use jiff::civil::Time;

use crate::time::EPOCH;
pub use crate::time::parse_rfc3339;

use super::value::Literal;

/// A time in milliseconds since 1970-01-01 UTC, with its text in the input.
pub type Moment = Literal<i64>;

impl Moment {
    /// Reads an RFC 3339 time; rejects other formats.
    pub fn parse(text: &str) -> Option<Self> {
        parse_rfc3339(text).map(|ms| Self::new(text, ms))
    }

    /// Milliseconds since 1970-01-01 UTC.
    pub const fn ms(&self) -> i64 {
        self.value()
    }
}

/// `2026-03-01 10:00:00 UTC`
pub fn utc(ms: i64) -> String {
    Utc::of(ms).map_or_else(
        || "unknown".to_owned(),
        |utc| format!("{} {} UTC", utc.date(), utc.clock()),
    )
}

/// `2026-03-01`
pub fn utc_date(ms: i64) -> String {
    Utc::of(ms).map_or_else(|| "unknown".to_owned(), |utc| utc.date())
}

/// `2026-03-01T10:00:00Z`, for machines.
pub fn iso(ms: i64) -> String {
    let mut out = String::with_capacity(28);
    push_for_machines(&mut out, ms, false);
    out
}

/// Appends `2026-03-01T10:00:00.250Z`, for machines.
pub fn push_iso_ms(out: &mut String, ms: i64) {
    push_for_machines(out, ms, true);
}

/// Appends a time with four digits of the year, as machines expect it. A time that was written with an offset may be outside of the
/// years 0000 to 9999 of UTC by less than a day, so it gets an offset again.
fn push_for_machines(out: &mut String, ms: i64, with_fraction: bool) {
    let (shown, offset) = match ms {
        LAST_IN_FOUR_DIGITS.. => (ms - LONGEST_OFFSET, "-23:59"),
        FIRST_IN_FOUR_DIGITS.. => (ms, "Z"),
        _ if ms + LONGEST_OFFSET >= FIRST_IN_FOUR_DIGITS => (ms + LONGEST_OFFSET, "+23:59"),
        _ => (ms, "Z"),
    };
    let Some(utc) = Utc::of(shown) else {
        return;
    };
    out.push_str(&format!("{}T{}", utc.date(), utc.clock()));
    if with_fraction {
        out.push_str(&format!(".{:03}", utc.time.millisecond()));
    }
    out.push_str(offset);
}

/// 0000-01-01T00:00:00Z.
const FIRST_IN_FOUR_DIGITS: i64 = -62_167_219_200_000;
/// 10000-01-01T00:00:00Z.
const LAST_IN_FOUR_DIGITS: i64 = 253_402_300_800_000;
/// The offset of 23:59.
const LONGEST_OFFSET: i64 = (24 * 60 - 1) * 60_000;
const DAY: i64 = 24 * 60 * 60_000;

/// The time, if it can be shown: in the years -9999 to 9999, or a day later.
pub fn displayable(ms: i64) -> Option<i64> {
    Utc::of(ms).map(|_| ms)
}

/// A date, and the time of the clock.
struct Utc {
    year: i16,
    month: i8,
    day: i8,
    time: Time,
}

impl Utc {
    fn of(ms: i64) -> Option<Self> {
        let calendar = |ms| EPOCH.checked_add(SignedDuration::from_millis(ms)).ok();
        if let Some(found) = calendar(ms) {
            return Some(Self {
                year: found.year(),
                month: found.month(),
                day: found.day(),
                time: found.time(),
            });
        }
        // The calendar ends with the year 9999.
        let day_before = calendar(ms.checked_sub(DAY)?)?;
        Some(Self {
            year: 10_000,
            month: 1,
            day: 1,
            time: day_before.time(),
        })
    }

    fn date(&self) -> String {
        let sign = if self.year < 0 { "-" } else { "" };
        let year = self.year.unsigned_abs();
        format!("{sign}{year:04}-{:02}-{:02}", self.month, self.day)
    }

    fn clock(&self) -> String {
        let time = self.time;
        format!(
            "{:02}:{:02}:{:02}",
            time.hour(),
            time.minute(),
            time.second()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_shown_as_the_library_shows_it() {
        for ms in [
            0,
            -1,
            FIRST_IN_FOUR_DIGITS,
            951_782_400_123,
            1_772_359_200_250,
            253_402_207_200_000,
        ] {
            let moment = jiff::Timestamp::from_millisecond(ms).expect("a time");
            assert_eq!(iso(ms), moment.strftime("%Y-%m-%dT%H:%M:%SZ").to_string());
            assert_eq!(
                utc(ms),
                moment.strftime("%Y-%m-%d %H:%M:%S UTC").to_string()
            );
            let mut text = String::new();
            push_iso_ms(&mut text, ms);
            assert_eq!(parse_rfc3339(&text), Some(ms));
        }
    }

    #[test]
    fn times_at_the_ends_of_the_calendar_are_valid_and_shown() {
        for (text, utc_text, machines) in [
            (
                "9999-12-31T23:59:00Z",
                "9999-12-31 23:59:00 UTC",
                "9999-12-31T23:59:00Z",
            ),
            (
                "9999-12-31T23:59:59-05:00",
                "10000-01-01 04:59:59 UTC",
                "9999-12-31T05:00:59-23:59",
            ),
            (
                "0001-01-01T00:00:00Z",
                "0001-01-01 00:00:00 UTC",
                "0001-01-01T00:00:00Z",
            ),
            (
                "0000-01-01T00:00:00+01:00",
                "-0001-12-31 23:00:00 UTC",
                "0000-01-01T22:59:00+23:59",
            ),
        ] {
            let moment = Moment::parse(text).expect("a time");
            assert_eq!(moment.text(), text);
            assert_eq!(utc(moment.ms()), utc_text);
            assert_eq!(iso(moment.ms()), machines);
            assert_eq!(parse_rfc3339(machines), Some(moment.ms()));
        }
        assert_eq!(displayable(i64::MAX), None);
        assert_eq!(displayable(i64::MIN), None);
        assert_eq!(iso(i64::MIN), "");
    }
}
