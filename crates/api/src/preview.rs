//! When a job would run if it were accepted now.

use punctual_model::Violation;
use punctual_model::job::State;
use punctual_model::recurrence::{Anchor, Recurrence, TimeZoneName, Timetable};
use punctual_model::time::{Timestamp, Zone};

use crate::input::{Parsed, Timing};

/// Which occurrences are asked for.
pub struct Question {
    /// When the job is accepted.
    pub now: Timestamp,
    /// Only from here on.
    pub from: Option<Timestamp>,
    /// Only up to here.
    pub to: Option<Timestamp>,
    /// The most occurrences that are listed.
    pub count: usize,
}

/// The next occurrences of a job.
pub struct Preview {
    /// When, in plain English.
    pub description: String,
    /// The occurrences.
    pub occurrences: Vec<Timestamp>,
    /// What ends the job after the occurrences shown, if nothing follows them.
    pub ends: Option<End>,
    /// No range was asked for.
    pub is_whole: bool,
    /// What its writer should know.
    pub warnings: Vec<String>,
    /// The zone the rule is in, if it names one.
    pub zone: Option<Zone>,
}

/// What ends a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names of the members of a recurrence")]
pub enum End {
    Count,
    EndTime,
}

impl End {
    /// The member of a recurrence that ends it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Count => "count",
            Self::EndTime => "endTime",
        }
    }
}

impl Preview {
    /// Computes the occurrences of a job with this timing.
    pub fn new(timing: &Parsed<Timing>, question: &Question) -> Result<Self, Violation> {
        let Timing { start, recurrence, state, path } = &timing.value;
        let anchor = Anchor::new(*start, recurrence.is_some(), question.now);
        let in_file = |member: &str| if path.is_empty() { member.to_owned() } else { format!("{path}.{member}") };
        let timetable = Timetable::new(recurrence.as_ref(), anchor).map_err(|violation| violation.under(path))?;
        let mut warnings: Vec<_> = timing.warnings.iter().map(ToString::to_string).collect();
        let end = recurrence.as_ref().and_then(Recurrence::end);
        let first = timetable.first(question.now);
        if let (None, Some(end)) = (first, end) {
            let member = in_file("recurrence.endTime");
            warnings.push(format!("{member}: no occurrence is left up to {end}"));
        }
        let oddities = recurrence.as_ref().map(Recurrence::oddities).unwrap_or_default();
        warnings.extend(
            oddities.into_iter().map(|odd| format!("{}: {}", in_file(&format!("recurrence.{}", odd.path)), odd.text)),
        );
        if let Some(state) = state.filter(|state| *state != State::Enabled) {
            let text = format!("the job is {}; this is when it would run if it were enabled", state.name());
            warnings.push(format!("{}: {text}", in_file("state")));
        }
        let shown = Shown::new(&timetable, first, recurrence.as_ref().and_then(Recurrence::count), question);
        if shown.left_out > 0 {
            warnings.push(format!("count: up to the end of the range there are more, not shown: {}", shown.left_out));
        }
        Ok(Self {
            description: timetable.describe(recurrence.as_ref()),
            occurrences: shown.occurrences,
            ends: if shown.has_more {
                None
            } else {
                shown.is_counted_out.then_some(End::Count).or(end.map(|_| End::EndTime))
            },
            is_whole: question.from.is_none() && question.to.is_none(),
            warnings,
            zone: recurrence.as_ref().and_then(Recurrence::time_zone).map(TimeZoneName::zone),
        })
    }
}

struct Shown {
    occurrences: Vec<Timestamp>,
    /// The job goes on after them.
    has_more: bool,
    /// The last of them, or an earlier one, was the last that `count` allows.
    is_counted_out: bool,
    /// How many more lie before the end of the range.
    left_out: u64,
}

impl Shown {
    fn new(timetable: &Timetable, first: Option<Timestamp>, count: Option<u32>, question: &Question) -> Self {
        let Some(first) = first else {
            return Self { occurrences: Vec::new(), has_more: false, is_counted_out: false, left_out: 0 };
        };
        let from = question.from.unwrap_or(first).max(first);
        let to = question.to.unwrap_or(Timestamp::MAX);
        let allowed = count.map_or(u64::MAX, |count| u64::from(count).saturating_sub(timetable.count(first..from)));
        let number = usize::try_from(allowed).unwrap_or(usize::MAX).min(question.count);
        let first_shown = if from == first { Some(first) } else { timetable.next(from.saturating_add(-1)) };
        let listed = std::iter::successors(first_shown, |at| timetable.next(*at)).take_while(|at| *at <= to);
        let occurrences: Vec<_> = listed.take(number).collect();
        let shown = occurrences.len() as u64;
        let is_counted_out = shown == allowed;
        let after = occurrences.last().copied().unwrap_or_else(|| from.saturating_add(-1).max(to));
        let has_more = !is_counted_out && timetable.next(after).is_some();
        let in_range = if from <= to { timetable.count(from..to.saturating_add(1)).min(allowed) } else { 0 };
        let left_out = if question.to.is_some() { in_range.saturating_sub(shown) } else { 0 };
        Self { occurrences, has_more, is_counted_out, left_out }
    }
}
