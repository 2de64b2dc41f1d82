//! Other job queues, each a small program of its own beside this file.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::database::Database;
use crate::redis::Redis;

/// A job queue that Punctual is compared with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Peer {
    GraphileWorker,
    PgBoss,
    BullMq,
}

impl Peer {
    pub(crate) const ALL: [Self; 3] = [Self::GraphileWorker, Self::PgBoss, Self::BullMq];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::GraphileWorker => "graphile-worker",
            Self::PgBoss => "pg-boss",
            Self::BullMq => "BullMQ",
        }
    }

    const fn program(self) -> &'static str {
        match self {
            Self::GraphileWorker => "graphile.mjs",
            Self::PgBoss => "pg-boss.mjs",
            Self::BullMq => "bullmq.mjs",
        }
    }

    /// The database it is in.
    const fn database(self) -> &'static str {
        match self {
            Self::GraphileWorker => "peer_graphile",
            Self::PgBoss => "peer_pg_boss",
            Self::BullMq => "peer_bullmq",
        }
    }

    /// Ends this program if what it needs is not installed.
    pub(crate) fn check_installed(self) {
        let package =
            if self == Self::GraphileWorker { "graphile-worker" } else { self.program().trim_end_matches(".mjs") };
        if !directory().join("node_modules").join(package).is_dir() {
            let name = self.name();
            eprintln!(
                "{name} is not installed: npm install --no-package-lock --ignore-scripts --prefix benches/cluster/peers"
            );
            eprintln!("without other queues: --only punctual --only limit --only steady --only nodes --only bloat");
            std::process::exit(2)
        }
    }

    pub(crate) fn prepare(self, database: &Database) {
        database.create(self.database());
    }

    /// Runs so many jobs. Says how many it did a second, from its first call to its last settlement.
    pub(crate) fn measure(self, database: &Database, target: &str, jobs: usize) -> f64 {
        let redis = (self == Self::BullMq).then(Redis::start);
        let mut command = Command::new("node");
        command.arg(directory().join(self.program())).stdin(Stdio::null()).stderr(Stdio::inherit());
        command.env("NODE_ENV", "production").env("DATABASE", database.url(self.database()));
        command.env("REDIS", redis.as_ref().map_or(0, |redis| redis.port).to_string());
        let ended = command.env("TARGET", target).env("JOBS", jobs.to_string()).output().expect("node");
        let said = String::from_utf8_lossy(&ended.stdout);
        let line = said.lines().last().unwrap_or_default();
        let said: Value = serde_json::from_str(line).unwrap_or_default();
        assert!(ended.status.success() && said["called"] == jobs, "{} failed: {line}", self.name());
        // So that nothing of its turn is cleared away in the next one's.
        database.session(self.database()).run("vacuum");
        #[expect(clippy::cast_precision_loss, reason = "there are not so many")]
        let jobs = jobs as f64;
        jobs / said["seconds"].as_f64().expect("a number")
    }
}

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("cluster").join("peers")
}
