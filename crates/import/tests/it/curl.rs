//! What real curl sends, and what the job that is made of its command line would send, are the same call.
//!
//! Without curl these tests say so and pass, unless `PUNCTUAL_TEST_CURL_REQUIRED=1`.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use punctual_arm::Json;
use punctual_import::{Kind, known_curl_options};

use crate::reader::{Given, import};

/// Command lines. `URL` is the address of a receiver.
const COMMANDS: [&str; 66] = [
    "curl URL/",
    "curl URL",
    "curl -X DELETE URL/a",
    "curl --request PUT --data '' URL/a",
    "curl -XPOST URL/a",
    "curl -H 'X-One: 1' -H 'x-two:2' URL/a",
    "curl -H 'X-Empty;' URL/a",
    "curl -H 'Accept:' URL/a",
    "curl -H 'Accept: text/csv' --header 'X-One: a:b' URL/a",
    "curl -d a=b URL/a",
    "curl -d a=b -d 'c=d e' URL/a",
    "curl --data a=b --data-raw '@c' --data-ascii d URL/a",
    "curl --data-binary 'one two' -H 'Content-Type: text/plain' URL/a",
    "curl --data-urlencode 'a b&c' URL/a",
    "curl --data-urlencode 'name=a b/ü' --data-urlencode '=x=y' URL/a",
    "curl -H 'Content-Type:' -d a URL/a",
    r#"curl --json '{"a":1}' URL/a"#,
    r#"curl --json '{"a":' --json '1}' -H 'Accept: x/y' URL/a"#,
    "curl -G -d a=b --data-urlencode 'c=d e' URL/a",
    "curl -G -d a=b 'URL/a?z=1'",
    "curl --get --data a=b URL",
    "curl -I URL/a",
    "curl --head URL/a",
    "curl -u me:secret URL/a",
    "curl --user 'me:a:b' --basic URL/a",
    "curl -A agent/1 URL/a",
    "curl --user-agent 'a b' -H 'X: y' URL/a",
    "curl -e https://from.example/ URL/a",
    "curl --referer 'https://from.example/;auto' URL/a",
    "curl -b 'a=b; c=d' URL/a",
    "curl --cookie a=b -b c=d URL/a",
    "curl -r 0-99 URL/a",
    "curl --range -5 URL/a",
    "curl --oauth2-bearer token URL/a",
    "curl --url URL/a",
    "curl --url-query 'a=b c' URL/a",
    "curl --url-query '+a=b' --url-query d 'URL/a?z'",
    "curl -m 10 URL/a",
    "curl --max-time 2.5 URL/a",
    "curl --retry 2 --retry-delay 20 --retry-max-time 60 --retry-connrefused --retry-all-errors URL/a",
    "curl -k URL/a",
    "curl --insecure -g 'URL/{a}[1]'",
    "curl --globoff URL/a",
    "curl -sSf -o /dev/null URL/a",
    "curl --silent --show-error --fail --output /dev/null URL/a",
    "curl --fail-with-body --fail-early URL/a",
    "curl -O -J URL/file-of-this-test",
    "curl --remote-name --remote-header-name --create-dirs URL/file-of-this-test",
    "curl -v -i URL/a",
    "curl --verbose --include URL/a",
    "curl -L --max-redirs 3 URL/a",
    "curl --location URL/a",
    "curl -# -N -q URL/a",
    "curl --progress-bar --no-buffer URL/a",
    "curl -q --no-progress-meter URL/a",
    "curl --disable URL/a",
    "curl -4 URL/a",
    "curl --ipv4 --http1.0 URL/a",
    "curl -0 --tlsv1 URL/a",
    "curl --http1.1 --compressed --tlsv1.2 --tlsv1.3 -1 URL/a",
    "curl --http2 URL/a",
    "curl -w '%{http_code}' -D /dev/null --stderr /dev/null -c /dev/null URL/a",
    "curl --write-out x --dump-header /dev/null --trace-ascii /dev/null --cookie-jar /dev/null URL/a",
    "curl --connect-timeout 5 --keepalive-time 5 --no-keepalive -y 5 -Y 1 --speed-time 5 --speed-limit 1 URL/a",
    "curl --path-as-is URL/a/../b",
    "curl --cacert /dev/null --capath /tmp URL/a#fragment",
];

/// Options that no command above has: curl would not come to the receiver with them.
const NOT_TRIED: [&str; 2] = ["ipv6", "ssl-reqd"];

/// Headers that belong to the connection, or that curl sends by itself and no server looks at.
const OF_THE_CONNECTION: [&str; 7] =
    ["host", "content-length", "connection", "upgrade", "http2-settings", "accept-encoding", "expect"];

#[test]
fn every_option_that_is_known_is_tried() {
    let words: BTreeSet<&str> = COMMANDS.iter().flat_map(|command| command.split_whitespace()).collect();
    let is_tried = |short: char, long: &str| {
        let has_letter = |word: &&str| word.starts_with('-') && !word.starts_with("--") && word[1..].contains(short);
        words.contains(format!("--{long}").as_str()) || words.iter().any(|word| short != '\0' && has_letter(word))
    };
    let missing: Vec<_> = known_curl_options()
        .filter(|(short, long)| !is_tried(*short, long) && !NOT_TRIED.contains(long))
        .map(|(_, long)| long)
        .collect();
    assert!(missing.is_empty(), "no command tries {missing:?}");
}

#[test]
fn curl_and_the_job_make_the_same_call() {
    if Command::new("curl").arg("--version").stdout(Stdio::null()).status().is_err() {
        let is_required = std::env::var("PUNCTUAL_TEST_CURL_REQUIRED").is_ok_and(|required| required == "1");
        assert!(!is_required, "curl is not installed");
        eprintln!("skipped: curl is not installed");
        return;
    }
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let mut wrong = Vec::new();
    for command in COMMANDS {
        let line = command.replace("URL", &format!("http://127.0.0.1:{port}"));
        let (sent, made) = (sent(&line, &listener), made(&line));
        if sent != made {
            wrong.push(format!("{command}\n  curl: {sent:?}\n  job:  {made:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A call: method, path with query, headers, body.
#[derive(Debug, PartialEq, Eq)]
struct Call {
    method: String,
    path: String,
    headers: BTreeMap<String, String>,
    body: String,
}

/// What curl sends.
fn sent(line: &str, listener: &TcpListener) -> Call {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("curl");
    std::fs::create_dir_all(&directory).expect("a directory for temporary files");
    let mut shell = Command::new("sh");
    shell.args(["-c", line]).current_dir(&directory).env("HOME", &directory).env_remove("http_proxy");
    let mut child = shell.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("a shell");
    let (stream, _) = listener.accept().expect("a connection");
    let call = receive(stream);
    child.wait().expect("curl ends");
    let _ = std::fs::remove_file(directory.join("file-of-this-test"));
    call
}

fn receive(mut stream: TcpStream) -> Call {
    let mut reader = BufReader::new(stream.try_clone().expect("a second handle"));
    let mut first = String::new();
    reader.read_line(&mut first).expect("a request");
    let mut words = first.split_whitespace();
    let (method, path) = (words.next().expect("a method").to_owned(), words.next().expect("a path").to_owned());
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).expect("a header");
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.insert(name.to_lowercase(), value.trim().to_owned());
    }
    let length = headers.get("content-length").map_or(0, |length| length.parse().expect("a length"));
    let mut body = vec![0; length];
    reader.read_exact(&mut body).expect("a body");
    stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n").expect("an answer");
    headers.retain(|name, value| {
        let is_default = (name == "user-agent" && value.starts_with("curl/")) || (name == "accept" && value == "*/*");
        !is_default && !OF_THE_CONNECTION.contains(&name.as_str())
    });
    Call { method, path, headers, body: String::from_utf8(body).expect("text") }
}

/// What the job would send.
fn made(line: &str) -> Call {
    let report = import(Kind::Crontab, &format!("* * * * * {}\n", line.replace('%', "\\%")), &Given::default())
        .expect("a crontab");
    let job = report.jobs.first().unwrap_or_else(|| panic!("{line}: {:?}", report.findings));
    let request = job.body.at(&["action", "request"]).expect("a request");
    let text = |name: &str| request.get(name).and_then(Json::text).unwrap_or_default().to_owned();
    let uri = text("uri");
    let after = uri.split_once("://").expect("a scheme").1;
    let path = after.find(['/', '?']).map_or("/", |at| &after[at..]);
    let path = if path.starts_with('?') { format!("/{path}") } else { path.to_owned() };
    let mut headers = BTreeMap::new();
    for (name, value) in request.get("headers").map(Json::members).unwrap_or_default() {
        headers.insert(name.to_lowercase(), value.text().expect("a text").to_owned());
    }
    if let Some(basic) = request.get("authentication") {
        let part = |name: &str| basic.get(name).and_then(Json::text).expect("a credential");
        let credential = STANDARD.encode(format!("{}:{}", part("username"), part("password")));
        headers.insert("authorization".to_owned(), format!("Basic {credential}"));
    }
    Call { method: text("method"), path, headers, body: text("body") }
}
