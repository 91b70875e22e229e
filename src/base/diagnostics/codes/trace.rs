//! Codes of traces. Problems of single events have the codes of event logs.

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
        why "The same keys may have another meaning in other versions, so the trace is refused."
        bad "{\"type\":\"trace\",\"schemaVersion\":2}"
        good "{\"type\":\"trace\",\"schemaVersion\":1}";
    TRACE_WRONG_NUMBER = "trace.wrong-number" Warning "the number of an event is not its position"
        why "Annotations point at events by number: 0 for the first event after the header, one more for each. A gap usually means that lines were lost. The event is shown with its position as its number."
        bad "seq 0, seq 1, seq 3"
        good "seq 0, seq 1, seq 2";
    TRACE_DANGLING_REFERENCE = "trace.dangling-reference" Warning "an event refers to something that is not in the trace"
        why "A result, an edit, a subagent or a usage event names a call that does not occur earlier, or `agent` or `source.file` names something that is not in the header. The event is shown without the call, agent or source."
        bad "{\"seq\":0,\"type\":\"tool_result\",\"call\":\"c1\",\"ok\":true}"
        good "{\"seq\":0,\"type\":\"tool_call\",\"call\":\"c1\",\"name\":\"bash\"}\n{\"seq\":1,\"type\":\"tool_result\",\"call\":\"c1\",\"ok\":true}";
    TRACE_DUPLICATE_CALL = "trace.duplicate-call" Warning "duplicate call id"
        why "Results refer to calls by id. If several calls share an id, each result is assigned to the first one without a result."
        bad "{\"seq\":0,\"type\":\"tool_call\",\"call\":\"c1\",\"name\":\"bash\"}\n{\"seq\":1,\"type\":\"tool_call\",\"call\":\"c1\",\"name\":\"bash\"}"
        good "{\"seq\":0,\"type\":\"tool_call\",\"call\":\"c1\",\"name\":\"bash\"}\n{\"seq\":1,\"type\":\"tool_call\",\"call\":\"c1~2\",\"name\":\"bash\"}";
}
