//! A workflow of Microsoft Teams, which takes an Adaptive Card.

use punctual_model::alert::{Message, MessageKind};
use serde_json::{Value, json};

pub(super) fn body(message: &Message) -> Value {
    let color = match message.kind {
        MessageKind::Opened | MessageKind::Reminder => "Attention",
        MessageKind::Recovered => "Good",
        MessageKind::Test => "Accent",
    };
    let plain = |text: &str| block(&json!({"type": "TextRun", "text": text}), "Small");
    let code = |text: &str| block(&json!({"type": "TextRun", "text": text, "fontType": "Monospace"}), "Small");
    let headline = message.headline();
    let headline = json!({"type": "TextRun", "text": headline, "weight": "Bolder", "size": "Medium", "color": color});
    let mut blocks = vec![block(&headline, "Default")];
    blocks.extend(message.details().iter().map(|text| plain(text)));
    blocks.extend(message.excerpt.lines().map(code));
    if let Some(command) = message.command() {
        blocks.extend([plain("Run again what failed:"), code(&command)]);
    }
    let card = json!({
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.4",
        "body": blocks,
    });
    let content_type = "application/vnd.microsoft.card.adaptive";
    json!({"type": "message", "attachments": [{"contentType": content_type, "content": card}]})
}

/// A block of text. Its text is plain: that of a `TextBlock` is Markdown, in which names of jobs and answers of targets could
/// hold links.
fn block(run: &Value, spacing: &str) -> Value {
    json!({"type": "RichTextBlock", "inlines": [run], "spacing": spacing})
}
