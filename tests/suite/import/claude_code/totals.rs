//! Costs and tokens of sessions whose counters begin again, or whose log lacks a part.

use super::super::Imported;
use super::{of, session, written};

/// A response with these tokens: uncached and cached input, output.
fn response(id: &str, tokens: [u64; 3], stop: &str) -> String {
    let [uncached, cached, output] = tokens;
    format!(
        r#"{{"type":"assistant","message":{{"id":"{id}","model":"m","content":[{{"type":"text","text":"ok"}}],"stop_reason":{stop},"usage":{{"input_tokens":{uncached},"cache_read_input_tokens":{cached},"output_tokens":{output}}}}}}}"#
    )
}

/// A state of the counters: cost, and the tokens of the model `m`.
fn counter(session: &str, cost: f64, tokens: [u64; 3]) -> String {
    let [uncached, cached, output] = tokens;
    format!(
        r#"{{"type":"cost-state","sessionId":"7d9f0c52-0000-4000-8000-00000000{session}","totalCostUSD":{cost},"modelUsage":{{"m[1m]":{{"inputTokens":{uncached},"cacheReadInputTokens":{cached},"outputTokens":{output}}},"of-titles":{{"inputTokens":9,"outputTokens":9}}}}}}"#
    )
}

/// A session of rows with ids, and of rows as they are.
fn with_counters(rows: &[&str], counters: &[&str]) -> Imported {
    session(written(rows) + &counters.join("\n"))
}

#[test]
fn counters_that_begin_again_are_added_and_those_that_go_on_are_not() {
    let answer = response("a", [5, 0, 7], "\"end_turn\"");
    let cost = |counters: &[String]| {
        let counters: Vec<&str> = counters.iter().map(String::as_str).collect();
        with_counters(&[&answer], &counters).record["metrics"]["cost"]["actual"].as_f64()
    };
    let at = |cost: f64, output: u64| counter("d001", cost, [5, 0, output]);
    assert_eq!(cost(&[at(0.25, 7), at(0.5, 9)]), Some(0.5), "one program");
    assert_eq!(cost(&[at(0.5, 9), at(0.25, 7)]), Some(0.75), "resumed");
    assert_eq!(cost(&[at(0.5, 9), at(0.75, 7)]), Some(1.25), "by tokens");
    assert_eq!(cost(&[at(0.5, 9), at(0.25, 7), at(0.5, 9)]), Some(1.0));
    let of_original = counter("d00f", 8.0, [5, 0, 7]);
    assert_eq!(cost(&[of_original, at(0.25, 7)]), Some(0.25), "not its own");
    assert_eq!(cost(&[]), None);
}

#[test]
fn a_cost_that_lacks_responses_and_tokens_that_the_log_lacks_are_lower_bounds() {
    let answer = response("a", [5, 3, 7], "\"end_turn\"");
    let bounds = |tokens: [u64; 3]| {
        with_counters(&[&answer], &[&counter("d001", 0.5, tokens)]).lower_bounds()
    };
    assert_eq!(bounds([5, 3, 7]), "");
    assert_eq!(bounds([5, 3, 6]), "cost.actual");
    assert_eq!(bounds([6, 3, 9]), "tokens.uncachedInput tokens.output");
    let unknown = counter("d001", 0.5, [5, 3, 7])
        .replace("modelUsage", "\"hasUnknownModelCost\":true,\"modelUsage")
        .replacen("\"\"has", "\"has", 1);
    let estimated = with_counters(&[&answer], &[&unknown]).facts("estimated");
    assert_eq!(estimated, r#"["cost"]"#);
}

#[test]
fn the_output_of_unfinished_responses_is_that_of_the_counters_if_they_are_of_the_same_requests() {
    let open = response("a", [5, 3, 1], "null");
    let read = |counter: &str| {
        let run = with_counters(&[&open], &[counter]);
        (run.tokens(), run.lower_bounds())
    };
    let bound = "tokens.output".to_owned();
    assert_eq!(read(""), ("5/3/1/-".to_owned(), bound.clone()));
    let same = counter("d001", 0.5, [5, 3, 40]);
    assert_eq!(read(&same), ("5/3/40/-".to_owned(), String::new()));
    let others = counter("d001", 0.5, [6, 3, 40]);
    let (counted, bounds) = read(&others);
    assert_eq!(counted, "5/3/1/-");
    assert_eq!(bounds, format!("tokens.uncachedInput {bound}"));
}

#[test]
fn a_cost_or_a_count_of_some_responses_is_a_lower_bound() {
    let answer = |id: &str| response(id, [5, 3, 7], "\"end_turn\"");
    let (one, two) = (answer("a"), answer("b"));
    let counter = r#"{"type":"cost-state","sessionId":"7d9f0c52-0000-4000-8000-00000000d001","totalCostUSD":0.5}"#;
    assert_eq!(of(&[&one, counter]).lower_bounds(), "");
    assert_eq!(of(&[&one, counter, &one]).lower_bounds(), "", "its rows");
    assert_eq!(of(&[&one, counter, &two]).lower_bounds(), "cost.actual");
    assert_eq!(of(&[&one, counter, &two, counter]).lower_bounds(), "");
    let priced = one.replacen('{', r#"{"costUSD":0.1,"#, 1);
    assert_eq!(of(&[&priced]).lower_bounds(), "");
    assert_eq!(of(&[&priced, &two]).lower_bounds(), "cost.actual");
    let uncached = two.replace(r#""cache_read_input_tokens":3,"#, "");
    let run = of(&[&one, &uncached]);
    assert_eq!(
        (&*run.tokens(), &*run.lower_bounds()),
        ("10/3/14/-", "tokens.cachedInput")
    );
    let words = counter.replace("0.5", "\"0.5\"");
    let run = of(&[&one, &words, &words]);
    assert_eq!(
        run.messages(),
        ["`totalCostUSD` is not a number, so it is unknown"]
    );
}

#[test]
fn a_row_of_the_beginning_never_replaces_the_count_of_a_finished_response() {
    let rows = |first: &str, last: &str| of(&[first, last]).tokens();
    let open = response("a", [5, 3, 1], "null");
    let done = response("a", [5, 3, 40], "\"end_turn\"");
    assert_eq!(rows(&open, &done), "5/3/40/-");
    assert_eq!(rows(&done, &open), "5/3/40/-");
    let run = of(&[&done, &open]);
    assert_eq!(run.lower_bounds(), "");
    let later = response("a", [5, 3, 4], "null");
    assert_eq!(rows(&open, &later), "5/3/4/-");
    assert_eq!(rows(&later, &open), "5/3/4/-");
}

#[test]
fn totals_that_lack_a_response_or_a_subagent_are_lower_bounds() {
    let all = "tokens.uncachedInput tokens.cachedInput tokens.output";
    let answer = response("a", [5, 3, 7], "\"end_turn\"");
    let uncounted = r#"{"type":"assistant","message":{"id":"b","model":"m","content":[{"type":"text","text":"ok"}]}}"#;
    let run = of(&[&answer, uncounted]);
    assert_eq!(run.lower_bounds(), all);
    assert_eq!(of(&[uncounted]).lower_bounds(), "");
    let cut = written(&[&answer]) + r#"{"type":"assistant","message":{"id":"b","mod"#;
    assert_eq!(session(cut).lower_bounds(), all);
    let task = r#"{"type":"assistant","message":{"id":"c","model":"m","content":[{"type":"tool_use","id":"t","name":"Agent","input":{"prompt":"look"}}],"stop_reason":"tool_use","usage":{"input_tokens":1,"cache_read_input_tokens":0,"output_tokens":1}}}"#;
    let result = r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"done"}]},"toolUseResult":{"agentId":"a7","status":"completed","totalTokens":900}}"#;
    let run = of(&[task, result]);
    assert_eq!(run.lower_bounds(), all);
    assert!(run.warnings[0].message.contains("1 subagent"));
    let rows = r#"{"type":"user","isSidechain":true,"agentId":"a7","message":{"content":"look"}}"#;
    assert_eq!(of(&[task, rows, result]).lower_bounds(), "");
}
