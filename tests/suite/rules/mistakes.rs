//! Values that are missing, expectations, and mistakes in rules.

use runpress::api::site::{Overrides, Site};

use super::plants::{found, native};
use crate::support::{TestSite, codes, described, rows};

#[test]
fn a_missing_value_is_unknown_and_named() {
    let site = TestSite::empty();
    let cases = rows(
        r#"
event.ok | find = "event.kind == 'agent' && event.ok"⏎expect = "none"
event.exit_code | find = "event.exit_code > 1"⏎expect = "none"
site.canary | find = "event.text.contains(site.canary)"⏎expect = "none"
event.tokens | find = "event.kind == 'agent'"⏎after = "event.tokens > 3"⏎expect = "some"
run.rating | require = "run.rating == 'great'"
run.rating | require = "run.rating == 'great' && run.case == 'pong'"
run.event_tokens | require = "run.event_tokens > 0"
run.outcomes_passed | require = "run.outcomes_passed == run.checks_passed"
a number: division by zero, or too large | require = "run.tokens / (run.commands - run.commands) > 1"
"#,
    );
    let mut text = String::new();
    for (number, [_, rule]) in cases.iter().enumerate() {
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
    for (number, [missing, _]) in cases.iter().enumerate() {
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
    for [holds, expect, find] in rows(
        "
yes | some | event.kind == 'agent'
no | some | event.kind == 'skill'
yes | at most 2 | event.kind == 'agent'
no | at most 1 | event.kind == 'agent'
yes | first before tests | event.kind == 'agent'
no | first before tests | event.kind == 'read'
yes | last after tests | event.kind == 'write'
no | last after tests | event.kind == 'skill'
yes | some | size('é') == 1 && event.number == 0
yes | some | event.number <= 0
no | some | event.number < 0
yes | some | 0 >= event.number
no | some | 0 > event.number
no | last after tests | event.number == 0
yes | some | event.turn == 2 && event.step == size(run.steps)
yes | at most 5 | run.steps.exists(s, s.kind == 'command' && s.turn == event.turn)
no | none | run.steps.filter(s, s.kind == 'message').all(s, s.events == 1)
yes | at most 1 | run.steps[0].kind == 'message' && event.number == 0
yes | at most 1 | event.seconds == 5.0
",
    ) {
        site.write("rules/a.toml", tests.clone() + &rule("a", find, expect));
        let outcome = site.check();
        let expected: &[&str] = if holds == "yes" {
            &[]
        } else {
            &["rules.violated"]
        };
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
    for [place, code, words, text] in rows(
        r#"
4:16 | expression | `run` has no field `costs` | require = "run.costs < 1.0"
6:1 | expression | not valid CEL: it ends too early | require = '''⏎run.cost <⏎'''
4:29 | expression | Unknown variable `evnt` | require = "'ä' == run.id && evnt.kind == 'x'"
4:12 | expression | has no `event` | require = "event.kind == 'x'"
4:21 | expression | does not apply | require = "run.cost < 'x'"
4:21 | expression | `double` and `int` | require = "run.cost + 1 < 2.0"
4:23 | expression | unsigned | require = "run.cost < 1u"
4:28 | expression | different types | require = "run.cost in [1, 2.0]"
4:35 | expression | `double` | require = "run.cost < (true ? 1 : 2.0)"
4:34 | expression | Unknown function | require = "run.seconds < duration('1h')"
4:16 | expression | must be true or false | require = "run.id"
4:27 | expression | regular expression | require = "run.id.matches(r'(')"
4:31 | expression | not written out | require = "run.id.matches(run.case)"
4:26 | expression | Unknown function | require = "run.id.matchez('x')"
4:25 | expression | no `map` | require = "run.steps.map(s, s.turn) == [1]"
4:12 | expression | never null | require = "null == run.id"
1:1 | invalid | needs `expect` | find = "event.ok"
5:10 | invalid | Unknown expectation | find = "event.ok"⏎expect = "never"
5:10 | invalid | No rule with `find` | find = "event.ok"⏎expect = "last after b"
4:10 | invalid | at least 1 | trials = 0
4:1 | invalid | unknown field | seveerity = "flag"⏎trials = 1
6:6 | invalid | Two rules | require = "true"⏎[[rule]]⏎id = "a"⏎title = "b"⏎require = "true"
"#,
    ) {
        site.write("rules/pack/a.toml", format!("{head}{text}\n"));
        let problems = Site::open(site.root(), &Overrides::default()).expect_err("a mistake");
        let [problem] = problems.as_slice() else {
            panic!("{text}: {problems:?}");
        };
        assert!(problem.message.contains(words), "{text}: {problem:?}");
        let at = &problem.place;
        let found = format!("{}:{}", at.line.unwrap_or(0), at.column.unwrap_or(0));
        assert_eq!(
            (at.path.as_str(), &*found),
            ("rules/pack/a.toml", place),
            "{text}"
        );
        assert_eq!(problem.code.name, format!("rules.{code}"), "{text}");
    }
}
