//! An incoming webhook of Slack: a line for the notification, and blocks for who opens it.

use punctual_model::alert::{Message, MessageKind};
use serde_json::{Value, json};

use super::cut;

/// Characters that Slack takes in one block.
const BLOCK_CHARS_MAX: usize = 3000;

pub(super) fn body(message: &Message) -> Value {
    let sign = match message.kind {
        MessageKind::Opened | MessageKind::Reminder => ":red_circle:",
        MessageKind::Recovered => ":large_green_circle:",
        MessageKind::Test => ":information_source:",
    };
    let headline = escape_text(&message.headline());
    let mut blocks = vec![section(&format!("{sign} *{headline}*"))];
    let details = message.details().iter().map(|line| escape_text(line)).collect::<Vec<_>>().join("\n");
    if !details.is_empty() {
        blocks.push(section(&details));
    }
    if !message.excerpt.is_empty() {
        // What ends the block would let the rest of the answer be read as text of ours.
        let excerpt = message.excerpt.replace('`', "'");
        blocks.push(section(&format!("```{}```", cut(&escape(&excerpt), 1000))));
    }
    if let Some(command) = message.command() {
        // A name with such a mark would end it: then the command is a text as others.
        let command = if command.contains('`') { escape_text(&command) } else { format!("`{}`", escape(&command)) };
        blocks.push(section(&format!("Run again what failed: {command}")));
    }
    json!({"text": cut(&headline, BLOCK_CHARS_MAX), "blocks": blocks})
}

/// A block of text, in which nothing becomes a link by itself.
fn section(text: &str) -> Value {
    let text = json!({"type": "mrkdwn", "text": cut(text, BLOCK_CHARS_MAX), "verbatim": true});
    json!({"type": "section", "text": text})
}

/// Escapes the three characters that mean something to Slack.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Escapes a text for Slack and for Mattermost, where `](` makes a link and Slack would show a backslash: a blank without width
/// keeps the two apart.
fn escape_text(text: &str) -> String {
    escape(text).replace("](", "]\u{200b}(")
}
