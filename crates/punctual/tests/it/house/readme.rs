//! The README's commands, run as they are written.
//!
//! | block | meaning |
//! |---|---|
//! | `console` | `$ command`, then exactly what it prints on both outputs; `…` stands for what differs each time; a reader who is too early asks again, and so is done here |
//! | `console` with `serve` | the server, which runs until the end of the README, and what it says first |
//! | `sh` | only shown, but its commands exist |
//! | `json`, `text`, … under `<!-- file: NAME -->` | written to NAME before the next command |

use std::fs;
use std::io::{BufRead, BufReader, Lines};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::{Duration, Instant};

use super::source;

/// What the README says to build and run the binary. Here it is built already.
const BUILD_AND_RUN: &str = "cargo run --release --";

/// How long a reader would ask again: a name that nobody answers for takes ten seconds.
const PATIENCE: Duration = Duration::from_secs(30);

#[test]
fn its_commands_print_what_it_says() {
    let directory = fresh_directory("readme");
    let mut wrong = Vec::new();
    let mut commands = 0;
    let mut server = None;
    for block in blocks() {
        if let Some(name) = &block.file {
            fs::write(directory.join(name), block.lines.join("\n") + "\n").expect("a file of the README");
        } else if block.language == "console" {
            for Step { command, expected } in steps(&block.lines) {
                commands += 1;
                let printed = if command.ends_with(" serve") {
                    server.insert(Server::start(&command, &directory)).say(expected.lines().count())
                } else {
                    run_until(&command, &directory, server.as_ref(), &expected)
                };
                if !is_alike(printed.trim_end(), expected.trim_end()) {
                    wrong.push(format!("$ {command}\n--- README\n{expected}\n--- printed\n{printed}"));
                }
            }
        }
    }
    assert!(commands > 0, "the README has no command that can be run");
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n\n"));
}

#[test]
fn the_commands_it_only_shows_exist() {
    let missing: Vec<String> = blocks()
        .iter()
        .filter(|block| block.language == "sh")
        .flat_map(|block| joined(&block.lines))
        .filter(|line| !line.is_empty() && !line.starts_with('#') && !exists(line))
        .collect();
    assert!(missing.is_empty(), "commands that do not exist: {missing:#?}");
}

struct Block {
    language: String,
    /// The name it is to be written to.
    file: Option<String>,
    lines: Vec<String>,
}

struct Step {
    command: String,
    expected: String,
}

fn blocks() -> Vec<Block> {
    let text = fs::read_to_string(source::root().join("README.md")).expect("README.md");
    let mut blocks = Vec::new();
    let mut file = None;
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(name) = line.strip_prefix("<!-- file: ").and_then(|rest| rest.strip_suffix(" -->")) {
            file = Some(name.to_owned());
        } else if let Some(language) = line.strip_prefix("```") {
            let inside = lines.by_ref().take_while(|line| *line != "```").map(str::to_owned).collect();
            blocks.push(Block { language: language.to_owned(), file: file.take(), lines: inside });
        } else if !line.is_empty() {
            file = None;
        }
    }
    blocks
}

/// Each `$ command` with the lines up to the next one.
fn steps(lines: &[String]) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for line in joined(lines) {
        match (line.strip_prefix("$ "), steps.last_mut()) {
            (Some(command), _) => steps.push(Step { command: command.to_owned(), expected: String::new() }),
            (None, Some(step)) => step.expected += &(line + "\n"),
            (None, None) => panic!("a console block begins with a command, not with {line:?}"),
        }
    }
    steps
}

/// The lines, with those put together that end in a backslash.
fn joined(lines: &[String]) -> Vec<String> {
    let mut joined = Vec::new();
    let mut open = String::new();
    for line in lines {
        match line.strip_suffix('\\') {
            Some(start) => open += start,
            None => joined.push(std::mem::take(&mut open) + line),
        }
    }
    joined
}

/// Runs a command, again and again for a while if it does not print what it should: a job takes its time to run.
fn run_until(command: &str, directory: &Path, server: Option<&Server>, expected: &str) -> String {
    let started = Instant::now();
    loop {
        let printed = run(command, directory, server);
        let may_come = server.is_some() && is_asked_again(command) && started.elapsed() < PATIENCE;
        if !may_come || is_alike(printed.trim_end(), expected.trim_end()) {
            return printed;
        }
    }
}

/// Whether a command asks what has come of a job: it changes nothing, and the answer may come later.
fn is_asked_again(command: &str) -> bool {
    let is_question = |part: &str| command.contains(part);
    command.starts_with("curl") || is_question("job history") || is_question("job show") || is_question("job list")
}

fn run(command: &str, directory: &Path, server: Option<&Server>) -> String {
    let command = command.replace(BUILD_AND_RUN, "punctual");
    let port = server.map_or(PORT, |server| &server.port);
    let script = format!("{CURL}\nexec 2>&1; {}", command.replace(PORT, port));
    let mut bash = bash(&script);
    bash.env("PUNCTUAL_URL", format!("http://127.0.0.1:{port}")).env("XDG_CONFIG_HOME", directory);
    let output = bash.current_dir(directory).output().expect("bash runs");
    String::from_utf8_lossy(&output.stdout).replace(port, PORT)
}

/// Whether `printed` is `expected`, in which `…` stands for any text of a line.
fn is_alike(printed: &str, expected: &str) -> bool {
    let is_line_alike = |(printed, expected): (&str, &str)| {
        let Some((first, more)) = expected.split_once('…') else { return printed == expected };
        let (middle, last) = more.rsplit_once('…').unwrap_or(("", more));
        let Some(mut rest) = printed.strip_prefix(first).and_then(|rest| rest.strip_suffix(last)) else { return false };
        middle.split('…').all(|part| {
            let at = rest.find(part);
            rest = at.map_or("", |at| &rest[at + part.len()..]);
            at.is_some()
        })
    };
    printed.lines().count() == expected.lines().count() && printed.lines().zip(expected.lines()).all(is_line_alike)
}

/// The port that the README has. Here it may be taken.
const PORT: &str = "7878";

/// The few flags of curl that the README uses, in words of the shell: who tests this has a shell, but perhaps no curl.
const CURL: &str = r#"
curl() {
    local method=GET url= body= headers= line
    while [ $# -gt 0 ]; do
        case $1 in
            -X) method=$2; shift ;;
            -H) headers+="$2"$'\r\n'; shift ;;
            -d) body=$2; [ "$method" = GET ] && method=POST; shift ;;
            -s) ;;
            *) url=${1#http://} ;;
        esac
        shift
    done
    exec 9<>"/dev/tcp/127.0.0.1/$(sed 's/^[^:]*:\([0-9]*\).*/\1/' <<< "$url")"
    printf '%s /%s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: %s\r\n%s\r\n%s' \
        "$method" "${url#*/}" "${#body}" "$headers" "$body" >&9
    while IFS= read -r line <&9 && [ "$line" != $'\r' ]; do :; done
    cat <&9
}
"#;

/// The server that the README starts.
struct Server {
    child: Child,
    said: Lines<BufReader<ChildStderr>>,
    first: String,
    port: String,
}

impl Server {
    fn start(command: &str, directory: &Path) -> Self {
        let command = command.replace(BUILD_AND_RUN, "punctual");
        let mut bash = bash(&format!("exec {command}"));
        bash.current_dir(directory).env("PUNCTUAL_SERVER__LISTEN", "127.0.0.1:0").stderr(Stdio::piped());
        // Nobody reads what it says later: a line for each request would fill the pipe, and then hold the server up.
        bash.env("PUNCTUAL_LOG__ACCESS", "false");
        let mut child = bash.spawn().expect("bash runs");
        let mut said = BufReader::new(child.stderr.take().expect("what it says")).lines();
        let first = said.by_ref().map_while(Result::ok).find(|line| line.contains(" listens on "));
        let first = first.expect("it says where it listens");
        let port = first.rsplit(':').next().expect("a port").to_owned();
        Self { child, said, first, port }
    }

    /// The first lines that it says.
    fn say(&mut self, number: usize) -> String {
        let rest = self.said.by_ref().take(number - 1).map(|line| line.expect("text"));
        let lines: Vec<_> = std::iter::once(self.first.clone()).chain(rest).collect();
        lines.join("\n").replace(&self.port, PORT)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn exists(line: &str) -> bool {
    let is_assignment = |word: &&str| word.split_once('=').is_some_and(|(name, _)| !name.contains('/'));
    let Some(word) = line.split_whitespace().find(|word| !is_assignment(word)) else { return true };
    if word.contains('/') {
        return source::root().join(word).is_file();
    }
    bash(&format!("command -v {word}")).stdout(Stdio::null()).status().expect("bash runs").success()
}

/// A shell in which the binary that was built for this test comes first.
fn bash(script: &str) -> Command {
    let programs = Path::new(env!("CARGO_BIN_EXE_punctual")).parent().expect("a directory");
    let path = std::env::var("PATH").unwrap_or_default();
    let mut bash = Command::new("bash");
    bash.args(["-c", script]).env("PATH", format!("{}:{path}", programs.display())).stdin(Stdio::null());
    bash
}

/// A directory of that name, without what an earlier run left there.
fn fresh_directory(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if directory.exists() {
        fs::remove_dir_all(&directory).expect("an old directory can be removed");
    }
    fs::create_dir_all(&directory).expect("a directory for temporary files");
    directory
}
