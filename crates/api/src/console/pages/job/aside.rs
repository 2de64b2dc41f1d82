//! Beside the history: what comes next, the calendar, the settings, the changes.

use std::collections::BTreeMap;

use maud::{Markup, html};
use punctual_model::recurrence::Timetable;
use punctual_model::time::{Date, Timestamp, Weekday};
use punctual_store::{ChangePage, ChangePlace};

use super::Shown;
use crate::api::Api;
use crate::console::glyph::Glyph;
use crate::console::numbers::{grouped, span};
use crate::console::people::People;
use crate::console::runs::{Run, RunOutcome};
use crate::console::visitor::Visitor;
use crate::fault::Fault;
use punctual_model::job::JobState;

/// Draws it.
pub(super) async fn draw(api: &Api, visitor: &Visitor, shown: &Shown, runs: &[Run]) -> Result<Markup, Fault> {
    let place = ChangePlace::Job(shown.key.clone());
    let changes = api.operations.store.changes(&ChangePage { place, before: None, limit: 5 }).await?;
    let people = People::read(api, visitor).await?;
    let job = &shown.job.job;
    let timetable = Timetable::new(job.definition.recurrence.as_ref(), job.anchor).ok();
    let timetable = timetable.filter(|_| job.state == JobState::Enabled);
    let next: Vec<Timestamp> =
        timetable.iter().flat_map(|it| std::iter::successors(shown.status.next, |at| it.next(*at)).take(5)).collect();
    Ok(html! {
        section aria-labelledby="next" {
            div.sec { h2 #next { "Next runs" } }
            (next_runs(shown, &next))
        }
        section aria-labelledby="calendar" {
            div.sec { h2 #calendar { "Calendar" } }
            (calendar(visitor, shown, runs, timetable.as_ref()))
        }
        section aria-labelledby="settings" {
            div.sec { h2 #settings { "Settings" } }
            (settings(shown))
        }
        section aria-labelledby="changes" {
            div.sec { h2 #changes { "Changes" } span.end.s { a href=(visitor.links.in_job(&shown.key, "/changes")) { "All" } } }
            ul.due {
                @for change in &changes {
                    li {
                        (shown.times.show(change.stamp.at))
                        span { (change.edit.name()) }
                        span.dim.s { (people.name(visitor, &change.stamp.who)) }
                    }
                }
                @if changes.is_empty() { li { span {} span.dim { "None is known." } span {} } }
            }
        }
    })
}

fn next_runs(shown: &Shown, next: &[Timestamp]) -> Markup {
    let times = &shown.times;
    html! {
        @if next.is_empty() { p.dim.gap { "None." } } @else {
            table.runs {
                tbody { @for at in next { tr { td { (times.weekday_and_day(*at)) } td { (times.clock(*at)) } td.r.dim { (times.distance(*at)) } } } }
            }
        }
    }
}

/// The worst of a day, and how often.
#[derive(Default)]
struct Day {
    ran: u64,
    later: u64,
    failed: u64,
    not_run: u64,
}

impl Day {
    fn add(&mut self, run: &Run) {
        match run.outcome() {
            RunOutcome::Ran => self.ran += 1,
            RunOutcome::RanLater => self.later += 1,
            RunOutcome::Failed | RunOutcome::Waiting(_) => self.failed += 1,
            RunOutcome::NotRun => self.not_run += run.not_run.map_or(1, |range| range.number),
        }
    }

    fn glyph(&self) -> Option<(Glyph, String)> {
        let Self { ran, later, failed, not_run } = self;
        let glyph = if *failed > 0 {
            Glyph::Failed
        } else if *not_run > 0 {
            Glyph::NotRun
        } else if *later > 0 {
            Glyph::RanLater
        } else if *ran > 0 {
            Glyph::Ran
        } else {
            return None;
        };
        Some((glyph, format!("{} ran, {failed} failed, {not_run} not run", ran + later)))
    }
}

/// This month, with what came of each day as far as the records go that were read, and what is due.
fn calendar(visitor: &Visitor, shown: &Shown, runs: &[Run], timetable: Option<&Timetable>) -> Markup {
    let times = &shown.times;
    let mut days: BTreeMap<i32, Day> = BTreeMap::new();
    for run in runs {
        days.entry(times.zone.wall(run.nominal).day()).or_default().add(run);
    }
    let today = times.zone.wall(times.now).day();
    let date = Date::from_day_number(today);
    let first = today - i32::from(date.day) + 1;
    let length = i32::from(date.month.length(date.year));
    let skipped = i32::from(Weekday::of_day_number(first).index()).rem_euclid(7);
    let skipped = (skipped + monday_first()) % 7;
    let weeks = (skipped + length + 6) / 7;
    html! {
        table.cal {
            caption { (date.month.name()) " " (date.year) }
            thead { tr { @for name in ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"] { th { abbr title=(name) { (&name[..1]) } } } } }
            tbody {
                @for week in 0..weeks {
                    tr {
                        @for weekday in 0..7 {
                            @let number = week * 7 + weekday - skipped;
                            td { @if (0..length).contains(&number) { (day(visitor, shown, days.get(&(first + number)), timetable, (first + number, today))) } }
                        }
                    }
                }
            }
        }
    }
}

/// By how many the first column is away from the first weekday that the model counts.
fn monday_first() -> i32 {
    let epoch_thursday = i32::from(Weekday::of_day_number(0).index());
    (3 - epoch_thursday).rem_euclid(7)
}

fn day(
    visitor: &Visitor,
    shown: &Shown,
    known: Option<&Day>,
    timetable: Option<&Timetable>,
    (day, today): (i32, i32),
) -> Markup {
    let (begins, ends) = shown.times.day_bounds(day);
    let from = begins.max(shown.times.now);
    let due = timetable.map_or(0, |timetable| if ends > from { timetable.count(from..ends) } else { 0 });
    let (glyph, words) = match known.and_then(Day::glyph) {
        Some((glyph, words)) => (Some(glyph), words),
        None if due > 0 => (Some(Glyph::Due), format!("{} due", grouped(due))),
        None => (None, "nothing".to_owned()),
    };
    let number = Date::from_day_number(day).day;
    let trouble = known.map_or(0, |day| if day.failed > 0 { day.failed } else { day.not_run });
    let current = (day == today).then_some("date");
    html! {
        @match glyph {
            None => span.q aria-current=[current] { (number) },
            Some(glyph) => {
                a.q href=(visitor.links.at(&shown.key, begins)) aria-current=[current] title=(words) {
                    (number) (glyph.named(&words)) @if trouble > 1 { small { (grouped(trouble)) } }
                }
            }
        }
    }
}

fn settings(shown: &Shown) -> Markup {
    let definition = &shown.job.job.definition;
    let options = &definition.options;
    html! {
        dl.kv {
            dt { "Zone" } dd { (definition.recurrence.as_ref().map_or("UTC", |it| it.zone().name())) }
            dt { "Time limit" } dd { (span(options.timeout_ticks())) }
            dt { "Overlap" } dd { (options.overlap().name()) }
            dt { "Catch up" } dd { (options.catch_up().name()) }
            @if options.jitter_ticks() > 0 { dt { "Spread" } dd { "up to " (span(options.jitter_ticks())) } }
            @if let Some(count) = definition.recurrence.as_ref().and_then(punctual_model::recurrence::Recurrence::count) { dt { "Ends after" } dd { (count) " runs" } }
            @if let Some(end) = definition.recurrence.as_ref().and_then(punctual_model::recurrence::Recurrence::end) { dt { "Ends at" } dd { (shown.times.show(end)) } }
            @if let Some(at) = definition.action.expires_at() { dt { "Credential ends" } dd { (shown.times.show(at)) } }
            dt { "Owed" } dd { (shown.status.owed_runs) }
        }
    }
}
