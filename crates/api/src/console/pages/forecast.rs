//! The forecast: how many runs come due in each minute of the next day, and when most of them do.

use std::fmt::Write;

use maud::{Markup, PreEscaped, html};
use punctual_model::tally::Minute;

use crate::api::Api;
use crate::console::frame::{Page, Tab};
use crate::console::numbers::{counted, grouped};
use crate::console::reply::Reply;
use crate::console::visitor::Visitor;
use crate::fault::Fault;
use crate::operations;

const HOURS: usize = 24;
const MINUTES: usize = HOURS * 60;

/// Draws the page.
pub(in crate::console) async fn show(api: &Api, visitor: &Visitor) -> Result<Reply, Fault> {
    let from = Minute(Minute::of(visitor.caller.now).0 + 1);
    let (counts, is_partial) = operations::count_due(&api.operations, &visitor.caller, from, MINUTES).await?;
    let all: u64 = counts.iter().sum();
    let times = visitor.times();
    let at = |minute: usize| Minute(from.0 + i64::try_from(minute).unwrap_or(0)).begins();
    let mut busiest: Vec<(usize, u64)> = counts.iter().copied().enumerate().filter(|(_, count)| *count > 0).collect();
    busiest.sort_by_key(|(minute, count)| (std::cmp::Reverse(*count), *minute));
    busiest.truncate(10);
    let at_least = if is_partial { "At least " } else { "" };
    let heading = match busiest.first() {
        None => "Nothing is due in the next 24 hours.".to_owned(),
        Some((minute, most)) => format!(
            "{at_least}{} in the next 24 hours. The busiest minute: {} at {}.",
            counted(all, "run", "runs"),
            grouped(*most),
            times.short(at(*minute))
        ),
    };
    let content = html! {
        div.head { div { h1 { (heading) } p.dim { "Computed from the schedules of the jobs that you may see, without retries." } } }
        (picture(&counts, visitor))
        section {
            div.sec { h2 { "Busiest minutes" } }
            table {
                thead { tr { th { "Minute" } th { "From now" } th.r { "Runs" } } }
                tbody { @for (minute, count) in &busiest { tr { th { (times.show(at(*minute))) } td.dim { (times.distance(at(*minute))) } td.r { (grouped(*count)) } } } }
            }
        }
        p.dim.gap { "Many jobs that start in the same minute can be spread: the field " b { "Spread" } " of a job moves each start by a time of its own." }
    };
    Ok(Reply::page(Page::new("Forecast", Tab::Forecast, content).show(visitor)))
}

/// Rows are hours, cells are minutes: the darker, the more.
fn picture(counts: &[u64], visitor: &Visitor) -> Markup {
    let times = visitor.times();
    // The first row is the hour that goes on: what is past of it is empty.
    let (_, minute, _) = times.zone.wall(times.now).time();
    let past = usize::from(minute) + 1;
    let from = Minute(Minute::of(times.now).0 - i64::from(minute));
    let counts: Vec<u64> = std::iter::repeat_n(0, past).chain(counts.iter().copied()).collect();
    let rows = counts.len().div_ceil(60);
    let height = rows * 14;
    let most = counts.iter().copied().max().unwrap_or(0).max(1);
    let mut steps = [const { String::new() }; 5];
    for (minute, count) in counts.iter().enumerate() {
        let (x, y) = (minute % 60 * 20, minute / 60 * 14);
        // Nothing is the lightest; the others by the part of the most, on a scale of roots.
        let step = if *count == 0 { 0 } else { usize::try_from((count * 16 / most).isqrt()).unwrap_or(4).clamp(1, 4) };
        let _ = write!(steps[step], "M{x} {y}h18v12h-18z");
    }
    let mut drawn = String::new();
    for (step, d) in steps.iter().enumerate() {
        let _ = write!(drawn, r#"<path class="c{}" d="{d}"/>"#, step + 1);
    }
    let label = format!("Runs a minute for 24 hours, one row an hour; {most} at most");
    let begins = |hour: usize| times.clock(Minute(from.0 + i64::try_from(hour * 60).unwrap_or(0)).begins());
    html! {
        figure.heat {
            svg.scale width="38" height=(height) viewBox={ "0 0 38 " (height) } aria-hidden="true" { @for hour in (0..rows).step_by(3) { text x="34" y=(hour * 14 + 10) text-anchor="end" { (begins(hour)) } } }
            div {
                svg.pic height=(height) viewBox={ "0 0 1200 " (height) } preserveAspectRatio="none" role="img" aria-label=(label) { (PreEscaped(drawn)) }
                div.ax aria-hidden="true" { span { ":00" } span { ":15" } span { ":30" } span { ":45" } span { ":59" } }
                div.key { span { "Lightest: nothing is due" } span { "darkest: " (grouped(most)) " in a minute" } }
            }
        }
    }
}
