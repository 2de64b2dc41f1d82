//! `punctual import`: jobs of other schedulers.

mod check;
mod file;
mod show;
mod write;

use std::collections::BTreeMap;

use clap::{Args, ValueEnum};
use punctual_import::{Kind, Report, Settings};
use punctual_model::Violation;
use punctual_model::time::Timestamp;

use super::connection::Connection;
use super::table::text;
use crate::cli::failure::{Failure, print_note};
use crate::cli::output::Output;

/// Bring jobs along from another scheduler, with a report of how well each of them fits
#[derive(Args)]
#[command(after_help = "\
Examples:
  punctual import crontab /etc/cron.d/web --time-zone Europe/Berlin
  punctual import arm template.json --parameters parameters.json --group web --set-file sasToken=secret.txt --yes
  crontab -l | punctual import crontab - --yes --enable

The report comes first; nothing is written without --yes. Jobs are made disabled, and --enable enables those that were
enabled before and of which nothing is missing. A file is imported as a whole or not at all. What is not in a file, such as
a key that only Azure knows, has a name in the report and is filled in with --set or --set-file; until then its job stays
disabled.
Exit status: 0 done or shown, 1 failed, 2 something is wrong with a file, 3 no such file, 4 not allowed, 5 unreachable.")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag that the user did or did not write")]
pub(crate) struct Import {
    /// Where the jobs come from
    #[arg(value_enum)]
    kind: Origin,

    /// The files to read; - is stdin
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,

    /// Only show the report
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,

    /// Make the jobs that the report shows
    #[arg(long)]
    yes: bool,

    /// Enable the jobs, too; with jobs that an earlier import has made, enable those
    #[arg(long)]
    enable: bool,

    /// Make shadows: jobs that send nothing, and record what they would have sent
    #[arg(long)]
    shadow: bool,

    /// A file with the parameters of a template
    #[arg(long, value_name = "FILE")]
    parameters: Option<String>,

    /// Fill in what is missing, by the name that the report gives it; or give a parameter of a template a value
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,

    /// The same, with the content of a file
    #[arg(long, value_name = "NAME=FILE")]
    set_file: Vec<String>,

    /// The subscription that a template is for, and that its jobs are made in [default: that of the server]
    #[arg(long, value_name = "ID")]
    subscription: Option<String>,

    /// The resource group that a template is for, and that its jobs are made in [default: that of the server]
    #[arg(long, value_name = "NAME")]
    group: Option<String>,

    /// The collection of jobs whose origin has none
    #[arg(long, value_name = "NAME", default_value = "default")]
    collection: String,

    /// The time zone of a crontab that does not say it [default: UTC]
    #[arg(long, value_name = "ZONE")]
    time_zone: Option<String>,

    #[arg(long, value_enum, default_value = "table")]
    output: Output,

    #[command(flatten)]
    connection: Connection,
}

/// Where jobs come from.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Origin {
    /// ARM templates with jobs of Azure Scheduler
    Arm,
    /// What Azure Scheduler answered to GET
    AzureJson,
    /// Workflows of Azure Logic Apps: a recurrence and an HTTP action
    LogicApp,
    /// Lines that call curl or wget
    Crontab,
    /// CronJobs that call curl or wget
    Kubernetes,
    /// Schedules and rules of Amazon EventBridge, or a state of Terraform
    Eventbridge,
    /// Jobs of Google Cloud Scheduler, or a state of Terraform
    Google,
    /// azurerm_scheduler_job in a state of Terraform
    TerraformAzurerm,
}

impl Origin {
    fn kind(self) -> Kind {
        match self {
            Self::Arm => Kind::Arm,
            Self::AzureJson => Kind::AzureJson,
            Self::LogicApp => Kind::LogicApp,
            Self::Crontab => Kind::Crontab,
            Self::Kubernetes => Kind::Kubernetes,
            Self::Eventbridge => Kind::EventBridge,
            Self::Google => Kind::Google,
            Self::TerraformAzurerm => Kind::TerraformAzurerm,
        }
    }
}

/// A file and what would come of it.
struct Read {
    file: String,
    report: Report,
}

impl Import {
    /// Reads the files, shows what would come of them, and makes the jobs if that is wanted.
    pub(crate) fn run(&self, now: Timestamp) -> Result<(), Failure> {
        let reads = self.read(now)?;
        match self.output {
            Output::Table => show::table(&reads)?,
            Output::Name => _ = self.output.print(&show::names(&reads), text)?,
            Output::Json | Output::Yaml => _ = self.output.print(&show::report(&reads), text)?,
        }
        let jobs: usize = reads.iter().map(|read| read.report.jobs.len()).sum();
        if jobs == 0 {
            print_note("there is nothing to import");
            return Ok(());
        }
        if !self.yes {
            let jobs = punctual_model::plural(u64::try_from(jobs).unwrap_or(u64::MAX), "job");
            print_note(&format!("nothing was written; --yes makes the {jobs}, disabled unless --enable is given"));
            return Ok(());
        }
        let place = write::Place { subscription: self.subscription.as_deref(), group: self.group.as_deref() };
        let server = self.connection.open()?;
        for read in &reads {
            write::file(&server, read, &place, write::Wish { is_enabling: self.enable, is_shadow: self.shadow })?;
        }
        Ok(())
    }

    /// Reads every file. Nothing is written if one of them cannot be read.
    fn read(&self, now: Timestamp) -> Result<Vec<Read>, Failure> {
        let fills = self.fills()?;
        let parameters = self.parameters.as_deref().map(file::json).transpose()?;
        let check = check::check(now);
        let settings = Settings {
            parameters: parameters.as_ref(),
            fills: &fills,
            subscription: self.subscription.as_deref(),
            group: self.group.as_deref(),
            collection: &self.collection,
            time_zone: self.time_zone.as_deref(),
            now,
            check: &check,
        };
        let mut violations = Vec::new();
        let mut reads = Vec::new();
        for name in &self.files {
            match punctual_import::read(self.kind.kind(), &file::text(name)?, &settings) {
                Ok(report) => reads.push(Read { file: name.clone(), report }),
                Err(wrong) => {
                    let in_file =
                        |violation: Violation| Violation { path: format!("{name}: {}", violation.path), ..violation };
                    violations.extend(wrong.into_iter().map(in_file));
                }
            }
        }
        if violations.is_empty() { Ok(reads) } else { Err(violations.into()) }
    }

    /// What fills holes.
    fn fills(&self) -> Result<BTreeMap<String, String>, Failure> {
        let mut fills = BTreeMap::new();
        for (option, given) in [("--set", &self.set), ("--set-file", &self.set_file)] {
            for pair in given {
                let (name, value) =
                    pair.split_once('=').filter(|(name, _)| !name.trim().is_empty()).ok_or_else(|| {
                        // Not repeated: what stands there may be the secret.
                        Violation::new(option, "a text without =", "NAME=VALUE, with a name from the report")
                    })?;
                let value = if option == "--set" { value.to_owned() } else { file::text(value)? };
                fills.insert(name.trim().to_owned(), value);
            }
        }
        Ok(fills)
    }
}
