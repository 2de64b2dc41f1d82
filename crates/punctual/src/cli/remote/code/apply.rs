//! `punctual diff` and `punctual apply`.

use std::collections::BTreeSet;

use anyhow::anyhow;
use clap::Args;
use serde_json::Value;

use super::bulk::{self, Batch, Condition};
use super::documents;
use super::object::{Kind, Object};
use super::plan::{Plan, Planner, Printer, Wanted};
use super::prune::{self, Leftovers};
use super::references::{self, Missing};
use super::set::Set;
use super::spool::Spool;
use crate::cli::failure::{Failure, print_note};
use crate::cli::output::{Output, visible};
use crate::cli::progress::Progress;
use crate::cli::remote::address::home;
use crate::cli::remote::client::Server;
use crate::cli::remote::connection::Connection;

/// Sentences about what is wrong that are printed; more are not read.
const SENTENCES_MAX: usize = 50;
/// References without a value that are named.
const MISSING_MAX: usize = 10;

/// What is applied, and to which server.
#[derive(Args)]
struct Source {
    /// A file, or a directory with files; - is stdin. May be given several times
    #[arg(short = 'f', long = "file", value_name = "PATH", required = true)]
    files: Vec<String>,

    #[command(flatten)]
    set: Set,

    /// Delete what belongs to the set and is not in the files
    #[arg(long, requires = "name")]
    prune: bool,

    /// Take what belongs to another set
    #[arg(long)]
    take_over: bool,

    #[arg(long, value_enum, default_value = "table")]
    output: Output,

    /// Say on stderr how far it is, also where that is no terminal
    #[arg(long)]
    progress: bool,

    #[command(flatten)]
    connection: Connection,
}

/// Show what punctual apply would change, in words and dates
#[derive(Args)]
#[command(after_help = "\
Examples:
  punctual diff -f jobs
  punctual diff -f jobs --set web --prune --check || echo there is something to apply

The server says what would change, and nothing is written.
Exit status: 0 shown, 1 failed, 2 something is wrong with a file, 3 no such file, 4 not allowed, 5 unreachable, 6 with --check: there is
something to change.")]
pub(crate) struct Diff {
    #[command(flatten)]
    source: Source,

    /// End with the exit status 6 if there is something to change
    #[arg(long)]
    check: bool,
}

/// Make collections, jobs and alerts what files say
#[derive(Args)]
#[command(after_help = "\
Examples:
  punctual apply -f jobs
  punctual apply -f jobs --set web --prune
  punctual export -o jobs && git diff

All files are read, and the server plans all of it, before anything is written: if something in them is wrong, nothing is. What is so
already is not written, so that an apply can be repeated. If somebody changes something between its plan and its write, the
apply stops there; apply again. With --set everything that is written is marked as part of that set, and --prune deletes what has the
mark and is not in the files any more. Secrets do not stand in files: {fromEnv: NAME} and {fromFile: PATH} say where they are, and
without a value the stored secret stays.
Exit status: 0 done, 1 failed, 2 something is wrong with a file, 3 no such file, 4 not allowed, 5 unreachable, 6 with --check: there is
something to change.")]
pub(crate) struct Apply {
    #[command(flatten)]
    source: Source,

    /// Only show what would change
    #[arg(long)]
    dry_run: bool,

    /// With --dry-run: end with the exit status 6 if there is something to change
    #[arg(long, requires = "dry_run")]
    check: bool,
}

impl Diff {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let server = self.source.connection.open()?;
        self.source.plan(&server)?.finish(self.check)
    }
}

impl Apply {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let server = self.source.connection.open()?;
        let planned = self.source.plan(&server)?;
        if self.dry_run { planned.finish(self.check) } else { planned.apply(&server, &self.source) }
    }
}

/// What is wanted, and what has to be done for it.
struct Planned {
    wanted: Wanted,
    plan: Plan,
    leftovers: Leftovers,
}

impl Source {
    /// Reads the files, asks the server what would change, and prints that.
    fn plan(&self, server: &Server) -> Result<Planned, Failure> {
        let mut wanted = self.read(server)?;
        let mut progress = Progress::wanted(self.progress);
        let mut printer = Printer::new(self.output);
        let mut planner =
            Planner { server, takes_over: self.take_over, printer: &mut printer, progress: &mut progress };
        let mut plan = planner.plan(&mut wanted)?;
        let leftovers = match &self.set.name {
            Some(set) if self.prune => prune::find(server, set, &wanted, &mut printer, &mut plan.counts)?,
            _ => Vec::new(),
        };
        printer.end()?;
        tell_missing(&plan.missing);
        if !plan.refused.is_empty() {
            let mut sentences = std::mem::take(&mut plan.refused);
            cut(&mut sentences);
            print_note("not all of this can be written, so that nothing is:");
            return Err(Failure::Refused(sentences));
        }
        Ok(Planned { wanted, plan, leftovers })
    }

    /// Reads all files. Everything that is wrong with them is told at once.
    fn read(&self, server: &Server) -> Result<Wanted, Failure> {
        let home = home(server)?.unwrap_or_default();
        let home: Vec<&str> = home.trim_start_matches('/').split('/').collect();
        let home = (home.get(1).copied().unwrap_or_default(), home.get(3).copied().unwrap_or_default());
        let mut wanted = Wanted {
            collections: Vec::new(),
            jobs: Spool::new()?,
            alerts: Vec::new(),
            is_vague: false,
            keys: BTreeSet::new(),
        };
        let (mut wrong, mut wrong_documents) = (Vec::new(), Vec::new());
        for file in documents::find_files(&self.files)? {
            documents::read_file(&file, &mut wrong_documents, &mut |document| {
                let object = Object::read(document, &self.set, home);
                wanted.is_vague |= object.as_ref().is_ok_and(Object::is_vague);
                match object {
                    Err(sentences) => wrong.extend(sentences),
                    Ok(object) if !wanted.keys.insert(object.fingerprint()) => {
                        wrong.push(format!("{}: {} stands in these files twice", object.place, object.name));
                    }
                    Ok(object) => match object.kind {
                        Kind::Collection => wanted.collections.push(object),
                        Kind::Job => wanted.jobs.add(&object)?,
                        Kind::Alert => wanted.alerts.push(object),
                    },
                }
                Ok(())
            })?;
        }
        wrong.extend(wrong_documents);
        if wrong.is_empty() && wanted.count() == 0 {
            wrong.push(format!("{}: there are no documents in it", self.files.join(", ")));
        }
        cut(&mut wrong);
        if wrong.is_empty() { Ok(wanted) } else { Err(Failure::Refused(wrong)) }
    }
}

/// Leaves some of many sentences.
fn cut(sentences: &mut Vec<String>) {
    if sentences.len() > SENTENCES_MAX {
        let more = sentences.len() - SENTENCES_MAX;
        sentences.truncate(SENTENCES_MAX);
        sentences.push(format!("and {more} more"));
    }
}

/// Says which references lead to nothing here.
fn tell_missing(Missing(names): &Missing) {
    if names.is_empty() {
        return;
    }
    let shown: Vec<_> = names.iter().take(MISSING_MAX).map(|name| visible(name)).collect();
    let more =
        if names.len() > MISSING_MAX { format!(" and {} more", names.len() - MISSING_MAX) } else { String::new() };
    print_note(&format!("note: not set here, so that what is stored stays: {}{more}", shown.join(", ")));
}

impl Planned {
    fn finish(self, is_checked: bool) -> Result<(), Failure> {
        let words = ["to create", "to change", "to make again", "to delete"];
        print_note(&format!("plan: {}", self.plan.counts.in_words(words)));
        if is_checked && !self.plan.counts.is_empty() { Err(Failure::NotEmpty) } else { Ok(()) }
    }

    /// Writes what the plan says, each on the condition that it still holds.
    fn apply(mut self, server: &Server, source: &Source) -> Result<(), Failure> {
        let mut run = Run { server, progress: Progress::wanted(source.progress), written: 0, failed: Vec::new() };
        let steps = std::mem::take(&mut self.plan.steps);
        let mut batch: Batch<String> = Batch::default();
        let mut missing = Missing::default();
        self.wanted.each(|number, mut object| {
            let Some(tag) = &steps[number] else { return Ok(()) };
            references::resolve(&mut object.body, &mut missing)?;
            let condition = tag.as_deref().map_or(Condition::Absent, Condition::Tag);
            let item = bulk::put(&object, &condition);
            batch.add(object.name, &item);
            if batch.is_full() { run.flush(&mut batch) } else { Ok(()) }
        })?;
        run.flush(&mut batch)?;
        for (object, tag) in self.leftovers {
            batch.add(object.name, &bulk::delete(&object.path, &Condition::Tag(&tag)));
            if batch.is_full() {
                run.flush(&mut batch)?;
            }
        }
        run.flush(&mut batch)?;
        run.progress.end();
        if run.failed.is_empty() {
            let words = ["created", "changed", "made again", "deleted"];
            print_note(&format!("applied: {}", self.plan.counts.in_words(words)));
            return Ok(());
        }
        let (written, failed) = (run.written, run.failed.len());
        for sentence in run.failed.iter().take(SENTENCES_MAX) {
            print_note(&format!("error: {}", visible(sentence)));
        }
        Err(anyhow!("{written} of {} were written; apply again for the rest", written + failed).into())
    }
}

/// Writes that are being made.
struct Run<'a> {
    server: &'a Server,
    progress: Progress,
    written: usize,
    failed: Vec<String>,
}

impl Run<'_> {
    fn flush(&mut self, batch: &mut Batch<String>) -> Result<(), Failure> {
        let mut overtaken = Vec::new();
        for (name, answer) in batch.send(self.server, false, |_| String::new())? {
            match (&answer["status"], bulk::refusal(&answer)) {
                (_, None) => self.written += 1,
                (Value::Number(status), Some(_)) if status.as_u64() == Some(412) => overtaken.push(name),
                (_, Some(sentence)) => self.failed.push(format!("{name}: {sentence}")),
            }
        }
        self.progress.tell(self.written as u64, "object");
        if overtaken.is_empty() {
            return Ok(());
        }
        self.progress.end();
        let (names, written) = (visible(&overtaken.join(", ")), self.written);
        Err(anyhow!(
            "somebody else has changed this since it was planned: {names}; {written} were written before: apply again"
        )
        .into())
    }
}
