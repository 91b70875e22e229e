//! The shard that a job builds: from the command line, or from the environment that its engine sets.

use runpress::api::diagnostics::text::visible;
use runpress::api::discover::Shard;
use runpress::api::view::format;

use super::console::refuse;

/// The variables that an engine sets for its jobs.
struct Engine {
    name: &'static str,
    /// The variable with the number of the job.
    index: &'static str,
    numbers: Numbers,
}

/// How an engine numbers its jobs.
enum Numbers {
    /// From `first`, without gaps; `count` is the variable with the number of jobs, if the engine sets one.
    From {
        first: u32,
        count: Option<&'static str>,
    },
    /// Any numbers that the user chooses, described by these variables.
    Chosen {
        min: &'static str,
        max: &'static str,
        count: &'static str,
    },
}

/// Every engine that `--shard auto` knows.
static ENGINES: [Engine; 4] = [
    Engine {
        name: "GitLab CI",
        index: "CI_NODE_INDEX",
        numbers: Numbers::From {
            first: 1,
            count: Some("CI_NODE_TOTAL"),
        },
    },
    Engine {
        name: "Kubernetes",
        index: "JOB_COMPLETION_INDEX",
        numbers: Numbers::From {
            first: 0,
            count: None,
        },
    },
    Engine {
        name: "Slurm",
        index: "SLURM_ARRAY_TASK_ID",
        numbers: Numbers::Chosen {
            min: "SLURM_ARRAY_TASK_MIN",
            max: "SLURM_ARRAY_TASK_MAX",
            count: "SLURM_ARRAY_TASK_COUNT",
        },
    },
    Engine {
        name: "AWS Batch",
        index: "AWS_BATCH_JOB_ARRAY_INDEX",
        numbers: Numbers::From {
            first: 0,
            count: Some("AWS_BATCH_JOB_ARRAY_SIZE"),
        },
    },
];

/// Reads a variable of the environment.
type VariableLookup<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The reason that the shard is unknown, and a fix.
type ShardError = (String, String);

/// The shard of `--shard` and `--shards`. Reports invalid values.
pub(crate) fn from_options(shard: Option<&str>, shards: Option<u32>) -> Result<Option<Shard>, ()> {
    let found = match (shard, shards) {
        (None, _) => return Ok(None),
        (Some("auto"), shards) => auto(shards, &|name| std::env::var(name).ok()),
        (Some(_), Some(_)) => Err((
            "`--shards` is for `--shard auto`".to_owned(),
            "Omit it: `--shard K/N` has the number of shards.".to_owned(),
        )),
        (Some(text), None) => parse(text),
    };
    found
        .map(Some)
        .map_err(|(message, help)| refuse(&message, &help))
}

/// Parses a shard written as `K/N`.
fn parse(text: &str) -> Result<Shard, ShardError> {
    Shard::parse(text).ok_or_else(|| {
        (
            format!("invalid shard `{}`", visible(text)),
            format!(
                "Write `K/N`, such as `2/8`, with K from 1 to N and N up to {}.",
                max_shards()
            ),
        )
    })
}

/// The maximum number of shards, for messages.
fn max_shards() -> String {
    format::grouped(Shard::MOST)
}

/// The shard according to the engine. `get` reads a variable.
fn auto(shards: Option<u32>, get: VariableLookup<'_>) -> Result<Shard, ShardError> {
    let engine = Engine::of_this_job(get)?;
    let index = engine.required(engine.index, get)?;
    let (first, (counted, count)) = match (&engine.numbers, shards) {
        (Numbers::From { first, count }, _) => (*first, engine.count(*count, shards, get)?),
        // The id is K, so a job for some ids of the array builds the same shards as one for all ids.
        (Numbers::Chosen { .. }, Some(shards)) => (1, ("--shards", shards)),
        (Numbers::Chosen { min, max, count }, None) => {
            let first = engine.required(min, get)?;
            let last = engine.required(max, get)?;
            let jobs = engine.required(count, get)?;
            let has_gaps = u64::from(last) + 1 != u64::from(first) + u64::from(jobs);
            if first > 1 || has_gaps {
                return Err((
                    format!(
                        "expected array ids 0 to N-1 or 1 to N; `{min}` is {first}, `{max}` is {last}, `{count}` is {jobs}"
                    ),
                    "Build one shard again with `--shard K/N`, or pass `--shards N` with array ids from 1 to N.".to_owned(),
                ));
            }
            (first, (*count, jobs))
        }
    };
    if !(1..=Shard::MOST).contains(&count) {
        return Err((
            format!("`{counted}` is {count}; expected 1 to {}", max_shards()),
            format!("Build at most {} shards.", max_shards()),
        ));
    }
    let place = index
        .checked_sub(first)
        .and_then(|place| place.checked_add(1));
    place
        .and_then(|place| Shard::new(place, count))
        .ok_or_else(|| {
            let last = first + (count - 1);
            (
                format!("`{}` is {index}; expected {first} to {last}", engine.index),
                format!("Run one job per shard, numbered from {first} to {last}."),
            )
        })
}

impl Engine {
    /// The engine that runs this job.
    fn of_this_job(get: VariableLookup<'_>) -> Result<&'static Self, ShardError> {
        let mut set = ENGINES.iter().filter(|it| get(it.index).is_some());
        match (set.next(), set.next()) {
            (Some(engine), None) => Ok(engine),
            (None, _) => {
                let names: Vec<String> =
                    ENGINES.iter().map(|it| format!("`{}`", it.index)).collect();
                Err((
                    format!("`--shard auto` found none of {}", names.join(", ")),
                    "Pass `--shard K/N`; in a matrix of jobs, K and N are values of the matrix."
                        .to_owned(),
                ))
            }
            (Some(one), Some(other)) => Err((
                format!(
                    "`--shard auto` found both `{}` and `{}`",
                    one.index, other.index
                ),
                "Unset one of them, or pass `--shard K/N`.".to_owned(),
            )),
        }
    }

    /// The number of shards, and the variable that has it.
    fn count(
        &self,
        variable: Option<&'static str>,
        shards: Option<u32>,
        get: VariableLookup<'_>,
    ) -> Result<(&'static str, u32), ShardError> {
        let set = match variable {
            Some(name) => self.number(name, get)?.map(|set| (name, set)),
            None => None,
        };
        match (shards, set, variable) {
            (Some(shards), Some((name, set)), _) if shards != set => Err((
                format!("`--shards {shards}` differs from `{name}`, which is {set}"),
                "Omit `--shards`, or run as many jobs.".to_owned(),
            )),
            (Some(shards), ..) => Ok(("--shards", shards)),
            (None, Some(set), _) => Ok(set),
            (None, None, Some(name)) => Err(self.unset(name)),
            (None, None, None) => Err((
                format!("{} does not set the number of jobs", self.name),
                "Pass it with `--shards N`.".to_owned(),
            )),
        }
    }

    /// A number that the engine always sets.
    fn required(&self, name: &str, get: VariableLookup<'_>) -> Result<u32, ShardError> {
        self.number(name, get)?.ok_or_else(|| self.unset(name))
    }

    fn number(&self, name: &str, get: VariableLookup<'_>) -> Result<Option<u32>, ShardError> {
        let Some(text) = get(name) else {
            return Ok(None);
        };
        text.parse::<u32>().map(Some).map_err(|_| {
            let message = if text.is_empty() {
                format!("`{name}` is empty")
            } else {
                let text = visible(&text);
                format!(
                    "`{name}` is `{text}`; expected a number up to {}",
                    max_shards()
                )
            };
            let help = format!("{} sets it to a number; pass `--shard K/N`.", self.name);
            (message, help)
        })
    }

    fn unset(&self, name: &str) -> ShardError {
        (
            format!("`{}` is set, but `{name}` is not", self.index),
            format!("{} sets it; pass `--shard K/N`.", self.name),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shard(variables: &[(&str, &str)], shards: Option<u32>) -> Result<String, String> {
        let get = |name: &str| {
            let mut variables = variables.iter();
            let found = variables.find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        auto(shards, &get)
            .map(|shard| shard.to_string())
            .map_err(|(message, _)| message)
    }

    /// The shard of a task of a job array: its id, then the smallest and largest id of the array, and how many it has.
    fn slurm(numbers: [u32; 4], shards: Option<u32>) -> Result<String, String> {
        let [id, min, max, count] = numbers.map(|number| number.to_string());
        let variables = [
            ("SLURM_ARRAY_TASK_ID", &*id),
            ("SLURM_ARRAY_TASK_MIN", &*min),
            ("SLURM_ARRAY_TASK_MAX", &*max),
            ("SLURM_ARRAY_TASK_COUNT", &*count),
        ];
        shard(&variables, shards)
    }

    #[test]
    fn each_engine_says_which_shard_a_job_makes() {
        let gitlab = [("CI_NODE_INDEX", "3"), ("CI_NODE_TOTAL", "8")];
        assert_eq!(shard(&gitlab, None), Ok("3/8".to_owned()));
        assert_eq!(shard(&gitlab, Some(8)), Ok("3/8".to_owned()));
        assert_eq!(shard(&gitlab[..1], Some(8)), Ok("3/8".to_owned()));
        let kubernetes = [("JOB_COMPLETION_INDEX", "0")];
        assert_eq!(shard(&kubernetes, Some(4)), Ok("1/4".to_owned()));
        let batch = [
            ("AWS_BATCH_JOB_ARRAY_INDEX", "1"),
            ("AWS_BATCH_JOB_ARRAY_SIZE", "2"),
        ];
        assert_eq!(shard(&batch, None), Ok("2/2".to_owned()));
        assert_eq!(shard(&batch[..1], Some(2)), Ok("2/2".to_owned()));
        // `--array=1-5` and `--array=0-4`.
        assert_eq!(slurm([3, 1, 5, 5], None), Ok("3/5".to_owned()));
        assert_eq!(slurm([0, 0, 4, 5], None), Ok("1/5".to_owned()));
        assert_eq!(slurm([4, 0, 4, 5], None), Ok("5/5".to_owned()));
    }

    #[test]
    fn a_rerun_of_some_tasks_of_a_job_array_builds_their_shards_or_is_refused() {
        // `--array=3`, `--array=2,5`, `--array=3-9:2`, `--array=0-8:2` and `--array=3-6`.
        for numbers in [
            [3, 3, 3, 1],
            [5, 2, 5, 2],
            [7, 3, 9, 4],
            [4, 0, 8, 5],
            [4, 3, 6, 4],
        ] {
            let found = slurm(numbers, None);
            let message = format!(
                "expected array ids 0 to N-1 or 1 to N; `SLURM_ARRAY_TASK_MIN` is {}, \
                 `SLURM_ARRAY_TASK_MAX` is {}, `SLURM_ARRAY_TASK_COUNT` is {}",
                numbers[1], numbers[2], numbers[3]
            );
            assert_eq!(found, Err(message));
            assert_eq!(slurm(numbers, Some(9)), Ok(format!("{}/9", numbers[0])));
        }
        // Only the id is read.
        let id = [("SLURM_ARRAY_TASK_ID", "9")];
        assert_eq!(shard(&id, Some(9)), Ok("9/9".to_owned()));
        for id in [0, 10] {
            let found = slurm([id, 0, 10, 11], Some(9));
            let message = format!("`SLURM_ARRAY_TASK_ID` is {id}; expected 1 to 9");
            assert_eq!(found, Err(message));
        }
    }

    #[test]
    fn what_no_engine_would_say_is_refused() {
        for (variables, shards, message) in [
            (&[][..], None, "found none of"),
            (
                &[("CI_NODE_INDEX", "1"), ("SLURM_ARRAY_TASK_ID", "1")],
                None,
                "found both",
            ),
            (
                &[("CI_NODE_INDEX", "1")],
                None,
                "`CI_NODE_INDEX` is set, but `CI_NODE_TOTAL` is not",
            ),
            (
                &[("JOB_COMPLETION_INDEX", "0")],
                None,
                "Kubernetes does not set the number of jobs",
            ),
            (
                &[("JOB_COMPLETION_INDEX", "4")],
                Some(4),
                "`JOB_COMPLETION_INDEX` is 4; expected 0 to 3",
            ),
            (
                &[("JOB_COMPLETION_INDEX", "4294967295")],
                Some(4),
                "`JOB_COMPLETION_INDEX` is 4294967295; expected 0 to 3",
            ),
            (
                &[("CI_NODE_INDEX", "0"), ("CI_NODE_TOTAL", "4")],
                None,
                "`CI_NODE_INDEX` is 0; expected 1 to 4",
            ),
            (
                &[("CI_NODE_INDEX", "4"), ("CI_NODE_TOTAL", "3")],
                None,
                "`CI_NODE_INDEX` is 4; expected 1 to 3",
            ),
            (
                &[("CI_NODE_INDEX", "1"), ("CI_NODE_TOTAL", "20000")],
                None,
                "`CI_NODE_TOTAL` is 20000; expected 1 to 10,000",
            ),
            (
                &[("CI_NODE_INDEX", "1"), ("CI_NODE_TOTAL", "0")],
                None,
                "`CI_NODE_TOTAL` is 0; expected 1 to 10,000",
            ),
            (
                &[("JOB_COMPLETION_INDEX", "0")],
                Some(0),
                "`--shards` is 0; expected 1 to 10,000",
            ),
            (
                &[("SLURM_ARRAY_TASK_ID", "1")],
                Some(10_001),
                "`--shards` is 10001; expected 1 to 10,000",
            ),
            (
                &[("CI_NODE_INDEX", "1"), ("CI_NODE_TOTAL", "4")],
                Some(5),
                "`--shards 5` differs from `CI_NODE_TOTAL`, which is 4",
            ),
            (
                &[("CI_NODE_INDEX", "1"), ("CI_NODE_TOTAL", "")],
                None,
                "`CI_NODE_TOTAL` is empty",
            ),
            (
                &[("CI_NODE_INDEX", "x"), ("CI_NODE_TOTAL", "4")],
                None,
                "`CI_NODE_INDEX` is `x`; expected a number up to 10,000",
            ),
            (
                &[("CI_NODE_INDEX", "1"), ("CI_NODE_TOTAL", "99999999999")],
                None,
                "`CI_NODE_TOTAL` is `99999999999`; expected a number up to 10,000",
            ),
            (
                &[
                    ("SLURM_ARRAY_TASK_ID", "1"),
                    ("SLURM_ARRAY_TASK_MIN", "1"),
                    ("SLURM_ARRAY_TASK_COUNT", "4"),
                ],
                None,
                "`SLURM_ARRAY_TASK_ID` is set, but `SLURM_ARRAY_TASK_MAX` is not",
            ),
        ] {
            let found = shard(variables, shards);
            assert!(
                found.as_ref().is_err_and(|it| it.contains(message)),
                "{found:?}"
            );
        }
    }

    #[test]
    fn a_shard_that_does_not_exist_is_refused() {
        assert_eq!(parse("2/8").map(|it| it.to_string()), Ok("2/8".to_owned()));
        for text in ["4/3", "0/3", "1/0", "1/20000", "3", ""] {
            let message = format!("invalid shard `{text}`");
            let help = "Write `K/N`, such as `2/8`, with K from 1 to N and N up to 10,000.";
            assert_eq!(parse(text), Err((message, help.to_owned())));
        }
    }
}
