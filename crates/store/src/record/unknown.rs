//! Members of a record that this version does not know, and keeps.
//!
//! An older and a newer version may write the same records in turn. What the older one does not know stays where it is,
//! as long as the object that it stands in does: an edit that makes another kind of action of a job takes the members of
//! the old kind with it, and an edit of its body does not.

use serde_json::Value;

/// What is to be written in the place of `old`: the text `new`, and with it the members of `old` that are not in `known`,
/// which is what this version makes of `old` when it reads and writes it.
pub(super) fn keep(old: &str, known: &str, new: String) -> String {
    if old == known {
        return new;
    }
    let values = (serde_json::from_str(old), serde_json::from_str(known), serde_json::from_str(&new));
    let (Ok(old_value), Ok(known), Ok(mut new_value)) = values else { return new };
    add(&old_value, &known, &mut new_value);
    // The same in another order is left as it was written.
    if new_value == old_value { old.to_owned() } else { new_value.to_string() }
}

fn add(old: &Value, known: &Value, new: &mut Value) {
    match (old, known, new) {
        (Value::Object(old), Value::Object(known), Value::Object(new)) => {
            for (name, value) in old.iter().filter(|(_, value)| !value.is_null()) {
                match known.get(name) {
                    None => _ = new.entry(name).or_insert_with(|| value.clone()),
                    Some(known) => {
                        if let Some(new) = new.get_mut(name) {
                            add(value, known, new);
                        }
                    }
                }
            }
        }
        (Value::Array(old), Value::Array(known), Value::Array(new)) if old.len() == new.len() => {
            for ((old, known), new) in old.iter().zip(known).zip(new) {
                add(old, known, new);
            }
        }
        _ => {}
    }
}
