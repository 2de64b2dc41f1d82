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
    assert_snapshot!(tell(&Job::get("http://target.example:81/a?b").run(&actions).await), @"
    succeeded, trouble None
    Http Action - Response from host 'target.example': 'OK' Response Headers: Content-Length: 14␍␊ Body: from the proxy
    ");
    let seen = proxy.requests().remove(0);
    assert_snapshot!(seen.head.lines().take(3).collect::<Vec<_>>().join("\n"), @"
    GET http://target.example:81/a?b HTTP/1.1
    Host: target.example:81
    Proxy-Authorization: Basic dXNlcjp3b3Jk
    ");
}

#[tokio::test]
async fn https_asks_for_a_tunnel() {
    let refused = Receiver::always(Reply::with("407 x", &[], b"who are you?")).await;
    let actions = Actions::new(through(&refused)).unwrap();
    assert_snapshot!(tell(&Job::get("https://target.example/").run(&actions).await), @"
    failed, trouble None
    Http Action - Request to host 'target.example' failed: RequestProhibitedByProxy The proxy 127.0.0.1:PORT answered 407 when asked for 'target.example', port 443.
    ");
    assert_snapshot!(refused.requests().remove(0).head.replace("\r\n", "\n"), @"
    CONNECT target.example:443 HTTP/1.1
    Host: target.example:443
    Proxy-Authorization: Basic dXNlcjp3b3Jk
    ");
}

#[tokio::test]
async fn the_policy_holds_for_addresses() {
    let proxy = Receiver::always(Reply::ok("")).await;
    let actions = Actions::new(through(&proxy)).unwrap();
    assert_snapshot!(tell(&Job::get("http://169.254.169.254/").run(&actions).await), @"
    failed for good, trouble None
    Http Action - Request to host '169.254.169.254' failed: RequestProhibitedByPolicy The address 169.254.169.254 is refused by policy: link-local addresses are never called.
    ");
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
    assert_snapshot!(tell(&Job::get("https://localhost/").run(&actions).await), @"
    succeeded, trouble None
    Http Action - Response from host 'localhost': 'OK' Response Headers: Content-Length: 18␍␊ Body: through the tunnel
    ");
}

#[test]
fn addresses_of_proxies() {
    let told = |text: &str| match Proxy::parse(text) {
        Ok(proxy) => format!("{proxy:?}"),
        Err(error) => error.to_string(),
    };
    assert_snapshot!(told("http://me:secret@[::1]:3128/"), @"Proxy(::1:3128)");
    assert_snapshot!(told("https://me:secret@proxy:3128"), @r#"the proxy "proxy:3128": expected an address such as http://proxy.example:3128"#);
    assert_snapshot!(told("http://proxy"), @r#"the proxy "http://proxy": expected an address such as http://proxy.example:3128"#);
    assert_snapshot!(told("http://proxy:port"), @r#"the proxy "http://proxy:port": expected an address such as http://proxy.example:3128"#);
}
