//! `punctual job edit` and `punctual collection edit`, with editors that are scripts.

use std::fs;
use std::path::Path;

use insta::assert_snapshot;

use super::Served;
use super::cli::{command, punctual, without_what_changes};
use crate::cli::told;

/// Edits with a script as the editor. Where texts are kept is taken out of what is said.
fn edit(served: &Served, arguments: &[&str], editor: &str, drafts: &Path) -> String {
    let said = told(command(served, arguments).env("EDITOR", editor).env("TMPDIR", drafts), "");
    let said = without_what_changes(served, &said);
    let place = |word: &str| if word.contains("punctual-edit-") { "DRAFT".to_owned() } else { word.to_owned() };
    said.lines().map(|line| line.split(' ').map(place).collect::<Vec<_>>().join(" ")).collect::<Vec<_>>().join("\n")
}

fn drafts(directory: &Path) -> Vec<String> {
    let names = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    names.map(|path| fs::read_to_string(path).unwrap()).collect()
}

#[test]
fn a_job_is_edited() {
    let (data, kept) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let served = Served::start(data.path());
    assert!(
        punctual(&served, "add https://example.invalid/ --name a --every day --start 2099-01-01")
            .ends_with("exit status 0")
    );
    let edit = |arguments: &[&str], editor: &str| edit(&served, arguments, editor, kept.path());
    let job = ["job", "edit", "a"];
    assert_snapshot!(edit(&job, "sed -i 's/frequency: day/frequency: week/'"), @"
    -- stdout
    default/a
    At 00:00 on Thursday, UTC
    next runs INSTANT
    INSTANT
    INSTANT
    -- exit status 0
    ");
    assert_eq!(served.client().call("GET", "/v1/jobs/a", "").unwrap().body["recurrence"]["frequency"], "week");
    assert_snapshot!(edit(&job, "true"), @"
    -- stderr
    nothing was changed of default/a
    -- exit status 0
    ");
    // What is said is the same, whatever else is in the text.
    assert_snapshot!(edit(&job, "sh -c 'echo \"# a word\" >> \"$0\"'"), @"
    -- stderr
    nothing was changed of default/a
    -- exit status 0
    ");
    assert_snapshot!(edit(&job, "false"), @r#"
    -- stderr
    error: the editor "false" ended with exit status: 1; nothing was changed
    -- exit status 1
    "#);
    assert_eq!(drafts(kept.path()).len(), 0);
    // An editor that fails after something was written.
    assert_snapshot!(edit(&job, "sh -c 'echo mine > \"$0\"; exit 3'"), @r#"
    -- stderr
    your text is kept in DRAFT go on with it: punctual job edit default/a --from DRAFT
    error: the editor "sh -c 'echo mine > \"$0\"; exit 3'" ended with exit status: 3; nothing was changed
    -- exit status 1
    "#);
    assert_eq!(drafts(kept.path()), ["mine\n"]);
    assert_snapshot!(edit(&["job", "edit", "b"], "true"), @"
    -- stderr
    error: Job 'default/b' cannot be found.
    -- exit status 3
    ");
}

#[test]
fn a_text_that_is_refused_is_kept() {
    let (data, kept) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let served = Served::start(data.path());
    assert!(
        punctual(&served, "add https://example.invalid/ --name a --every day --start 2099-01-01")
            .ends_with("exit status 0")
    );
    let edit = |arguments: &[&str], editor: &str| edit(&served, arguments, editor, kept.path());
    assert_snapshot!(edit(&["job", "edit", "a"], "sed -i 's/interval: 1/interval: 9000/'"), @"
    -- stderr
    your text is kept in DRAFT go on with it: punctual job edit default/a --from DRAFT
    error: recurrence.interval: given 9000, expected 1 to 548 with frequency Day
    -- exit status 2
    ");
    let texts = drafts(kept.path());
    assert!(texts.len() == 1 && texts[0].contains("interval: 9000"), "{texts:?}");
    let draft = fs::read_dir(kept.path()).unwrap().next().unwrap().unwrap().path();
    let go_on = ["job", "edit", "a", "--from", draft.to_str().unwrap()];
    assert_snapshot!(edit(&go_on, "sed -i 's/interval: 9000/interval: 9/'"), @"
    -- stdout
    default/a
    At 00:00 every 9 days, UTC
    next runs INSTANT
    INSTANT
    INSTANT
    -- exit status 0
    ");
    assert_eq!(served.client().call("GET", "/v1/jobs/a", "").unwrap().body["recurrence"]["interval"], 9);
    assert_snapshot!(edit(&["job", "edit", "a"], "sed -i 's/state/staet/'"), @"
    -- stderr
    your text is kept in DRAFT go on with it: punctual job edit default/a --from DRAFT
    error: staet: there is no such member here: did you mean state?
    -- exit status 2
    ");
}

#[test]
fn an_edit_does_not_take_away_what_others_wrote() {
    let (data, kept) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let served = Served::start(data.path());
    assert!(
        punctual(&served, "add https://example.invalid/ --name a --every day --start 2099-01-01")
            .ends_with("exit status 0")
    );
    // The editor is somebody who is slow: another one changes the job meanwhile.
    let binary = env!("CARGO_BIN_EXE_punctual");
    let editor = format!("sh -c '{binary} job set a --timeout 5m && sed -i s/day/week/ \"$0\"'");
    let said = edit(&served, &["job", "edit", "a"], &editor, kept.path());
    assert!(said.contains("somebody else has changed default/a just now, and nothing was written"), "{said}");
    assert!(said.contains("your text is kept in") && said.ends_with("exit status 1"), "{said}");
    let job = served.client().call("GET", "/v1/jobs/a", "").unwrap().body;
    assert_eq!((&job["recurrence"]["frequency"], &job["options"]["timeout"]), (&"day".into(), &"PT5M".into()));
}

#[test]
fn a_collection_is_edited() {
    let (data, kept) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let served = Served::start(data.path());
    assert!(punctual(&served, "collection create ops --max-jobs 5").ends_with("exit status 0"));
    let arguments = ["collection", "edit", "ops"];
    assert_snapshot!(edit(&served, &arguments, "sed -i 's/maxJobCount: 5/maxJobCount: 6/'", kept.path()), @"
    -- stdout
    collection ops
    state enabled
    plan -
    limits 6 jobs
    -- exit status 0
    ");
    assert_snapshot!(edit(&served, &arguments, "sed -i 's/maxJobCount: 6/maxJobCount: six/'", kept.path()), @r#"
    -- stderr
    your text is kept in DRAFT go on with it: punctual collection edit ops --from DRAFT
    error: quota.maxJobCount: given "six", expected a whole number
    -- exit status 2
    "#);
}
