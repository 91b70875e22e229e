//! Assigns runs to shards.

use std::fmt;

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
    pub fn new(number: u32, count: u32) -> Option<Self> {
        let exists = (1..=count).contains(&number) && count <= Self::MOST;
        exists.then_some(Self { number, count })
    }

    /// Reads `2/7`; `None` if out of range.
    pub fn parse(text: &str) -> Option<Self> {
        let (number, count) = text.split_once('/')?;
        let read = |digits: &str| {
            let is_plain = digits.bytes().all(|digit| digit.is_ascii_digit());
            digits.parse::<u32>().ok().filter(|_| is_plain)
        };
        Self::new(read(number)?, read(count)?)
    }

    /// The number of the shard, from 1.
    pub const fn number(self) -> u32 {
        self.number
    }

    /// The number of shards.
    pub const fn count(self) -> u32 {
        self.count
    }

    /// Whether it includes the run with this id, or with this path if it has no id.
    pub fn has(self, name: &str) -> bool {
        Self::number_of(name, self.count) == self.number
    }

    /// The number of the shard, out of `count`, that a run is assigned to.
    pub fn number_of(name: &str, count: u32) -> u32 {
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
        assert_eq!(Shard::parse("2/7"), Shard::new(2, 7));
        let whole = Shard::parse("7/7").map(|it| it.to_string());
        assert_eq!(whole.as_deref(), Some("7/7"));
        for wrong in [
            "", "0/7", "8/7", "1/0", "1", "1/", "/2", "+1/2", "1/20000", "a/b", " 1/2",
        ] {
            assert_eq!(Shard::parse(wrong), None, "{wrong}");
        }
    }
}
