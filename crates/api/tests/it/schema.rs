//! `schema.json`, the schema of the files that `punctual apply` reads, follows from `openapi.json`.
//!
//! `PUNCTUAL_UPDATE_SCHEMA=1 cargo test -p punctual-api --test it schema` writes it again.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

const DESCRIPTION: &str = include_str!("../../openapi.json");
const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/schema.json");

/// Members whose text is sent to the target, and may be taken from elsewhere.
const REFERABLE: [&str; 3] = ["uri", "body", "message"];

#[test]
fn it_follows_from_the_description() {
    let description: Value = serde_json::from_str(DESCRIPTION).unwrap();
    let derived = format!("{:#}\n", derive(&description["components"]["schemas"]));
    if std::env::var_os("PUNCTUAL_UPDATE_SCHEMA").is_some() {
        std::fs::write(PATH, &derived).unwrap();
    }
    let kept = std::fs::read_to_string(PATH).unwrap();
    assert!(kept == derived, "schema.json is out of date: see the top of this test");
}

fn derive(schemas: &Value) -> Value {
    let (mut definitions, mut open) = (Map::new(), BTreeSet::new());
    let name = json!({ "$ref": "#/$defs/Name" });
    let place = json!({
        "subscription": name, "group": name, "path": { "type": "string" }, "status": {}, "warnings": {}, "etag": {},
    });
    let kind = |kind: &str| json!({ "const": kind, "description": "What this document is about." });
    let job = with_members(
        &schemas["JobPropertiesInput"],
        &place,
        &json!({
            "kind": kind("job"), "name": name, "collection": name,
            "replace": {
                "const": "completed",
                "description": "A job that has ended is deleted and made again, where it would be refused.",
            },
        }),
        &["kind", "name"],
    );
    let collection = with_members(
        &schemas["PlainCollectionInput"],
        &place,
        &json!({ "kind": kind("collection"), "name": name }),
        &["kind", "name"],
    );
    let alert = with_members(
        &schemas["AlertInput"],
        &json!({ "muted": {}, "changed": {} }),
        &json!({ "kind": kind("alert"), "name": name }),
        &["kind", "name"],
    );
    let original = json!({
        "type": "object",
        "description": "A resource as Azure Scheduler wrote it.",
        "required": ["properties"],
        "properties": { "id": { "type": "string" }, "type": { "type": "string" }, "name": { "type": "string" } },
    });
    let mut root = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Punctual",
        "description": "A job, a collection or an alert, as punctual apply reads it. A file holds one, or several with --- between them.",
        "anyOf": [job, collection, alert, original],
    });
    // Names of definitions that are used, which use others.
    open.insert("Name".to_owned());
    adapt(&mut root, "", &mut open);
    while let Some(name) = open.pop_first() {
        if !definitions.contains_key(&name) {
            let mut definition = schemas[&name].clone();
            adapt(&mut definition, "", &mut open);
            definitions.insert(name, definition);
        }
    }
    definitions.insert("Reference".to_owned(), reference());
    root["$defs"] = Value::Object(definitions);
    root
}

fn reference() -> Value {
    let one = |name: &str, description: &str| {
        json!({
            "type": "object", "required": [name], "additionalProperties": false,
            "properties": { name: { "type": "string", "minLength": 1, "description": description } },
        })
    };
    json!({
        "description": "A text that does not stand in the file. Where it is not there, what the server has stored stays.",
        "anyOf": [
            one("fromEnv", "The name of an environment variable."),
            one("fromFile", "A file, beside this one or with its whole path."),
        ],
    })
}

fn with_members(schema: &Value, place: &Value, own: &Value, required: &[&str]) -> Value {
    let mut schema = schema.clone();
    for members in [place, own] {
        for (name, value) in members.as_object().unwrap() {
            schema["properties"][name] = value.clone();
        }
    }
    let mut all: Vec<Value> = schema["required"].as_array().cloned().unwrap_or_default();
    all.extend(required.iter().map(|name| json!(name)));
    schema["required"] = Value::Array(all);
    schema["additionalProperties"] = json!(false);
    schema
}

/// Rewrites a schema of the description for files: references lead to `$defs`, words may be in lower case, as answers have them, and
/// a secret is taken from elsewhere.
fn adapt(schema: &mut Value, member: &str, open: &mut BTreeSet<String>) {
    let members = match schema {
        Value::Array(items) => return items.iter_mut().for_each(|item| adapt(item, member, open)),
        Value::Object(members) => members,
        _ => return,
    };
    if members.get("writeOnly") == Some(&json!(true)) {
        let description = members.get("description").cloned();
        *schema = json!({ "$ref": "#/$defs/Reference" });
        if let Some(description) = description {
            schema["description"] = description;
        }
        return;
    }
    if let Some(name) = members.get("$ref").and_then(Value::as_str).and_then(|it| it.rsplit('/').next()) {
        let name = name.to_owned();
        if name != "Reference" {
            open.insert(name.clone());
        }
        members.insert("$ref".to_owned(), json!(format!("#/$defs/{name}")));
    }
    if let Some(Value::String(word)) = members.get("const").cloned().filter(|_| member == "type") {
        members.remove("const");
        members.insert("enum".to_owned(), json!([word]));
    }
    if let Some(Value::Array(words)) = members.get_mut("enum") {
        let texts: Vec<String> = words.iter().filter_map(|word| word.as_str().map(ToOwned::to_owned)).collect();
        for text in texts {
            let first = text.chars().next().unwrap_or_default().to_ascii_lowercase();
            for spelling in [text.to_lowercase(), format!("{first}{}", &text[1..])] {
                if !words.contains(&json!(spelling)) {
                    words.push(json!(spelling));
                }
            }
        }
    }
    for (name, value) in members.iter_mut() {
        if name == "properties" {
            for (name, value) in value.as_object_mut().unwrap() {
                adapt(value, name, open);
                if REFERABLE.contains(&name.as_str()) {
                    *value = json!({ "anyOf": [value.clone(), { "$ref": "#/$defs/Reference" }] });
                }
                if name == "headers" || name == "customMessageProperties" {
                    let own = value["additionalProperties"].clone();
                    value["additionalProperties"] = json!({ "anyOf": [own, { "$ref": "#/$defs/Reference" }] });
                }
            }
        } else if ["anyOf", "oneOf", "allOf", "items", "additionalProperties", "not"].contains(&name.as_str()) {
            adapt(value, member, open);
        }
    }
}
