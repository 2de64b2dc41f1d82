//! `punctual export`.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use clap::Args;
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde_json::{Map, Value};

use super::object::Kind;
use super::references;
use super::set::Set;
use crate::cli::failure::{Failure, print_note};
use crate::cli::output::print_lines;
use crate::cli::progress::Progress;
use crate::cli::remote::address::{CollectionAddress, home};
use crate::cli::remote::client::{Server, encode};
use crate::cli::remote::connection::Connection;
use crate::cli::remote::pages::Pages;
use crate::cli::remote::table::text;
use crate::cli::yaml;

/// How a file begins that the command may write again, or remove.
const HEADER: &str = "# Written by punctual export.";
/// Members that only the server says.
const ANSWERED: [&str; 9] = ["name", "collection", "path", "type", "status", "warnings", "etag", "muted", "changed"];
/// What stands for a value that the caller may not see.
const MASK: &str = "***";
/// What has to be encoded of a name that becomes one of a file.
const ENCODED: &AsciiSet =
    &CONTROLS.add(b'/').add(b'\\').add(b'%').add(b':').add(b'*').add(b'"').add(b'<').add(b'>').add(b'|');

/// Write collections, jobs and alerts as files that punctual apply reads
#[derive(Args)]
#[command(after_help = "\
Examples:
  punctual export -o jobs             a file for each collection, and alerts.yaml
  punctual export ops > ops.yaml      one collection, on stdout
  punctual export --schema            the JSON Schema of these files, for editors

Secrets are not in what is written: where the server has one, the name of an environment variable stands. Jobs that have ended are
left out, unless --ended is given: made again elsewhere, they would run again.
Exit status: 0 written, 1 failed, 2 invalid input, 3 no such collection, 4 not allowed, 5 unreachable.")]
pub(crate) struct Export {
    /// Only this collection and its jobs
    #[arg(value_name = "COLLECTION", add = crate::cli::remote::complete::collections())]
    collection: Option<CollectionAddress>,

    /// The directory to write to; files that an earlier export has written there, and that are not written again, are removed
    /// [default: stdout]
    #[arg(short = 'o', long = "output-dir", value_name = "DIR")]
    directory: Option<PathBuf>,

    #[command(flatten)]
    set: Set,

    /// Jobs that have ended, too
    #[arg(long)]
    ended: bool,

    /// Only print the JSON Schema of the files, for editors
    #[arg(long, exclusive = true)]
    schema: bool,

    /// Say on stderr how far it is, also where that is no terminal
    #[arg(long)]
    progress: bool,

    #[command(flatten)]
    connection: Connection,
}

impl Export {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        if self.schema {
            return Ok(print_lines(punctual_api::SCHEMA.trim_end())?);
        }
        let server = self.connection.open()?;
        let home = home(&server)?;
        let collections = match &self.collection {
            Some(address) => {
                let found = server.call("GET", &address.path(""), None);
                vec![found.map_err(|failure| address.advise(&server, failure))?]
            }
            None => list_collections(&server)?,
        };
        let mut writer = Writer::new(self.directory.as_deref())?;
        let mut report = Report { progress: Progress::wanted(self.progress), ..Report::default() };
        for collection in &collections {
            self.collection(&server, collection, home.as_deref(), &mut writer, &mut report)?;
        }
        if self.collection.is_none() && self.set.name.is_none() {
            let mut alerts = Pages::new(&server, "/v1/alerts".to_owned(), usize::MAX);
            while let Some(alerts) = alerts.next("alert")? {
                for alert in alerts {
                    let document =
                        report.document(Kind::Alert, &alert, &[], &format!("alert {}", text(&alert["name"])));
                    writer.write("alerts.yaml", &document)?;
                    report.alerts += 1;
                }
            }
        }
        report.progress.end();
        writer.end(self.collection.is_none() && self.set.name.is_none())?;
        report.tell(self.directory.as_deref());
        Ok(())
    }

    /// Writes a collection and its jobs, one page of them after the other.
    fn collection(
        &self,
        server: &Server,
        collection: &Value,
        home: Option<&str>,
        writer: &mut Writer<'_>,
        report: &mut Report,
    ) -> Result<(), Failure> {
        let [subscription, group, name] = names(collection).ok_or_else(|| anyhow!("a collection has no path"))?;
        let path = text(&collection["path"]);
        let is_home = home.is_some_and(|home| path.to_lowercase().starts_with(&home.to_lowercase()));
        let place = [("subscription", subscription.as_str()), ("group", group.as_str())];
        let place: &[(&str, &str)] = if is_home { &[] } else { &place };
        let spelled = |name: &str| utf8_percent_encode(name, ENCODED).to_string();
        let file = format!("{}.yaml", spelled(&name));
        let file = if is_home { file } else { format!("{}/{}/{file}", spelled(&subscription), spelled(&group)) };
        let is_wanted = |kind, value: &Value| {
            self.set.name.is_none() || Set::of(kind, value).map(ToOwned::to_owned) == self.set.name
        };
        if is_wanted(Kind::Collection, collection) {
            let document = report.document(Kind::Collection, collection, place, &name);
            writer.write(&file, &document)?;
            report.collections += 1;
        }
        let query =
            format!("collection={}&subscription={}&group={}", encode(&name), encode(&subscription), encode(&group));
        let mut pages = Pages::new(server, format!("/v1/jobs?$top=500&{query}"), usize::MAX);
        while let Some(jobs) = pages.next("job")? {
            for job in jobs {
                let is_ended = matches!(job["state"].as_str(), Some("completed" | "faulted"));
                if !is_wanted(Kind::Job, &job) || (is_ended && !self.ended) {
                    report.ended += u64::from(is_ended && !self.ended);
                    continue;
                }
                let own = [place, &[("collection", name.as_str())]].concat();
                let document = report.document(Kind::Job, &job, &own, &format!("{name}/{}", text(&job["name"])));
                writer.write(&file, &document)?;
                report.jobs += 1;
            }
            report.progress.tell(report.jobs, "job");
        }
        Ok(())
    }
}

/// What was written.
#[derive(Default)]
struct Report {
    collections: u64,
    jobs: u64,
    alerts: u64,
    ended: u64,
    has_masks: bool,
    /// Names of variables that are given already.
    variables: BTreeSet<String>,
    progress: Progress,
}

impl Report {
    /// The document of something that the server has answered with.
    fn document(&mut self, kind: Kind, answered: &Value, place: &[(&str, &str)], owner: &str) -> Value {
        let mut members = Map::new();
        members.insert("kind".to_owned(), kind.name().into());
        members.insert("name".to_owned(), answered["name"].clone());
        members.extend(place.iter().map(|(name, value)| ((*name).to_owned(), (*value).into())));
        let said = answered.as_object().into_iter().flatten();
        let said = said.filter(|(name, _)| !ANSWERED.contains(&name.as_str()));
        members.extend(said.map(|(name, value)| (name.clone(), value.clone())));
        let mut document = Value::Object(members);
        if kind != Kind::Collection {
            references::add(&mut document, owner, &mut self.variables);
        }
        self.has_masks |= has_mask(&document);
        document
    }

    fn tell(&self, directory: Option<&Path>) {
        let counts = [(self.collections, "collection"), (self.jobs, "job"), (self.alerts, "alert")];
        let counts = counts.map(|(number, what)| punctual_model::plural(number, what)).join(", ");
        if let Some(directory) = directory {
            print_note(&format!("{}: {counts}", directory.display()));
        }
        if self.ended > 0 {
            let jobs = punctual_model::plural(self.ended, "job");
            print_note(&format!("{jobs} that ended left out; --ended writes them, too"));
        }
        if self.has_masks {
            print_note(
                "warning: *** stands for what you may not see: an apply keeps what is there, and can make nothing new of it",
            );
        }
    }
}

fn has_mask(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains(MASK),
        Value::Array(items) => items.iter().any(has_mask),
        Value::Object(members) => members.values().any(has_mask),
        _ => false,
    }
}

/// The collections of all groups that the caller may see, as `/v1` shows them.
pub(super) fn list_collections(server: &Server) -> Result<Vec<Value>, Failure> {
    let mut found = Vec::new();
    let version = "api-version=2016-03-01";
    let mut subscriptions = Pages::new(server, format!("/subscriptions?{version}"), usize::MAX);
    while let Some(page) = subscriptions.next("subscription")? {
        for subscription in page {
            let id = encode(&text(&subscription["subscriptionId"]));
            let path = format!("/subscriptions/{id}/providers/Microsoft.Scheduler/jobCollections?{version}");
            let mut collections = Pages::new(server, path, usize::MAX);
            while let Some(page) = collections.next("collection")? {
                for listed in page {
                    let Some([subscription, group, name]) = names(&listed) else { continue };
                    let place = format!("subscription={}&group={}", encode(&subscription), encode(&group));
                    match server.call("GET", &format!("/v1/collections/{}?{place}", encode(&name)), None) {
                        // The collection was deleted after it was listed.
                        Err(Failure::NotFound(_)) => {}
                        shown => found.push(shown?),
                    }
                }
            }
        }
    }
    Ok(found)
}

/// The names in the path of a collection.
fn names(collection: &Value) -> Option<[String; 3]> {
    let path = collection["path"].as_str().or(collection["id"].as_str())?;
    let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
    let [_, subscription, _, group, _, _, _, name] = parts[..] else { return None };
    Some([subscription, group, name].map(ToOwned::to_owned))
}

/// Writes documents to files, or all of them to stdout.
struct Writer<'a> {
    directory: Option<&'a Path>,
    /// The file that is written now.
    open: Option<(String, BufWriter<File>)>,
    stdout: BufWriter<io::Stdout>,
    is_begun: bool,
    written: BTreeSet<PathBuf>,
}

impl<'a> Writer<'a> {
    fn new(directory: Option<&'a Path>) -> Result<Self, Failure> {
        if let Some(directory) = directory {
            fs::create_dir_all(directory).with_context(|| format!("cannot make {}", directory.display()))?;
        }
        let stdout = BufWriter::new(io::stdout());
        Ok(Self { directory, open: None, stdout, is_begun: false, written: BTreeSet::new() })
    }

    /// Writes a document. Documents of a file come one after the other.
    fn write(&mut self, file: &str, document: &Value) -> Result<(), Failure> {
        let text = yaml::write(document).map_err(io::Error::other)?;
        let Some(directory) = self.directory else {
            let marker = if std::mem::replace(&mut self.is_begun, true) { "---\n" } else { "" };
            return Ok(writeln!(self.stdout, "{marker}{text}")?);
        };
        let path = directory.join(file);
        let failed = || format!("cannot write {}", path.display());
        if self.open.as_ref().is_none_or(|(open, _)| open != file) {
            self.close()?;
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent).with_context(failed)?;
            }
            let mut writer = BufWriter::new(File::create(&path).with_context(failed)?);
            writeln!(writer, "{HEADER}").with_context(failed)?;
            self.written.insert(path.clone());
            self.open = Some((file.to_owned(), writer));
        }
        if let Some((_, writer)) = &mut self.open {
            writeln!(writer, "---\n{text}").with_context(failed)?;
        }
        Ok(())
    }

    fn close(&mut self) -> Result<(), Failure> {
        if let Some((file, mut writer)) = self.open.take() {
            writer.flush().with_context(|| format!("cannot write {file}"))?;
        }
        Ok(())
    }

    /// Ends what is open. Where everything was written, files of an earlier export whose collections are gone are removed.
    fn end(mut self, is_all: bool) -> Result<(), Failure> {
        self.close()?;
        self.stdout.flush()?;
        let Some(directory) = self.directory.filter(|_| is_all) else { return Ok(()) };
        for path in super::documents::find_files(&[directory.display().to_string()])? {
            let is_ours = || fs::read_to_string(&path).is_ok_and(|text| text.starts_with(HEADER));
            if !self.written.contains(&path) && is_ours() {
                fs::remove_file(&path).with_context(|| format!("cannot remove {}", path.display()))?;
            }
        }
        Ok(())
    }
}
