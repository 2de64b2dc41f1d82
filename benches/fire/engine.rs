//! The engine without the rest of the server, where names can be made to hang: this program once more, in a process of its
//! own.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Instant;

use punctual_actions::egress::Egress;
use punctual_actions::{Actions, LookUp};
use punctual_benches::clock;
use punctual_engine::{Deps, Retention};
use punctual_model::time::{Clock, TICKS_PER_DAY, Timestamp};
use punctual_store::sqlite::Sqlite;
use punctual_store::{Events, NodeId, Shards, WorkStore};
use tokio_util::sync::CancellationToken;

/// What this program is told to be the engine with.
pub(crate) const ARGUMENT: &str = "engine";

/// Names that end in this are never found, and never not found.
const HANGING_END: &str = ".hang";

/// The engine's process.
pub(crate) struct Process {
    child: Child,
}

impl Process {
    /// Starts it on a data directory.
    pub(crate) fn start(data: &Path) -> Self {
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        command.arg(ARGUMENT).arg(data).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("this program once more");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("its output")).read_line(&mut line).expect("that it is ready");
        assert_eq!(line.trim(), "ready");
        Self { child }
    }

    /// Ends this program if the engine has ended.
    pub(crate) fn check(&mut self) {
        let ended = self.child.try_wait().expect("a process");
        assert!(ended.is_none(), "the engine has ended by itself: {ended:?}");
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs jobs until its input ends.
pub(crate) fn run(data: &Path) -> ! {
    std::thread::spawn(|| {
        let _ = std::io::stdin().read(&mut [0]);
        std::process::exit(0);
    });
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("threads");
    runtime.block_on(async {
        let on_fatal = Box::new(|reason| panic!("the disk failed: {reason}"));
        let store = Arc::new(Sqlite::open(data, None, on_fatal).expect("a store"));
        store.take_over(NodeId::ONLY, Shards::ALL).await.expect("a store");
        let settings = punctual_actions::Settings {
            egress: Egress { is_loopback_allowed: true, ..Egress::default() },
            look_up: LookUp::new(look_up),
            ..punctual_actions::Settings::default()
        };
        let executor = Arc::new(Actions::new(settings).expect("settings"));
        let clock = Arc::new(SystemClock { start: Instant::now() });
        let deps = Deps {
            store: store.clone(),
            work_store: store,
            executor,
            clock,
            events: Arc::<Events>::default(),
            metrics: Arc::default(),
            flights: Arc::default(),
            telemetry: None,
            membership: None,
            status: Arc::new(punctual_engine::ClusterStatus::alone()),
        };
        let retention = Retention { history_ticks: 60 * TICKS_PER_DAY, failure_ticks: 0, history_bytes: u64::MAX };
        println!("ready");
        let never = CancellationToken::new();
        punctual_engine::run(deps, punctual_engine::Settings::default(), retention, never, clock::duration(0)).await;
        unreachable!("nobody told it to stop")
    })
}

/// A name server that answers for this machine and for nobody else.
fn look_up(name: &str) -> std::io::Result<Vec<std::net::IpAddr>> {
    use std::net::ToSocketAddrs;

    while name.ends_with(HANGING_END) {
        std::thread::park();
    }
    Ok((name, 0).to_socket_addrs()?.map(|address| address.ip()).collect())
}

struct SystemClock {
    start: Instant,
}

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        clock::now()
    }

    fn steady(&self) -> i64 {
        i64::try_from(self.start.elapsed().as_nanos() / 100).unwrap_or(i64::MAX)
    }
}
