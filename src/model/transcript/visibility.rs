//! Reads the visibility of a part of a transcript.

use crate::formats::json::Member;
use crate::formats::private::{
    any_word, is_of_a_tool, is_reasoning_itself, is_spelled, says_what_it_is,
};

use super::Withheld;

/// Why something is not published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hidden {
    /// Internal, explicitly or by default.
    Internal,
    /// Private, reasoning, or of an unrecognized visibility.
    Private,
}

impl Hidden {
    /// Adds one to the count for this reason.
    pub(super) fn count(self, withheld: &mut Withheld) {
        match self {
            Self::Internal => withheld.internal += 1,
            Self::Private => withheld.private += 1,
        }
    }
}

/// The visibility in the members of a message, a block or an event: not set, public, or why they are hidden. All duplicates and
/// all spellings of the key count.
pub(super) fn said(members: &[Member<'_>]) -> Option<Result<(), Hidden>> {
    if is_reasoning_itself(members) {
        return Some(Err(Hidden::Private));
    }
    let words = members
        .iter()
        .filter(|member| is_spelled(&member.key, "visibility"))
        .map(|member| match member.value.as_str().as_deref() {
            Some("public") => Ok(()),
            Some("internal") => Err(Hidden::Internal),
            _ => Err(Hidden::Private),
        });
    words.reduce(|one, other| match (one, other) {
        (Ok(()), Ok(())) => Ok(()),
        (Err(Hidden::Internal), Ok(()) | Err(Hidden::Internal))
        | (Ok(()), Err(Hidden::Internal)) => Err(Hidden::Internal),
        _ => Err(Hidden::Private),
    })
}

/// Whether it is a tool call or a tool result, whatever the type says.
pub(super) fn is_a_tools(members: &[Member<'_>]) -> bool {
    any_word(members, says_what_it_is, is_of_a_tool) || answers_a_call(members)
}

/// Whether it names the id of a call, which makes it a tool result, whatever the type says.
fn answers_a_call(members: &[Member<'_>]) -> bool {
    members.iter().any(|member| {
        ["tooluseid", "toolcallid", "callid"]
            .iter()
            .any(|key| is_spelled(&member.key, key))
    })
}
