//! Which shard a job makes: as the command line says, or as the engine that runs the job does.

use runpress::api::diagnostics::text::visible;
use runpress::api::discover::Shard;

use super::COULD_NOT_RUN;
use super::console::refuse;

/// The exit status when no shard is known.
pub(crate) const NONE: u8 = COULD_NOT_RUN;

/// What an engine sets in the environment of its jobs.
struct Engine {
    name: &'static str,
    /// The variable with the number of the job.
    index: &'static str,
    /// The variable with the number of the first job, or that number.
    first: First,
    /// The variable with how many jobs there are, where the engine sets it.
    count: Option<&'static str>,
}

enum First {
    Is(u32),
    In(&'static str),
}

/// Every engine that `--shard auto` knows.
const ENGINES: [Engine; 4] = [
    Engine {
        name: "GitLab CI",
        index: "CI_NODE_INDEX",
        first: First::Is(1),
        count: Some("CI_NODE_TOTAL"),
    },
    Engine {
        name: "Kubernetes",
        index: "JOB_COMPLETION_INDEX",
        first: First::Is(0),
        count: None,
    },
    Engine {
        name: "Slurm",
        index: "SLURM_ARRAY_TASK_ID",
        first: First::In("SLURM_ARRAY_TASK_MIN"),
        count: Some("SLURM_ARRAY_TASK_COUNT"),
    },
    Engine {
        name: "AWS Batch",
        index: "AWS_BATCH_JOB_ARRAY_INDEX",
        first: First::Is(0),
        count: Some("AWS_BATCH_JOB_ARRAY_SIZE"),
    },
];

/// Why no shard is known, and what to do.
type Refusal = (String, String);

/// The shard of `--shard` and `--shards`; what is wrong with them is reported.
pub(crate) fn of(shard: Option<&str>, shards: Option<u32>) -> Result<Option<Shard>, ()> {
    let found = match (shard, shards) {
        (None, _) => return Ok(None),
        (Some("auto"), shards) => auto(shards, &|name| std::env::var(name).ok()),
        (Some(_), Some(_)) => Err((
            "`--shards` is for `--shard auto`".to_owned(),
            "Omit it: `--shard K/N` has the number of shards.".to_owned(),
        )),
        (Some(text), None) => text.parse().map_err(|help: String| {
            let help = help[..1].to_uppercase() + &help[1..] + ".";
            (format!("`--shard {}` names no shard", visible(text)), help)
        }),
    };
    found
        .map(Some)
        .map_err(|(message, help)| refuse(&message, &help))
}

/// The shard that the engine says, of which `get` reads a variable.
fn auto(shards: Option<u32>, get: &dyn Fn(&str) -> Option<String>) -> Result<Shard, Refusal> {
    let names = || {
        let names: Vec<String> = ENGINES.iter().map(|it| format!("`{}`", it.index)).collect();
        names.join(", ")
    };
    let mut set = ENGINES.iter().filter(|it| get(it.index).is_some());
    let engine = match (set.next(), set.next()) {
        (Some(engine), None) => engine,
        (None, _) => {
            return Err((
                format!("`--shard auto` found none of {}", names()),
                "Pass `--shard K/N`; in a matrix of jobs, K and N are values of the matrix."
                    .to_owned(),
            ));
        }
        (Some(one), Some(other)) => {
            return Err((
                format!(
                    "`--shard auto` found both `{}` and `{}`",
                    one.index, other.index
                ),
                "Unset one of them, or pass `--shard K/N`.".to_owned(),
            ));
        }
    };
    let number = |name: &str| -> Result<Option<u32>, Refusal> {
        get(name)
            .map(|text| {
                text.parse().map_err(|_| {
                    let text = visible(&text);
                    let help = format!("{} sets it to a number; pass `--shard K/N`.", engine.name);
                    (format!("`{name}` is `{text}`, not a number"), help)
                })
            })
            .transpose()
    };
    let unset = |name: &str| {
        let help = format!("{} sets it; pass `--shard K/N`.", engine.name);
        (
            format!("`{}` is set, but `{name}` is not", engine.index),
            help,
        )
    };
    let first = match engine.first {
        First::Is(first) => first,
        First::In(name) => number(name)?.ok_or_else(|| unset(name))?,
    };
    let index = number(engine.index)?.ok_or_else(|| unset(engine.index))?;
    let set = engine.count.map(number).transpose()?.flatten();
    let count = match (shards, set) {
        (Some(shards), Some(set)) if shards != set => {
            return Err((
                format!(
                    "`--shards {shards}` differs from `{}`, which is {set}",
                    engine.count.unwrap_or_default()
                ),
                "Omit `--shards`, or run as many jobs.".to_owned(),
            ));
        }
        (shards, set) => shards.or(set).ok_or_else(|| {
            (
                format!("{} does not set the number of jobs", engine.name),
                "Pass it with `--shards N`.".to_owned(),
            )
        })?,
    };
    let place = index
        .checked_sub(first)
        .and_then(|place| place.checked_add(1));
    place
        .and_then(|place| Shard::new(place, count))
        .ok_or_else(|| {
            (
                format!(
                    "`{}` is {index}, which is none of {count} shards from {first}",
                    engine.index
                ),
                "Number the jobs without gaps, as many as there are shards.".to_owned(),
            )
        })
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

    #[test]
    fn each_engine_says_which_shard_a_job_makes() {
        let gitlab = [("CI_NODE_INDEX", "3"), ("CI_NODE_TOTAL", "8")];
        assert_eq!(shard(&gitlab, None), Ok("3/8".to_owned()));
        assert_eq!(shard(&gitlab, Some(8)), Ok("3/8".to_owned()));
        let kubernetes = [("JOB_COMPLETION_INDEX", "0")];
        assert_eq!(shard(&kubernetes, Some(4)), Ok("1/4".to_owned()));
        let slurm = [
            ("SLURM_ARRAY_TASK_ID", "12"),
            ("SLURM_ARRAY_TASK_MIN", "10"),
            ("SLURM_ARRAY_TASK_COUNT", "5"),
        ];
        assert_eq!(shard(&slurm, None), Ok("3/5".to_owned()));
        let batch = [
            ("AWS_BATCH_JOB_ARRAY_INDEX", "1"),
            ("AWS_BATCH_JOB_ARRAY_SIZE", "2"),
        ];
        assert_eq!(shard(&batch, None), Ok("2/2".to_owned()));
        assert_eq!(shard(&batch[..1], Some(2)), Ok("2/2".to_owned()));
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
                "does not set the number of jobs",
            ),
            (
                &[("JOB_COMPLETION_INDEX", "0")],
                None,
                "does not set the number of jobs",
            ),
            (
                &[("JOB_COMPLETION_INDEX", "4")],
                Some(4),
                "none of 4 shards from 0",
            ),
            (
                &[("CI_NODE_INDEX", "0"), ("CI_NODE_TOTAL", "4")],
                None,
                "none of 4 shards from 1",
            ),
            (
                &[("CI_NODE_INDEX", "1"), ("CI_NODE_TOTAL", "4")],
                Some(5),
                "differs from",
            ),
            (
                &[("CI_NODE_INDEX", "x"), ("CI_NODE_TOTAL", "4")],
                None,
                "not a number",
            ),
            (
                &[
                    ("SLURM_ARRAY_TASK_ID", "1"),
                    ("SLURM_ARRAY_TASK_COUNT", "4"),
                ],
                None,
                "is not",
            ),
        ] {
            let found = shard(variables, shards);
            assert!(
                found.as_ref().is_err_and(|it| it.contains(message)),
                "{found:?}"
            );
        }
    }
}
