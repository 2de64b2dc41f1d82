//! What is due next.

use maud::{Markup, html};
use punctual_model::time::{TICKS_PER_HOUR, TICKS_PER_MINUTE};

use crate::api::Api;
use crate::console::visitor::Visitor;
use crate::fault::Fault;
use crate::operations::{self, Upcoming};

/// Rows that are shown.
const SHOWN: usize = 14;
/// Jobs of one minute that are shown.
const OF_MINUTE: usize = 3;

/// The jobs that are due within a day.
pub(super) async fn read(api: &Api, visitor: &Visitor) -> Result<Vec<Upcoming>, Fault> {
    let until = visitor.caller.now.saturating_add(24 * TICKS_PER_HOUR);
    let (upcoming, _) = operations::list_upcoming(&api.operations, &visitor.caller, until, None, 100).await?;
    Ok(upcoming)
}

pub(super) fn draw(visitor: &Visitor, upcoming: &[Upcoming]) -> Markup {
    let times = visitor.times();
    let minute = |it: &Upcoming| it.occurrence.wake_at.ticks().div_euclid(TICKS_PER_MINUTE);
    let groups: Vec<&[Upcoming]> = upcoming.chunk_by(|one, other| minute(one) == minute(other)).collect();
    let mut left = SHOWN;
    let shown = groups.into_iter().take_while(|group| {
        let fits = left > 0;
        left = left.saturating_sub(group.len().min(OF_MINUTE + 1));
        fits
    });
    html! {
        section aria-labelledby="next" {
            div.sec { h2 #next { "Due next" } span.end.s { a href="/forecast" { "Forecast" } } }
            ul.due #due data-live {
                @for group in shown {
                    @for (at, it) in group.iter().take(OF_MINUTE).enumerate() {
                        li {
                            @if at == 0 { (times.show(it.occurrence.wake_at)) } @else { span { span.vh { (times.short(it.occurrence.wake_at)) } } }
                            span { a.q href=(visitor.links.job(&it.job)) { (it.job.job) } @if !it.occurrence.is_untried() { " " span.warn.s { "retry" } } }
                            span.dim.s { (it.job.collection.collection) }
                        }
                    }
                    @if group.len() > OF_MINUTE {
                        li { span {} span { a.q href="/jobs?sort=nextRun" { "and " (group.len() - OF_MINUTE) " more" } } span {} }
                    }
                }
                @if upcoming.is_empty() { li { span {} span.dim { "Nothing is due within a day." } span {} } }
            }
        }
    }
}
