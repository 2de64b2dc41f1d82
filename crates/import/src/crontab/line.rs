//! The lines of a crontab.

/// Nicknames of times; `@reboot` is none.
const NICKNAMES: [&str; 8] =
    ["@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly", "@reboot"];

/// Commands that no user is called like: a line that begins with one names no user.
const COMMANDS: [&str; 22] = [
    "curl", "wget", "sh", "bash", "sudo", "nice", "ionice", "timeout", "env", "time", "nohup", "flock", "chronic",
    "sleep", "cd", "test", "exec", "php", "python", "python3", "perl", "echo",
];

/// A line that says something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Line<'a> {
    /// `NAME=value`, without quotes.
    Variable(&'a str, &'a str),
    /// When, and what follows: a user, perhaps, and a command.
    Job { time: &'a str, rest: &'a str },
    /// Something else, and why it is not read.
    Wrong(&'a str, &'static str),
}

/// The lines that say something, with their numbers.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (u32, Line<'_>)> {
    let numbered = text.lines().zip(1..);
    numbered.filter_map(|(line, number)| {
        let line = line.trim();
        (!line.is_empty() && !line.starts_with('#')).then(|| (number, read(line)))
    })
}

fn read(line: &str) -> Line<'_> {
    if let Some((name, value)) = line.split_once('=') {
        let name = name.trim().trim_matches(['"', '\'']);
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if !name.is_empty() && name.chars().all(is_name) && !name.starts_with(|c: char| c.is_ascii_digit()) {
            let value = value.trim();
            let inside = |quote: char| value.strip_prefix(quote).and_then(|value| value.strip_suffix(quote));
            return Line::Variable(name, inside('"').or_else(|| inside('\'')).unwrap_or(value));
        }
    }
    if line.starts_with('@') {
        let (time, rest) = line.split_once([' ', '\t']).unwrap_or((line, ""));
        return match NICKNAMES.iter().find(|known| known.eq_ignore_ascii_case(time)) {
            Some(&"@reboot") => Line::Wrong(line, "it runs when its machine starts, which is no time"),
            Some(_) => Line::Job { time, rest: rest.trim_start() },
            None => Line::Wrong(line, "cron has no such nickname: @hourly, @daily, @weekly, @monthly, @yearly"),
        };
    }
    let mut rest = line;
    for _ in 0..5 {
        let end = rest.find([' ', '\t']).unwrap_or(rest.len());
        rest = rest[end..].trim_start();
    }
    let time = line[..line.len() - rest.len()].trim_end();
    if rest.is_empty() || time.split_whitespace().count() < 5 {
        return Line::Wrong(line, "it is neither a variable nor five fields of a time and a command");
    }
    Line::Job { time, rest }
}

/// Whether each line names a user before its command, as in `/etc/crontab`.
pub(super) fn is_system<'a>(lines: impl Iterator<Item = &'a Line<'a>>) -> bool {
    let mut jobs = lines.filter_map(|line| match line {
        Line::Job { rest, .. } => Some(*rest),
        _ => None,
    });
    let names_user = |rest: &str| {
        let mut words = rest.split_whitespace();
        let is_user = |word: &str| {
            let is_letter = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | '-');
            word.starts_with(|c: char| c.is_ascii_lowercase() || c == '_')
                && word.chars().all(is_letter)
                && !COMMANDS.contains(&word)
        };
        let is_command = |word: &str| {
            word.contains('/') || COMMANDS.contains(&word) || word.starts_with(['[', '$', '"']) || word.contains('=')
        };
        words.next().is_some_and(is_user) && words.next().is_some_and(is_command)
    };
    let mut has_any = false;
    let all = jobs.all(|rest| {
        has_any = true;
        names_user(rest)
    });
    all && has_any
}

/// The command, and its standard input: the first `%` ends the command, further ones are line ends, `\%` is one.
pub(super) fn percent(text: &str) -> (String, Option<String>) {
    let mut parts = vec![String::new()];
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let last = parts.last_mut().expect("there is always a part");
        match c {
            '\\' if chars.peek() == Some(&'%') => {
                chars.next();
                last.push('%');
            }
            '%' => parts.push(String::new()),
            c => last.push(c),
        }
    }
    let command = parts.remove(0);
    let stdin = (!parts.is_empty()).then(|| parts.join("\n"));
    (command.trim_end().to_owned(), stdin)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_told_apart() {
        let text = "# comment\n\nMAILTO=\"a@b\"\n*/5 * * * *  root  curl x\n@daily curl y\n@reboot z\n5 * *\nA B=c\n";
        let read: Vec<_> = lines(text).collect();
        assert_eq!(read[0], (3, Line::Variable("MAILTO", "a@b")));
        assert_eq!(read[1], (4, Line::Job { time: "*/5 * * * *", rest: "root  curl x" }));
        assert_eq!(read[2], (5, Line::Job { time: "@daily", rest: "curl y" }));
        assert!(matches!(read[3], (6, Line::Wrong(..))));
        assert!(matches!(read[4], (7, Line::Wrong(..))));
        assert!(matches!(read[5], (8, Line::Wrong(..))));
    }

    #[test]
    fn percent_signs_are_line_ends() {
        assert_eq!(percent(r"date +\%d"), ("date +%d".to_owned(), None));
        assert_eq!(percent("curl -d @- x%one%two"), ("curl -d @- x".to_owned(), Some("one\ntwo".to_owned())));
    }
}
