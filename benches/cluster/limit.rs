//! What this machine can do at all: calls of a bare client, of which each is durably recorded with the least that has to be written.
//!
//! As the store does it: a batch is one statement that updates a narrow row for each job, one that inserts a record for each, and a
//! commit, sent one behind the other. Whoever commits takes all that waits, so that many share an fsync. No call waits for it.

use std::sync::mpsc;
use std::time::Instant;

use punctual_benches::call;

use crate::database::{Database, Session};

/// The database it is in.
const NAME: &str = "bare_limit";

/// The message of a record, with which it is as long as one of ours.
const MESSAGE_CHARS: usize = 200;

const UPDATE: &str =
    "update job set wake_at = new.wake_at, nominal = new.wake_at, revision = revision + 1, executions = executions + 1
    from unnest($1::bigint[], $2::bigint[]) as new (id, wake_at) where job.id = new.id";
const INSERT: &str = "insert into record (job, message) select * from unnest($1::bigint[], $2::text[])";

pub(crate) struct Limit {
    session: Session,
    calls: usize,
}

impl Limit {
    /// Makes a table of so many rows, all of which are written in each measurement.
    pub(crate) fn prepare(database: &Database, calls: usize) -> Self {
        database.create(NAME);
        let session = database.session(NAME);
        session.run(
            "create table job (id bigint primary key, wake_at bigint not null, nominal bigint not null, attempt bigint not null,
                 revision bigint not null, executions bigint not null) with (fillfactor = 70);
             create table record (number bigint generated always as identity primary key, job bigint not null,
                 message text not null)",
        );
        session.run(&format!("insert into job select id, 0, 0, 0, 1, 0 from generate_series(0, {calls} - 1) as id"));
        session.run("vacuum analyze job");
        Self { session, calls }
    }

    /// Such calls a second.
    pub(crate) fn measure(&self, port: u16) -> f64 {
        let (done, heard) = mpsc::channel();
        let started = Instant::now();
        let written = std::thread::scope(|scope| {
            let limit = &*self;
            let writer = scope.spawn(move || limit.record(&heard));
            call(port, self.calls, move |number| _ = done.send(i64::try_from(number).expect("a small number")));
            writer.join().expect("a writer")
        });
        assert_eq!(written, self.calls as u64, "every call is recorded");
        #[expect(clippy::cast_precision_loss, reason = "there are not so many")]
        let per_second = self.calls as f64 / started.elapsed().as_secs_f64();
        self.session.run("vacuum job");
        per_second
    }

    /// Writes down all that is heard of, until nobody is left who says anything. Says how much that was.
    fn record(&self, heard: &mpsc::Receiver<i64>) -> u64 {
        let (client, message) = (self.session.client(), "x".repeat(MESSAGE_CHARS));
        let (update, insert) = self
            .session
            .wait(async { (client.prepare(UPDATE).await.expect(UPDATE), client.prepare(INSERT).await.expect(INSERT)) });
        let mut written = 0;
        while let Ok(first) = heard.recv() {
            let mut ids: Vec<i64> = std::iter::once(first).chain(heard.try_iter()).collect();
            ids.sort_unstable();
            let (wakes, messages) = (vec![864_000_000_000_i64; ids.len()], vec![message.as_str(); ids.len()]);
            let update_values: [&(dyn tokio_postgres::types::ToSql + Sync); 2] = [&ids, &wakes];
            let insert_values: [&(dyn tokio_postgres::types::ToSql + Sync); 2] = [&ids, &messages];
            let (begun, updated, inserted, committed) = self.session.wait(async {
                tokio::join!(
                    client.batch_execute("begin"),
                    client.execute(&update, &update_values),
                    client.execute(&insert, &insert_values),
                    client.batch_execute("commit"),
                )
            });
            begun.and(committed).expect("a transaction");
            written += updated.expect(UPDATE).min(inserted.expect(INSERT));
        }
        written
    }
}
