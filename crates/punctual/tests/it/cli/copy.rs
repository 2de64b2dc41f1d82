//! `punctual copy`.

use std::fs;

use insta::assert_snapshot;
use tempfile::TempDir;

use super::told;
use crate::served::Served;

/// Runs the command where these directories are, and leaves out of what it says what differs each time.
fn copy(directory: &TempDir, arguments: &str) -> String {
    let mut command = crate::binary();
    command.arg("copy").args(arguments.split_whitespace()).current_dir(directory.path());
    let said = told(&mut command, "");
    let is_checksum = |word: &&str| word.len() == 16 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let line = |line: &str| match line.split_once(" in ") {
        Some((before, _)) if line.starts_with("copied ") => format!("{before} in …"),
        _ => line
            .split(' ')
            .map(|word| Some(word).filter(|it| !is_checksum(it)).unwrap_or("CHECKSUM"))
            .collect::<Vec<_>>()
            .join(" "),
    };
    said.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// A data directory `data` that a server has left, with a job that never runs.
fn served() -> TempDir {
    let directory = TempDir::new().unwrap();
    let served = Served::start(&directory.path().join("data"));
    let job = r#"{"recurrence": {"frequency": "Year"}, "startTime": "2090-01-01T00:00:00Z",
        "action": {"request": {"uri": "https://example.com/hunter2"}}}"#;
    assert_eq!(served.client().call("PUT", "/v1/jobs/a", job).unwrap().status, 201);
    assert_eq!(served.stop(), Some(0));
    directory
}

#[test]
fn a_data_directory_is_copied_and_served() {
    let directory = served();
    assert_snapshot!(copy(&directory, "--from data --to sqlite:copy"), @"
    -- stdout
    TABLE            ROWS  COPIED  CHECKSUM          SAME
    resource_group   0     0       CHECKSUM  yes
    collection       2     2       CHECKSUM  yes
    collection_stop  0     0       CHECKSUM  yes
    job              1     1       CHECKSUM  yes
    work             1     1       CHECKSUM  yes
    series           0     0       CHECKSUM  yes
    change           2     2       CHECKSUM  yes
    failing          0     0       CHECKSUM  yes
    tally            0     0       CHECKSUM  yes
    alert            0     0       CHECKSUM  yes
    signal           0     0       CHECKSUM  yes
    incident         0     0       CHECKSUM  yes
    incident_member  0     0       CHECKSUM  yes
    deadline         0     0       CHECKSUM  yes
    delivery         0     0       CHECKSUM  yes
    token            1     1       CHECKSUM  yes
    assignment       0     0       CHECKSUM  yes
    pause            0     0       CHECKSUM  yes
    -- stderr
    copied 7 rows from the data directory data to the data directory copy in …
    both stores have the same; sessions of the console were not copied. Start servers on one of them only
    -- exit status 0
    ");
    let (data, copied) = (directory.path().join("data"), directory.path().join("copy"));
    assert!(!copied.join("owner.token").exists() && copied.join("secret.key").exists());
    fs::copy(data.join("owner.token"), copied.join("owner.token")).unwrap();
    let served = Served::start(&copied);
    let job = served.client().call("GET", "/v1/jobs/a", "").unwrap();
    assert_eq!((job.status, job.body["action"]["request"]["uri"].as_str()), (200, Some("https://example.com/hunter2")));
    let told = copy(&directory, "--from copy --to data");
    assert!(told.contains("error: the store is unavailable: the source: another punctual is using copy"), "{told}");
    drop(served);
    let told = copy(&directory, "--from copy --to data");
    assert!(
        told.contains("error: the target: it is not empty, and a copy is never mixed with other jobs: it has "),
        "{told}"
    );
    assert!(told.ends_with("Name an empty one\n-- exit status 1"), "{told}");
}

#[test]
fn programs_read_what_was_verified() {
    let directory = served();
    let said = copy(&directory, "--from data --to copy --output json");
    let json = said.split("-- stderr").next().unwrap().strip_prefix("-- stdout\n").unwrap();
    let answer: serde_json::Value = serde_json::from_str(json).unwrap();
    assert_eq!((&answer["isVerified"], &answer["leftOutCount"]), (&true.into(), &0.into()));
    let job = answer["tables"].as_array().unwrap().iter().find(|table| table["name"] == "job").unwrap();
    assert_eq!((&job["rows"], &job["copied"], &job["isSame"]), (&1.into(), &1.into(), &true.into()));
    assert_eq!(job["checksum"], job["checksumOfCopy"]);
    assert_eq!(job["checksum"].as_str().unwrap().len(), 64);
}

#[test]
fn what_is_wrong_is_named_and_no_password_is() {
    let directory = TempDir::new().unwrap();
    let data = directory.path().join("data");
    assert_snapshot!(copy(&directory, "--from mysql://u:hunter2@h/d --to copy"), @"
    -- stderr
    error: --from: expected a data directory, sqlite:DIRECTORY, or postgres://USER@HOST/DATABASE
    -- exit status 2
    ");
    assert_snapshot!(copy(&directory, "--from data --to postgres://u:hunter2@h:port/d"), @"
    -- stderr
    error: --to: the address of PostgreSQL cannot be read
    -- exit status 2
    ");
    assert_snapshot!(copy(&directory, "--from data --to copy"), @"
    -- stderr
    error: the source: there is no data/punctual.db: name the data directory of a server
    -- exit status 1
    ");
    assert!(!data.exists() && !directory.path().join("copy").exists(), "nothing is made");
    assert_snapshot!(copy(&directory, "--from data --to copy --to-key nowhere.key"), @"
    -- stderr
    error: cannot read the key file nowhere.key: No such file or directory (os error 2)
    -- exit status 1
    ");
    fs::write(directory.path().join("wrong.key"), "1 hunter2").unwrap();
    assert_snapshot!(copy(&directory, "--from data --to copy --to-key wrong.key"), @"
    -- stderr
    error: the key file wrong.key: line 1 of the key file is not a number and 64 hexadecimal digits
    -- exit status 1
    ");
    assert_snapshot!(copy(&directory, "--from postgres://u:hunter2@127.0.0.1:1/d --to copy"), @"
    -- stderr
    error: the source: PostgreSQL keeps no key: name the key file of its nodes (--from-key, --to-key), or set secrets.key
    -- exit status 1
    ");
    fs::write(directory.path().join("right.key"), format!("1 {}", "ab".repeat(32))).unwrap();
    let unreachable = "--from postgres://u:hunter2@127.0.0.1:1/d --from-key right.key --to copy";
    assert_snapshot!(copy(&directory, unreachable), @"
    -- stderr
    error: the store is unavailable: the source: error connecting to server: Connection refused (os error 111)
    -- exit status 1
    ");
}

#[test]
fn a_file_that_cannot_be_read_is_named_and_makes_the_exit_status_1() {
    let directory = served();
    fs::write(directory.path().join("data/history/1970-03-01.db"), "This is no database, however long it may be.")
        .unwrap();
    let told = copy(&directory, "--from data --to copy");
    let (_, stderr) = told.split_once("-- stderr\n").unwrap();
    assert_snapshot!(stderr, @"
    copied 7 rows from the data directory data to the data directory copy in …
    left out, because it cannot be read: history_19700301: data/history/1970-03-01.db: file is not a database
    error: 1 thing could not be read in the source; all else was copied and verified, and the copy can be used
    -- exit status 1
    ");
}
