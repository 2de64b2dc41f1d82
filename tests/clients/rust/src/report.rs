//! What was tried, and how it went.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::process::ExitCode;

use futures::FutureExt;

/// Prints a line for each check.
#[derive(Default)]
pub struct Report {
    passed: u32,
    failed: u32,
}

impl Report {
    /// Does it. A check that fails, which is one that panics, does not keep the others from running.
    pub async fn check(&mut self, name: &str, check: impl Future<Output = ()>) {
        if AssertUnwindSafe(check).catch_unwind().await.is_ok() {
            self.passed += 1;
            println!("ok {name}");
        } else {
            self.failed += 1;
            println!("FAILED {name}");
        }
    }

    /// Prints the sum of them.
    pub fn finish(self, client: &str) -> ExitCode {
        let failed = if self.failed == 0 { String::new() } else { format!(", {} failed", self.failed) };
        println!("{client}: {} passed{failed}", self.passed);
        if self.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}
