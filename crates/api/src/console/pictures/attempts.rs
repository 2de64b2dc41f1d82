//! The last runs of a job: up how long it took, down each failed attempt, at the foot how late it started.

use std::fmt::Write;

use maud::{Markup, PreEscaped, html};
use punctual_model::time::TICKS_PER_MILLISECOND;

use crate::console::address::Links;
use crate::console::numbers::took;
use crate::console::runs::{Run, RunOutcome};
use crate::console::times::Times;
use punctual_store::JobKey;

/// Runs in the picture, each 20 wide.
const CELLS: usize = 60;
/// The line between what ran and what failed.
const BASE: i64 = 66;
/// The foot, from which lateness goes up.
const FOOT: i64 = 134;

/// How high a duration is, by its logarithm: 1 s is 29 high, 10 s 56.
fn height(ticks: i64) -> i64 {
    #[expect(clippy::cast_precision_loss, reason = "a picture has a hundred steps")]
    let milliseconds = (ticks / TICKS_PER_MILLISECOND).max(1) as f64;
    #[expect(clippy::cast_possible_truncation, reason = "a logarithm is small")]
    let height = (milliseconds.log10() * 27.0 - 52.0) as i64;
    height.clamp(4, 62)
}

fn late(ticks: i64) -> i64 {
    if ticks < TICKS_PER_MILLISECOND {
        return 1;
    }
    #[expect(clippy::cast_precision_loss, reason = "a picture has a hundred steps")]
    let milliseconds = (ticks / TICKS_PER_MILLISECOND) as f64;
    #[expect(clippy::cast_possible_truncation, reason = "a logarithm is small")]
    let height = (milliseconds.log10() * 5.0) as i64 + 2;
    height.clamp(1, 22)
}

/// Draws the runs, which come newest first; newest right.
pub(in crate::console) fn attempts(runs: &[Run], key: &JobKey, links: &Links, times: &Times) -> Markup {
    let shown: Vec<&Run> = runs.iter().take(CELLS).collect();
    let [mut up, mut notch, mut down, mut not_run, mut foot, mut hits] = [const { String::new() }; 6];
    let first = CELLS - shown.len();
    for (at, run) in shown.iter().rev().enumerate() {
        let x = (first + at) * 20 + 2;
        let outcome = run.outcome();
        let (high, failures) = (height(run.took_ticks()), i64::try_from(run.failures()).unwrap_or(8).min(8));
        if matches!(outcome, RunOutcome::Ran | RunOutcome::RanLater) {
            let _ = write!(up, "M{x} {BASE}v-{high}h16v{high}z");
        }
        if outcome == RunOutcome::RanLater {
            let _ = write!(notch, "M{x} {}h16", BASE - high + 6);
        }
        if outcome == RunOutcome::NotRun {
            let _ = write!(not_run, "M{}.5 {}h11v8h-11z", x + 2, BASE - 4);
        } else {
            let _ = write!(foot, "M{x} {FOOT}v-{0}h16v{0}z", late(run.late_ticks()));
        }
        for failed in 0..failures {
            let _ = write!(down, "M{x} {}h16v5h-16z", BASE + 2 + failed * 6);
        }
        let (link, title) = (links.at(key, run.nominal), title(run, times));
        let link =
            html! { a tabindex="-1" href=(link) { title { (title) } path.hit d={ "M" (x - 2) " 0h20v134h-20z" } {} } };
        hits.push_str(&link.0);
    }
    let drawn = format!(
        r#"<path class="okf" d="{up}"/><path class="line inv" stroke-width="3" d="{notch}"/><path class="bad" d="{down}"/><path class="line warn" d="{not_run}"/><path class="edge" d="{foot}"/><path class="line edge" d="M0 {}H1200"/><path class="line rule" d="M0 {FOOT}H1200"/>"#,
        BASE + 1
    );
    let failed = shown.iter().filter(|run| run.outcome() == RunOutcome::Failed).count();
    let skipped = shown.iter().filter(|run| run.outcome() == RunOutcome::NotRun).count();
    let label = format!("The last {} runs: {failed} failed, {skipped} not run", shown.len());
    let ends = (shown.last().map(|run| run.nominal), shown.first().map(|run| run.nominal));
    html! {
        figure.scaled #strip data-live {
            svg.scale width="38" height="134" viewBox="0 0 38 134" aria-hidden="true" {
                text x="32" y="14" text-anchor="end" { "10 s" }
                text x="32" y="41" text-anchor="end" { "1 s" }
                text x="32" y="90" text-anchor="end" { "failed" }
                text x="32" y="132" text-anchor="end" { "late" }
            }
            div {
                svg.pic height="134" viewBox="0 0 1200 134" preserveAspectRatio="none" tabindex="0" role="group" aria-label=(label) { (PreEscaped(drawn)) (PreEscaped(hits)) }
                @if let (Some(oldest), Some(newest)) = ends {
                    div.ax aria-hidden="true" { span { @if shown.len() == CELLS { (times.short(oldest)) } } b { (times.short(newest)) } }
                }
            }
        }
    }
}

fn title(run: &Run, times: &Times) -> String {
    let what = match run.outcome() {
        RunOutcome::Ran | RunOutcome::RanLater => format!("{}, took {}", run.outcome().word(), took(run.took_ticks())),
        other => other.word().to_owned(),
    };
    format!("{}: {what}", times.short(run.nominal))
}
