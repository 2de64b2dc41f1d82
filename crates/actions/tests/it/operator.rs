//! Calls for the operator: by the same proxy and authorities as those of jobs, to any address.

use std::time::Duration;

use insta::assert_snapshot;
use punctual_actions::{OperatorClient, OperatorPost, OperatorRequest, Proxy};
use punctual_model::action::Secret;

use crate::job::without_ports;
use crate::receiver::certificates::Authority;
use crate::receiver::{Receiver, Reply, Step, tunnel};

const BYTES_MAX: usize = 1000;
const TIME_MAX: Duration = Duration::from_secs(10);

fn get(url: &str) -> OperatorRequest<'_> {
    OperatorRequest { method: "GET", url, bearer: None, body: "", precondition: None }
}

fn direct() -> OperatorClient {
    OperatorClient::new(None, None).unwrap()
}

async fn tell(client: &OperatorClient, request: OperatorRequest<'_>) -> String {
    match client.send(request, BYTES_MAX, TIME_MAX).await {
        Ok(answer) => format!("{} {}", answer.status, String::from_utf8_lossy(&answer.body)),
        Err(reason) => without_ports(&reason),
    }
}

#[tokio::test]
async fn a_request_and_its_answer() {
    let receiver = Receiver::always(Reply::with("404 x", &[], b"not here")).await;
    let url = receiver.url("/v1/tokens?a=b c");
    let request = OperatorRequest { method: "POST", url: &url, bearer: Some("secret"), body: "{}", precondition: None };
    assert_eq!(tell(&direct(), request).await, "404 not here");
    let seen = receiver.requests().remove(0);
    assert_eq!(seen.target(), "/v1/tokens?a=b%20c");
    assert_eq!((seen.header("Authorization"), &*seen.body), (Some("Bearer secret"), &b"{}"[..]));
    let request = OperatorRequest { bearer: Some("sec\r\nret"), ..request };
    assert_snapshot!(tell(&direct(), request).await, @"the token holds characters that a header cannot hold");
}

#[tokio::test]
async fn an_identity_provider_behind_the_proxy_with_a_private_authority() {
    let authority = Authority::new();
    let provider = Receiver::start_tls(authority.server("id.example"), |_| Reply::ok("keys")).await;
    let proxy = tunnel::start(provider.address).await;
    let proxy = || Some(Proxy::parse(&format!("http://{proxy}")).unwrap());
    let request = get("https://id.example/keys");
    let trusting = OperatorClient::new(proxy(), Some(&authority.pem())).unwrap();
    assert_eq!(tell(&trusting, request).await, "200 keys");
    let distrusting = OperatorClient::new(proxy(), None).unwrap();
    assert_snapshot!(tell(&distrusting, request).await, @"The certificate of 'id.example' was issued by nobody this server trusts");
}

#[tokio::test]
async fn calls_to_this_machine_do_not_leave_it() {
    let receiver = Receiver::always(Reply::ok("here")).await;
    let proxy = Receiver::always(Reply::ok("elsewhere")).await;
    let client = OperatorClient::new(Some(Proxy::parse(&format!("http://{}", proxy.address)).unwrap()), None).unwrap();
    assert_eq!(tell(&client, get(&receiver.url("/"))).await, "200 here");
    assert_eq!(tell(&client, get("http://id.example/")).await, "200 elsewhere");
}

#[tokio::test]
async fn what_goes_wrong_is_said() {
    let long = Receiver::always(Reply::with("200 OK", &[], &[b'x'; BYTES_MAX + 1])).await;
    assert_snapshot!(tell(&direct(), get(&long.url("/"))).await, @"the answer is longer than 1000 bytes");
    let broken =
        Receiver::always(Reply::raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf").then(Step::Close)).await;
    assert_snapshot!(tell(&direct(), get(&broken.url("/"))).await, @"the answer broke off after 4 bytes");
    let redirect = Receiver::always(Reply::redirect("http://127.0.0.1/")).await;
    assert_snapshot!(tell(&direct(), get(&redirect.url("/"))).await, @"302");
    assert_snapshot!(tell(&direct(), get("http://127.0.0.1:1/")).await, @"Unable to connect to the remote server: 127.0.0.1:PORT refused the connection");
    assert_snapshot!(tell(&direct(), get("id.example")).await, @"the address cannot be called");
}

#[tokio::test]
async fn a_stream_is_handed_over_as_it_comes() {
    let begun = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n3\r\ntwo\r\n";
    let receiver = Receiver::always(Reply::raw(begun).then(Step::Hang)).await;
    let mut pieces = Vec::new();
    let mut take = |status: u16, piece: &[u8]| {
        pieces.push((status, String::from_utf8_lossy(piece).into_owned()));
        pieces.len() < 2
    };
    let status = direct().stream(get(&receiver.url("/")), TIME_MAX, &mut take).await;
    assert_eq!(status, Ok(200));
    assert_eq!(pieces, [(200, "one".to_owned()), (200, "two".to_owned())]);
}

#[tokio::test]
async fn bytes_that_are_no_text_arrive_with_the_headers_of_the_operator() {
    let receiver = Receiver::always(Reply::ok("taken")).await;
    let url = receiver.url("/v1/traces");
    let headers = [("x-tenant".to_owned(), Secret::new("blue"))];
    let body = &[0, 0xff, 0x0a, b'x'][..];
    let post = OperatorPost { url: &url, content_type: "application/x-protobuf", headers: &headers, body };
    let answer = direct().post(post, BYTES_MAX, TIME_MAX).await.unwrap();
    assert_eq!(answer.status, 200);
    let seen = receiver.requests().remove(0);
    assert_eq!((seen.header("x-tenant"), &*seen.body), (Some("blue"), body));
    assert_eq!(seen.header("Content-Type"), Some("application/x-protobuf"));
}
