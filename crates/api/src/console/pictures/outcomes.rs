//! The last outcomes of a job, for a row of a list: up ran, down failed, a box on the line was not run. Newest at the right.

use std::fmt::Write;

use maud::{Markup, PreEscaped, html};
use punctual_model::health::{RecentOutcome, RecentOutcomes};

/// Cells of the picture, each 5 wide.
const CELLS: usize = 24;

/// Draws the outcomes.
pub(in crate::console) fn outcomes(recent: RecentOutcomes) -> Markup {
    let mut cells: Vec<RecentOutcome> = recent.latest_first().take(CELLS).collect();
    cells.reverse();
    let [mut ran, mut failed, mut not_run] = [const { String::new() }; 3];
    let [mut good, mut bad, mut none] = [0; 3];
    let mut at = 0;
    for outcome in &cells {
        // Writing to a text cannot fail.
        let _ = match outcome {
            RecentOutcome::Succeeded => {
                good += 1;
                write!(ran, "M{at} 2h4v9h-4z")
            }
            RecentOutcome::Failed => {
                bad += 1;
                write!(failed, "M{at} 12h4v8h-4z")
            }
            RecentOutcome::NotRun => {
                none += 1;
                write!(not_run, "M{at} 9.5h4v3h-4z")
            }
        };
        at += 5;
    }
    let label = format!("Last {}: {good} ran, {bad} failed, {none} not run", cells.len());
    if cells.is_empty() {
        return html! { span.dim.s { "not run yet" } };
    }
    let path =
        |class: &str, d: &str| if d.is_empty() { String::new() } else { format!(r#"<path class="{class}" d="{d}"/>"#) };
    let drawn = path("okf", &ran) + &path("bad", &failed) + &path("warn", &not_run);
    let base = format!(r#"<path class="line rule" d="M0 11.5H{}"/>"#, at - 1);
    html! {
        svg.strip width="120" height="21" viewBox="0 0 120 21" role="img" aria-label=(label) {
            (PreEscaped(base)) (PreEscaped(drawn))
        }
    }
}
