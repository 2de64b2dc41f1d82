//! What the name of a function promises: `is_`, `has_` and `can_` ask, and change nothing.

use super::source::sources;

const QUESTIONS: [&str; 3] = ["is_", "has_", "can_"];

#[test]
fn questions_change_nothing_and_are_answered_by_a_bool() {
    let wrong: Vec<String> = sources()
        .flat_map(|file| {
            let code: Vec<&str> = file.code().map(|(_, line)| line).collect();
            commands(&code.join("\n")).into_iter().map(move |name| format!("{}: {name}", file.path))
        })
        .collect();
    assert!(wrong.is_empty(), "these take something mutable, or do not return a bool: {wrong:#?}");
}

/// The functions in a text that are named like questions and are none. A question that can fail returns a `Result`.
fn commands(code: &str) -> Vec<String> {
    let functions = code.split("fn ").skip(1).filter(|text| QUESTIONS.iter().any(|start| text.starts_with(start)));
    let wrong = functions.filter_map(|text| {
        let signature = &text[..text.find(['{', ';']).unwrap_or(text.len())];
        let (name, _) = signature.split_once(['(', '<'])?;
        let returned = signature.rsplit_once("->").map_or("", |(_, returned)| returned.trim());
        let is_answer = returned.starts_with("bool") || returned.starts_with("Result<bool,");
        let is_question = is_answer && !signature.contains("&mut ") && !signature.contains("(mut self");
        (!is_question).then(|| name.to_owned())
    });
    wrong.collect()
}

#[test]
fn commands_are_told_from_questions() {
    let code = "
        fn is_good(&self, on: Day) -> bool {}
        async fn has_landed(&self) -> Result<bool, Error>;
        fn can_run<T>(of: &T) -> bool where T: Fn(&T) -> bool {}
        fn is_slow(&mut self) -> bool {}
        fn has_token(&self, token: Token) {}
        fn is_first(&self, all: &mut Vec<u8>) -> bool {}
        fn is_which(&self) -> Option<u8> {}
        fn become_slow(&mut self) {}
    ";
    assert_eq!(commands(code), ["is_slow", "has_token", "is_first", "is_which"]);
}
