//! Whether the server is paused when it starts.

use punctual_model::time::Timestamp;
use punctual_store::{PauseEntry, Store};

/// Pauses the server if it is to start paused, and says so if it is paused, for whatever reason.
pub(super) async fn find(store: &dyn Store, starts_paused: bool, now: Timestamp) -> anyhow::Result<Option<String>> {
    if starts_paused {
        let why = "started with --paused".to_owned();
        store.pause(PauseEntry::begin_at_start("serve --paused".to_owned(), why, now)).await?;
    }
    let last = store.pauses().await?.pop().filter(|last| last.until.is_none());
    let described = last.as_ref().map(describe);
    if let Some(described) = &described {
        tracing::warn!("{described}");
    }
    Ok(described)
}

fn describe(PauseEntry { since, paused_by, why, holds_messages, .. }: &PauseEntry) -> String {
    let why = if why.is_empty() { String::new() } else { format!(" ({})", why.escape_debug()) };
    let held = if *holds_messages { "nothing starts, and no alert is told," } else { "nothing starts" };
    format!("the server is paused since {since} by {paused_by}{why}: {held} until `punctual resume`")
}
