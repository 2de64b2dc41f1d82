use std::fs::{self, File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use insta::assert_snapshot;
use tempfile::TempDir;

use super::{prepare, refuse_lost_database};

/// A directory in which these files hold something.
fn directory(files: &[&str]) -> TempDir {
    let directory = TempDir::new().unwrap();
    for file in files {
        let file = directory.path().join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, "x").unwrap();
    }
    directory
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

fn mode(path: &Path) -> String {
    format!("{:o}", fs::metadata(path).unwrap().permissions().mode() & 0o7777)
}

/// Why the directory is refused.
fn refusal(directory: &TempDir) -> String {
    let refused = prepare(directory.path()).and_then(|()| refuse_lost_database(directory.path())).unwrap_err();
    format!("{refused:#}").replace(&directory.path().display().to_string(), "DIR")
}

#[test]
fn a_new_directory_is_closed_to_others() {
    let parent = TempDir::new().unwrap();
    let data = parent.path().join("a/b");
    prepare(&data).unwrap();
    assert_eq!(mode(&data), "700");
    File::create(data.join("later")).unwrap();
    assert_eq!(mode(&data.join("later")), "600", "files that libraries make are closed, too");
}

#[test]
fn what_others_could_read_is_closed_at_each_start() {
    let files = ["punctual.db", "punctual.db-wal", "secret.key", "owner.token", "history/2026-11-15.db", "tls/ca.key"];
    let data = directory(&files);
    let foreign = data.path().join("notes.txt");
    fs::write(&foreign, "x").unwrap();
    let all = files.iter().map(|file| data.path().join(file));
    for path in all.clone().chain([foreign.clone()]) {
        set_mode(&path, 0o644);
    }
    for path in [data.path().join("history"), data.path().to_owned()] {
        set_mode(&path, 0o755);
    }
    prepare(data.path()).unwrap();
    for path in all {
        assert_eq!(mode(&path), "600", "{}", path.display());
    }
    assert_eq!((mode(&data.path().join("history")), mode(data.path())), ("700".to_owned(), "700".to_owned()));
    assert_eq!(mode(&foreign), "644", "what is not ours is left alone");
}

#[test]
fn a_directory_that_everybody_may_write_to_is_refused() {
    let data = directory(&[]);
    set_mode(data.path(), 0o1777);
    assert_snapshot!(refusal(&data), @"DIR is shared with others: give the server a directory of its own, such as --data DIR/punctual-data");
    assert_eq!(mode(data.path()), "1777");
}

#[test]
fn a_directory_that_has_lost_its_database_is_refused() {
    let keys = directory(&["secret.key"]);
    assert_snapshot!(refusal(&keys), @"DIR/punctual.db is missing or empty, but secret.key is there: put the database back, or, to start without any jobs, name another data directory (--data) or move away what is left in DIR");
    let both = directory(&["secret.key", "history/2026-11-15.db", "owner.token", "lock"]);
    File::create(both.path().join("punctual.db")).unwrap();
    assert_snapshot!(refusal(&both), @"DIR/punctual.db is missing or empty, but secret.key and history are there: put the database back, or, to start without any jobs, name another data directory (--data) or move away what is left in DIR");
    let history = directory(&["history/2026-11-15.db"]);
    assert!(refusal(&history).contains("history is there"));
}

#[test]
fn a_directory_without_jobs_is_taken() {
    for files in [&[][..], &["lock"], &["tls/ca.pem"], &["owner.token"], &["punctual.db", "secret.key", "history/x"]] {
        let data = directory(files);
        fs::create_dir_all(data.path().join("history")).unwrap();
        prepare(data.path()).unwrap();
        refuse_lost_database(data.path()).unwrap();
    }
}
