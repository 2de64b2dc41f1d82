//! Periodic upkeep, in one shape for all rooms: what is done, how often, and one pass of it.

use std::time::Duration;

use tokio::time::interval;

/// Work that is done now and then.
pub trait Upkeep: Send {
    /// The time between the starts of two passes. Those that a long pass has delayed are made up for, so that a pass can
    /// count time.
    const INTERVAL: Duration;

    /// Does what there is to do at the moment.
    fn pass(&mut self) -> impl Future<Output = ()> + Send;
}

/// Makes a pass at once, and then one after each interval, until the future is dropped.
pub async fn run<U: Upkeep>(mut upkeep: U) {
    let mut ticks = interval(U::INTERVAL);
    loop {
        ticks.tick().await;
        upkeep.pass().await;
    }
}
