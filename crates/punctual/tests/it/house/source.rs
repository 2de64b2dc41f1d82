//! The files of the repository, as the rules look at them.

use std::fs;
use std::path::{Path, PathBuf};

/// The directory that holds the workspace.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("crates/punctual is two levels down").to_owned()
}

/// A file that can be read as text.
pub(crate) struct File {
    /// Relative to the root, with `/`.
    pub(crate) path: String,
    pub(crate) text: String,
}

/// What is built, fetched or found, not written.
const NOT_WRITTEN: [&str; 4] = ["target", ".git", "corpus", "artifacts"];

/// Every text file that somebody wrote.
pub(crate) fn files() -> Vec<File> {
    let mut files = Vec::new();
    collect(&root(), &mut files);
    assert!(files.len() > 20, "only {} files in {}", files.len(), root().display());
    files
}

/// Rust files that are not tests, benchmarks or fuzz targets.
pub(crate) fn sources() -> impl Iterator<Item = File> {
    files().into_iter().filter(|file| file.path.starts_with("crates/") && file.is_rust() && !file.is_test())
}

impl File {
    pub(crate) fn is_rust(&self) -> bool {
        self.has_extension("rs")
    }

    pub(crate) fn is_lock(&self) -> bool {
        self.has_extension("lock")
    }

    fn has_extension(&self, extension: &str) -> bool {
        Path::new(&self.path).extension().is_some_and(|found| found == extension)
    }

    pub(crate) fn is_test(&self) -> bool {
        self.path.split('/').any(|part| part == "tests" || part == "tests.rs")
    }

    /// Its lines without those that are comments, numbered from 1.
    pub(crate) fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.text.lines().enumerate().map(|(at, line)| (at + 1, line));
        lines.filter(|(_, line)| !line.trim_start().starts_with("//"))
    }

    /// Where one of `patterns` stands in its code: `path:line: pattern`.
    pub(crate) fn uses(&self, patterns: &[&str]) -> Vec<String> {
        let found = self.code().flat_map(|(number, line)| {
            let patterns = patterns.iter().filter(move |pattern| line.contains(**pattern));
            patterns.map(move |pattern| format!("{}:{number}: {pattern}", self.path))
        });
        found.collect()
    }
}

fn collect(directory: &Path, files: &mut Vec<File>) {
    let entries = fs::read_dir(directory).unwrap_or_else(|error| panic!("{}: {error}", directory.display()));
    for entry in entries {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        // In a worktree of git, `.git` is a file.
        if NOT_WRITTEN.contains(&name.as_str()) {
            continue;
        }
        if path.is_dir() {
            collect(&path, files);
        } else if let Ok(text) = fs::read_to_string(&path) {
            let path = path.strip_prefix(root()).expect("below the root");
            files.push(File { path: path.to_string_lossy().replace('\\', "/"), text });
        }
    }
}
