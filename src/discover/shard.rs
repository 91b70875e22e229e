//! Assigns runs to shards.

use std::fmt;
use std::str::FromStr;

/// One shard of an archive. A run stays in its shard when other runs are added or removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    number: u32,
    count: u32,
}

impl Shard {
    /// Maximum number of shards.
    pub const MOST: u32 = 10_000;

    /// Shard `number` of `count`, from 1; `None` if out of range.
    #[must_use]
    pub fn new(number: u32, count: u32) -> Option<Self> {
        let exists = (1..=count).contains(&number) && count <= Self::MOST;
        exists.then_some(Self { number, count })
    }

    /// The number of the shard, from 1.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.number
    }

    /// The number of shards.
    #[must_use]
    pub const fn count(self) -> u32 {
        self.count
    }

    /// Whether it includes the run with this id, or with this path if it has no id.
    pub(crate) fn has(self, name: &str) -> bool {
        Self::number_of(name, self.count) == self.number
    }

    /// The number of the shard, out of `count`, that a run is assigned to.
    pub(crate) fn number_of(name: &str, count: u32) -> u32 {
        let digest = blake3::hash(name.as_bytes());
        let first = digest.as_bytes().first_chunk().copied();
        let place = u64::from_le_bytes(first.unwrap_or_default()) % u64::from(count.max(1));
        u32::try_from(place).unwrap_or_default() + 1
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.count)
    }
}

impl FromStr for Shard {
    type Err = String;

    /// Reads `2/7`.
    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('/').and_then(|(number, count)| {
            let read = |digits: &str| {
                let is_plain = digits.bytes().all(|digit| digit.is_ascii_digit());
                digits.parse::<u32>().ok().filter(|_| is_plain)
            };
            Self::new(read(number)?, read(count)?)
        });
        numbers.ok_or_else(|| {
            format!(
                "write `K/N`, such as `2/8`, with K from 1 to N and N up to {}",
                Self::MOST
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_run_is_in_one_shard_and_stays_there() {
        for count in 1..=7 {
            let mut sizes = vec![0; 7];
            for run in 0..700 {
                let name = format!("run-{run}");
                let has = |number| Shard::new(number, count).is_some_and(|it| it.has(&name));
                let owners: Vec<u32> = (1..=count).filter(|number| has(*number)).collect();
                assert_eq!(owners, [Shard::number_of(&name, count)]);
                sizes[owners[0] as usize - 1] += 1;
            }
            let fair = 700 / count;
            for size in &sizes[..count as usize] {
                assert!((fair / 2..=fair * 2).contains(size), "{count}: {sizes:?}");
            }
        }
        // Must never change: all machines must assign a run to the same shard.
        assert_eq!(Shard::number_of("4f1c2d3e", 1000), 330);
    }

    #[test]
    fn a_shard_is_written_as_its_number_of_how_many() {
        assert_eq!(
            "2/7".parse(),
            Ok(Shard {
                number: 2,
                count: 7
            })
        );
        assert_eq!(
            "7/7".parse::<Shard>().map(|it| it.to_string()),
            Ok("7/7".to_owned())
        );
        for wrong in [
            "", "0/7", "8/7", "1/0", "1", "1/", "/2", "+1/2", "1/20000", "a/b", " 1/2",
        ] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }
}
