//! Statistics of repeated trials and of annotators: pure functions of counts and values. `tests/tools/test_cells.py` and
//! `tests/tools/test_agreement.py` compare them with scipy, statsmodels and numpy.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::decimal;

/// The confidence of every interval.
pub const CONFIDENCE: f64 = 0.95;
/// The quantile of the standard normal distribution at 97.5 %, for two-sided intervals at 95 %.
const Z: f64 = 1.959_963_984_540_054;
/// The quantile of the standard normal distribution at 80 %: with that chance, the trials that are needed find a difference of
/// the observed size.
const Z_POWER: f64 = 0.841_621_233_572_914;
/// Seed of the generator of bootstrap samples.
pub const SEED: u64 = 1;
/// Number of bootstrap samples.
pub const RESAMPLES: u32 = 2_000;
/// Maximum of the trials that are said to be needed.
pub const MAX_NEEDED_TRIALS: u32 = 100_000;

/// A range that covers the true value in 95 of 100 cases.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct Interval {
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

/// How many of some trials succeeded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    pub successes: u32,
    pub trials: u32,
}

impl Tally {
    /// The share of successes; `None` without trials.
    pub fn rate(self) -> Option<f64> {
        (self.trials > 0).then(|| f64::from(self.successes) / f64::from(self.trials))
    }

    /// The Wilson score interval of the rate. One trial says too little for an interval.
    pub fn interval(self) -> Option<Interval> {
        let rate = self.rate().filter(|_| self.trials > 1)?;
        Some(wilson(rate, f64::from(self.trials)))
    }

    /// `pass@k`: the chance that at least one of `k` trials succeeds, estimated without bias from all trials.
    pub fn pass_at(self, k: u32) -> Option<f64> {
        let failures = self.trials.saturating_sub(self.successes);
        let chance = 1.0 - without_replacement(failures, self.trials, k)?;
        Some(decimal::without_noise(chance))
    }

    /// `pass^k`: the chance that all of `k` trials succeed, estimated without bias from all trials.
    pub fn pass_all(self, k: u32) -> Option<f64> {
        without_replacement(self.successes, self.trials, k)
    }
}

/// The chance that `k` of all trials, drawn without replacement, are among the `chosen`: C(chosen, k) / C(all, k).
fn without_replacement(chosen: u32, all: u32, k: u32) -> Option<f64> {
    if k == 0 || k > all {
        return None;
    }
    if k > chosen {
        return Some(0.0);
    }
    let factors = (0..k).map(|drawn| f64::from(chosen - drawn) / f64::from(all - drawn));
    Some(decimal::without_noise(factors.product()))
}

/// The Wilson score interval of a rate over so many trials.
fn wilson(rate: f64, trials: f64) -> Interval {
    let square = Z * Z / trials;
    let center = rate + square / 2.0;
    let half = Z * (rate * (1.0 - rate) / trials + square / (4.0 * trials)).sqrt();
    Interval {
        low: ((center - half) / (1.0 + square)).max(0.0),
        high: ((center + half) / (1.0 + square)).min(1.0),
    }
}

/// The median of values, which it sorts; `None` without values.
pub fn median(values: &mut [f64]) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    let upper = *values.get(middle)?;
    Some(if values.len().is_multiple_of(2) {
        decimal::midpoint(values[middle - 1], upper)
    } else {
        upper
    })
}

/// The bootstrap samples of so many values. They depend on the number alone, so that all cells with as many trials share them.
#[derive(Debug)]
pub struct Bootstrap {
    /// The ranks of the two values in the middle of a sample, with the number of such samples.
    middles: BTreeMap<(usize, usize), u32>,
}

impl Bootstrap {
    /// Draws the samples of `values` values.
    pub fn new(values: usize) -> Self {
        let mut generator = SplitMix64(SEED);
        let mut middles = BTreeMap::new();
        let mut drawn = vec![0_usize; values];
        for _ in 0..RESAMPLES {
            drawn.fill(0);
            for _ in 0..values {
                drawn[generator.below(values)] += 1;
            }
            let rank = |position: usize| {
                let mut seen = 0;
                let ranks = drawn.iter().position(|times| {
                    seen += times;
                    seen > position
                });
                ranks.unwrap_or_default()
            };
            let middle = (rank(values.saturating_sub(1) / 2), rank(values / 2));
            *middles.entry(middle).or_insert(0) += 1;
        }
        Self { middles }
    }

    /// The percentile interval of the median. The values are sorted, and as many as there are in a sample. Fewer than six have
    /// none, because even the range of them all covers the median less often than [`CONFIDENCE`] says.
    pub fn interval(&self, sorted: &[f64]) -> Option<Interval> {
        if range_coverage(sorted.len()) < CONFIDENCE {
            return None;
        }
        let value = |rank: usize| sorted.get(rank).copied();
        let middles = self.middles.iter();
        let medians = middles.map(|((lower, upper), samples)| {
            let median = f64::midpoint(value(*lower)?, value(*upper)?);
            Some((median, *samples))
        });
        let mut medians = medians.collect::<Option<Vec<(f64, u32)>>>()?;
        medians.sort_by(|a, b| a.0.total_cmp(&b.0));
        let tail = (1.0 - CONFIDENCE) / 2.0;
        Some(Interval {
            low: percentile(&medians, tail)?,
            high: percentile(&medians, 1.0 - tail)?,
        })
    }
}

/// How often the range from the smallest to the largest of so many values covers the median: unless all are on one side of it.
fn range_coverage(values: usize) -> f64 {
    let exponent = i32::try_from(values).unwrap_or(i32::MAX);
    1.0 - 2.0 * 0.5_f64.powi(exponent)
}

/// A percentile of sorted values that occur so many times, interpolated between neighbors, as by default in numpy.
fn percentile(values: &[(f64, u32)], share: f64) -> Option<f64> {
    let position = share * f64::from(RESAMPLES - 1);
    let below = position.floor();
    let at = |position: f64| {
        let mut seen = 0;
        let found = values.iter().find(|(_, times)| {
            seen += times;
            f64::from(seen) > position
        });
        found.map(|(value, _)| *value)
    };
    let (lower, upper) = (at(below)?, at(below + 1.0)?);
    Some(decimal::without_noise(
        lower + (upper - lower) * (position - below),
    ))
}

/// A generator of random numbers, small enough to write again in any language: `SplitMix64` by Steele, Lea and Flood.
#[derive(Debug)]
struct SplitMix64(u64);

impl SplitMix64 {
    const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// A number below `limit`: the upper half of the product.
    fn below(&mut self, limit: usize) -> usize {
        let product = u128::from(self.next()) * limit as u128;
        usize::try_from(product >> 64).unwrap_or_default()
    }
}

/// Cohen's kappa: how far two annotators agree beyond what chance gives, from the number of units in each pair of classes. 1 is
/// full agreement, and 0 as much as by chance. `None` without units, and if both put all units into the same class: chance then
/// gives full agreement.
pub fn kappa<C: Ord + Copy>(units: &BTreeMap<(C, C), u32>) -> Option<f64> {
    let (mut all, mut agreed) = (0.0, 0.0);
    let mut classes: BTreeMap<C, (f64, f64)> = BTreeMap::new();
    for ((first, second), units) in units.iter().filter(|(_, units)| **units > 0) {
        let (is_same, units) = (first == second, f64::from(*units));
        all += units;
        agreed += if is_same { units } else { 0.0 };
        classes.entry(*first).or_default().0 += units;
        classes.entry(*second).or_default().1 += units;
    }
    let chance: f64 = classes.values().map(|(first, second)| first * second).sum();
    // Products of numbers of events have no fractions, so nothing is rounded.
    let beyond = all * all - chance;
    (beyond > 0.0).then(|| (all * agreed - chance) / beyond)
}

/// The difference of two rates over the same tasks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Difference {
    /// The mean of the differences of each pair.
    pub mean: f64,
    pub interval: Interval,
    /// How many trials each side of each pair needs to tell such a difference from none; `None` if there is no difference, or
    /// more than [`MAX_NEEDED_TRIALS`] are needed.
    pub needed: Option<u32>,
}

impl Difference {
    /// The mean difference of pairs. Its interval combines the Wilson intervals of all rates, by the method of variance
    /// estimates recovery: with one pair it is the hybrid score interval of Newcombe. The pairs are taken as given, so it says how
    /// sure the trials are about them, and nothing of other tasks. `None` without pairs, or without trials of one.
    pub fn of(pairs: &[(Tally, Tally)]) -> Option<Self> {
        let rates = pairs.iter().map(|(a, b)| Some((a.rate()?, b.rate()?)));
        let rates = rates.collect::<Option<Vec<(f64, f64)>>>()?;
        let weight = 1.0 / f64::from(u32::try_from(rates.len()).ok().filter(|pairs| *pairs > 0)?);
        let mean = decimal::sum(rates.iter().map(|(a, b)| a - b)) * weight;
        let trials = |(a, b): &(Tally, Tally)| (f64::from(a.trials), f64::from(b.trials));
        let [below, above] = arms(rates.iter().copied().zip(pairs.iter().map(trials)));
        // The distance from the mean to the end of the interval that is nearer to no difference, with as many trials of each.
        let distance = |needed: u32| {
            let trials = f64::from(needed);
            let [below, above] = arms(rates.iter().map(|rates| (*rates, (trials, trials))));
            (if mean > 0.0 { below } else { above }) * weight
        };
        let is_enough = |needed: u32| distance(needed) * (Z + Z_POWER) / Z < mean.abs();
        Some(Self {
            mean,
            interval: Interval {
                low: mean - below * weight,
                high: mean + above * weight,
            },
            needed: first(is_enough),
        })
    }

    /// Whether the trials tell the two apart.
    pub fn is_distinguishable(&self) -> bool {
        self.interval.low > 0.0 || self.interval.high < 0.0
    }
}

/// How far the interval of a sum of differences reaches below and above it, for rates with their numbers of trials.
fn arms(pairs: impl Iterator<Item = ((f64, f64), (f64, f64))>) -> [f64; 2] {
    let squares = pairs.fold([0.0_f64; 2], |[below, above], ((a, b), (of_a, of_b))| {
        let (first, second) = (wilson(a, of_a), wilson(b, of_b));
        [
            below + (a - first.low).powi(2) + (second.high - b).powi(2),
            above + (first.high - a).powi(2) + (b - second.low).powi(2),
        ]
    });
    squares.map(f64::sqrt)
}

/// The first number up to [`MAX_NEEDED_TRIALS`] that is enough, when all after it are.
fn first(is_enough: impl Fn(u32) -> bool) -> Option<u32> {
    let (mut few, mut enough) = (0, MAX_NEEDED_TRIALS);
    if !is_enough(enough) {
        return None;
    }
    while enough - few > 1 {
        let middle = few.midpoint(enough);
        if is_enough(middle) {
            enough = middle;
        } else {
            few = middle;
        }
    }
    Some(enough)
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn tally(successes: u32, trials: u32) -> Tally {
        Tally { successes, trials }
    }

    fn near(found: f64, expected: f64) {
        assert!(
            (found - expected).abs() < 5e-5,
            "{found} is not near {expected}"
        );
    }

    #[test]
    fn wilson_intervals_are_those_of_the_literature() {
        // Newcombe 1998, Statistics in Medicine 17, 857–872, table I, method 3.
        for (successes, trials, low, high) in [
            (81, 263, 0.2553, 0.3662),
            (15, 148, 0.0624, 0.1605),
            (0, 20, 0.0, 0.1611),
            (1, 29, 0.0061, 0.1718),
        ] {
            let interval = tally(successes, trials).interval().expect("an interval");
            near(interval.low, low);
            near(interval.high, high);
        }
        let most = tally(4, 5).interval().expect("an interval");
        near(most.low, 0.375_53);
        near(most.high, 0.963_77);
        assert_eq!(tally(1, 1).interval(), None);
        assert_eq!(tally(0, 0).interval(), None);
    }

    #[test]
    fn pass_at_k_and_pass_all_k_count_combinations() {
        // Of five trials four succeeded: 10 pairs, 6 of them of two successes, and none of two failures.
        near(tally(4, 5).pass_all(2).expect("a chance"), 0.6);
        near(tally(4, 5).pass_at(2).expect("a chance"), 1.0);
        near(tally(1, 5).pass_at(3).expect("a chance"), 0.6);
        near(tally(4, 5).pass_all(5).expect("a chance"), 0.0);
        near(tally(5, 5).pass_all(5).expect("a chance"), 1.0);
        for k in [0, 6] {
            assert_eq!(tally(4, 5).pass_at(k), None);
            assert_eq!(tally(4, 5).pass_all(k), None);
        }
    }

    #[test]
    fn differences_of_one_pair_are_those_of_the_literature() {
        // Newcombe 1998, Statistics in Medicine 17, 873–890, table II, method 10.
        for (a, b, low, high) in [
            (tally(56, 70), tally(48, 80), 0.0524, 0.3339),
            (tally(9, 10), tally(3, 10), 0.1705, 0.8090),
            (tally(10, 10), tally(0, 20), 0.6791, 1.0),
            (tally(10, 10), tally(0, 10), 0.6075, 1.0),
        ] {
            let found = Difference::of(&[(a, b)]).expect("a difference");
            near(found.interval.low, low);
            near(found.interval.high, high);
            assert!(found.is_distinguishable());
        }
    }

    #[test]
    fn kappa_is_that_of_the_literature_and_undefined_in_one_class() {
        // Cohen 1960, Educational and Psychological Measurement 20, 37–46: 140 of 200 units agree, 82 by chance.
        let table = [[88, 14, 18], [10, 40, 10], [2, 6, 12]];
        let rows = table.iter().enumerate();
        let units = rows.flat_map(|(first, row)| {
            let cells = row.iter().enumerate();
            cells.map(move |(second, units)| ((first, second), *units))
        });
        near(kappa(&units.collect()).expect("a kappa"), 0.4915);
        let of = |units: &[((u8, u8), u32)]| kappa(&units.iter().copied().collect());
        near(of(&[((0, 0), 3), ((1, 1), 2)]).expect("a kappa"), 1.0);
        near(of(&[((0, 1), 3), ((1, 0), 3)]).expect("a kappa"), -1.0);
        // Each in one class, but not in the same.
        near(of(&[((0, 1), 3)]).expect("a kappa"), 0.0);
        assert_eq!(of(&[((1, 1), 3), ((0, 1), 0)]), None);
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn few_trials_are_said_to_be_too_few() {
        let few = Difference::of(&[(tally(4, 5), tally(2, 5))]).expect("a difference");
        near(few.mean, 0.4);
        assert!(!few.is_distinguishable());
        // The normal approximation with a pooled rate gives 23.
        assert_eq!(few.needed, Some(24));
        let same = Difference::of(&[(tally(2, 4), tally(3, 6))]).expect("a difference");
        assert_eq!((same.mean.abs(), same.needed), (0.0, None));
        assert_eq!(Difference::of(&[]), None);
        assert_eq!(Difference::of(&[(tally(0, 0), tally(1, 2))]), None);
        let more = vec![(tally(4, 5), tally(2, 5)); 8];
        let more = Difference::of(&more).expect("a difference");
        near(more.mean, 0.4);
        assert!(more.is_distinguishable());
    }

    #[test]
    fn the_bootstrap_of_the_median_is_the_same_each_time() {
        let values = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0];
        let interval = Bootstrap::new(6).interval(&values);
        assert_eq!(interval, Bootstrap::new(6).interval(&values));
        let Interval { low, high } = interval.expect("an interval");
        assert!(low >= 1.0 && high <= 32.0 && low < 4.0 && high > 8.0);
        let same = Bootstrap::new(7).interval(&[3.0; 7]);
        assert_eq!(
            same,
            Some(Interval {
                low: 3.0,
                high: 3.0
            })
        );
    }

    #[test]
    fn too_few_values_for_the_confidence_have_no_interval_of_their_median() {
        for values in 0..6 {
            let sorted: Vec<f64> = (0_u8..).map(f64::from).take(values).collect();
            assert_eq!(Bootstrap::new(values).interval(&sorted), None, "{values}");
        }
        near(range_coverage(5), 0.9375);
        near(range_coverage(6), 0.968_75);
    }
}
