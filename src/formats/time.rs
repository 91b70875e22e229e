//! RFC 3339 times, whatever their year, their offset and the number of their digits.

use jiff::civil::DateTime;

/// 1970-01-01.
pub const EPOCH: DateTime = DateTime::constant(1970, 1, 1, 0, 0, 0, 0);

/// A moment of RFC 3339 text, in the order of time.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rfc3339Time<'a> {
    /// Seconds since 1970-01-01 UTC. A leap second is the second before it.
    pub seconds: i64,
    /// The digits of the fraction as written, which may be none.
    pub fraction: &'a str,
}

impl<'a> Rfc3339Time<'a> {
    /// Reads a time with date, time and offset. The fraction may have any number of digits.
    pub fn parse(text: &'a str) -> Option<Self> {
        let (moment, rest) = text.as_bytes().split_at_checked(19)?;
        let fits = |(byte, shape): (&u8, &u8)| match shape {
            b'0' => byte.is_ascii_digit(),
            b'T' => matches!(byte, b'T' | b't' | b' '),
            _ => byte == shape,
        };
        if !moment.iter().zip(b"0000-00-00T00:00:00").all(fits) {
            return None;
        }
        let fraction = match rest.first() {
            Some(b'.') => {
                let digits = rest[1..].iter().take_while(|byte| byte.is_ascii_digit());
                text.get(20..20 + digits.count())
                    .filter(|digits| !digits.is_empty())?
            }
            _ => "",
        };
        let point = usize::from(!fraction.is_empty());
        let offset = offset(&rest[point + fraction.len()..])?;
        let two = |at: usize| i8::try_from(number(&moment[at..at + 2])).ok();
        let second = two(17).filter(|second| *second <= 60)?.min(59);
        let year = number(&moment[..4]);
        let time = DateTime::new(year, two(5)?, two(8)?, two(11)?, two(14)?, second, 0).ok()?;
        Some(Self {
            seconds: time.duration_since(EPOCH).as_secs() - offset,
            fraction,
        })
    }

    /// Milliseconds since 1970-01-01 UTC; further digits are cut off.
    pub fn milliseconds(&self) -> i64 {
        let digits = self.fraction.bytes().chain(*b"000").take(3);
        let digits = digits.fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0'));
        self.seconds * 1000 + digits
    }
}

/// Milliseconds since 1970-01-01 UTC of an RFC 3339 time.
pub fn parse_rfc3339(text: &str) -> Option<i64> {
    Some(Rfc3339Time::parse(text)?.milliseconds())
}

fn number(digits: &[u8]) -> i16 {
    let values = digits.iter().map(|digit| i16::from(digit - b'0'));
    values.fold(0, |sum, digit| sum * 10 + digit)
}

/// Seconds east of UTC.
fn offset(text: &[u8]) -> Option<i64> {
    let (sign, digits) = match text {
        [b'Z' | b'z'] => return Some(0),
        [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2] => (*sign, [*h1, *h2, *m1, *m2]),
        _ => return None,
    };
    let (hours, minutes) = (&digits[..2], &digits[2..]);
    if !digits.iter().all(u8::is_ascii_digit) || *hours >= b"24"[..] || *minutes >= b"60"[..] {
        return None;
    }
    let seconds = (i64::from(number(hours)) * 60 + i64::from(number(minutes))) * 60;
    Some(if sign == b'-' { -seconds } else { seconds })
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;

    #[test]
    fn a_time_is_what_the_library_makes_of_it() {
        for date in [
            "0000-01-01",
            "0000-02-29",
            "0001-01-01",
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
            for time in ["00:00:00.000", "23:59:59.999", "09:08:07.065", "23:59:60.5"] {
                for offset in ["Z", "+05:30", "-23:59"] {
                    let text = format!("{date}T{time}{offset}");
                    let parsed = text.parse::<Timestamp>().expect("a time");
                    let ms = parsed.as_nanosecond().div_euclid(1_000_000);
                    assert_eq!(parse_rfc3339(&text).map(i128::from), Some(ms), "{text}");
                }
            }
        }
    }

    #[test]
    fn the_last_year_and_any_number_of_digits_are_valid() {
        let last = parse_rfc3339("9999-12-31T23:59:00Z");
        assert_eq!(last, Some(253_402_300_740_000));
        assert_eq!(
            parse_rfc3339("9999-12-31T23:59:00-23:59"),
            last.map(|last| last + 86_340_000)
        );
        assert_eq!(
            parse_rfc3339("0000-01-01T00:00:00+01:00").map(|ms| ms + 3_600_000),
            parse_rfc3339("0000-01-01T00:00:00Z")
        );
        assert_eq!(
            parse_rfc3339("2026-03-01T10:00:00.1234567890123Z"),
            parse_rfc3339("2026-03-01T10:00:00.123Z")
        );
        let order = ["2026-03-01T10:00:00.05Z", "2026-03-01T10:00:00.1Z"];
        assert!(Rfc3339Time::parse(order[0]) < Rfc3339Time::parse(order[1]));
    }

    #[test]
    fn only_rfc_3339_is_a_time() {
        for good in [
            "2026-03-01T10:00:00Z",
            "2026-03-01t10:00:00.123456789+01:30",
            "2026-03-01 10:00:00-00:00",
            "2016-12-31T23:59:60Z",
        ] {
            assert!(parse_rfc3339(good).is_some(), "{good}");
        }
        for bad in [
            "2026-03-01T10:00:00+24:00",
            "2026-03-01T10:00:00+01:60",
            "2026-03-01",
            "2026-03-01T10:00:00",
            "2026-13-01T10:00:00Z",
            "2026-00-10T10:00:00Z",
            "2026-02-29T10:00:00Z",
            "1900-02-29T10:00:00Z",
            "2026-04-31T10:00:00Z",
            "2026-03-01T24:00:00Z",
            "2026-03-01T10:00:61Z",
            "2026-03-01T10:00Z",
            "2026-03-01T10:00:00.Z",
            "2026-03-01T10:00:00+0100",
            "2026-03-01T10:00:00.1²Z",
            "",
        ] {
            assert!(parse_rfc3339(bad).is_none(), "{bad}");
        }
    }
}
