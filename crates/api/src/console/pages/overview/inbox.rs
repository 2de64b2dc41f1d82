//! The inbox: one entry is one cause, however many jobs it hits.

use std::collections::HashMap;

use maud::{Markup, html};
use punctual_model::failure::Failure;
use punctual_model::history::Reason;
use punctual_model::time::Timestamp;
use punctual_store::JobKey;

use super::{jobs_word, since_words};
use crate::console::address::encode;
use crate::console::answer_text::AnswerText;
use crate::console::frame::token;
use crate::console::glyph::Glyph;
use crate::console::numbers::{counted, grouped};
use crate::console::visitor::Visitor;
use crate::console::words;
use crate::operations::{Trouble, TroubleKind};

/// Causes that are shown; the others are in the list of jobs.
const CAUSES_MAX: usize = 20;
/// Jobs that an entry names.
const NAMED_MAX: usize = 4;
/// Characters of an answer that an entry shows.
const QUOTED_CHARS: usize = 300;

/// What fails, what was not run and what has recovered, each put together by its cause.
pub(super) struct Inbox<'a> {
    pub(super) needs: Vec<Cause<'a>>,
    not_run: Vec<Cause<'a>>,
    recovered: Vec<&'a Trouble>,
}

/// Troubles that have one cause.
pub(super) struct Cause<'a> {
    /// The latest first.
    troubles: Vec<&'a Trouble>,
}

#[derive(PartialEq, Eq, Hash)]
enum CauseKey<'a> {
    Failing(&'a str, &'static str, Option<u16>),
    NotRun(Reason),
}

impl<'a> Inbox<'a> {
    /// Puts troubles together, which come latest first.
    pub(super) fn of(troubles: &'a [Trouble]) -> Self {
        let mut inbox = Inbox { needs: Vec::new(), not_run: Vec::new(), recovered: Vec::new() };
        let mut places: HashMap<CauseKey<'a>, usize> = HashMap::new();
        for trouble in troubles {
            let (key, causes) = match &trouble.kind {
                TroubleKind::Recovered(_) => {
                    inbox.recovered.push(trouble);
                    continue;
                }
                TroubleKind::Failing(failure) => {
                    (CauseKey::Failing(&trouble.target, failure.class.name(), failure.code), &mut inbox.needs)
                }
                TroubleKind::NotRun(range) => (CauseKey::NotRun(range.reason), &mut inbox.not_run),
            };
            let place = *places.entry(key).or_insert_with(|| {
                causes.push(Cause { troubles: Vec::new() });
                causes.len() - 1
            });
            causes[place].troubles.push(trouble);
        }
        inbox.needs.sort_by_key(|cause| std::cmp::Reverse(cause.troubles.len()));
        inbox
    }

    /// How many jobs fail.
    pub(super) fn failing_jobs(&self) -> u64 {
        self.needs.iter().map(|cause| cause.troubles.len() as u64).sum()
    }

    /// How many jobs wait for a retry.
    pub(super) fn waiting(&self) -> u64 {
        let troubles = self.needs.iter().flat_map(|cause| &cause.troubles);
        troubles.filter(|trouble| trouble.retry_at.is_some()).count() as u64
    }

    pub(super) fn draw(&self, visitor: &Visitor, is_partial: bool) -> Markup {
        let missed: u64 = self.not_run.iter().map(Cause::count).sum();
        html! {
            section.first aria-labelledby="needs" {
                div.sec {
                    h2 #needs { "Needs you" }
                    span.dim { (self.needs.len()) @if is_partial { " and more" } }
                    span.end.s { a href="/jobs?outcome=failed" { "All jobs that fail" } }
                }
                ul.inbox #inbox data-live {
                    @for cause in self.needs.iter().take(CAUSES_MAX) { (cause.draw_failing(visitor)) }
                    @if self.needs.len() > CAUSES_MAX {
                        li { span {} a href="/jobs?outcome=failed" { "and " (self.needs.len() - CAUSES_MAX) " more" } }
                    }
                    @if self.needs.is_empty() { li { (Glyph::Ran.plain()) p.dim { "Nothing fails. What fails from now on appears here, put together by its cause." } } }
                }
            }
            @if !self.not_run.is_empty() {
                section aria-labelledby="not-run" {
                    div.sec {
                        h2 #not-run { "Not run in 24 hours" }
                        span.dim { (counted(self.not_run.len() as u64, "reason", "reasons")) ", " (counted(missed, "run", "runs")) }
                    }
                    ul.inbox { @for cause in &self.not_run { (cause.draw_not_run(visitor)) } }
                }
            }
            @if !self.recovered.is_empty() { (self.draw_recovered(visitor)) }
        }
    }

    fn draw_recovered(&self, visitor: &Visitor) -> Markup {
        let number = self.recovered.len() as u64;
        html! {
            section aria-labelledby="recovered" {
                details {
                    summary.sec {
                        h2 #recovered { "Recovered in 24 hours" }
                        span.dim { (jobs_word(number)) " failed and " @if number == 1 { "has" } @else { "have" } " run well since" }
                    }
                    ul.due {
                        @for trouble in &self.recovered {
                            li {
                                (visitor.times().show(trouble.last))
                                span { a.q href=(visitor.links.job(&trouble.job)) { (trouble.job.job) } " " span.dim { (trouble.kind.sentence()) } }
                                span.dim.s { (trouble.job.collection.collection) }
                            }
                        }
                    }
                }
            }
        }
    }
}

impl<'a> Cause<'a> {
    fn latest(&self) -> &'a Trouble {
        self.troubles[0]
    }

    fn count(&self) -> u64 {
        self.troubles.iter().map(|trouble| trouble.count).sum()
    }

    fn since(&self) -> Timestamp {
        self.troubles.iter().map(|trouble| trouble.since).min().unwrap_or(Timestamp::EPOCH)
    }

    fn draw_failing(&self, visitor: &Visitor) -> Markup {
        let latest = self.latest();
        let Some(failure) = latest.kind.failure() else { return html! {} };
        let retry = self.troubles.iter().filter_map(|trouble| trouble.retry_at).min();
        let glyph =
            if retry.is_some() { Glyph::Waiting.named("waits for a retry") } else { Glyph::Failed.named("failed") };
        html! {
            li data-row {
                (glyph)
                div {
                    p.why { (words::reason(failure)) }
                    (self.jobs(visitor))
                    @let answer = AnswerText::of(&latest.message);
                    @let said = answer.line(QUOTED_CHARS);
                    @if answer.is_answer() && !said.is_empty() { div.quote { (said) } }
                    p.s.dim {
                        (counted(self.count(), "failed attempt", "failed attempts")) " since " (since_words(visitor, self.since()))
                        ". "
                        @if let Some(at) = retry {
                            span.warn { "Next attempt " (countdown(visitor, at)) }
                        } @else { "The last one was at " (visitor.times().show(latest.last)) "." }
                    }
                }
                div.do { (self.buttons(visitor, failure, retry.is_some())) }
            }
        }
    }

    fn jobs(&self, visitor: &Visitor) -> Markup {
        let [first, others @ ..] = &self.troubles[..] else { return html! {} };
        html! {
            p.who {
                b { a.q href=(visitor.links.job(&first.job)) { (first.job.job) } } " in " (first.job.collection.collection)
                @if !others.is_empty() {
                    " and " (jobs_more(others.len())) @if others.len() == 1 { " that calls it: " } @else { " that call it: " }
                    @for (at, other) in others.iter().take(NAMED_MAX).enumerate() {
                        @if at > 0 { ", " }
                        a href=(visitor.links.job(&other.job)) { (other.job.job) }
                    }
                    @if others.len() > NAMED_MAX {
                        ", " a href={ "/jobs?outcome=failed&q=" (encode(&first.target)) } { "and " (grouped((others.len() - NAMED_MAX) as u64)) " more" }
                    }
                }
            }
        }
    }

    /// What helps: the first button does what most likely does. Who may not write sees none that would fail.
    fn buttons(&self, visitor: &Visitor, failure: &Failure, waits: bool) -> Markup {
        let latest = self.latest();
        let writable: Vec<&JobKey> =
            self.troubles.iter().map(|trouble| &trouble.job).filter(|job| visitor.may_write(&job.collection)).collect();
        let open = html! { a.b.sm href=(visitor.links.job(&latest.job)) { "Open" } };
        if writable.is_empty() {
            return open;
        }
        let remedy = words::remedy(failure).filter(|_| self.troubles.len() == 1);
        html! {
            @if let Some((label, field)) = remedy {
                a.b.sm href={ (visitor.links.in_job(&latest.job, "/edit")) "#" (field) } { (label) }
            }
            @if waits && writable.len() == 1 {
                form method="post" action=(visitor.links.job(&latest.job)) {
                    (token(visitor)) input type="hidden" name="back" value="/";
                    button.sm name="do" value="run" { "Run now" }
                }
            } @else {
                form method="post" action="/rerun" {
                    (token(visitor))
                    input type="hidden" name="since" value=(self.since());
                    input type="hidden" name="target" value=(latest.target);
                    @if writable.len() == 1 {
                        input type="hidden" name="job" value=(crate::console::actions::job_value(&latest.job));
                    }
                    button.sm { @if writable.len() == 1 { "Rerun" } @else { "Rerun " (jobs_word(writable.len() as u64)) } }
                }
            }
            @if remedy.is_none() { (open) }
        }
    }

    fn draw_not_run(&self, visitor: &Visitor) -> Markup {
        let latest = self.latest();
        let TroubleKind::NotRun(range) = &latest.kind else { return html! {} };
        let times = visitor.times();
        let [first, last] = [self.since(), latest.last].map(|at| times.short(at));
        html! {
            li data-row {
                (Glyph::NotRun.named("not run"))
                div {
                    p.why { (counted(self.count(), "run was", "runs were")) " left out because " b { (words::because(range.reason)) } }
                    p.who {
                        b { a.q href=(visitor.links.job(&latest.job)) { (latest.job.job) } } " in " (latest.job.collection.collection)
                        @if self.troubles.len() > 1 { " and " (jobs_more(self.troubles.len() - 1)) }
                    }
                    p.s.dim { "Due from " (first) ", decided at " (last) }
                }
                div.do {
                    a.b.sm href=(visitor.links.job(&latest.job)) { "Open" }
                    @if range.reason == Reason::Overlap && visitor.may_write(&latest.job.collection) {
                        a.b.sm href={ (visitor.links.in_job(&latest.job, "/edit")) "#options.overlap" } { "Allow overlap" }
                    }
                }
            }
        }
    }
}

fn jobs_more(number: usize) -> String {
    if number == 1 { "1 more job".to_owned() } else { format!("{} more jobs", grouped(number as u64)) }
}

/// The time until an instant, which the script counts down.
pub(in crate::console) fn countdown(visitor: &Visitor, at: Timestamp) -> Markup {
    let times = visitor.times();
    let seconds = at.seconds() - times.now.seconds();
    if seconds <= 0 {
        return html! { b { "starts now" } };
    }
    html! { b data-until=(at) { (times.distance(at)) } ", at " (times.show(at)) }
}
