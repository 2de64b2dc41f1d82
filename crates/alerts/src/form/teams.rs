//! A workflow of Microsoft Teams, which takes an Adaptive Card.

use punctual_model::alert::{Message, MessageKind};
use serde_json::{Value, json};

pub(super) fn body(message: &Message) -> Value {
    let color = match message.kind {
        MessageKind::Opened | MessageKind::Reminder => "Attention",
        MessageKind::Recovered => "Good",
        MessageKind::Test => "Accent",
    };
    let line = |text: &str| json!({"type": "TextBlock", "text": text, "wrap": true, "spacing": "Small"});
    let mut lines = vec![json!({
        "type": "TextBlock", "text": message.headline(), "wrap": true, "weight": "Bolder", "size": "Medium", "color": color,
    })];
    lines.extend(message.details().iter().map(|text| line(text)));
    if !message.excerpt.is_empty() {
        lines.push(json!({"type": "TextBlock", "text": message.excerpt, "wrap": true, "fontType": "Monospace"}));
    }
    lines.extend(message.command().map(|command| line(&format!("Run again what failed: {command}"))));
    let actions = message.link.iter().map(|link| json!({"type": "Action.OpenUrl", "title": "Look at it", "url": link}));
    let card = json!({
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.4",
        "body": lines,
        "actions": actions.collect::<Vec<_>>(),
    });
    let content_type = "application/vnd.microsoft.card.adaptive";
    json!({"type": "message", "attachments": [{"contentType": content_type, "content": card}]})
}
