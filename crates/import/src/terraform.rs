//! States of Terraform: resources with their attributes, whatever the version of the state.

use punctual_arm::{Json, Value};

/// A resource in a state.
#[derive(Clone, Debug)]
pub(crate) struct Resource {
    /// `azurerm_scheduler_job`.
    pub(crate) kind: String,
    /// Its address: `azurerm_scheduler_job.nightly`.
    pub(crate) address: String,
    /// Its attributes.
    pub(crate) attributes: Json,
}

impl Resource {
    /// A text among its attributes.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.attributes.get(name).and_then(Json::text).filter(|text| !text.is_empty())
    }

    /// A block among its attributes: an object, or the only one in a list.
    pub(crate) fn block(&self, name: &str) -> Option<&Json> {
        block(&self.attributes, name)
    }
}

/// A block: an object, or the only one in a list.
pub(crate) fn block<'a>(json: &'a Json, name: &str) -> Option<&'a Json> {
    let block = json.get(name)?;
    if block.is_object() { Some(block) } else { block.items().first().filter(|item| item.is_object()) }
}

/// The managed resources of a state, of `terraform show -json`, or nothing if it is neither.
pub(crate) fn resources(json: &Json) -> Option<Vec<Resource>> {
    let mut found = Vec::new();
    if let Some(values) = json.get("values").or_else(|| json.get("planned_values")) {
        module(values.get("root_module")?, &mut found);
        return Some(found);
    }
    if let Some(modules) = json.get("modules").filter(|_| json.get("version").is_some()) {
        modules.items().iter().for_each(|module| old_module(module, &mut found));
        return Some(found);
    }
    json.get("version")?;
    for resource in json.get("resources")?.items() {
        let text = |name: &str| resource.get(name).and_then(Json::text).unwrap_or_default();
        if text("mode") == "data" {
            continue;
        }
        for instance in resource.get("instances").map(Json::items).unwrap_or_default() {
            let key = instance.get("index_key").map(|key| format!("[{key}]")).unwrap_or_default();
            let Some(attributes) = instance.get("attributes") else { continue };
            let address = format!("{}.{}{key}", text("type"), text("name"));
            found.push(Resource { kind: text("type").to_owned(), address, attributes: attributes.clone() });
        }
    }
    Some(found)
}

fn module(module_json: &Json, found: &mut Vec<Resource>) {
    for resource in module_json.get("resources").map(Json::items).unwrap_or_default() {
        let text = |name: &str| resource.get(name).and_then(Json::text).unwrap_or_default().to_owned();
        if let (Some(values), false) = (resource.get("values"), text("mode") == "data") {
            found.push(Resource { kind: text("type"), address: text("address"), attributes: values.clone() });
        }
    }
    for child in module_json.get("child_modules").map(Json::items).unwrap_or_default() {
        module(child, found);
    }
}

/// Before version 0.12, attributes were flat: `action_web.0.url`.
fn old_module(module: &Json, found: &mut Vec<Resource>) {
    for (address, resource) in module.get("resources").map(Json::members).unwrap_or_default() {
        let kind = resource.get("type").and_then(Json::text).unwrap_or_default();
        let Some(flat) = resource.at(&["primary", "attributes"]).filter(|_| !address.starts_with("data.")) else {
            continue;
        };
        let mut attributes = Json { line: resource.line, value: Value::Object(Vec::new()) };
        for (path, value) in flat.members() {
            let steps: Vec<&str> = path.split('.').take(12).collect();
            put(&mut attributes, &steps, value);
        }
        nest(&mut attributes);
        found.push(Resource { kind: kind.to_owned(), address: address.clone(), attributes });
    }
}

fn put(json: &mut Json, steps: &[&str], value: &Json) {
    match steps {
        [] => {}
        [last] => json.set(last, value.clone()),
        [first, rest @ ..] => {
            let mut inner = json.remove(first).filter(Json::is_object);
            let inner_json = inner.get_or_insert_with(|| Json { line: value.line, value: Value::Object(Vec::new()) });
            put(inner_json, rest, value);
            if let Some(inner) = inner {
                json.set(first, inner);
            }
        }
    }
}

/// Makes lists of objects that count their items (`#`), and takes the counts of maps (`%`) out.
fn nest(json: &mut Json) {
    json.remove("%");
    let is_list = json.remove("#").is_some();
    if let Value::Object(members) = &mut json.value {
        for (_, inner) in members.iter_mut() {
            nest(inner);
        }
        if is_list {
            let mut items = std::mem::take(members);
            items.sort_by_key(|(at, _)| at.parse::<u64>().unwrap_or(u64::MAX));
            json.value = Value::List(items.into_iter().map(|(_, inner)| inner).collect());
        }
    }
}
