//! The body of a request to run past times now.

use punctual_model::Violation;
use punctual_model::limits::BACKFILL_SPACING_MS_MAX;
use punctual_model::time::{DateTime, TICKS_PER_MILLISECOND, Timestamp, Zone};

use super::findings::Findings;
use super::json::Json;
use super::object::Object;
use crate::input::{BackfillInput, BackfillWhich, Parsed};

/// Reads the body. Nothing in it is ignored: what was meant to be narrower must not run more.
pub fn parse_backfill_json(json: &Json, now: Timestamp) -> Result<Parsed<BackfillInput>, Vec<Violation>> {
    let findings = Findings::default();
    let input = Object::root(json, &findings).and_then(|root| backfill(root, now));
    findings.finish(input)
}

fn backfill(mut root: Object<'_>, now: Timestamp) -> Option<BackfillInput> {
    let instant = |written: DateTime| written.resolve(Zone::utc()).instant();
    root.require("from", "the first instant of the range, such as 2026-01-01T00:00:00Z");
    let from = root.date_time("from").map(instant);
    let to = root.date_time("to").map(instant);
    if let Some(to) = to.filter(|to| *to > now) {
        root.violation("to", to, format!("an instant that has passed, up to {now}"));
    }
    let to = to.unwrap_or(now);
    if let Some(from) = from.filter(|from| *from > to) {
        root.violation("from", from, format!("an instant before the end of the range, {to}"));
    }
    let spacing = root.span("spacing").map_or(Some(1000), |span| {
        let ms = u32::try_from(span.ticks() / TICKS_PER_MILLISECOND).ok();
        ms.filter(|ms| *ms <= BACKFILL_SPACING_MS_MAX)
    });
    if spacing.is_none() {
        root.violation("spacing", "more than that", "at most 1 hour");
    }
    let which = root.choice("only", &[("notRun", BackfillWhich::NotRun), ("all", BackfillWhich::All)]);
    let is_dry_run = root.boolean("dryRun").unwrap_or_default();
    root.refuse_rest();
    Some(BackfillInput { from: from?, to, spacing_ms: spacing?, which: which.unwrap_or_default(), is_dry_run })
}
