//! Parsed values that can be shown as they were written.

use std::borrow::Cow;
use std::fmt::Display;

/// A value with the text of the input.
#[derive(Debug, Clone, PartialEq)]
pub enum Written<T> {
    /// The text equals the output of [`Display`], and need not be stored.
    Plainly(T),
    /// The text differs, and is stored.
    Otherwise(Box<(T, Box<str>)>),
}

impl<T: Copy + Display> Written<T> {
    /// A value parsed from `text`.
    pub fn new(text: &str, value: T) -> Self {
        if value.to_string() == text {
            Self::Plainly(value)
        } else {
            Self::Otherwise(Box::new((value, text.into())))
        }
    }

    pub fn value(&self) -> T {
        match self {
            Self::Plainly(value) => *value,
            Self::Otherwise(written) => written.0,
        }
    }

    /// The text, if it differs from the value's own.
    pub fn held(&self) -> Option<&str> {
        match self {
            Self::Plainly(_) => None,
            Self::Otherwise(written) => Some(&written.1),
        }
    }

    /// The text as written.
    pub fn text(&self) -> Cow<'_, str> {
        let held = self.held().map(Cow::Borrowed);
        held.unwrap_or_else(|| self.value().to_string().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::run::Number;
    use crate::model::time::Moment;

    #[test]
    fn a_text_comes_back_as_it_was_written() {
        for (text, is_held) in [
            ("0", false),
            ("-0", false),
            ("-0.0", true),
            ("12345", false),
            ("0.4210", true),
            ("0.421", false),
            ("1e3", true),
            ("1.0", true),
            ("9007199254740993", true),
            ("0.1000000000000000055", true),
        ] {
            let value: f64 = text.parse().expect("a number");
            let number = Number::new(text, value);
            assert_eq!(number.text(), text);
            assert!(number.value().total_cmp(&value).is_eq());
            assert_eq!(matches!(number, Written::Otherwise(_)), is_held, "{text}");
        }
        for (text, is_held) in [
            ("2026-03-01T10:00:00.250Z", false),
            ("0000-01-01T00:00:00.000Z", false),
            ("2026-03-01T10:00:00Z", true),
            ("2026-03-01T10:00:00.250z", true),
            ("2026-03-01 10:00:00.250Z", true),
            ("2026-03-01T10:00:00.250000Z", true),
            ("2026-03-01T12:00:00.250+02:00", true),
        ] {
            let moment = Moment::parse(text).expect("a time");
            assert_eq!(moment.text(), text);
            assert_eq!(matches!(moment, Written::Otherwise(_)), is_held, "{text}");
        }
        assert_eq!(size_of::<[Option<Number>; 2]>(), 32);
        assert_eq!(size_of::<[Option<Moment>; 2]>(), 32);
    }
}
