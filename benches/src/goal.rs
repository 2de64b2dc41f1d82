//! A number that was promised, beside the number that was measured.

use std::process::ExitCode;

use serde_json::{Value, json};

/// One goal of a benchmark.
#[derive(Clone, Debug, PartialEq)]
pub struct Goal {
    what: String,
    limit: String,
    measured: String,
    is_met: bool,
}

impl Goal {
    /// `measured` may not be above `limit`.
    pub fn at_most(what: &str, limit: f64, measured: f64, unit: &str) -> Self {
        let limit_text = format!("at most {limit}{unit}");
        Self { what: what.into(), limit: limit_text, measured: number(measured, unit), is_met: measured <= limit }
    }

    /// `measured` may not be below `limit`.
    pub fn at_least(what: &str, limit: f64, measured: f64, unit: &str) -> Self {
        let limit_text = format!("at least {limit}{unit}");
        Self { what: what.into(), limit: limit_text, measured: number(measured, unit), is_met: measured >= limit }
    }

    /// The same goal; `at` says which row the measured number, the worst one, stands in.
    #[must_use]
    pub fn seen_at(mut self, at: impl std::fmt::Display) -> Self {
        self.measured = format!("{} ({at})", self.measured);
        self
    }

    /// As a line of a report.
    pub fn line(&self) -> String {
        let mark = if self.is_met { "met   " } else { "MISSED" };
        format!("{mark}  {:<44} {:<18} {}", self.what, self.limit, self.measured)
    }

    /// As a member of a JSON report.
    pub fn json(&self) -> Value {
        json!({ "goal": self.what, "limit": self.limit, "measured": self.measured, "met": self.is_met })
    }
}

/// How the program ends: a missed goal is a failure only where the caller asked for the check.
pub fn conclude(goals: &[Goal], check: bool) -> ExitCode {
    let missed = goals.iter().filter(|goal| !goal.is_met).count();
    if check && missed > 0 {
        eprintln!("{missed} of {} goals missed", goals.len());
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

fn number(value: f64, unit: &str) -> String {
    if value >= 100.0 { format!("{value:.0}{unit}") } else { format!("{value:.2}{unit}") }
}
