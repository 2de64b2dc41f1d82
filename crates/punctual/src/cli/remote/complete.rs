//! The names of jobs and collections, for a shell that completes them while somebody types. Whatever goes wrong, nothing is said:
//! there are no names then.

use std::env;
use std::ffi::OsStr;

use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};
use punctual_api::DEFAULT_COLLECTION;
use serde_json::Value;

use super::client::{Server, encode};
use super::connection::Connection;
use super::table::text;
use crate::cli::contexts::Contexts;

/// More names than these are more than anybody looks through.
const NAMES_MAX: usize = 100;
/// Collections whose jobs are listed while it is not yet clear which one is meant.
const COLLECTIONS_MAX: usize = 5;

/// Completes the address of a job.
pub(crate) fn jobs() -> ArgValueCompleter {
    ArgValueCompleter::new(|word: &OsStr| candidates(word, job_addresses))
}

/// Completes the name of a collection.
pub(crate) fn collections() -> ArgValueCompleter {
    ArgValueCompleter::new(|word: &OsStr| candidates(word, collection_names))
}

/// Completes the name of a context.
pub(crate) fn contexts() -> ArgValueCompleter {
    ArgValueCompleter::new(|word: &OsStr| {
        let known = Contexts::load().map(|contexts| contexts.contexts).unwrap_or_default();
        let is_meant = |name: &String| word.to_str().is_some_and(|word| name.starts_with(word));
        known.into_keys().filter(is_meant).map(CompletionCandidate::new).collect()
    })
}

fn candidates(word: &OsStr, list: impl Fn(&Server, &str) -> Option<Vec<String>>) -> Vec<CompletionCandidate> {
    let names = || {
        let server = Connection::of_words(env::args()).open().ok()?.impatient();
        list(&server, word.to_str()?)
    };
    names().unwrap_or_default().into_iter().map(CompletionCandidate::new).collect()
}

/// The addresses of jobs that begin so: those in a collection, or, as long as there is no slash, those of all collections that begin
/// so, and the bare names in the collection default.
fn job_addresses(server: &Server, word: &str) -> Option<Vec<String>> {
    if let Some((collection, job)) = word.split_once('/') {
        let jobs = job_names(server, collection, job)?;
        return Some(jobs.into_iter().map(|job| format!("{collection}/{job}")).collect());
    }
    let mut addresses = Vec::new();
    for collection in collection_names(server, word)?.into_iter().take(COLLECTIONS_MAX) {
        let jobs = job_names(server, &collection, "").unwrap_or_default();
        addresses.extend(jobs.into_iter().map(|job| format!("{collection}/{job}")));
    }
    if !word.is_empty() {
        addresses.extend(job_names(server, DEFAULT_COLLECTION, word).unwrap_or_default());
    }
    addresses.truncate(NAMES_MAX);
    Some(addresses)
}

fn job_names(server: &Server, collection: &str, beginning: &str) -> Option<Vec<String>> {
    let search = if beginning.is_empty() { String::new() } else { format!("&q={}", encode(beginning)) };
    let path = format!("/v1/jobs?$top={NAMES_MAX}&collection={}{search}", encode(collection));
    Some(names(&server.call("GET", &path, None).ok()?, beginning))
}

fn collection_names(server: &Server, beginning: &str) -> Option<Vec<String>> {
    Some(names(&server.call("GET", &format!("/v1/collections?$top={NAMES_MAX}"), None).ok()?, beginning))
}

fn names(answer: &Value, beginning: &str) -> Vec<String> {
    let items = answer["value"].as_array().into_iter().flatten().map(|item| text(&item["name"]));
    items.filter(|name| name.to_lowercase().starts_with(&beginning.to_lowercase())).collect()
}
