//! Times in logs: with an offset, as local time without one, or in seconds since 1970.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::fmt::temporal::DateTimePrinter;

use super::draft::{Event, Record};

/// A time in a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum When {
    /// In UTC, with the digits of the source.
    Utc(String),
    /// As recorded, if the source has no time zone.
    Local(String),
}

impl When {
    /// Reads a time; `None` if it is invalid.
    pub fn read(text: &str) -> Option<Self> {
        if let Ok(moment) = text.parse::<Timestamp>() {
            let is_utc = text.ends_with('Z') && text.as_bytes().get(10) == Some(&b'T');
            return Some(Self::Utc(if is_utc {
                text.to_owned()
            } else {
                printed(moment, digits(text))
            }));
        }
        let naive = text.len() >= 19 && text.parse::<DateTime>().is_ok();
        naive.then(|| Self::Local(text.to_owned()))
    }

    /// Reads seconds since 1970, to the microsecond.
    pub fn unix(seconds: f64) -> Option<Self> {
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
        Some(Self::Utc(moment.to_string()))
    }
}

/// Number of fractional digits of the seconds.
fn digits(text: &str) -> u8 {
    let fraction = text
        .get(19..)
        .and_then(|rest| rest.strip_prefix(['.', ',']));
    fraction.map_or(0, |rest| {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).take(9);
        u8::try_from(digits.count()).unwrap_or(9)
    })
}

fn printed(moment: Timestamp, digits: u8) -> String {
    DateTimePrinter::new()
        .precision(Some(digits))
        .timestamp_to_string(&moment)
}

impl Event {
    /// Sets the time; an invalid time is left out.
    pub fn when(&mut self, when: Option<&When>) -> &mut Self {
        match when {
            Some(When::Utc(time)) => self.time = Some(time.clone()),
            Some(When::Local(time)) => self.local_time = Some(time.clone()),
            None => {}
        }
        self
    }
}

/// The earliest and latest time of a log, as recorded.
#[derive(Debug, Default)]
pub struct Times {
    moments: Option<[(Timestamp, String); 2]>,
    local: Option<[(DateTime, String); 2]>,
}

impl Times {
    /// Adds a time.
    pub fn see(&mut self, text: &str) {
        if let Ok(moment) = text.parse::<Timestamp>() {
            widen(&mut self.moments, moment, text);
        } else if let Ok(moment) = text.parse::<DateTime>() {
            widen(&mut self.local, moment, text);
        }
    }

    /// Writes the times into a record that lacks them.
    pub fn write(self, record: &mut Record) {
        if let Some([(_, first), (_, last)]) = self.moments {
            record.started.get_or_insert(first);
            record.finished.get_or_insert(last);
        } else if let Some([_, (_, last)]) = self.local {
            record.local_finished.get_or_insert(last);
        }
    }
}

fn widen<T: PartialOrd + Copy>(seen: &mut Option<[(T, String); 2]>, moment: T, text: &str) {
    let new = || (moment, text.to_owned());
    let Some([first, last]) = seen else {
        *seen = Some([new(), new()]);
        return;
    };
    if moment < first.0 {
        *first = new();
    }
    if moment > last.0 {
        *last = new();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_in_utc_with_their_digits_or_local_as_written() {
        let utc = |text: &str| Some(When::Utc(text.to_owned()));
        let local = |text: &str| Some(When::Local(text.to_owned()));
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
        ] {
            assert_eq!(When::read(text), when, "{text}");
        }
        assert_eq!(
            When::unix(1_795_386_739.220_638),
            utc("2026-11-22T22:32:19.220638Z")
        );
        assert_eq!(When::unix(1e300), None);
        assert_eq!(When::unix(f64::NAN), None);
    }

    #[test]
    fn the_earliest_and_the_latest_time_are_found_in_any_order() {
        let mut times = Times::default();
        for text in ["2026-03-01T10:00:00+01:00", "2026-03-01T09:30:00Z", "?"] {
            times.see(text);
        }
        let mut record = Record::default();
        times.write(&mut record);
        assert_eq!(record.started.as_deref(), Some("2026-03-01T10:00:00+01:00"));
        assert_eq!(record.finished.as_deref(), Some("2026-03-01T09:30:00Z"));
    }
}
