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
    let headline = escape(&message.headline());
    let section =
        |text: String| json!({"type": "section", "text": {"type": "mrkdwn", "text": cut(&text, BLOCK_CHARS_MAX)}});
    let mut blocks = vec![section(format!("{sign} *{headline}*"))];
    let details = message.details().iter().map(|line| escape(line)).collect::<Vec<_>>().join("\n");
    if !details.is_empty() {
        blocks.push(section(details));
    }
    if !message.excerpt.is_empty() {
        blocks.push(section(format!("```{}```", cut(&escape(&message.excerpt), 1000))));
    }
    if let Some(command) = message.command() {
        blocks.push(section(format!("Run again what failed: `{}`", escape(&command))));
    }
    if let Some(link) = &message.link {
        blocks.push(section(format!("<{link}|Look at it>")));
    }
    json!({"text": cut(&headline, BLOCK_CHARS_MAX), "blocks": blocks})
}

/// The three characters that mean something to Slack.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
