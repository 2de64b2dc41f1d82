//! Makes the jobs of a file: all of them, or none.

use anyhow::anyhow;
use punctual_import::{Collection, Job};
use serde_json::{Value, json};

use super::super::client::{Server, encode};
use super::Read;
use crate::cli::failure::{Failure, print_note};
use crate::cli::output::visible;

/// Where jobs are made, if not in the places that the server has for those who say nothing.
pub(super) struct Place<'a> {
    pub(super) subscription: Option<&'a str>,
    pub(super) group: Option<&'a str>,
}

impl Place<'_> {
    fn collection(&self, name: &str) -> String {
        format!("/v1/collections/{}{}", encode(name), self.query())
    }

    fn job(&self, job: &Job) -> String {
        format!("/v1/collections/{}/jobs/{}{}", encode(&job.collection), encode(&job.name), self.query())
    }

    fn query(&self) -> String {
        let pair = |(name, value): (&str, Option<&str>)| value.map(|value| format!("{name}={}", encode(value)));
        let pairs: Vec<_> =
            [("subscription", self.subscription), ("group", self.group)].into_iter().filter_map(pair).collect();
        if pairs.is_empty() { String::new() } else { format!("?{}", pairs.join("&")) }
    }
}

/// What is wanted of all jobs of a file.
#[derive(Clone, Copy)]
pub(super) struct Wish {
    /// Those that may be are enabled.
    pub(super) is_enabling: bool,
    /// The jobs send nothing, and record what they would have sent.
    pub(super) is_shadow: bool,
}

/// Makes the jobs of a file. If one cannot be made, those that were are deleted again.
pub(super) fn file(server: &Server, read: &Read, place: &Place<'_>, wish: Wish) -> Result<(), Failure> {
    let Wish { is_enabling, is_shadow } = wish;
    let known = known_jobs(server, read, place)?;
    let mut made = Made::default();
    if let Err(failure) = make(server, read, (place, is_shadow), &known, &mut made) {
        made.undo(server);
        return Err(failure);
    }
    let jobs = read.report.jobs.len();
    let enabled = if is_enabling { enable(server, read, place)? } else { 0 };
    let file = visible(&read.file);
    let replaced =
        if made.replaced.is_empty() { String::new() } else { format!(", {} of them again", made.replaced.len()) };
    let noun = if is_shadow { "shadow" } else { "job" };
    print_note(&format!("{file}: made {}{replaced}; {enabled} enabled", punctual_model::plural(count(jobs), noun)));
    let waiting = read.report.jobs.iter().filter(|job| !job.can_be_enabled).count();
    if is_enabling && waiting > 0 {
        print_note(&format!(
            "{file}: {} left disabled; the report says why",
            punctual_model::plural(count(waiting), "job")
        ));
    }
    Ok(())
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

/// The tags of jobs that are there already. One that ran, or is enabled, is nobody's to replace.
fn known_jobs(server: &Server, read: &Read, place: &Place<'_>) -> Result<Vec<Option<String>>, Failure> {
    let mut known = Vec::new();
    let mut taken = Vec::new();
    for job in &read.report.jobs {
        let found = server.read(&place.job(job))?;
        if let Some((body, _)) = &found
            && !is_untouched(body)
        {
            taken.push(format!("{}/{}", job.collection, job.name));
        }
        known.push(found.map(|(_, tag)| tag));
    }
    if taken.is_empty() {
        return Ok(known);
    }
    Err(Failure::Failed(anyhow!(
        "{}: nothing was written, since these jobs are there already, and enabled or with runs: {}",
        visible(&read.file),
        visible(&taken.join(", "))
    )))
}

/// Whether a job is as an import leaves it: disabled, and never run.
fn is_untouched(body: &Value) -> bool {
    let is_disabled = body["state"].as_str().is_some_and(|state| state.eq_ignore_ascii_case("disabled"));
    is_disabled && body["status"]["executionCount"].as_u64().unwrap_or_default() == 0
}

/// What has been written, so that it can be taken back.
#[derive(Default)]
struct Made {
    /// Paths of what is new, in the order in which it was made.
    created: Vec<String>,
    /// Paths of jobs that were there, disabled and without runs, and were written again.
    replaced: Vec<String>,
}

impl Made {
    /// Deletes what is new. What was written again stays, and is named.
    fn undo(&self, server: &Server) {
        for path in self.created.iter().rev() {
            if server.call("DELETE", path, None).is_err() {
                print_note(&format!("warning: {} was made and cannot be deleted", visible(path)));
            }
        }
        for path in &self.replaced {
            print_note(&format!("warning: {} was written again and stays so; it is disabled", visible(path)));
        }
    }
}

fn make(
    server: &Server,
    read: &Read,
    (place, is_shadow): (&Place<'_>, bool),
    known: &[Option<String>],
    made: &mut Made,
) -> Result<(), Failure> {
    collections(server, read, place, made)?;
    for (job, tag) in read.report.jobs.iter().zip(known) {
        let path = place.job(job);
        let mut body = to_value(&job.body)?;
        body["state"] = json!("Disabled");
        if is_shadow {
            // The members of a job stand under `properties` or at the top.
            let members = if body["properties"].is_object() { &mut body["properties"] } else { &mut body };
            members["options"]["shadow"] = json!(true);
        }
        if server.write(&path, &body, tag.as_deref())?.is_none() {
            let job = visible(&format!("{}/{}", job.collection, job.name));
            return Err(Failure::Failed(anyhow!(
                "somebody else has written {job} just now; nothing of the file was kept"
            )));
        }
        if tag.is_some() { made.replaced.push(path) } else { made.created.push(path) }
    }
    Ok(())
}

/// Makes collections that are not there. Those that are stay as they are.
fn collections(server: &Server, read: &Read, place: &Place<'_>, made: &mut Made) -> Result<(), Failure> {
    let mut names: Vec<&str> = read.report.collections.iter().map(|collection| collection.name.as_str()).collect();
    for job in &read.report.jobs {
        if !names.iter().any(|name| name.eq_ignore_ascii_case(&job.collection)) {
            names.push(&job.collection);
        }
    }
    for name in names {
        let path = place.collection(name);
        let described = read.report.collections.iter().find(|collection| collection.name == name);
        let body = described.map_or(Ok(json!({})), |Collection { body, .. }| to_value(body))?;
        if server.read(&path)?.is_some() {
            if described.is_some() {
                print_note(&format!("note: the collection {} is there already, and stays as it is", visible(name)));
            }
        } else if server.write(&path, &body, None)?.is_some() {
            made.created.push(path);
        }
    }
    Ok(())
}

/// Enables what was enabled in its origin, now that all of the file is there. It runs at its next time, not at once.
fn enable(server: &Server, read: &Read, place: &Place<'_>) -> Result<usize, Failure> {
    let mut enabled = 0;
    for job in read.report.jobs.iter().filter(|job| job.can_be_enabled) {
        server.call("PATCH", &place.job(job), Some(&json!({ "state": "Enabled" })))?;
        enabled += 1;
    }
    Ok(enabled)
}

fn to_value(json: &punctual_arm::Json) -> Result<Value, Failure> {
    serde_json::from_str(&json.to_string()).map_err(|error| Failure::Failed(error.into()))
}
