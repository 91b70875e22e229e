//! Values that are missing, expectations, and mistakes in rules.

use runpress::api::site::{Overrides, Site};

use super::plants::{found, native};
use crate::support::{TestSite, codes, described};

#[test]
fn a_missing_value_is_unknown_and_named() {
    let site = TestSite::empty();
    let cases = [
        (
            "find = \"event.kind == 'agent' && event.ok\"\nexpect = \"none\"",
            "event.ok",
        ),
        (
            "find = \"event.exit_code > 1\"\nexpect = \"none\"",
            "event.exit_code",
        ),
        (
            "find = \"event.text.contains(site.canary)\"\nexpect = \"none\"",
            "site.canary",
        ),
        (
            "find = \"event.kind == 'agent'\"\nafter = \"event.tokens > 3\"\nexpect = \"some\"",
            "event.tokens",
        ),
        ("require = \"run.rating == 'great'\"", "run.rating"),
        (
            "require = \"run.rating == 'great' && run.case == 'pong'\"",
            "run.rating",
        ),
        ("require = \"run.event_tokens > 0\"", "run.event_tokens"),
        (
            "require = \"run.outcomes_passed == run.checks_passed\"",
            "run.outcomes_passed",
        ),
        (
            "require = \"run.tokens / (run.commands - run.commands) > 1\"",
            "a number: division by zero, or too large",
        ),
    ];
    let mut text = String::new();
    for (number, (rule, _)) in cases.iter().enumerate() {
        text.push_str(&format!(
            "[[rule]]\nid = \"r{number}\"\ntitle = \"x\"\n{rule}\n"
        ));
    }
    site.write("rules/a.toml", text);
    for number in 0..5 {
        native(&site, number, 0, &[]);
    }
    let found = found(&site, "rules.unknown");
    assert_eq!(found.len(), cases.len() * 5);
    let outcome = site.check();
    for (number, (_, missing)) in cases.iter().enumerate() {
        let message = format!("rule `r{number}` holds: {missing} was not recorded");
        let of_rule = described(&outcome);
        let of_rule = of_rule
            .iter()
            .filter(|line| line.contains(&message))
            .count();
        assert_eq!(of_rule, 5, "{message} {:?}", described(&outcome));
    }
    assert!(!codes(&outcome).contains(&"rules.violated"));
    // What decides without the value is known, and `has` never is unknown.
    site.write(
        "rules/a.toml",
        "[[rule]]\nid = \"a\"\ntitle = \"x\"\nrequire = \"run.case == 'pong' || run.rating == 'great'\"\n\
         [[rule]]\nid = \"b\"\ntitle = \"x\"\nrequire = \"!(run.case == 'x' && run.rating == 'great')\"\n\
         [[rule]]\nid = \"c\"\ntitle = \"x\"\nrequire = \"!has(run.rating) && (has(run.cost) ? run.cost < 1.0 : false)\"\n",
    );
    assert_eq!(codes(&site.check()), [""; 0]);
}

#[test]
fn expectations_compare_numbers_and_order() {
    let site = TestSite::empty();
    native(&site, 1, 0, &[]);
    let rule = |id: &str, find: &str, expect: &str| {
        format!(
            "[[rule]]\nid = \"{id}\"\ntitle = \"x\"\nfind = \"{find}\"\nexpect = \"{expect}\"\n"
        )
    };
    let tests = rule("tests", "event.kind == 'command'", "some");
    for (find, expect, holds) in [
        ("event.kind == 'agent'", "some", true),
        ("event.kind == 'skill'", "some", false),
        ("event.kind == 'agent'", "at most 2", true),
        ("event.kind == 'agent'", "at most 1", false),
        ("event.kind == 'agent'", "first before tests", true),
        ("event.kind == 'read'", "first before tests", false),
        ("event.kind == 'write'", "last after tests", true),
        ("event.kind == 'skill'", "last after tests", false),
        ("size('é') == 1 && event.number == 0", "some", true),
        ("event.number <= 0", "some", true),
        ("event.number < 0", "some", false),
        ("0 >= event.number", "some", true),
        ("0 > event.number", "some", false),
        ("event.number == 0", "last after tests", false),
        (
            "event.turn == 2 && event.step == size(run.steps)",
            "some",
            true,
        ),
        (
            "run.steps.exists(s, s.kind == 'command' && s.turn == event.turn)",
            "at most 5",
            true,
        ),
        (
            "run.steps.filter(s, s.kind == 'message').all(s, s.events == 1)",
            "none",
            false,
        ),
        (
            "run.steps[0].kind == 'message' && event.number == 0",
            "at most 1",
            true,
        ),
        ("event.seconds == 5.0", "at most 1", true),
    ] {
        site.write("rules/a.toml", tests.clone() + &rule("a", find, expect));
        let outcome = site.check();
        let expected: &[&str] = if holds { &[] } else { &["rules.violated"] };
        let mut found = codes(&outcome);
        found.dedup();
        assert_eq!(found, expected, "{find} {expect} {:?}", described(&outcome));
    }
}

#[test]
fn an_int_and_a_double_are_compared_by_their_values() {
    let site = TestSite::base();
    let check = |expression: &str| {
        site.write(
            "rules/a.toml",
            format!("[[rule]]\nid = \"a\"\ntitle = \"x\"\nseverity = \"error\"\nrequire = \"{expression}\"\n"),
        );
        codes(&site.check())
    };
    // The cost is 0.421, and 53 bits cannot tell 9007199254740993 from the double.
    for expression in [
        "run.cost <= 1",
        "1 >= run.cost",
        "run.cost > 0",
        "run.cost != 1",
        "run.cost > -1",
        "2 == 2.0",
        "2.0 in [1, 2]",
        "2 in [1.5, 2.0]",
        "!(2.5 in [1, 2])",
        "2.0 == double(2)",
        "9007199254740993 > 9007199254740992.0",
        "9007199254740993 != 9007199254740992.0",
        "9223372036854775807 < 9223372036854775808.0",
        "-9223372036854775808.0 <= -9223372036854775807",
    ] {
        assert_eq!(check(expression), [""; 0], "{expression}");
        let opposite = format!("!({expression})");
        assert_eq!(check(&opposite), ["rules.violated"], "{opposite}");
    }
    assert_eq!(check("run.cost <= 0"), ["rules.violated"]);
}

#[test]
fn a_mistake_is_an_error_at_its_line_and_column() {
    let site = TestSite::base();
    let head = "[[rule]]\nid = \"a\"\ntitle = \"ä\"\n";
    for (text, code, line, column, words) in [
        (
            "require = \"run.costs < 1.0\"",
            "rules.expression",
            4,
            16,
            "`run` has no field `costs`",
        ),
        (
            "require = '''\nrun.cost <\n'''",
            "rules.expression",
            6,
            1,
            "not valid CEL: it ends too early",
        ),
        (
            "require = \"'ä' == run.id && evnt.kind == 'x'\"",
            "rules.expression",
            4,
            29,
            "Unknown variable `evnt`",
        ),
        (
            "require = \"event.kind == 'x'\"",
            "rules.expression",
            4,
            12,
            "has no `event`",
        ),
        (
            "require = \"run.cost < 'x'\"",
            "rules.expression",
            4,
            21,
            "does not apply",
        ),
        (
            "require = \"run.cost + 1 < 2.0\"",
            "rules.expression",
            4,
            21,
            "`double` and `int`",
        ),
        (
            "require = \"run.cost < 1u\"",
            "rules.expression",
            4,
            23,
            "unsigned",
        ),
        (
            "require = \"run.cost in [1, 2.0]\"",
            "rules.expression",
            4,
            28,
            "different types",
        ),
        (
            "require = \"run.cost < (true ? 1 : 2.0)\"",
            "rules.expression",
            4,
            35,
            "`double`",
        ),
        (
            "require = \"run.seconds < duration('1h')\"",
            "rules.expression",
            4,
            34,
            "Unknown function",
        ),
        (
            "require = \"run.id\"",
            "rules.expression",
            4,
            16,
            "must be true or false",
        ),
        (
            "require = \"run.id.matches(r'(')\"",
            "rules.expression",
            4,
            27,
            "regular expression",
        ),
        (
            "require = \"run.id.matches(run.case)\"",
            "rules.expression",
            4,
            31,
            "not written out",
        ),
        (
            "require = \"run.id.matchez('x')\"",
            "rules.expression",
            4,
            26,
            "Unknown function",
        ),
        (
            "require = \"run.steps.map(s, s.turn) == [1]\"",
            "rules.expression",
            4,
            25,
            "no `map`",
        ),
        (
            "require = \"null == run.id\"",
            "rules.expression",
            4,
            12,
            "never null",
        ),
        (
            "find = \"event.ok\"",
            "rules.invalid",
            1,
            1,
            "needs `expect`",
        ),
        (
            "find = \"event.ok\"\nexpect = \"never\"",
            "rules.invalid",
            5,
            10,
            "Unknown expectation",
        ),
        (
            "find = \"event.ok\"\nexpect = \"last after b\"",
            "rules.invalid",
            5,
            10,
            "No rule with `find`",
        ),
        ("trials = 0", "rules.invalid", 4, 10, "at least 1"),
        (
            "seveerity = \"flag\"\ntrials = 1",
            "rules.invalid",
            4,
            1,
            "unknown field",
        ),
        (
            "require = \"true\"\n[[rule]]\nid = \"a\"\ntitle = \"b\"\nrequire = \"true\"",
            "rules.invalid",
            6,
            6,
            "Two rules",
        ),
    ] {
        site.write("rules/pack/a.toml", format!("{head}{text}\n"));
        let problems = Site::open(site.root(), &Overrides::default()).expect_err("a mistake");
        let [problem] = problems.as_slice() else {
            panic!("{text}: {problems:?}");
        };
        assert!(problem.message.contains(words), "{text}: {problem:?}");
        let place = &problem.place;
        assert_eq!(
            (
                problem.code.name,
                place.path.as_str(),
                place.line,
                place.column
            ),
            (code, "rules/pack/a.toml", Some(line), Some(column)),
            "{text}: {}",
            problem.message
        );
    }
}
