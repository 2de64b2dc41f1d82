//! `--prune`: what belongs to a set and is not in its files any more.

use std::collections::BTreeMap;

use serde_json::Value;

use super::bulk::{self, Batch, Condition};
use super::export::list_collections;
use super::object::{Kind, Object};
use super::plan::{Counts, Printer, Wanted};
use super::set::Set;
use crate::cli::failure::Failure;
use crate::cli::remote::address::{home, short};
use crate::cli::remote::client::Server;
use crate::cli::remote::pages::Pages;
use crate::cli::remote::table::text;

/// Things that are to be deleted, jobs before their collections, each with the tag of its version.
pub(super) type Leftovers = Vec<(Object, Box<str>)>;

/// Finds what belongs to the set and is not wanted, and prints what deleting it does. A collection is deleted only if nothing else is
/// in it.
pub(super) fn find(
    server: &Server,
    set: &str,
    wanted: &Wanted,
    printer: &mut Printer,
    counts: &mut Counts,
) -> Result<Leftovers, Failure> {
    if wanted.is_vague {
        let sentence = "--prune: you see no collection of the group that the server has by default, so that it is not known what is in it: \
                        say subscription and group in each document";
        return Err(Failure::Refused(vec![sentence.to_owned()]));
    }
    let home = home(server)?;
    let home = home.as_deref();
    let mut found = Vec::new();
    let mut pruned_in: BTreeMap<String, u64> = BTreeMap::new();
    let mut pages = Pages::new(server, "/v1/jobs?$top=500".to_owned(), usize::MAX);
    let mut batch = Batch::default();
    while let Some(jobs) = pages.next("job")? {
        for job in jobs {
            if let Some(object) = leftover(&job, Kind::Job, set, wanted, home) {
                *pruned_in.entry(object.collection.clone().unwrap_or_default().to_lowercase()).or_default() += 1;
                add(&mut batch, object);
            }
            if batch.is_full() {
                plan(server, &mut batch, printer, counts, &mut found, &|_, _| true)?;
            }
        }
    }
    plan(server, &mut batch, printer, counts, &mut found, &|_, _| true)?;
    for collection in list_collections(server)? {
        if let Some(object) = leftover(&collection, Kind::Collection, set, wanted, home) {
            add(&mut batch, object);
        }
    }
    let is_empty = |object: &Object, plan: &Value| {
        plan["jobs"].as_u64() == Some(pruned_in.get(&object.path.to_lowercase()).copied().unwrap_or_default())
    };
    plan(server, &mut batch, printer, counts, &mut found, &is_empty)?;
    Ok(found)
}

fn leftover(listed: &Value, kind: Kind, set: &str, wanted: &Wanted, home: Option<&str>) -> Option<Object> {
    let path = text(&listed["path"]);
    let before = if kind == Kind::Collection { "collection " } else { "" };
    let name = format!("{before}{}", short(&path, home));
    let object = Object { name, ..Object::listed(kind, &path)? };
    let is_left = Set::of(kind, listed) == Some(set) && !wanted.keys.contains(&object.fingerprint());
    is_left.then(|| Object { body: listed.clone(), ..object })
}

fn add(batch: &mut Batch<Object>, object: Object) {
    let item = bulk::delete(&object.path, &Condition::None);
    batch.add(object, &item);
}

fn plan(
    server: &Server,
    batch: &mut Batch<Object>,
    printer: &mut Printer,
    counts: &mut Counts,
    found: &mut Leftovers,
    is_wanted: &dyn Fn(&Object, &Value) -> bool,
) -> Result<(), Failure> {
    let answers = batch.send(server, true, |_| String::new())?;
    // What is gone by now need not be deleted.
    let is_there = |(object, answer): &&(Object, Value)| answer["status"] == 200 && is_wanted(object, &answer["plan"]);
    let planned: Vec<_> = answers.iter().filter(is_there).collect();
    printer.print(&planned.iter().map(|(object, answer)| (object, answer)).collect::<Vec<_>>())?;
    for (object, answer) in planned {
        counts.add("delete");
        let tag = answer["plan"]["etag"].as_str().unwrap_or_default().into();
        found.push((Object { body: Value::Null, ..object.clone() }, tag));
    }
    Ok(())
}
