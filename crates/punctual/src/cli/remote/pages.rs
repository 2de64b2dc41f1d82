//! A list of the server, page by page.

use serde_json::Value;

use super::client::Server;
use crate::cli::failure::Failure;
use crate::cli::progress::Progress;

/// A list of the server, of which one page is kept at a time.
pub(super) struct Pages<'a> {
    server: &'a Server,
    path: String,
    /// The path of the page that comes next; none after the last one.
    next: Option<String>,
    limit: usize,
    count: usize,
    progress: Progress,
}

impl<'a> Pages<'a> {
    /// The list at that path, up to so many items.
    pub(super) fn new(server: &'a Server, path: String, limit: usize) -> Self {
        let next = Some(path.clone()).filter(|_| limit > 0);
        Self { server, path, next, limit, count: 0, progress: Progress::new() }
    }

    /// The items of the next page; none at the end.
    pub(super) fn next(&mut self, what: &str) -> Result<Option<Vec<Value>>, Failure> {
        loop {
            let Some(path) = self.next.take() else {
                self.progress.end();
                return Ok(None);
            };
            let mut page = self.server.call("GET", &path, None)?;
            let mut items = match page["value"].take() {
                Value::Array(items) => items,
                _ => Vec::new(),
            };
            items.truncate(self.limit - self.count);
            self.count += items.len();
            if self.count < self.limit {
                self.next = page["nextLink"].as_str().map(|link| self.follow(link));
            }
            if self.next.is_some() {
                self.progress.tell(self.count as u64, what);
            }
            // A page of a filter that finds little may be empty, and not the last one.
            if !items.is_empty() {
                return Ok(Some(items));
            }
        }
    }

    /// How many items there were so far.
    pub(super) const fn count(&self) -> usize {
        self.count
    }

    /// Where a link leads. Its address is the one that clients are told, which may not be ours.
    fn follow(&self, link: &str) -> String {
        let query = link.split_once('?').map_or("", |(_, query)| query);
        let path = self.path.split_once('?').map_or(self.path.as_str(), |(path, _)| path);
        format!("{path}?{query}")
    }
}
