//! Codes of traces. What is wrong with a single event has the codes of event logs.

family! { ALL:
    TRACE_MISSING_HEADER = "trace.missing-header" Error "the trace does not begin with a header"
        why "The header states the version of the format and names the files and agents that the events refer to."
        bad "{\"seq\":0,\"type\":\"message\",\"role\":\"user\",\"text\":\"Fix the test.\"}"
        good "{\"type\":\"trace\",\"schemaVersion\":1}\n{\"seq\":0,\"type\":\"message\",\"role\":\"user\",\"text\":\"Fix the test.\"}";
    TRACE_INVALID_HEADER = "trace.invalid-header" Error "the header of the trace cannot be read"
        why "Events refer to the agents and files that the header lists, so a trace without a valid header is not loaded."
        bad "{\"type\":\"trace\",\"schemaVersion\":\"1\"}"
        good "{\"type\":\"trace\",\"schemaVersion\":1}";
    TRACE_UNSUPPORTED_VERSION = "trace.unsupported-version" Error "unsupported version of the trace"
        why "The same keys may have another meaning in another version, so it is refused."
        bad "{\"type\":\"trace\",\"schemaVersion\":2}"
        good "{\"type\":\"trace\",\"schemaVersion\":1}";
    TRACE_WRONG_NUMBER = "trace.wrong-number" Warning "the number of an event is not its position"
        why "Annotations point at events by number: 0 for the first event after the header, one more for each. A gap usually means that lines were lost. The event is shown under the number of its position."
        bad "seq 0, seq 1, seq 3"
        good "seq 0, seq 1, seq 2";
    TRACE_DANGLING_REFERENCE = "trace.dangling-reference" Warning "an event refers to something that the trace does not have"
        why "A result, an edit, a subagent or tokens name a call that no earlier event has, or `agent` or `source.file` names something that the header does not list. The event is shown, but not with its call, agent or source."
        bad "{\"seq\":0,\"type\":\"tool_result\",\"call\":\"c1\",\"ok\":true}"
        good "{\"seq\":0,\"type\":\"tool_call\",\"call\":\"c1\",\"name\":\"bash\"}\n{\"seq\":1,\"type\":\"tool_result\",\"call\":\"c1\",\"ok\":true}";
    TRACE_DUPLICATE_CALL = "trace.duplicate-call" Warning "duplicate id of a call"
        why "Results name their call by its id. If several calls have one id, each result belongs to the first of them that has none yet."
        bad "{\"seq\":0,\"type\":\"tool_call\",\"call\":\"c1\",\"name\":\"bash\"}\n{\"seq\":1,\"type\":\"tool_call\",\"call\":\"c1\",\"name\":\"bash\"}"
        good "{\"seq\":0,\"type\":\"tool_call\",\"call\":\"c1\",\"name\":\"bash\"}\n{\"seq\":1,\"type\":\"tool_call\",\"call\":\"c1~2\",\"name\":\"bash\"}";
}
