//! The console, as a browser without a script sees it.

mod attacks;
mod pages;
mod roles;
mod sign_in;

use std::sync::Mutex;

use crate::answer::Answer;
use crate::server::Server;

/// Where the pages of the tests come from.
const ORIGIN: &str = "http://localhost:7878";

/// A browser: it keeps cookies, and says where its forms come from.
struct Browser<'a> {
    server: &'a Server,
    cookies: Mutex<Vec<(String, String)>>,
}

impl<'a> Browser<'a> {
    fn new(server: &'a Server) -> Self {
        Self { server, cookies: Mutex::default() }
    }

    /// A browser whose user has signed in with a token.
    async fn signed_in(server: &'a Server, token: &str) -> Self {
        let browser = Self::new(server);
        let answer = browser.send("/sign-in", &[("token", token)], Some(ORIGIN)).await;
        assert_eq!((answer.status(), &*answer.header("location")), (303, "/"), "{}", answer.body());
        browser
    }

    async fn get(&self, path: &str) -> Answer {
        let answer = self.server.call("GET", path).anonymous().header("cookie", &self.cookie()).send().await;
        self.keep(&answer);
        answer
    }

    /// Sends a form of a page of ours.
    async fn post(&self, path: &str, fields: &[(&str, &str)]) -> Answer {
        let token = self.form_token().await;
        let fields: Vec<(&str, &str)> = fields.iter().copied().chain([("form", &*token)]).collect();
        self.send(path, &fields, Some(ORIGIN)).await
    }

    /// Sends a form as it is.
    async fn send(&self, path: &str, fields: &[(&str, &str)], origin: Option<&str>) -> Answer {
        let body: Vec<_> = fields.iter().map(|(name, value)| format!("{}={}", encoded(name), encoded(value))).collect();
        let mut call = self.server.call("POST", path).anonymous().header("cookie", &self.cookie());
        if let Some(origin) = origin {
            call = call.header("origin", origin);
        }
        let answer = call.body(body.join("&")).send().await;
        self.keep(&answer);
        answer
    }

    /// The token that the forms of this session carry.
    async fn form_token(&self) -> String {
        let page = self.get("/jobs").await;
        let (_, rest) = page.body().split_once("name=\"form\" value=\"").unwrap_or_else(|| panic!("{page}"));
        rest.split_once('"').unwrap().0.to_owned()
    }

    fn cookie(&self) -> String {
        let cookies = self.cookies.lock().unwrap();
        cookies.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("; ")
    }

    fn keep(&self, answer: &Answer) {
        let mut cookies = self.cookies.lock().unwrap();
        for line in answer.headers("set-cookie") {
            let (name, value) = line.split(';').next().unwrap().split_once('=').unwrap();
            cookies.retain(|(known, _)| known != name);
            if !line.contains("Max-Age=0") {
                cookies.push((name.to_owned(), value.to_owned()));
            }
        }
    }
}

fn encoded(text: &str) -> String {
    text.bytes()
        .map(|byte| if byte.is_ascii_alphanumeric() { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

/// The text of a page, without what is not shown.
fn text(answer: &Answer) -> String {
    let main = answer.body().split_once("<main").map_or(answer.body(), |(_, rest)| rest);
    let main = main.split_once("<footer").map_or(main, |(main, _)| main);
    let mut text = String::new();
    let mut is_tag = true;
    for character in main.chars() {
        match character {
            '<' => is_tag = true,
            '>' => {
                is_tag = false;
                text.push(' ');
            }
            other if !is_tag => text.push(other),
            _ => {}
        }
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
