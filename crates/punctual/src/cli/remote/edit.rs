//! Changing something in an editor: read, edit, check, write.

use punctual_api::wire::Json;
use punctual_model::Violation;
use serde_json::Value;

use super::client::Server;
use super::job::overtaken;
use crate::cli::document;
use crate::cli::editor::Draft;
use crate::cli::failure::{Failure, print_note};
use crate::cli::output::{shell_word, visible};
use crate::cli::yaml;

/// Members that only the server says: they are not there to be edited.
const ANSWERED: [&str; 7] = ["name", "collection", "path", "type", "status", "warnings", "etag"];

/// What is edited.
pub(super) struct Subject<'a> {
    /// How commands name it.
    pub(super) name: String,
    /// The command that edits it.
    pub(super) command: &'a str,
    /// Its path in the API.
    pub(super) path: String,
    /// Finds everything that is wrong with it, before it is sent.
    pub(super) check: fn(&Json) -> Result<(), Vec<Violation>>,
}

/// Has something edited, and writes it; nothing where nothing was changed. What was read stands in the editor, or else the text of
/// the file `from`.
pub(super) fn edit(
    server: &Server,
    subject: &Subject<'_>,
    (known, tag): (Value, String),
    from: Option<&str>,
) -> Result<Option<Value>, Failure> {
    let name = visible(&subject.name);
    let before = definition(known);
    let written = if let Some(file) = from {
        document::read_text(file)?
    } else {
        let leave = "Close without a change, or empty, to leave it as it is.";
        let yaml = yaml::write(&before).map_err(std::io::Error::other)?;
        format!("# {name}: save and close to change it. {leave}\n{yaml}\n")
    };
    let draft = Draft::new(&written)?;
    let place = draft.path.display().to_string();
    let opened = draft.open();
    let text = draft.read()?;
    let keep = || {
        let word = visible(&shell_word(&subject.name));
        print_note(&format!("your text is kept in {place}; go on with it: {} {word} --from {place}", subject.command));
    };
    if let Err(failure) = opened {
        if text == written {
            draft.remove();
        } else {
            keep();
        }
        return Err(failure);
    }
    if (from.is_none() && text == written) || text.trim().is_empty() {
        draft.remove();
        print_note(&format!("nothing was changed of {name}"));
        return Ok(None);
    }
    let sent = check(&text, &place, subject, &before).and_then(|body| match body {
        Some(body) => server.write(&subject.path, &body, Some(&tag))?.ok_or_else(|| overtaken(&subject.name)).map(Some),
        None => Ok(None),
    });
    match sent {
        Ok(sent) => {
            draft.remove();
            if sent.is_none() {
                print_note(&format!("nothing was changed of {name}"));
            }
            Ok(sent)
        }
        Err(failure) => {
            keep();
            Err(failure)
        }
    }
}

/// What is to be written; nothing where it says the same as before.
fn check(text: &str, place: &str, subject: &Subject<'_>, before: &Value) -> Result<Option<Value>, Failure> {
    let json = document::parse(text, place)?;
    (subject.check)(&json)?;
    let body = definition(document::to_value(&json)?);
    Ok(Some(body).filter(|body| body != before))
}

/// A value without what only the server says.
fn definition(mut value: Value) -> Value {
    if let Some(members) = value.as_object_mut() {
        members.retain(|name, _| !ANSWERED.contains(&name.as_str()));
    }
    value
}
