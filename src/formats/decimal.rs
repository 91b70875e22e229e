//! Sums of recorded decimals, and their rounding. A sum of binary fractions has digits that nobody recorded: 0.1 + 0.2 is
//! 0.30000000000000004. What is rounded in binary depends on them too: 1.005 would become 1.00.

/// A decimal number: `digits` times ten to the power of `exponent`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decimal {
    digits: i128,
    exponent: i32,
}

impl Decimal {
    /// `digits` times ten to the power of `exponent`.
    pub const fn new(digits: i128, exponent: i32) -> Self {
        Self { digits, exponent }
    }

    /// The shortest decimal of a number, which is what programs write. `None` if the number is not finite.
    pub fn of(value: f64) -> Option<Self> {
        let text = format!("{value:e}");
        let (written, exponent) = text.split_once('e')?;
        let (whole, fraction) = written.split_once('.').unwrap_or((written, ""));
        let exponent: i32 = exponent.parse().ok()?;
        Some(Self {
            digits: format!("{whole}{fraction}").parse().ok()?,
            exponent: exponent - i32::try_from(fraction.len()).ok()?,
        })
    }

    /// The sum. Only digits beyond the 38th are lost.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let (mut large, mut small) = if self.exponent > other.exponent {
            (self, other)
        } else {
            (other, self)
        };
        while large.exponent > small.exponent {
            if let Some(digits) = large.digits.checked_mul(10) {
                large.digits = digits;
                large.exponent -= 1;
            } else {
                small.digits /= 10;
                small.exponent += 1;
            }
        }
        match large.digits.checked_add(small.digits) {
            Some(digits) => Self { digits, ..large },
            None => Self {
                digits: large.digits / 10 + small.digits / 10,
                exponent: large.exponent + 1,
            },
        }
    }

    /// Ten to the power of `places` times the number.
    #[must_use]
    pub const fn shifted(self, places: i32) -> Self {
        let exponent = self.exponent.saturating_add(places);
        Self { exponent, ..self }
    }

    /// The power of ten of its first digit: 0 from 1 to below 10, -1 from 0.1 to below 1. `None` for 0.
    pub fn magnitude(self) -> Option<i32> {
        let digits = self.digits.checked_abs()?.checked_ilog10()?;
        Some(self.exponent.saturating_add(digits.cast_signed()))
    }

    /// The number rounded to `places` digits after the point, half away from zero. Negative places are before the point.
    #[must_use]
    pub fn rounded(self, places: i32) -> Self {
        let exponent = places.saturating_neg();
        let cut = i64::from(exponent) - i64::from(self.exponent);
        let Ok(cut @ 1..) = u32::try_from(cut) else {
            return self;
        };
        let digits = 10_i128.checked_pow(cut).map_or(0, |unit| {
            let rest = (self.digits % unit).abs();
            let up = i128::from(rest >= unit - rest);
            self.digits / unit + up * self.digits.signum()
        });
        Self { digits, exponent }
    }

    /// The number with exactly `places` digits after the point, rounded half away from zero.
    pub fn fixed(self, places: u16) -> String {
        let rounded = self.rounded(places.into());
        let mut digits = rounded.digits.unsigned_abs().to_string();
        if rounded.digits != 0 {
            let zeros = rounded.exponent.saturating_add_unsigned(places.into());
            digits.extend(std::iter::repeat_n(
                '0',
                usize::try_from(zeros).unwrap_or_default(),
            ));
        }
        let places = usize::from(places);
        let digits = format!("{digits:0>width$}", width = places + 1);
        let (whole, fraction) = digits.split_at(digits.len() - places);
        let sign = if rounded.digits < 0 { "-" } else { "" };
        let point = if places > 0 { "." } else { "" };
        format!("{sign}{whole}{point}{fraction}")
    }

    /// The nearest number.
    pub fn value(self) -> f64 {
        let text = format!("{}e{}", self.digits, self.exponent);
        text.parse().unwrap_or_default()
    }
}

/// The sum of some numbers, which is 0 without any. Numbers that are not finite are added as they are.
pub fn sum(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut total: Option<Decimal> = None;
    let mut others = 0.0;
    for value in values {
        match Decimal::of(value) {
            Some(value) => total = Some(total.map_or(value, |total| total.plus(value))),
            None => others += value,
        }
    }
    // A sum of infinities or of what is not a number stays one.
    total.map_or(0.0, Decimal::value) + others
}

/// The sum of some numbers; `None` without any.
pub fn total(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut values = values.into_iter().peekable();
    values.peek().is_some().then(|| sum(values))
}

/// A number without the last digits of a binary sum: 0.3 for 0.30000000000000004. Other numbers stay as they are.
pub fn without_noise(value: f64) -> f64 {
    // Sixteen digits or more, of which all but the first twelve are 0 or 9, are hardly written by anybody.
    let digits = |text: &str| text.bytes().filter(u8::is_ascii_digit).count();
    let rounded: f64 = format!("{value:.14e}").parse().unwrap_or(value);
    let mantissa = |value: f64| format!("{value:e}").split('e').next().map_or(0, digits);
    if mantissa(value) > 15 && mantissa(rounded) <= 12 {
        rounded
    } else {
        value
    }
}

/// The middle of two numbers.
pub fn midpoint(a: f64, b: f64) -> f64 {
    match Decimal::of(a).zip(Decimal::of(b)) {
        Some((a, b)) => {
            let sum = a.plus(b);
            match sum.digits.checked_mul(5) {
                Some(digits) => Decimal {
                    digits,
                    exponent: sum.exponent - 1,
                }
                .value(),
                None => sum.value() / 2.0,
            }
        }
        None => f64::midpoint(a, b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(clippy::float_cmp, reason = "the nearest number is wanted, bit by bit")]
    fn sums_are_those_of_the_written_digits() {
        for (values, total) in [
            (&[0.1, 0.2][..], 0.3),
            (&[0.1; 10], 1.0),
            (&[1.1, 2.2, -3.3], 0.0),
            (&[0.01, 0.015, 0.003], 0.028),
            (&[1e-7, 2e-7], 3e-7),
            (&[1e300, 1e-300], 1e300),
            (&[-1e300, 1e300, 5.0], 5.0),
            (&[f64::MAX, f64::MIN_POSITIVE], f64::MAX),
            (&[9_007_199_254_740_993.0, 0.1], 9_007_199_254_740_992.0),
            (&[0.0, -0.0], 0.0),
            (&[], 0.0),
        ] {
            assert_eq!(sum(values.iter().copied()), total, "{values:?}");
        }
        assert_eq!(sum(std::iter::repeat_n(0.1, 100_000)), 10_000.0);
        assert_eq!(sum([f64::INFINITY, 1.0]), f64::INFINITY);
        assert!(sum([f64::NAN, 1.0]).is_nan());
        assert_eq!(midpoint(0.1, 0.2), 0.15);
        assert_eq!(midpoint(1.0, 2.0), 1.5);
        assert_eq!(without_noise(0.1 + 0.2), 0.3);
        assert_eq!(
            without_noise(0.123_456_789_012_345_67),
            0.123_456_789_012_345_67
        );
        assert_eq!(without_noise(1e-7), 1e-7);
    }

    #[test]
    fn decimals_are_rounded_half_away_from_zero() {
        for (value, places, expected) in [
            (1.005, 2, "1.01"),
            (2.5, 0, "3"),
            (-2.5, 0, "-3"),
            (-0.004, 2, "0.00"),
            (0.05, 3, "0.050"),
            (9.995, 2, "10.00"),
            (12e6, 1, "12000000.0"),
            (1e-300, 2, "0.00"),
            (0.0, 2, "0.00"),
        ] {
            let decimal = Decimal::of(value).expect("finite");
            assert_eq!(decimal.fixed(places), expected, "{value}");
        }
        let magnitude = |value: f64| Decimal::of(value).and_then(Decimal::magnitude);
        assert_eq!(
            [99.0, 1.0, 0.5, 0.0123, 0.0].map(magnitude),
            [Some(1), Some(0), Some(-1), Some(-2), None]
        );
        assert_eq!(Decimal::new(i128::MAX, -38).fixed(1), "1.7");
    }

    #[test]
    fn large_and_small_numbers_are_added_in_either_order() {
        for (a, b) in [
            (f64::MAX, f64::MAX),
            (f64::MIN_POSITIVE, f64::MAX),
            (1e38, 1e-5),
        ] {
            assert!((sum([a, b]) - sum([b, a])).abs() < f64::EPSILON || sum([a, b]).is_infinite());
        }
    }
}
