//! The report of an import.

use std::io;

use punctual_import::{Finding, Job, Report, Verdict};
use serde_json::{Value, json};

use super::super::table;
use super::Read;
use crate::cli::output::{print_lines, visible};

/// For people: a table for each file, what is to be said about its items, and what is missing.
pub(super) fn table(reads: &[Read]) -> io::Result<()> {
    for Read { file, report } in reads {
        let counts = Verdict::ALL.map(|verdict| format!("{} {}", report.count(verdict), verdict.name()));
        print_lines(format_args!("{}: {}", visible(file), counts.join(", ")))?;
        let row = |finding: &Finding| {
            let job = finding.job.as_deref().unwrap_or("-");
            let next = job_of(report, finding).and_then(|job| job.next.first());
            vec![
                finding.line.to_string(),
                finding.verdict.name().to_owned(),
                job.to_owned(),
                next.map_or_else(|| "-".to_owned(), ToString::to_string),
                finding.item.clone(),
            ]
        };
        let rows: Vec<_> = report.findings.iter().map(row).collect();
        table::print_fitting(&["LINE", "FITS", "JOB", "NEXT RUN", "ITEM"], &rows)?;
        let mut lines = Vec::new();
        for finding in &report.findings {
            let remark =
                |remark: &String| format!("line {}: {}: {}", finding.line, finding.verdict.name(), visible(remark));
            lines.extend(finding.remarks.iter().map(remark));
        }
        lines.extend(report.notes.iter().map(|note| format!("note: {}", visible(note))));
        let hole = |part: &punctual_arm::HolePart| {
            format!("fill in: --set {}=…  ({}, line {})", visible(&part.name), visible(&part.what), part.line)
        };
        lines.extend(report.holes.iter().map(hole));
        if !lines.is_empty() {
            print_lines(lines.join("\n"))?;
        }
    }
    Ok(())
}

/// For programs. Jobs are named and not shown: they may have secrets in them.
pub(super) fn report(reads: &[Read]) -> Value {
    let file = |Read { file, report }: &Read| {
        let finding = |finding: &Finding| {
            let job = job_of(report, finding);
            let next: Vec<_> = job.map(|job| job.next.iter().map(ToString::to_string).collect()).unwrap_or_default();
            json!({
                "line": finding.line,
                "item": finding.item,
                "fits": finding.verdict.name(),
                "job": finding.job,
                "remarks": finding.remarks,
                "nextRuns": next,
                "schedule": job.map(|job| &job.description),
                "canBeEnabled": job.map(|job| job.can_be_enabled),
            })
        };
        let hole = |part: &punctual_arm::HolePart| json!({ "name": part.name, "what": part.what, "line": part.line });
        json!({
            "file": file,
            "items": report.findings.iter().map(finding).collect::<Vec<_>>(),
            "holes": report.holes.iter().map(hole).collect::<Vec<_>>(),
            "notes": report.notes,
            "collections": report.collections.iter().map(|collection| &collection.name).collect::<Vec<_>>(),
        })
    };
    Value::Array(reads.iter().map(file).collect())
}

/// The addresses of the jobs that would be made.
pub(super) fn names(reads: &[Read]) -> Value {
    let jobs = reads.iter().flat_map(|read| &read.report.jobs);
    jobs.map(|job| json!(format!("{}/{}", job.collection, job.name))).collect()
}

/// The job that is made of an item.
fn job_of<'a>(report: &'a Report, finding: &Finding) -> Option<&'a Job> {
    let path = finding.job.as_ref()?;
    report.jobs.iter().find(|job| format!("{}/{}", job.collection, job.name) == *path)
}
