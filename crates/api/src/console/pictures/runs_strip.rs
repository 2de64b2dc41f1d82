//! Runs a minute: an hour back, an hour ahead, on one line. What ran stands left of now, what is due right of it.

use std::fmt::Write;

use maud::{Markup, PreEscaped, html};
use punctual_model::tally::{Minute, Tally};
use punctual_model::time::{TICKS_PER_MINUTE, Timestamp};

use crate::console::glyph::Glyph;
use crate::console::numbers::grouped;
use crate::console::times::Times;

/// Minutes on either side of now.
const SIDE: usize = 60;
/// The line from which bars go up and down, and how far.
const BASE: u64 = 62;
const UP: u64 = 56;
const DOWN: u64 = 30;

/// What came of each of the last minutes, and how many runs are due in each of the next.
pub(in crate::console) struct MinuteRuns {
    /// Oldest first; the last one is the minute that goes on.
    pub(in crate::console) past: [Tally; SIDE],
    pub(in crate::console) ahead: [u64; SIDE],
    pub(in crate::console) now: Timestamp,
    /// Whether more is due than was looked at.
    pub(in crate::console) is_partial: bool,
}

impl MinuteRuns {
    /// All of the last hour.
    pub(in crate::console) fn sum(&self) -> Tally {
        self.past.iter().copied().fold(Tally::default(), Tally::plus)
    }

    fn begins(&self, at: usize) -> Timestamp {
        let minute = Minute(Minute::of(self.now).0 + 1 - 60);
        minute.begins().saturating_add(i64::try_from(at).unwrap_or(0) * TICKS_PER_MINUTE)
    }

    fn most(&self) -> (u64, u64) {
        let up = self.past.iter().map(|tally| tally.succeeded).chain(self.ahead).max().unwrap_or(0);
        let down = self.past.iter().map(|tally| tally.failed + tally.given_up).max().unwrap_or(0);
        (up.max(4), down.max(3))
    }
}

/// How high a bar is: at least visible, and large numbers do not hide small ones.
fn height(number: u64, most: u64, room: u64) -> u64 {
    if number == 0 {
        return 0;
    }
    // The root keeps a minute of 10 visible beside one of 1,000.
    let scaled = (u128::from(number) * u128::from(room * room) / u128::from(most)).isqrt();
    u64::try_from(scaled).unwrap_or(room).clamp(4, room)
}

/// Draws the strip.
pub(in crate::console) fn runs_strip(runs: &MinuteRuns, times: &Times) -> Markup {
    let (up, down) = runs.most();
    let [mut ran, mut failed, mut not_run] = [const { String::new() }; 3];
    for (at, tally) in runs.past.iter().enumerate() {
        let (x, bad) = (at * 10 + 1, tally.failed + tally.given_up);
        let (high, deep) = (height(tally.succeeded, up, UP), height(bad, down, DOWN));
        if high > 0 {
            let _ = write!(ran, "M{x} {BASE}v-{high}h8v{high}z");
        }
        if deep > 0 {
            let _ = write!(failed, "M{x} {}v{deep}h8v-{deep}z", BASE + 2);
        }
        if tally.not_run > 0 {
            let _ = write!(not_run, "M{x}.5 {}h7v5h-7z", BASE + 3 + if deep > 0 { deep + 3 } else { 0 });
        }
    }
    let mut ahead = format!("M600 {BASE}");
    for number in runs.ahead {
        let _ = write!(ahead, "V{}h10", BASE - height(number, up, UP));
    }
    let _ = write!(ahead, "V{BASE}");
    let base = BASE + 1;
    let drawn = format!(
        r#"<path class="okf" d="{ran}"/><path class="bad" d="{failed}"/><path class="line warn" d="{not_run}"/><path class="gobg" d="{ahead}z"/><path class="line go" d="{ahead}"/><path class="line edge" d="M0 {base}H1200"/><path class="line ink" stroke-width="1.5" d="M600 0V104"/>"#
    );
    let sum = runs.sum();
    let label = format!(
        "Runs a minute: 60 minutes back, 60 ahead. {} ran, {} attempts failed, {} not run; {} are due.",
        grouped(sum.succeeded),
        grouped(sum.failed + sum.given_up),
        grouped(sum.not_run),
        grouped(runs.ahead.iter().sum())
    );
    let at = |minutes: usize| times.clock(runs.begins(minutes));
    html! {
        figure #runs data-live {
            svg.pic height="104" viewBox="0 0 1200 104" preserveAspectRatio="none" role="img" aria-label=(label) { (PreEscaped(drawn)) }
            div.ax aria-hidden="true" {
                span { (at(0)) } span { (at(30)) } b { "now " (times.clock(runs.now)) } span { (at(90)) } span { (at(119)) }
            }
            div.key {
                span { "Above the line: ran" }
                span { "below: failed attempts" }
                span { (Glyph::NotRun.plain()) "not run" }
                span { "outlined: due" @if runs.is_partial { ", at least" } }
                a href="/?table" { "As a table" }
            }
        }
    }
}

/// The same numbers as a table, newest first.
pub(in crate::console) fn runs_table(runs: &MinuteRuns, times: &Times) -> Markup {
    let rows = runs.past.iter().enumerate().rev();
    let rows = rows.filter(|(_, tally)| **tally != Tally::default());
    html! {
        div.scroll {
            table {
                thead { tr { th { "Minute" } th.r { "Ran" } th.r { "Failed attempts" } th.r { "Given up" } th.r { "Not run" } } }
                tbody {
                    @for (at, tally) in rows {
                        tr {
                            th { (times.clock(runs.begins(at))) }
                            td.r { (grouped(tally.succeeded)) }
                            td.r .bad[tally.failed > 0] { (grouped(tally.failed)) }
                            td.r .bad[tally.given_up > 0] { (grouped(tally.given_up)) }
                            td.r .warn[tally.not_run > 0] { (grouped(tally.not_run)) }
                        }
                    }
                }
                tfoot {
                    @let sum = runs.sum();
                    tr { th { "All" } td.r { (grouped(sum.succeeded)) } td.r { (grouped(sum.failed)) } td.r { (grouped(sum.given_up)) } td.r { (grouped(sum.not_run)) } }
                }
            }
        }
    }
}
