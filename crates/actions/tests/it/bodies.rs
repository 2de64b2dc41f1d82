//! Bodies that are large, packed, cut, or not what they say.

use std::io::Write;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use insta::assert_snapshot;

use crate::job::Job;
use crate::receiver::{Receiver, Reply, Step};

async fn told(reply: Reply) -> String {
    let receiver = Receiver::always(reply).await;
    Job::get(receiver.url("/")).tell().await
}

async fn told_with(reply: Reply, body_contains: &str) -> String {
    let receiver = Receiver::always(reply).await;
    Job::get(receiver.url("/")).success(&[], Some(body_contains)).tell().await
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A body that is said to be `megabytes` long, and is.
fn flood(megabytes: usize) -> Reply {
    let length = (megabytes * 1_000_000).to_string();
    Reply::head("200 OK", &[("Content-Length", &length)]).then(Step::Repeat(vec![b'x'; 10_000], megabytes * 100))
}

#[tokio::test]
async fn chunks() {
    let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    let body = "5;name=value\r\nHello\r\n7\r\n, world\r\n0\r\nTrailer: x\r\n\r\n";
    assert_snapshot!(told(Reply::raw(format!("{head}{body}"))).await, @"
    succeeded, trouble None
    Http Action - Response from host '127.0.0.1': 'OK' Response Headers: Transfer-Encoding: chunked␍␊ Body: Hello, world
    ");
    let slowly = Reply { steps: vec![Step::ByteByByte(format!("{head}{body}").into_bytes())] };
    assert_snapshot!(told(slowly).await, @"
    succeeded, trouble None
    Http Action - Response from host '127.0.0.1': 'OK' Response Headers: Transfer-Encoding: chunked␍␊ Body: Hello, world
    ");
    assert_snapshot!(told(Reply::raw(format!("{head}5\r\nHello, world\r\n0\r\n\r\n"))).await, @"
    failed, trouble None
    Http Action - Request to host '127.0.0.1' failed: ServerProtocolViolation The body of the answer is not as it should be: a chunk is longer than it says.
    ");
    assert_snapshot!(told(Reply::raw(format!("{head}five\r\nHello\r\n0\r\n\r\n"))).await, @"
    failed, trouble None
    Http Action - Request to host '127.0.0.1' failed: ServerProtocolViolation The body of the answer is not as it should be: the size of a chunk is not a number.
    ");
    assert_snapshot!(told(Reply::raw(format!("{head}5\r\nHello\r\n")).then(Step::Close)).await, @"
    failed, trouble None
    Http Action - Response from host '127.0.0.1': 'OK', but the body broke off after 5 bytes. Response Headers: Transfer-Encoding: chunked␍␊ Body: Hello
    ");
}

#[tokio::test]
async fn until_the_connection_ends() {
    let reply = Reply::raw("HTTP/1.0 200 OK\r\nServer: old\r\n\r\nall there is").then(Step::Close);
    assert_snapshot!(told(reply).await, @"
    succeeded, trouble None
    Http Action - Response from host '127.0.0.1': 'OK' Response Headers: Server: old␍␊ Body: all there is
    ");
}

#[tokio::test]
async fn no_body_where_there_is_none() {
    let receiver = Receiver::always(Reply::head("200 OK", &[("Content-Length", "1000000")])).await;
    assert_snapshot!(Job::new("HEAD", receiver.url("/")).tell().await, @"
    succeeded, trouble None
    Http Action - Response from host '127.0.0.1': 'OK' Response Headers: Content-Length: 1000000␍␊ Body:
    ");
    assert_snapshot!(told(Reply::head("204 No Content", &[])).await, @"
    succeeded, trouble None
    Http Action - Response from host '127.0.0.1': 'NoContent' Response Headers:  Body:
    ");
}

#[tokio::test]
async fn lies_about_the_length() {
    let too_long = Reply::raw("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this").then(Step::Close);
    assert_snapshot!(told(too_long).await, @"
    failed, trouble None
    Http Action - Response from host '127.0.0.1': 'OK', but the body broke off after 9 of 100 bytes. Response Headers: Content-Length: 100␍␊ Body: only this
    ");
    let too_short = Reply::raw("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nonly this");
    assert_snapshot!(told(too_short).await, @"
    succeeded, trouble None
    Http Action - Response from host '127.0.0.1': 'OK' Response Headers: Content-Length: 4␍␊ Body: only
    ");
    let two = Reply::raw("HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nonly");
    assert_snapshot!(told(two).await, @"
    failed, trouble None
    Http Action - Request to host '127.0.0.1' failed: ServerProtocolViolation The answer is not HTTP as it should be: its Content-Length is 4, 5.
    ");
    let none = Reply::raw("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nonly");
    assert_snapshot!(told(none).await, @"
    failed, trouble None
    Http Action - Request to host '127.0.0.1' failed: ServerProtocolViolation The answer is not HTTP as it should be: its Content-Length is -1.
    ");
    let failed = Reply::raw("HTTP/1.1 500 x\r\nContent-Length: 100\r\n\r\nonly this").then(Step::Close);
    assert_snapshot!(told(failed).await, @"
    failed, trouble None
    Http Action - Response from host '127.0.0.1': 'InternalServerError' Response Headers: Content-Length: 100␍␊ Body: only this
    ");
}

#[tokio::test]
async fn a_hundred_megabytes() {
    let receiver = Receiver::always(flood(100)).await;
    let text = Job::get(receiver.url("/")).tell().await;
    assert!(text.starts_with("succeeded, trouble None\n"), "{text}");
    assert!(text.ends_with(&"x".repeat(1024)), "{text}");
    assert_eq!(receiver.connections(), 1);
}

#[tokio::test]
async fn a_text_that_is_looked_for_in_a_large_body() {
    let text = told_with(flood(100), "success").await;
    assert_snapshot!(text.split(" Response Headers").next().unwrap(), @"
    failed, trouble None
    Http Action - Response from host '127.0.0.1': 'OK', but the body is too large: its first 1048576 bytes do not contain the text that is success.
    ");
    let mut late = vec![b'x'; 500_000];
    late.extend_from_slice(b"success");
    assert!(told_with(Reply::with("200 OK", &[], &late), "success").await.starts_with("succeeded"));
}

#[tokio::test]
async fn packed_bodies() {
    let text = b"the same text again, the same text again".as_slice();
    let with = |coding: &str, body: &[u8]| Reply::with("200 OK", &[("Content-Encoding", coding)], body);
    assert_snapshot!(told(with("gzip", &gzip(text))).await, @"
    succeeded, trouble None
    Http Action - Response from host '127.0.0.1': 'OK' Response Headers: Content-Encoding: gzip␍␊Content-Length: 44␍␊ Body: the same text again, the same text again
    ");
    let mut zlib = ZlibEncoder::new(Vec::new(), Compression::best());
    zlib.write_all(text).unwrap();
    assert!(told(with("deflate", &zlib.finish().unwrap())).await.ends_with("the same text again"));
    let mut raw = DeflateEncoder::new(Vec::new(), Compression::best());
    raw.write_all(text).unwrap();
    assert!(told(with("deflate", &raw.finish().unwrap())).await.ends_with("the same text again"));
    assert!(told_with(with("gzip", &gzip(text)), "again").await.starts_with("succeeded"));
}

#[tokio::test]
async fn bodies_that_cannot_be_unpacked() {
    let with = |coding: &str, body: &[u8]| Reply::with("200 OK", &[("Content-Encoding", coding)], body);
    assert_snapshot!(told(with("br", b"\x8b\x02\x80")).await, @"
    succeeded, trouble None
    Http Action - Response from host '127.0.0.1': 'OK' Response Headers: Content-Encoding: br␍␊Content-Length: 3␍␊ Body: (encoded as br)
    ");
    assert!(told(with("br", b"")).await.ends_with(" Body: "));
    assert!(told(with("gzip", b"")).await.ends_with(" Body: "));
    assert_snapshot!(told_with(with("br", b"\x8b\x02\x80"), "x").await, @"
    failed, trouble None
    Http Action - Response from host '127.0.0.1': 'OK', but the body is encoded as br and cannot be searched. Response Headers: Content-Encoding: br␍␊Content-Length: 3␍␊ Body: (encoded as br)
    ");
    assert_snapshot!(told(with("gzip", b"this is no gzip")).await, @"
    succeeded, trouble None
    Http Action - Response from host '127.0.0.1': 'OK' Response Headers: Content-Encoding: gzip␍␊Content-Length: 15␍␊ Body: (encoded as gzip)
    ");
    assert_snapshot!(told_with(with("gzip", b"this is no gzip"), "x").await, @"
    failed, trouble None
    Http Action - Response from host '127.0.0.1': 'OK', but the body is encoded as gzip and cannot be searched. Response Headers: Content-Encoding: gzip␍␊Content-Length: 15␍␊ Body: (encoded as gzip)
    ");
}

#[tokio::test]
async fn a_small_body_that_unpacks_to_a_huge_one() {
    // A gigabyte in a megabyte; a part of it is enough to show that it is not unpacked.
    let bomb = gzip(&vec![b'0'; 100_000_000]);
    assert!(bomb.len() < 200_000);
    let reply = Reply::with("200 OK", &[("Content-Encoding", "gzip")], &bomb);
    let text = told(reply.clone()).await;
    assert!(text.starts_with("succeeded"), "{text}");
    assert!(text.ends_with(&"0".repeat(1024)), "{text}");
    assert!(told_with(reply, "1").await.contains("but the body is too large"));
}

#[tokio::test]
async fn bytes_that_are_no_text() {
    assert_snapshot!(told(Reply::with("200 OK", &[], b"\xff\xfe caf\xe9")).await, @"
    succeeded, trouble None
    Http Action - Response from host '127.0.0.1': 'OK' Response Headers: Content-Length: 7␍␊ Body: �� caf�
    ");
}
