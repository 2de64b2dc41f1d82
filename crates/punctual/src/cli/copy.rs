//! `punctual copy`.

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use clap::Args;
use punctual_model::plural;
use punctual_model::time::{Clock, TICKS_PER_SECOND};
use punctual_store::copy::{CopyReport, Keys, LeftOut, Place, Progress, Stage, copy};
use punctual_store::seal::Keyring;
use rustix::fs::Mode;
use rustix::process::umask;
use serde_json::{Value, json};

use super::failure::{Failure, print_note};
use super::output::{Output, visible};
use super::remote::table;
use super::settings;
use crate::clock::SystemClock;

/// How often the copy says how far it has come.
const TOLD_EVERY: i64 = 2 * TICKS_PER_SECOND;

/// Copy all jobs, their history and all else into another store, between SQLite and PostgreSQL
#[derive(Args)]
#[command(after_help = "\
STORE is a data directory, sqlite:DIRECTORY, or postgres://USER@HOST/DATABASE (search_path=SCHEMA names another schema than punctual).
Stop the servers of both first. The target must be empty; an interrupted copy goes on where it ended. Actions are sealed with the key
of the target: its secret.key (which is made if it is not there), --to-key, or the setting secrets.key. Who has signed in to the
console signs in again. What may have been sent without a record is marked, and is sent again with x-punctual-resent.
Exit status: 0 both stores have the same, 1 they do not, or something could not be read, 2 invalid input.")]
pub(crate) struct Arguments {
    /// The store that is copied
    #[arg(long, value_name = "STORE")]
    from: String,

    /// The store that becomes its copy
    #[arg(long, value_name = "STORE")]
    to: String,

    /// The file with the keys of the source [default: its secret.key, or the setting secrets.key]
    #[arg(long, value_name = "FILE")]
    from_key: Option<PathBuf>,

    /// The file with the keys of the target [default: its secret.key, or the setting secrets.key]
    #[arg(long, value_name = "FILE")]
    to_key: Option<PathBuf>,

    /// A file with settings, for secrets.key [default: the one that PUNCTUAL_CONFIG names, if any]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    #[arg(long, value_enum, default_value = "table")]
    output: Output,
}

/// Copies, says how far that has come, and shows by what the copy was verified.
pub(crate) fn run(arguments: &Arguments, clock: SystemClock) -> Result<(), Failure> {
    let place = |flag: &str, text: &str| {
        Place::parse(text).map_err(|reason| Failure::Refused(vec![format!("{flag}: {reason}")]))
    };
    let (from, to) = (place("--from", &arguments.from)?, place("--to", &arguments.to)?);
    let configured = || settings::load(arguments.config.as_deref()).map(|config| config.secrets.keyring);
    let from_keys = Keys { named: read_keys(arguments.from_key.as_deref())?, configured: configured()? };
    let to_keys = Keys { named: read_keys(arguments.to_key.as_deref())?, configured: configured()? };
    // A data directory is nobody else's business on this machine.
    umask(Mode::from_raw_mode(0o077));
    let threads = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let runtime = threads.context("cannot start threads")?;
    let mut meter = Meter::new(clock);
    let mut tell = |progress: &Progress| meter.tell(progress);
    let report =
        runtime.block_on(copy((&from, from_keys), (&to, to_keys), &mut tell)).map_err(|error| anyhow!(error))?;
    meter.sum_up(&report);
    match arguments.output {
        Output::Name => _ = arguments.output.print(&as_json(&report)["tables"], |it| table::text(&it["name"]))?,
        Output::Json | Output::Yaml => _ = arguments.output.print(&as_json(&report), table::text)?,
        Output::Table => {
            let row = |it: &punctual_store::copy::CopiedTable| {
                let is_same = if it.is_same() { "yes" } else { "NO" };
                vec![
                    it.name.clone(),
                    it.rows.0.to_string(),
                    it.rows.1.to_string(),
                    it.checksums.1[..16].to_owned(),
                    is_same.to_owned(),
                ]
            };
            let rows: Vec<_> = report.tables.iter().map(row).collect();
            table::print(&["TABLE", "ROWS", "COPIED", "CHECKSUM", "SAME"], &rows)?;
        }
    }
    for LeftOut { table, key, reason, is_kept } in &report.left_out {
        let what = if *is_kept {
            "copied as it is, though it cannot be opened"
        } else {
            "left out, because it cannot be read"
        };
        let separator = if key.is_empty() { "" } else { " " };
        print_note(&visible(&format!("{what}: {table}{separator}{key}: {reason}")));
    }
    conclude(&report)
}

fn conclude(report: &CopyReport) -> Result<(), Failure> {
    if !report.is_verified() {
        let reason = "the two stores differ, and no server starts on the copy; empty the target, and copy again";
        return Err(anyhow!("{reason}").into());
    }
    if report.left_out_count > 0 {
        let things = plural(report.left_out_count, "thing");
        return Err(anyhow!(
            "{things} could not be read in the source; all else was copied and verified, and the copy can be used"
        )
        .into());
    }
    print_note("both stores have the same; sessions of the console were not copied. Start servers on one of them only");
    Ok(())
}

/// The keys in a file.
fn read_keys(file: Option<&Path>) -> Result<Option<Keyring>, Failure> {
    let Some(file) = file else { return Ok(None) };
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read the key file {}", file.display()))?;
    Ok(Some(Keyring::parse(&text).with_context(|| format!("the key file {}", file.display()))?))
}

fn as_json(report: &CopyReport) -> Value {
    let tables = report.tables.iter().map(|it| {
        json!({"name": it.name, "rows": it.rows.0, "copied": it.rows.1, "isSame": it.is_same(),
            "checksum": it.checksums.0, "checksumOfCopy": it.checksums.1})
    });
    let left_out = report
        .left_out
        .iter()
        .map(|it| json!({"table": it.table, "key": it.key, "reason": it.reason, "isKept": it.is_kept}));
    json!({
        "from": report.from,
        "to": report.to,
        "isVerified": report.is_verified(),
        "rows": report.rows(),
        "rowsOfEarlierCopy": report.resumed_rows,
        "tables": tables.collect::<Vec<_>>(),
        "leftOut": left_out.collect::<Vec<_>>(),
        "leftOutCount": report.left_out_count,
    })
}

/// Measures how fast a copy is, and says so now and then.
struct Meter {
    clock: SystemClock,
    stage: Option<Stage>,
    /// When the stage began, and when it was last told how far it is.
    begun: i64,
    told: i64,
    /// How long copying took.
    copied_in: i64,
}

impl Meter {
    const fn new(clock: SystemClock) -> Self {
        Self { clock, stage: None, begun: 0, told: 0, copied_in: 0 }
    }

    fn tell(&mut self, progress: &Progress) {
        let now = self.clock.steady();
        if self.stage != Some(progress.stage) {
            if self.stage.is_some() {
                self.copied_in = now - self.begun;
            }
            (self.stage, self.begun, self.told) = (Some(progress.stage), now, now);
            if progress.done_before > 0 {
                print_note(&format!(
                    "going on with an interrupted copy, which has {}",
                    plural(progress.done_before, "row")
                ));
            }
        }
        if now - self.told < TOLD_EVERY {
            return;
        }
        self.told = now;
        print_note(&describe(progress, now - self.begun));
    }

    /// Says how many rows were copied, and how fast.
    fn sum_up(&self, report: &CopyReport) {
        let (copied, verified_in) = (report.copied_rows, self.clock.steady() - self.begun);
        let seconds = |ticks: i64| {
            let tenths = ticks / (TICKS_PER_SECOND / 10);
            format!("{}.{}", tenths / 10, tenths % 10)
        };
        print_note(&format!(
            "copied {} from {} to {} in {} s, {} rows a second; verified in {} s",
            plural(copied, "row"),
            visible(&report.from),
            visible(&report.to),
            seconds(self.copied_in),
            rate(copied, self.copied_in),
            seconds(verified_in),
        ));
    }
}

/// How many rows a second that is.
fn rate(rows: u64, ticks: i64) -> u64 {
    rows.saturating_mul(TICKS_PER_SECOND.unsigned_abs()) / ticks.unsigned_abs().max(1)
}

/// How far a stage has come after so many ticks.
fn describe(progress: &Progress, ticks: i64) -> String {
    let Progress { stage, table, done, done_before, total } = progress;
    let verb = match stage {
        Stage::Copying => "copying",
        Stage::Verifying => "verifying",
    };
    let a_second = rate(done - done_before, ticks);
    let left =
        total.saturating_sub(*done).checked_div(a_second).map_or(String::new(), |left| format!(", {left} s left"));
    format!("{verb} {table}: {done} of {} ({a_second} a second{left})", plural(*total, "row"))
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;

    use super::{Progress, Stage, TICKS_PER_SECOND, describe};

    #[test]
    fn progress_is_told_with_rate_and_time_left() {
        let at = |done, done_before| Progress {
            stage: Stage::Copying,
            table: "job".to_owned(),
            done,
            done_before,
            total: 1000,
        };
        assert_snapshot!(describe(&at(400, 0), 2 * TICKS_PER_SECOND), @"copying job: 400 of 1000 rows (200 a second, 3 s left)");
        assert_snapshot!(describe(&at(400, 300), TICKS_PER_SECOND), @"copying job: 400 of 1000 rows (100 a second, 6 s left)");
        assert_snapshot!(describe(&at(0, 0), TICKS_PER_SECOND), @"copying job: 0 of 1000 rows (0 a second)");
    }
}
