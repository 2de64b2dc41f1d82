//! Beside the form: when the job would run, in words and in times, and what saving would change.

use maud::{Markup, html};
use punctual_model::recurrence::Timetable;
use punctual_model::time::{Timestamp, Zone};
use punctual_store::JobKey;

use crate::api::Api;
use crate::console::visitor::Visitor;
use crate::console::words::without_anchor;
use crate::fault::Fault;
use crate::operations;
use crate::preview::{Preview, Question};
use crate::wire::{Json, Unknown, parse_timing};

/// Runs that are shown.
const SHOWN: usize = 10;

/// What would come.
pub(super) struct Foresight {
    /// The preview, or why there is none.
    preview: Result<Preview, String>,
    /// When the job would run next if nothing were saved.
    before: Vec<Timestamp>,
}

impl Foresight {
    pub(super) async fn read(api: &Api, visitor: &Visitor, json: &Json, key: Option<&JobKey>) -> Result<Self, Fault> {
        let now = visitor.caller.now;
        let stored = match key {
            None => None,
            Some(key) => Some(operations::find_job(&api.operations, key).await?),
        };
        let timing = parse_timing(json, Unknown::Warned);
        // A schedule that stays goes on as it is, and does not begin anew when it is saved.
        let is_same = stored.as_ref().zip(timing.as_ref().ok()).is_some_and(|((_, job), timing)| {
            let (old, new) = (&job.job.definition, &timing.value);
            old.start == new.start && old.recurrence == new.recurrence
        });
        let preview = match timing {
            Err(violations) => Err(violations.first().map(ToString::to_string).unwrap_or_default()),
            Ok(timing) => {
                let question = Question { now, from: None, to: None, count: SHOWN };
                let computed = api.long_work.run(&visitor.caller.principal, move || Preview::new(&timing, &question));
                computed.await?.map_err(|violation| violation.to_string())
            }
        };
        let before: Vec<Timestamp> = match stored {
            None => Vec::new(),
            Some((collection, job)) => {
                let timetable = Timetable::new(job.job.definition.recurrence.as_ref(), job.job.anchor).ok();
                let next = operations::next_run(&collection, &job, now);
                timetable.iter().flat_map(|it| std::iter::successors(next, |at| it.next(*at)).take(SHOWN)).collect()
            }
        };
        let preview =
            preview.map(|preview| if is_same { Preview { occurrences: before.clone(), ..preview } } else { preview });
        Ok(Self { preview, before })
    }

    pub(super) fn draw(&self, visitor: &Visitor) -> Markup {
        let preview = match &self.preview {
            Ok(preview) => preview,
            Err(reason) => return html! { section { div.sec { h2 { "In words" } } p.err { (reason) } } },
        };
        let mut times = visitor.times();
        if visitor.view.times_in == crate::console::times::TimesIn::Jobs {
            times.zone = preview.zone.unwrap_or_else(Zone::utc);
        }
        html! {
            section { div.sec { h2 { "In words" } } p.b6 { (without_anchor(&preview.description)) "." } }
            section {
                div.sec { h2 { "Next runs" } }
                table.runs {
                    tbody { @for at in &preview.occurrences { tr { td { (times.weekday_and_day(*at)) } td { (times.clock(*at)) } td.r.dim { (times.distance(*at)) } } } }
                }
                @if preview.occurrences.is_empty() { p.dim { "None." } }
                @if let Some(end) = preview.ends { p.dim.s.gap { "Then it ends, by " (end.name()) "." } }
            }
            @for warning in &preview.warnings { div.note.warn.gap { span { (warning) } } }
            (self.changes(visitor, preview))
        }
    }

    fn changes(&self, visitor: &Visitor, preview: &Preview) -> Markup {
        let (before, after) = (&self.before, &preview.occurrences);
        // Beyond the shorter of both nothing is known.
        let ends = before.last().copied().min(after.last().copied()).unwrap_or(Timestamp::MIN);
        let only = |these: &[Timestamp], those: &[Timestamp]| -> Vec<Timestamp> {
            these.iter().copied().filter(|at| *at <= ends && !those.contains(at)).take(3).collect()
        };
        let (vanishing, appearing) = (only(before, after), only(after, before));
        if before.is_empty() || (vanishing.is_empty() && appearing.is_empty()) {
            return html! {};
        }
        let times = visitor.times();
        html! {
            section {
                div.sec { h2 { "What saving changes" } }
                ul.due {
                    @for at in vanishing { li { span.gone { (times.full(at)) } span {} span { "vanishes" } } }
                    @for at in appearing { li { span.ok { (times.full(at)) } span {} span.ok { "appears" } } }
                }
            }
        }
    }
}
