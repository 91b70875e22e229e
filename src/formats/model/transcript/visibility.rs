//! Reads the visibility of a part of a transcript.

use crate::json::{JsonKind, Member, Node};
use crate::private::{
    any_word, is_harn_directive, is_harn_publication, is_reasoning_object, is_result_word,
    is_spelled, is_tool_word, names_type_or_role,
};

use super::WithheldCounts;

/// Maximum depth of public data; deeper parts are dropped.
pub(super) const MAX_DEPTH: usize = 32;

/// Why something is not published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PrivacyReason {
    /// Internal, explicitly or by default.
    Internal,
    /// In a message that Harn marks as the result of a tool.
    ToolResult,
    /// In a message that Harn marks as a directive to the model.
    Directive,
    /// In a message of the assistant that Harn did not publish.
    Unpublished,
    /// Next to the result of a tool, without a visibility of its own.
    NextToResult,
    /// Private, reasoning, or of an unrecognized visibility.
    Private,
}

impl PrivacyReason {
    /// Adds one to the count for this reason.
    pub(super) fn count(self, withheld: &mut WithheldCounts) {
        match self {
            Self::Internal => {}
            Self::ToolResult => withheld.reasons.tool_results += 1,
            Self::Directive => withheld.reasons.directives += 1,
            Self::Unpublished => withheld.reasons.unpublished += 1,
            Self::NextToResult => withheld.reasons.next_to_tool_results += 1,
            Self::Private => {
                withheld.private += 1;
                return;
            }
        }
        withheld.internal += 1;
    }

    /// Whether the message decides, and not the block or the event.
    pub(super) const fn applies_to_message(self) -> bool {
        matches!(
            self,
            Self::ToolResult | Self::Directive | Self::Unpublished | Self::NextToResult
        )
    }
}

/// The visibility in the members of a message, a block or an event: not set, public, or why they are hidden. All duplicates and
/// all spellings of the key count.
pub(super) fn stated_visibility(members: &[Member<'_>]) -> Option<Result<(), PrivacyReason>> {
    if is_reasoning_object(members) {
        return Some(Err(PrivacyReason::Private));
    }
    let words = members
        .iter()
        .filter(|member| is_spelled(&member.key, "visibility"))
        .map(|member| match member.value.as_str().as_deref() {
            Some("public") => Ok(()),
            Some("internal") => Err(PrivacyReason::Internal),
            _ => Err(PrivacyReason::Private),
        });
    let visibility = words.reduce(|one, other| match (one, other) {
        (Ok(()), Ok(())) => Ok(()),
        (Err(PrivacyReason::Internal), Ok(()) | Err(PrivacyReason::Internal))
        | (Ok(()), Err(PrivacyReason::Internal)) => Err(PrivacyReason::Internal),
        _ => Err(PrivacyReason::Private),
    });
    match (visibility, withheld_by_harn(members)) {
        (Some(Err(hidden)), _) | (_, Some(hidden)) => Some(Err(hidden)),
        (visibility, None) => visibility,
    }
}

/// Why Harn withholds a whole message: it is a directive, or a draft that was not published. A value that Harn does not write
/// withholds it, too.
fn withheld_by_harn(members: &[Member<'_>]) -> Option<PrivacyReason> {
    let is_directive = |member: &Member<'_>| {
        let value = member.value;
        let is_empty = value.kind() == JsonKind::Null
            || (value.kind() == JsonKind::Array && value.items().is_empty());
        is_harn_directive(&member.key) && !is_empty
    };
    let is_draft = |member: &Member<'_>| {
        is_harn_publication(&member.key) && member.value.as_str().as_deref() != Some("published")
    };
    if members.iter().any(is_directive) {
        Some(PrivacyReason::Directive)
    } else if members.iter().any(is_draft) {
        Some(PrivacyReason::Unpublished)
    } else {
        None
    }
}

/// Whether Harn marks a message as the result of a tool, whatever its role. A mark that Harn does not write counts as one.
pub(super) fn is_marked_result(members: &[Member<'_>]) -> bool {
    const OTHERS: [&str; 4] = ["assistant", "user", "system", "developer"];
    let is_other = |kind: Node<'_>| {
        kind.as_str()
            .is_some_and(|kind| OTHERS.contains(&kind.as_ref()))
    };
    let mut marks = members
        .iter()
        .filter(|member| is_spelled(&member.key, "harn") && member.value.kind() != JsonKind::Null);
    marks.any(|mark| {
        let inner = mark.value.members();
        mark.value.kind() != JsonKind::Object
            || answers_a_call(&inner)
            || inner
                .iter()
                .any(|member| is_spelled(&member.key, "kind") && !is_other(member.value))
    })
}

/// Whether a block is the result of a tool, or contains one.
pub(super) fn contains_result(block: Node<'_>, depth: usize) -> bool {
    const KEYS: [&str; 3] = ["toolresult", "functionresponse", "functioncalloutput"];
    let is_result = |kind: &str| is_tool_word(kind) && is_result_word(kind);
    match block.kind() {
        JsonKind::Array | JsonKind::Object if depth > MAX_DEPTH => true,
        JsonKind::Array => block
            .items()
            .into_iter()
            .any(|item| contains_result(item, depth + 1)),
        JsonKind::Object => {
            let members = block.members();
            any_word(&members, names_type_or_role, is_result)
                || answers_a_call(&members)
                || members.iter().any(|member| {
                    KEYS.iter().any(|key| is_spelled(&member.key, key))
                        || contains_result(member.value, depth + 1)
                })
        }
        _ => false,
    }
}

/// Whether it is a tool call or a tool result, whatever the type says.
pub(super) fn is_tool_block(members: &[Member<'_>]) -> bool {
    any_word(members, names_type_or_role, is_tool_word) || answers_a_call(members)
}

/// Whether it names the id of a call, which makes it a tool result, whatever the type says.
fn answers_a_call(members: &[Member<'_>]) -> bool {
    members.iter().any(|member| {
        ["tooluseid", "toolcallid", "callid"]
            .iter()
            .any(|key| is_spelled(&member.key, key))
    })
}
