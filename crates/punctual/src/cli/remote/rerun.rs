//! `punctual rerun`.

use clap::Args;
use punctual_model::time::Timestamp;
use punctual_model::{Violation, plural};
use serde_json::{Value, json};

use super::client::encode;
use super::connection::Connection;
use super::table;
use super::table::text;
use crate::cli::failure::{Failure, print_note};
use crate::cli::instant;
use crate::cli::output::{Output, visible};

/// Run again what failed of a job, of all jobs of a collection, or of all that call a target
#[derive(Args)]
#[command(after_help = "\
What failed and has succeeded since is not run again, nor what is still retried.
Exit status: 0 done, 2 invalid input, 3 no such job, 4 not allowed, 5 unreachable.")]
pub(crate) struct Rerun {
    /// COLLECTION/JOB, or COLLECTION for all of its jobs; in another group with SUBSCRIPTION/GROUP/ before it
    #[arg(value_name = "COLLECTION/JOB", required_unless_present = "target")]
    what: Option<String>,

    /// Only jobs that call this target, such as api.example.com:443; of all collections if none is named
    #[arg(long, value_name = "TARGET")]
    target: Option<String>,

    /// What failed since then: 24h, 7d, today, yesterday, a date or a date-time
    #[arg(long, value_name = "TIME", default_value = "24h")]
    since: String,

    /// Only show what would be run again
    #[arg(long)]
    dry_run: bool,

    #[arg(long, value_enum, default_value = "table")]
    output: Output,

    #[command(flatten)]
    connection: Connection,
}

impl Rerun {
    /// What failed of a job since then.
    pub(super) fn of_job(job: &str, since: &str, dry_run: bool, output: Output, connection: &Connection) -> Self {
        let (what, connection) = (Some(job.to_owned()), connection.clone());
        Self { what, target: None, since: since.to_owned(), dry_run, output, connection }
    }

    /// Runs it again, or shows what that would be.
    pub(crate) fn run(&self, now: Timestamp) -> Result<(), Failure> {
        let since = instant::parse(&self.since, now);
        let since = since.map_err(|expected| expected.at("--since", format!("{:?}", self.since)))?;
        let mut body = self.what.as_deref().map_or_else(|| Ok(json!({})), place)?;
        if let Some(target) = &self.target {
            body["target"] = json!(target);
        }
        body["since"] = json!(since.to_string());
        let whole = self.call(&body)?;
        if self.output == Output::Name {
            self.output.print(&whole["jobs"], |it| text(&it["commandPath"]))?;
            return Ok(());
        }
        if self.output.print(&whole, text)? {
            return Ok(());
        }
        let jobs = whole["jobs"].as_array().map(Vec::as_slice).unwrap_or_default();
        if jobs.is_empty() {
            let what = self.what.iter().cloned().chain(self.target.iter().map(|target| format!("--target {target}")));
            let what = visible(&what.collect::<Vec<_>>().join(" "));
            let left_out = "what has succeeded since, or is still retried, is left out";
            print_note(&format!("nothing to run again: nothing that failed since {since} matches {what}; {left_out}"));
            return Ok(());
        }
        let row = |it: &Value| {
            let reasons = it["leftBecause"].as_object().into_iter().flatten();
            let reasons: Vec<_> = reasons.map(|(reason, number)| format!("{number} {}", because(reason))).collect();
            vec![text(&it["commandPath"]), text(&it["rerun"]), text(&it["left"]), reasons.join(", ")]
        };
        let rows: Vec<_> = jobs.iter().map(row).collect();
        table::print_fitting(&["JOB", "RUN AGAIN", "LEFT", "BECAUSE"], &rows)?;
        let runs = plural(whole["rerun"].as_u64().unwrap_or_default(), "occurrence");
        print_note(&format!("{}: {runs}", if self.dry_run { "would be run again" } else { "run again" }));
        Ok(())
    }

    /// Asks until all jobs were looked through.
    fn call(&self, body: &Value) -> Result<Value, Failure> {
        let server = self.connection.open()?;
        let path = format!("/v1/rerun?dryRun={}", self.dry_run);
        let mut whole = server.call("POST", &path, Some(body))?;
        while let Some(place) = whole["continue"].as_str() {
            let mut page = server.call("POST", &format!("{path}&continue={}", encode(place)), Some(body))?;
            for member in ["rerun", "left"] {
                let sum = [&whole, &page].iter().filter_map(|it| it[member].as_u64()).sum::<u64>();
                whole[member] = json!(sum);
            }
            if let (Some(all), Some(more)) = (whole["jobs"].as_array_mut(), page["jobs"].as_array_mut()) {
                all.append(more);
            }
            whole["continue"] = page["continue"].take();
        }
        if let Some(members) = whole.as_object_mut() {
            members.remove("continue");
            // Those of the first answer only; each job has its own.
            members.remove("leftBecause");
        }
        Ok(whole)
    }
}

/// The collection, and the job of it if one is named.
fn place(what: &str) -> Result<Value, Violation> {
    let names: Vec<_> = what.split('/').collect();
    if names.iter().any(|name| name.is_empty()) {
        return Err(wrong(what));
    }
    match names[..] {
        [collection] => Ok(json!({ "collection": collection })),
        [collection, job] => Ok(json!({ "collection": collection, "job": job })),
        [subscription, group, collection] => Ok(json!({ "collection": path(subscription, group, collection) })),
        [subscription, group, collection, job] => {
            Ok(json!({ "collection": path(subscription, group, collection), "job": job }))
        }
        _ => Err(wrong(what)),
    }
}

fn path(subscription: &str, group: &str, collection: &str) -> String {
    let group = format!("/subscriptions/{subscription}/resourceGroups/{group}");
    format!("{group}/providers/Microsoft.Scheduler/jobCollections/{collection}")
}

fn wrong(what: &str) -> Violation {
    Violation::new("COLLECTION/JOB", format!("{what:?}"), "a collection and a job with a slash between them")
}

/// Why failures are not run again.
fn because(reason: &str) -> &str {
    match reason {
        "waitingRuns" => "as its runs that wait come first",
        "stillOpen" => "still retried",
        "disabled" => "disabled",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_run_again() {
        assert_eq!(place("ops"), Ok(json!({ "collection": "ops" })));
        assert_eq!(place("ops/nightly"), Ok(json!({ "collection": "ops", "job": "nightly" })));
        let path = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Scheduler/jobCollections/ops";
        assert_eq!(place("s/g/ops/nightly"), Ok(json!({ "collection": path, "job": "nightly" })));
        assert_eq!(place("s/g/ops"), Ok(json!({ "collection": path })));
        for what in ["", "ops/", "/ops", "a/b/c/", "a/b/c/d/e"] {
            assert!(place(what).is_err(), "{what}");
        }
    }
}
