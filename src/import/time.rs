//! Times in logs: with an offset, as local time without one, or in seconds since 1970.

use std::borrow::Cow;

use jiff::Timestamp;
use jiff::civil::DateTime;

use formats::time::Rfc3339Time;

use super::draft::RecordDraft;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LogTime {
    /// In UTC, with the digits of the source.
    Utc(String),
    /// As recorded, if the source has no time zone.
    Local(String),
}

impl LogTime {
    /// Reads a time; `None` if it is invalid.
    pub fn parse(text: &str) -> Option<Self> {
        if let Some(moment) = moment(text) {
            let is_plain = Rfc3339Time::parse(text).is_some();
            let is_utc = is_plain && text.ends_with('Z') && text.as_bytes()[10] == b'T';
            let printed = || {
                let seconds = Timestamp::from_second(moment.seconds).ok()?.to_string();
                let point = if moment.fraction.is_empty() { "" } else { "." };
                // Years before 0 have a sign. They, and leap seconds, can only be written with an offset.
                let is_shown = seconds.len() == 20 && text.get(17..19) != Some("60");
                let seconds = seconds.strip_suffix('Z').filter(|_| is_shown)?;
                Some(format!("{seconds}{point}{}Z", moment.fraction))
            };
            return match printed() {
                Some(printed) if !is_utc => Some(Self::Utc(printed)),
                _ => is_plain.then(|| Self::Utc(text.to_owned())),
            };
        }
        let naive = text.len() >= 19 && shortened(text).parse::<DateTime>().is_ok();
        naive.then(|| Self::Local(text.to_owned()))
    }
}

/// The time of seconds since 1970, to the microsecond.
pub fn from_unix(seconds: f64) -> Option<String> {
    // Larger values have years with more than four digits.
    if !(0.0..2.5e11).contains(&seconds) {
        return None;
    }
    #[allow(clippy::cast_possible_truncation, reason = "checked above")]
    let (whole, micros) = (
        seconds.trunc() as i64,
        (seconds.fract() * 1e6).round_ties_even() as i32,
    );
    let moment = Timestamp::new(whole, 0).ok()?;
    let moment = moment + jiff::SignedDuration::from_micros(micros.into());
    Some(moment.to_string())
}

/// A moment in a log: RFC 3339, or another spelling with an offset.
fn moment(text: &str) -> Option<Rfc3339Time<'_>> {
    Rfc3339Time::parse(text).or_else(|| {
        let moment: Timestamp = shortened(text).parse().ok()?;
        Some(Rfc3339Time {
            seconds: moment
                .as_nanosecond()
                .div_euclid(1_000_000_000)
                .try_into()
                .ok()?,
            fraction: fraction(text),
        })
    })
}

/// The fractional digits of the seconds.
fn fraction(text: &str) -> &str {
    let rest = text
        .get(19..)
        .and_then(|rest| rest.strip_prefix(['.', ',']))
        .unwrap_or_default();
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    &rest[..digits]
}

/// A time with at most nine fractional digits, which is as many as the library reads.
fn shortened(text: &str) -> Cow<'_, str> {
    let more = fraction(text).len().saturating_sub(9);
    if more == 0 {
        return Cow::Borrowed(text);
    }
    format!("{}{}", &text[..29], &text[29 + more..]).into()
}

/// Milliseconds since 1970 of a time with an offset.
pub fn milliseconds(text: &str) -> Option<i64> {
    Some(moment(text)?.milliseconds())
}

/// Seconds between two times, if both are valid and in order.
#[allow(
    clippy::cast_precision_loss,
    reason = "nanoseconds of a run are far below 2^53 seconds"
)]
pub fn seconds_between(start: Option<&str>, end: Option<&str>) -> Option<f64> {
    let nanoseconds = |text: &str| {
        let moment = moment(text)?;
        let digits = moment.fraction.bytes().chain(*b"000000000").take(9);
        let digits = digits.fold(0, |sum, digit| sum * 10 + i128::from(digit - b'0'));
        Some(i128::from(moment.seconds) * 1_000_000_000 + digits)
    };
    let passed = nanoseconds(end?)? - nanoseconds(start?)?;
    (passed >= 0).then_some(passed as f64 / 1e9)
}

/// The earliest and latest time of a log, as recorded.
#[derive(Debug, Default)]
pub struct Times {
    moments: Option<[((i64, String), String); 2]>,
    local: Option<[(DateTime, String); 2]>,
}

impl Times {
    /// Adds a time.
    pub fn add(&mut self, text: &str) {
        if let Some(moment) = moment(text) {
            let moment = (moment.seconds, moment.fraction.to_owned());
            widen(&mut self.moments, &moment, text);
        } else if let Ok(moment) = shortened(text).parse::<DateTime>() {
            widen(&mut self.local, &moment, text);
        }
    }

    /// Writes the times into a record that lacks them.
    pub fn write(self, record: &mut RecordDraft) {
        if let Some([(_, first), (_, last)]) = self.moments {
            record.started.get_or_insert(first);
            record.finished.get_or_insert(last);
        } else if let Some([_, (_, last)]) = self.local {
            record.local_finished.get_or_insert(last);
        }
    }
}

fn widen<T: PartialOrd + Clone>(seen: &mut Option<[(T, String); 2]>, moment: &T, text: &str) {
    let new = || (moment.clone(), text.to_owned());
    let Some([first, last]) = seen else {
        *seen = Some([new(), new()]);
        return;
    };
    if *moment < first.0 {
        *first = new();
    }
    if *moment > last.0 {
        *last = new();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_in_utc_with_their_digits_or_local_as_written() {
        let utc = |text: &str| Some(LogTime::Utc(text.to_owned()));
        let local = |text: &str| Some(LogTime::Local(text.to_owned()));
        for (text, when) in [
            ("2026-03-01T10:00:00.250Z", utc("2026-03-01T10:00:00.250Z")),
            (
                "2024-10-15T12:53:13.264282-04:00",
                utc("2024-10-15T16:53:13.264282Z"),
            ),
            ("2026-03-01T10:00:00+00:00", utc("2026-03-01T10:00:00Z")),
            (
                "2026-03-01T12:00:00.250000",
                local("2026-03-01T12:00:00.250000"),
            ),
            ("2026-03-01", None),
            ("soon", None),
            ("9999-12-31T23:59:00Z", utc("9999-12-31T23:59:00Z")),
            (
                "9999-12-31T23:59:00-05:00",
                utc("9999-12-31T23:59:00-05:00"),
            ),
            (
                "2026-03-01T12:00:00.1234567890123+02:00",
                utc("2026-03-01T10:00:00.1234567890123Z"),
            ),
            (
                "2026-03-01T10:00:00.1234567890123",
                local("2026-03-01T10:00:00.1234567890123"),
            ),
            (
                "2026-03-01T10:00:00.1234567890123+0000",
                utc("2026-03-01T10:00:00.1234567890123Z"),
            ),
            ("2016-12-31T23:59:60Z", utc("2016-12-31T23:59:60Z")),
            (
                "2017-01-01T00:59:60+01:00",
                utc("2017-01-01T00:59:60+01:00"),
            ),
            ("0001-01-01T00:00:00Z", utc("0001-01-01T00:00:00Z")),
            ("2026-03-01T10:00Z", utc("2026-03-01T10:00:00Z")),
        ] {
            assert_eq!(LogTime::parse(text), when, "{text}");
        }
        assert_eq!(
            from_unix(1_795_386_739.220_638).as_deref(),
            Some("2026-11-22T22:32:19.220638Z")
        );
        assert_eq!(from_unix(1e300), None);
        assert_eq!(from_unix(f64::NAN), None);
    }

    #[test]
    fn the_earliest_and_the_latest_time_are_found_in_any_order() {
        let mut times = Times::default();
        for text in ["2026-03-01T10:00:00+01:00", "2026-03-01T09:30:00Z", "?"] {
            times.add(text);
        }
        let mut record = RecordDraft::default();
        times.write(&mut record);
        assert_eq!(record.started.as_deref(), Some("2026-03-01T10:00:00+01:00"));
        assert_eq!(record.finished.as_deref(), Some("2026-03-01T09:30:00Z"));
    }
}
