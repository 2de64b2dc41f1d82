//! Calls through a proxy.

use insta::assert_snapshot;
use punctual_actions::{Actions, Proxy, Settings};

use crate::job::{Job, settings, tell};
use crate::receiver::certificates::Authority;
use crate::receiver::{Receiver, Reply};

fn through(proxy: &Receiver) -> Settings {
    let proxy = Proxy::parse(&format!("http://user:word@{}", proxy.address)).unwrap();
    Settings { proxy: Some(proxy), ..settings() }
}

#[tokio::test]
async fn plain_http_asks_for_the_whole_address() {
    let proxy = Receiver::always(Reply::ok("from the proxy")).await;
    let actions = Actions::new(through(&proxy)).unwrap();
    assert_snapshot!(tell(&Job::get("http://target.example:81/a?b").run(&actions).await), @"");
    let seen = proxy.requests().remove(0);
    assert_snapshot!(seen.head.lines().take(3).collect::<Vec<_>>().join("\n"), @"");
}

#[tokio::test]
async fn https_asks_for_a_tunnel() {
    let refused = Receiver::always(Reply::with("407 x", &[], b"who are you?")).await;
    let actions = Actions::new(through(&refused)).unwrap();
    assert_snapshot!(tell(&Job::get("https://target.example/").run(&actions).await), @"");
    assert_snapshot!(refused.requests().remove(0).head.replace("\r\n", "\n"), @"");
}

#[tokio::test]
async fn the_policy_holds_for_addresses() {
    let proxy = Receiver::always(Reply::ok("")).await;
    let actions = Actions::new(through(&proxy)).unwrap();
    assert_snapshot!(tell(&Job::get("http://169.254.169.254/").run(&actions).await), @"");
    assert_eq!(proxy.connections(), 0);
}

#[tokio::test]
async fn a_tunnel_that_works() {
    let authority = Authority::new();
    let target = Receiver::start_tls(authority.server("localhost"), |_| Reply::ok("through the tunnel")).await;
    let proxy = crate::receiver::tunnel::start(target.address).await;
    let proxy = Proxy::parse(&format!("http://{proxy}")).unwrap();
    let settings = Settings { proxy: Some(proxy), ca_pem: Some(authority.pem()), ..settings() };
    let actions = Actions::new(settings).unwrap();
    assert_snapshot!(tell(&Job::get("https://localhost/").run(&actions).await), @"");
}

#[test]
fn addresses_of_proxies() {
    let told = |text: &str| match Proxy::parse(text) {
        Ok(proxy) => format!("{proxy:?}"),
        Err(error) => error.to_string(),
    };
    assert_snapshot!(told("http://me:secret@[::1]:3128/"), @"");
    assert_snapshot!(told("https://me:secret@proxy:3128"), @"");
    assert_snapshot!(told("http://proxy"), @"");
    assert_snapshot!(told("http://proxy:port"), @"");
}
