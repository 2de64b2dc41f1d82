//! Nodes of Punctual on a database that is filled before they start.

use std::time::{Duration, Instant};

use punctual_benches::{Bench, Goal, Job, Punctual, Stock, check_lead, clock};
use punctual_model::time::{TICKS_PER_SECOND, Timestamp};
use punctual_store::copy::{Keys, Place, copy};
use punctual_store::seal::Keyring;
use tempfile::TempDir;

use crate::database::{Database, Session};

/// What seals the actions, on all nodes.
const KEY: &str = "1 5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a";

/// Jobs that are stored and copied in a second, at the least; and the time for a node to start, join and come to rest.
const FILLED_PER_SECOND: usize = 6000;
const LEAD_TICKS: i64 = 12 * TICKS_PER_SECOND;

/// For more nodes to come and to have shared the jobs among them.
const BALANCE: Duration = Duration::from_secs(8);

/// How often it is looked whether everything is done: a fraction of what is measured.
const LOOK: Duration = Duration::from_millis(10);

/// After so long what is still open counts as lost.
const PATIENCE: Duration = Duration::from_mins(3);

/// A database, and nodes on it.
pub(crate) struct Nodes {
    pub(crate) running: Vec<Punctual>,
    pub(crate) session: Session,
    pub(crate) name: String,
    url: String,
    data: Vec<TempDir>,
}

/// An instant at which so many jobs are stored and nodes are there.
pub(crate) fn instant_after(jobs: usize) -> Timestamp {
    let seconds = i64::try_from(jobs / FILLED_PER_SECOND).expect("a small number");
    clock::now().saturating_add(seconds * TICKS_PER_SECOND + LEAD_TICKS)
}

impl Nodes {
    /// Fills a database with so many jobs, by way of SQLite, and starts a node on it. The function says what the job of each number is.
    pub(crate) fn start(
        database: &Database,
        name: &str,
        jobs: usize,
        job: impl Fn(usize) -> Job + Send + Sync + 'static,
        settings: &[(&str, &str)],
    ) -> Self {
        database.create(name);
        let url = database.url(name);
        let files = tempfile::tempdir().expect("a directory");
        let mut stock = Stock::open(files.path(), 0);
        stock.fill(jobs, job);
        drop(stock);
        let keyring = Keyring::parse(KEY).expect("a key");
        let from = Place::Directory(files.path().to_owned());
        let to = Place::parse(&url).expect("an address");
        let keys = Keys { named: Some(keyring), configured: None };
        let session = database.session(name);
        let copied = session.wait(copy((&from, Keys::default()), (&to, keys), &mut |_| {})).expect("a copy");
        assert!(copied.is_verified(), "a whole copy");
        session.run("vacuum analyze");
        session.run("select pg_stat_statements_reset()");
        let mut nodes = Self { running: Vec::new(), session, name: name.to_owned(), url, data: Vec::new() };
        nodes.add(settings);
        nodes
    }

    /// Starts one more.
    pub(crate) fn add(&mut self, settings: &[(&str, &str)]) {
        let data = tempfile::tempdir().expect("a directory");
        let name = format!("node-{}", self.running.len() + 1);
        let own = [("STORE__URL", self.url.as_str()), ("SECRETS__KEY", KEY), ("CLUSTER__NAME", &name)];
        let settings = own.iter().chain(settings);
        let settings: Vec<_> =
            settings.map(|(name, value)| (format!("PUNCTUAL_{name}"), (*value).to_owned())).collect();
        self.running.push(Punctual::start(data.path(), &settings));
        self.data.push(data);
    }

    /// Waits until all nodes have their share.
    pub(crate) fn wait_balanced(&mut self) {
        std::thread::sleep(BALANCE);
        let sql = "select count(distinct node) from punctual.shard_owner";
        let owners = self.session.number(sql, &[]);
        assert_eq!(usize::try_from(owners), Ok(self.running.len()), "every node has shards");
    }

    /// Waits for so many jobs to be due, and for all of them to be settled. Says how many seconds that took.
    pub(crate) fn stampede(&mut self, bench: &mut Bench, due: usize, at: Timestamp) -> f64 {
        check_lead(at);
        bench.receiver.clear();
        clock::sleep_until(at);
        #[expect(clippy::cast_precision_loss, reason = "there are not so many")]
        let due_calls = due as f64;
        self.look_until(at, |_| bench.receiver.arrivals().calls >= due_calls);
        // In one transaction: the commits that are counted are those of the nodes. It holds no snapshot while it waits.
        self.session.run("begin");
        let sql = "select count(*) from (select 1 from punctual.work where wake_at <= $1 limit 1) as open";
        self.look_until(at, |nodes| nodes.session.number(sql, &[&at.ticks()]) == 0);
        let settled = clock::now();
        self.session.run("commit");
        self.session.run("vacuum punctual.work");
        let arrivals = bench.receiver.arrivals();
        let wrong = (arrivals.calls - due_calls).abs() + arrivals.resent + arrivals.early;
        if wrong > 0.0 {
            eprintln!("of {due} due: {arrivals:?}");
        }
        bench.report.goal(Goal::at_most(&format!("{}: lost, doubled or early", self.name), 0.0, wrong, ""));
        clock::duration(settled.since(at)).as_secs_f64()
    }

    fn look_until(&mut self, at: Timestamp, mut is_so: impl FnMut(&Self) -> bool) {
        loop {
            let started = Instant::now();
            if is_so(self) {
                return;
            }
            self.check();
            assert!(clock::duration(clock::now().since(at)) < PATIENCE, "not all is done after {PATIENCE:?}");
            // Where dead rows are in the way, looking takes time: it must not take it from what is measured.
            std::thread::sleep(LOOK.max(started.elapsed() * 4));
        }
    }

    /// Ends this program if a node has ended.
    pub(crate) fn check(&mut self) {
        self.running.iter_mut().for_each(Punctual::check);
    }

    /// Attempts that history has, and those among them that are marked as sent or answered twice, or did not succeed.
    pub(crate) fn recorded(&self) -> (i64, i64) {
        let tables = self.session.rows("select name from punctual.history_segment", &[]);
        let tables = tables.iter().map(|row| row.get::<_, String>(0));
        let counts = tables.map(|table| {
            let sql = format!(
                "select count(*), count(*) filter (where status <> 0 or is_resent or is_duplicate) from punctual.{table}"
            );
            let row = self.session.rows(&sql, &[]).remove(0);
            (row.get::<_, i64>(0), row.get::<_, i64>(1))
        });
        counts.fold((0, 0), |(all, wrong), (of_table, wrong_of_table)| (all + of_table, wrong + wrong_of_table))
    }

    /// What jobs take on disk, with their indexes, their changes and all else but history.
    pub(crate) fn job_bytes(&self) -> f64 {
        self.bytes("!~")
    }

    /// What history takes on disk, with its indexes.
    pub(crate) fn history_bytes(&self) -> f64 {
        self.bytes("~")
    }

    #[expect(clippy::cast_precision_loss, reason = "sizes are far below 2^53")]
    fn bytes(&self, is_history: &str) -> f64 {
        let sql = format!(
            "select coalesce(sum(pg_total_relation_size(oid)), 0)::bigint from pg_class
             where relnamespace = 'punctual'::regnamespace and relkind = 'r' and relname {is_history} '^history_2'"
        );
        self.session.number(&sql, &[]) as f64
    }

    /// How much was written to the log of the database server so far.
    pub(crate) fn wal_bytes(&self) -> i64 {
        self.session.number("select (pg_current_wal_lsn() - '0/0'::pg_lsn)::bigint", &[])
    }

    /// Transactions that were committed in its database so far.
    pub(crate) fn commits(&self) -> i64 {
        self.session.number("select xact_commit from pg_stat_database where datname = current_database()", &[])
    }
}
