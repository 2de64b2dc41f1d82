//! Looks for needles in a text, in every way in which the text can be read.
//!
//! A `%41` is three characters or one, depending on who wrote it. So a text is no row of bytes but a net of ways through
//! it: at an escape the way forks, and behind the escape both ways go on.
//!
//! ```text
//!            ╭──────── p ────────╮
//!      … a ──┴─ % ─── 7 ─── 0 ───┴─ s ── s …
//! ```
//!
//! All ways are walked together, from left to right, each with its node of the automaton. Ways that meet at the same node
//! have the same future: one of them is enough. In most texts there is one way.

use super::automaton::{Automaton, ROOT};
use super::spelling::{ESCAPE_BYTES_MAX, escape};
use crate::limits;

/// What was found in a text.
pub(super) struct Findings {
    /// For each byte whether it belongs to a needle.
    pub(super) hidden: Vec<bool>,
    /// How many nodes of the automaton were looked at.
    pub(super) work: usize,
}

/// A way to read the text up to some place.
struct Way {
    node: u32,
    /// The last step of the way.
    step: usize,
}

/// One byte that was read, as itself or out of an escape.
struct Step {
    before: usize,
    /// The bytes of the text that were read.
    from: usize,
    to: usize,
    /// How many steps, with this one the last of them, belong to a needle.
    found: u32,
}

/// A search that is under way.
struct Search<'a> {
    automaton: &'a Automaton,
    steps: Vec<Step>,
    /// The ways that go on at each of the next places, by the place modulo the number of lists.
    ahead: [Vec<Way>; ESCAPE_BYTES_MAX + 1],
    work: usize,
}

impl Findings {
    /// Nothing has been found yet.
    pub(super) fn none(text: &[u8]) -> Self {
        Self { hidden: vec![false; text.len()], work: 0 }
    }

    /// Adds what the automaton finds. If the text `is_cut`, what may be the beginning of a needle at its end is found, too.
    ///
    /// A text can be made so that the search takes long. Such a text is hidden as a whole.
    pub(super) fn add(&mut self, text: &[u8], is_cut: bool, automaton: &Automaton) {
        let work_max = limits::MASK_WORK_GRANTED + limits::MASK_WORK_PER_BYTE_MAX * text.len();
        let first = Step { before: 0, from: 0, to: 0, found: 0 };
        let mut search = Search { automaton, steps: vec![first], ahead: Default::default(), work: 0 };
        search.steps.reserve(text.len());
        search.ahead[0].push(Way { node: ROOT, step: 0 });
        for at in 0..text.len() {
            search.pass(text, at);
            if search.work > work_max {
                self.hidden.fill(true);
                break;
            }
        }
        if is_cut {
            search.find_beginnings(text.len());
        }
        self.work += search.work;
        search.cover(&mut self.hidden);
    }
}

impl Search<'_> {
    /// Leads all ways that have come to a place onwards from it.
    fn pass(&mut self, text: &[u8], at: usize) {
        let mut here = std::mem::take(&mut self.ahead[at % (ESCAPE_BYTES_MAX + 1)]);
        let escape = escape(&text[at..]);
        for way in &here {
            // The escape first: where two ways meet, the one that came first stays, and it should be the one that began
            // further left.
            if let Some(escape) = &escape {
                self.go(way, escape.bytes(), at, at + escape.length());
            }
            self.go(way, &text[at..=at], at, at + 1);
        }
        here.clear();
        self.ahead[at % (ESCAPE_BYTES_MAX + 1)] = here;
    }

    /// Leads a way over bytes that stand in the text as `from..to`.
    fn go(&mut self, way: &Way, bytes: &[u8], from: usize, to: usize) {
        let Way { mut node, mut step } = *way;
        for byte in bytes {
            node = self.automaton.next(node, *byte, &mut self.work);
            self.steps.push(Step { before: step, from, to, found: self.automaton.found_bytes(node) });
            step = self.steps.len() - 1;
        }
        let arrived = &mut self.ahead[to % (ESCAPE_BYTES_MAX + 1)];
        if arrived.iter().all(|other| other.node != node) {
            arrived.push(Way { node, step });
        }
    }

    /// Takes what was begun at the end of the text for found.
    fn find_beginnings(&mut self, end: usize) {
        for way in &self.ahead[end % (ESCAPE_BYTES_MAX + 1)] {
            let step = &mut self.steps[way.step];
            step.found = step.found.max(self.automaton.begun_bytes(way.node));
        }
    }

    /// Hides what was found. Each step hands on to the one before how much is left of its needle.
    fn cover(&mut self, hidden: &mut [bool]) {
        for at in (1..self.steps.len()).rev() {
            let Step { before, from, to, found } = self.steps[at];
            if found > 0 {
                hidden[from..to].fill(true);
                let before = &mut self.steps[before];
                before.found = before.found.max(found - 1);
            }
        }
    }
}
