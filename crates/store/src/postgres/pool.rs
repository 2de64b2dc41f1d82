//! The connections.

use deadpool_postgres::{Manager, ManagerConfig, Pool as Deadpool, RecyclingMethod, Runtime, Timeouts};
use tokio_postgres::NoTls;

use super::db::{Db, Transaction};
use super::error::Fault;
use super::settings::Settings;
use crate::error::Error;

/// How often a connection is asked for that turns out to be lost: the server was started again, and others in the pool may be
/// lost as well.
const LOST_MAX: usize = 3;

/// Connections, made when they are needed and kept for whoever comes next.
pub(super) struct Pool {
    connections: Deadpool,
}

impl Pool {
    pub(super) fn new(settings: &Settings) -> Result<Self, Error> {
        // A connection that is known to be lost is not given out; others are not tried before each use, which would cost a
        // round trip: what is lost is noticed by the transaction, which begins again.
        let recycling = ManagerConfig { recycling_method: RecyclingMethod::Fast };
        let manager = match settings.tls().connector()? {
            Some(tls) => Manager::from_config(settings.config(), tls, recycling),
            None => Manager::from_config(settings.config(), NoTls, recycling),
        };
        let timeouts = Timeouts {
            wait: Some(settings.wait_max),
            create: Some(settings.wait_max),
            recycle: Some(settings.wait_max),
        };
        let connections = Deadpool::builder(manager)
            .max_size(settings.connections_max)
            .timeouts(timeouts)
            .runtime(Runtime::Tokio1)
            .build()
            .map_err(Error::unavailable)?;
        Ok(Self { connections })
    }

    /// A connection outside a transaction: each statement sees what is there by then.
    pub(super) async fn connection(&self) -> Result<Db, Fault> {
        Ok(Db::new(self.connections.get().await?))
    }

    /// A transaction that reads: all its statements see the same moment, so that a job and its collection fit together.
    pub(super) async fn snapshot(&self) -> Result<Transaction, Fault> {
        self.begin("begin isolation level repeatable read read only").await
    }

    /// A transaction that writes. Its statements see what others have committed by then, and wait for rows that others write.
    pub(super) async fn transaction(&self) -> Result<Transaction, Fault> {
        self.begin("begin isolation level read committed read write").await
    }

    async fn begin(&self, begin: &str) -> Result<Transaction, Fault> {
        let mut lost = 0;
        loop {
            match Transaction::begin(self.connection().await?, begin).await {
                Err(Fault::Again(_)) if lost < LOST_MAX => lost += 1,
                transaction => return transaction,
            }
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.connections.close();
    }
}
