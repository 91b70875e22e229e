//! The order of the events of a page: each step together, and what a subagent did within the step that started it.

use std::collections::BTreeMap;
use std::ops::Range;

use formats::model::steps::Steps;
use formats::model::tape::Tape;

/// The events of a page in the order of display.
#[derive(Debug, Default)]
pub(super) struct DisplayOrder {
    pub(super) slots: Vec<Slot>,
    /// The steps of the main line, then those of each subagent: ranges of slots.
    pub(super) levels: Vec<Vec<Range<usize>>>,
    /// The work of subagents: ranges of slots, each with the step that started it.
    pub(super) subagents: Vec<(Range<usize>, usize)>,
}

/// The place of an event.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slot {
    /// Its position on the tape.
    pub(super) position: usize,
    /// Whether it is the first event of its step on the page.
    pub(super) is_first: bool,
}

impl DisplayOrder {
    /// The order of the events in a range of positions.
    pub(super) fn of(tape: &Tape<'_>, steps: &Steps, range: Range<usize>) -> Self {
        let of_event = &steps.of_event[range.clone()];
        let is_plain = of_event
            .iter()
            .all(|step| steps.steps[*step].parent.is_none())
            && of_event.windows(2).all(|pair| pair[0] <= pair[1]);
        let mut order = Self {
            slots: Vec::with_capacity(range.len()),
            ..Self::default()
        };
        if is_plain {
            let mut units: Vec<Range<usize>> = Vec::new();
            let mut before = None;
            for (position, step) in range.zip(of_event) {
                let is_first = before != Some(step);
                before = Some(step);
                let slot = order.slots.len();
                order.slots.push(Slot { position, is_first });
                match units.last_mut() {
                    Some(unit) if !is_first => unit.end = slot + 1,
                    _ => units.push(slot..slot + 1),
                }
            }
            order.levels.push(units);
            return order;
        }
        let mut groups: BTreeMap<usize, StepGroup> = BTreeMap::new();
        let mut main = Vec::new();
        for (position, step) in range.zip(of_event) {
            let mut step = *step;
            let mut is_new = !groups.contains_key(&step);
            groups.entry(step).or_default().events.push(position);
            // The step that started a subagent may be on an earlier page.
            while is_new {
                let Some(parent) = steps.steps[step].parent else {
                    main.push(step);
                    break;
                };
                is_new = !groups.contains_key(&parent);
                groups.entry(parent).or_default().children.push(step);
                step = parent;
            }
        }
        let units = main.into_iter().map(Unit::Step).collect();
        order.place(tape, steps, &mut groups, units);
        order
    }

    /// Places the units of a level. Steps are nested at most as deep as [`Steps`] allows.
    fn place(
        &mut self,
        tape: &Tape<'_>,
        steps: &Steps,
        groups: &mut BTreeMap<usize, StepGroup>,
        units: Vec<Unit>,
    ) {
        let level = self.levels.len();
        self.levels.push(Vec::new());
        for unit in units {
            let start = self.slots.len();
            match unit {
                Unit::Event(position) => self.push(position, false),
                Unit::Step(step) => self.step(tape, steps, groups, step),
            }
            self.levels[level].push(start..self.slots.len());
        }
    }

    fn step(
        &mut self,
        tape: &Tape<'_>,
        steps: &Steps,
        groups: &mut BTreeMap<usize, StepGroup>,
        step: usize,
    ) {
        let StepGroup { events, children } = groups.remove(&step).unwrap_or_default();
        if children.is_empty() {
            for (index, position) in events.into_iter().enumerate() {
                self.push(position, index == 0);
            }
            return;
        }
        let starts = events.first() == steps.steps[step].events.first();
        let (call, rest) = events.split_at(usize::from(starts));
        let is_result = |position: &&usize| tape.events[**position].kind.word == "result";
        let results = rest.iter().rev().take_while(is_result).count();
        let (inner, results) = rest.split_at(rest.len() - results);
        for position in call {
            self.push(*position, true);
        }
        let children = children.into_iter().map(|child| {
            let first = groups.get(&child).and_then(|group| group.first(groups));
            (first.unwrap_or_default(), Unit::Step(child))
        });
        let mut units: Vec<(usize, Unit)> = children.collect();
        units.extend(
            inner
                .iter()
                .map(|position| (*position, Unit::Event(*position))),
        );
        units.sort_by_key(|(first, _)| *first);
        let start = self.slots.len();
        let units = units.into_iter().map(|(_, unit)| unit).collect();
        self.place(tape, steps, groups, units);
        self.subagents.push((start..self.slots.len(), step));
        for position in results {
            self.push(*position, false);
        }
    }

    fn push(&mut self, position: usize, is_first: bool) {
        self.slots.push(Slot { position, is_first });
    }
}

/// The events of a step on a page, and the steps below it.
#[derive(Debug, Default)]
struct StepGroup {
    /// Positions of its events.
    events: Vec<usize>,
    /// Steps of the subagent that it started.
    children: Vec<usize>,
}

impl StepGroup {
    /// The position of its first event, or else of the first event of a step below it.
    fn first(&self, groups: &BTreeMap<usize, Self>) -> Option<usize> {
        let own = self.events.first().copied();
        let child = self.children.first().and_then(|child| groups.get(child));
        own.into_iter()
            .chain(child.and_then(|child| child.first(groups)))
            .min()
    }
}

/// A step on a level, or an event of the step above that level.
enum Unit {
    Step(usize),
    Event(usize),
}
