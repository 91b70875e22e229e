//! The reasoning in event logs and traces, which a site may withhold. Harn tapes have a rule of their own.

use std::borrow::Cow;

use crate::formats::json::Node;
use crate::formats::private::is_reasoning;
use crate::formats::tape::content::without_thinking;

use super::{Event, Format, Tape, Text};

impl Tape<'_> {
    /// Takes reasoning out of the events of an event log or a trace, and counts the events that had some.
    pub fn withhold_reasoning(&mut self) {
        if self.format != Format::Harn {
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
            // A tool that is only there to think.
            "tool_call" => {
                let tool = self.headline.split(' ').next();
                let tool = tool.filter(|tool| is_reasoning(tool))?.to_owned();
                self.headline = Cow::Owned(tool);
                self.blocks.clear();
            }
            // What a harness wrote in its own format, or nobody can read.
            "unknown" | "gg" => {
                let mut withheld = None;
                for block in &mut self.blocks {
                    if let Some(text) = without_reasoning(&block.text) {
                        block.text = Text::Own(Cow::Owned(text));
                        withheld = Some(());
                    }
                }
                withheld?;
            }
            _ => return None,
        }
        self.remember_digest();
        self.source = Cow::Borrowed("");
        self.fact("reasoning", Some("withheld"));
        Some(())
    }
}

/// A text without reasoning; `None` when it has none. Text that is no JSON is withheld as a whole.
fn without_reasoning(text: &str) -> Option<String> {
    if Node::parse(text).is_ok() {
        return without_thinking(text);
    }
    is_reasoning(text).then(|| "(withheld)".to_owned())
}
