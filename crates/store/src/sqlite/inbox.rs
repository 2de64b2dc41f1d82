//! What waits for the writer, and in which order it comes.
//!
//! ```text
//!   clients ──▶ ┐           one commit: up to 256 writes of clients,
//!               ├─ queue ─▶ then settlements of up to 1,000 changes
//!   engine  ──▶ ┘
//! ```

use std::collections::VecDeque;

use tokio::sync::mpsc;

use super::writer::Task;

/// Requests that wait in the queue, at most; a caller that comes then waits before it.
pub(super) const QUEUE_MAX: usize = 1024;

/// Something to write.
pub(super) enum Request {
    /// For a client.
    Write(Task),
    /// A number of changes of what is open, for the engine.
    Settle { changes: usize, task: Task },
}

/// What one commit still has room for. Each kind takes about 10 milliseconds: a caller that comes while they are made does
/// not wait much longer than for the disk.
pub(super) struct Room {
    /// A write of a client takes about 40 microseconds.
    writes: usize,
    /// A change takes about 10.
    changes: usize,
}

impl Default for Room {
    fn default() -> Self {
        Self { writes: 256, changes: 1000 }
    }
}

/// What waits.
pub(super) struct Inbox {
    queue: mpsc::Receiver<Request>,
    write: Option<Task>,
    /// They were before writes of clients in the queue. The engine has few at a time.
    settlements: VecDeque<(usize, Task)>,
}

impl Inbox {
    pub(super) const fn new(queue: mpsc::Receiver<Request>) -> Self {
        Self { queue, write: None, settlements: VecDeque::new() }
    }

    /// Waits until there is something. Says no when nobody can send any more, and all is done.
    pub(super) fn wait(&mut self) -> bool {
        if self.write.is_none() && self.settlements.is_empty() {
            match self.queue.blocking_recv() {
                Some(request) => self.sort(request),
                None => return false,
            }
        }
        true
    }

    /// What comes next in a commit that has this room.
    pub(super) fn next(&mut self, room: &mut Room) -> Option<Task> {
        while room.writes > 0
            && self.write.is_none()
            && let Ok(request) = self.queue.try_recv()
        {
            self.sort(request);
        }
        if room.writes > 0
            && let Some(task) = self.write.take()
        {
            room.writes -= 1;
            return Some(task);
        }
        if room.changes == 0 {
            return None;
        }
        let (changes, task) = self.settlements.pop_front()?;
        room.changes = room.changes.saturating_sub(changes.max(1));
        Some(task)
    }

    fn sort(&mut self, request: Request) {
        match request {
            Request::Write(task) => self.write = Some(task),
            Request::Settle { changes, task } => self.settlements.push_back((changes, task)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use tokio::sync::mpsc;

    use super::{Inbox, QUEUE_MAX, Request, Room, Task};

    /// Which tasks come in one commit after the other, by the numbers that they leave.
    fn commits(requests: Vec<Request>) -> Vec<usize> {
        let (sender, queue) = mpsc::channel(QUEUE_MAX);
        for request in requests {
            assert!(sender.try_send(request).is_ok());
        }
        drop(sender);
        let (mut inbox, mut sizes) = (Inbox::new(queue), Vec::new());
        while inbox.wait() {
            let mut room = Room::default();
            sizes.push(std::iter::from_fn(|| inbox.next(&mut room)).count());
        }
        sizes
    }

    fn task() -> Task {
        Task::Once(Box::new(|_| Box::new(|_| ())))
    }

    #[test]
    fn a_commit_is_bounded_and_nothing_is_left() {
        let writes = |number| (0..number).map(|_| Request::Write(task()));
        let settle = |changes| Request::Settle { changes, task: task() };
        assert_eq!(commits(writes(600).collect()), [256, 256, 88]);
        assert_eq!(commits(vec![settle(1000), settle(1000)]), [1, 1]);
        assert_eq!(commits((0..5).map(|_| settle(400)).collect()), [3, 2]);
        assert_eq!(commits(writes(300).chain([settle(1)]).chain(writes(300)).collect()), [256, 257, 88]);
    }

    #[test]
    fn writes_of_clients_come_first() {
        let order = Arc::new(Mutex::new(Vec::new()));
        let (sender, queue) = mpsc::channel(QUEUE_MAX);
        for number in 0..4 {
            let order = Arc::clone(&order);
            // Dropped in the order in which they come; there is no transaction here to do them in.
            let mark = Mark(number, order);
            let task = Task::Once(Box::new(move |_| {
                let _mark = &mark;
                Box::new(|_| ())
            }));
            let request = if number < 2 { Request::Settle { changes: 1, task } } else { Request::Write(task) };
            assert!(sender.try_send(request).is_ok());
        }
        drop(sender);
        let (mut inbox, mut room) = (Inbox::new(queue), Room::default());
        assert!(inbox.wait());
        while inbox.next(&mut room).is_some() {}
        assert_eq!(*order.lock().unwrap(), [2, 3, 0, 1]);
    }

    struct Mark(u32, Arc<Mutex<Vec<u32>>>);

    impl Drop for Mark {
        fn drop(&mut self) {
            self.1.lock().unwrap().push(self.0);
        }
    }
}
