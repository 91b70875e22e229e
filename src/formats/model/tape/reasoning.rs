//! Reasoning in event logs and traces, which a site may withhold. Harn tapes have a separate rule.

use std::borrow::Cow;

use crate::json::Node;
use crate::private::is_reasoning;
use crate::tape::content::without_thinking;

use super::{BlockText, Event, Tape, TapeFormat};

impl Tape<'_> {
    /// Removes reasoning from the events of an event log or a trace, and counts the affected events.
    pub fn withhold_reasoning(&mut self) {
        if self.format != TapeFormat::Harn {
            let events = self.events.iter_mut();
            self.withheld = events.filter_map(Event::withhold_reasoning).count();
        }
    }
}

impl Event<'_> {
    fn withhold_reasoning(&mut self) -> Option<()> {
        match self.kind.word {
            "reasoning" => self.blocks.clear(),
            "note" if is_reasoning(&self.headline) => self.blocks.clear(),
            // A tool whose only purpose is thinking.
            "tool_call" => {
                let tool = self.headline.split(' ').next();
                let tool = tool.filter(|tool| is_reasoning(tool))?.to_owned();
                self.headline = Cow::Owned(tool);
                self.blocks.clear();
            }
            // The harness's own format, or an unreadable line.
            "unknown" | "gg" => {
                let mut withheld = None;
                for block in &mut self.blocks {
                    if let Some(text) = without_reasoning(&block.text) {
                        block.text = BlockText::Own(Cow::Owned(text));
                        withheld = Some(());
                    }
                }
                withheld?;
            }
            _ => return None,
        }
        self.cache_digest();
        self.source = Cow::Borrowed("");
        self.fact("reasoning", Some("withheld"));
        Some(())
    }
}

/// A text without its reasoning; `None` if it has none. Non-JSON text is withheld as a whole.
fn without_reasoning(text: &str) -> Option<String> {
    if Node::parse(text).is_ok() {
        return without_thinking(text);
    }
    is_reasoning(text).then(|| "(withheld)".to_owned())
}
