//! Review threads: a state and actions over it, replayed by the reducer and by a simpler one here.

use runpress::api::diagnostics::Source;
use runpress::api::formats::threads::{
    ACTIONS_FILE, RecordedThread, STATE_FILE, ThreadAction, parse_actions, parse_state,
};
use runpress::api::model::threads::{from_annotation, resource_path};
use runpress::api::rules;

use super::{places, split};

/// Threads as their ids with the ids of their entries.
type Ids = Vec<(String, Vec<String>)>;

fn ids(annotations: &[RecordedThread<'_>]) -> Ids {
    let entries = |annotation: &RecordedThread<'_>| {
        annotation
            .entries
            .iter()
            .map(|entry| entry.id.clone())
            .collect()
    };
    annotations
        .iter()
        .map(|annotation| (annotation.id.clone(), entries(annotation)))
        .collect()
}

/// The reducer of the protocol over ids alone: a list is searched from its start, whatever that costs.
fn reduce(threads: &mut Ids, action: &ThreadAction<'_>) {
    let at = |threads: &Ids, id: &str| threads.iter().position(|(known, _)| known == id);
    match action {
        ThreadAction::Set(annotation) => {
            let new = ids(std::slice::from_ref(annotation)).remove(0);
            match at(threads, &new.0) {
                Some(at) => threads[at] = new,
                None => threads.push(new),
            }
        }
        ThreadAction::Removed { id } => {
            if let Some(at) = at(threads, id) {
                threads.remove(at);
            }
        }
        ThreadAction::EntrySet { id, entry } => {
            if let Some(at) = at(threads, id)
                && !threads[at].1.contains(&entry.id)
            {
                threads[at].1.push(entry.id.clone());
            }
        }
        ThreadAction::EntryRemoved { id, entry } => {
            if let Some(at) = at(threads, id)
                && let Some(found) = threads[at].1.iter().position(|known| known == entry)
            {
                threads[at].1.remove(found);
            }
        }
        ThreadAction::Updated { .. } | ThreadAction::Unknown(_) => {}
    }
}

/// Reads `bytes` as a state and, after [`SEPARATOR`](super::SEPARATOR), an action log.
pub fn run(bytes: &[u8]) {
    let (state_text, log) = split(bytes).unwrap_or((bytes, &[][..]));
    let (state, problems) = parse_state(Source::file(STATE_FILE, state_text));
    places::check(state_text, &problems);
    let (envelopes, problems) = parse_actions(ACTIONS_FILE, log, state.channel.as_deref());
    places::check(log, &problems);

    let mut expected = ids(&state.annotations);
    let unique = {
        let mut seen: Vec<&String> = expected.iter().map(|(id, _)| id).collect();
        seen.sort_unstable();
        seen.windows(2).all(|pair| pair[0] != pair[1])
    };
    let channel = rules::threads::channel(&state, &envelopes);
    for envelope in &envelopes {
        let named = envelope.channel.as_deref();
        let is_foreign = named.is_some() && named != channel.as_deref();
        let known = state
            .from_seq
            .zip(envelope.server_seq)
            .is_some_and(|(from, seq)| seq <= from);
        if !known && !envelope.rejected && !is_foreign {
            reduce(&mut expected, &envelope.action);
        }
    }
    let replayed = rules::threads::replay(ACTIONS_FILE, state, envelopes);
    for problem in &replayed.diagnostics {
        let text = if problem.place.path == STATE_FILE {
            state_text
        } else {
            log
        };
        places::check(text, std::slice::from_ref(problem));
    }
    let codes = |name: &str| replayed.diagnostics.iter().any(|d| d.code.name == name);
    if unique {
        assert_eq!(ids(&replayed.value.annotations), expected);
        let empty = expected.iter().any(|(_, entries)| entries.is_empty());
        assert_eq!(codes("threads.no-entries"), empty);
    } else {
        assert!(codes("threads.duplicate-id"));
    }
    for annotation in replayed.value.annotations {
        let id = annotation.id.clone();
        let thread = from_annotation(annotation);
        assert_eq!(thread.id, id);
        if let Some(path) = resource_path(&thread.resource, &["/workspace".to_owned()]) {
            let safe = |part: &str| !part.is_empty() && part != "." && part != "..";
            assert!(
                path.split('/').all(safe) && !path.contains(['\\', '\0']),
                "{path}"
            );
        }
    }
}
