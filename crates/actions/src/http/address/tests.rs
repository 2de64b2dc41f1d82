use super::*;

fn told(address: Option<Address>) -> String {
    address.map_or("no address".to_owned(), |a| {
        let user = if a.credentials.is_some() { " with credentials" } else { "" };
        format!("{}://{} port {} target {}{user}", a.scheme(), a.authority(), a.port, a.target)
    })
}

#[test]
fn parts() {
    let uris = [
        "http://example.com",
        "HTTPS://Example.COM:443/Path?Query#fragment",
        "http://example.com:8080?q",
        "https://user:p%40ss@example.com/",
        "http://[2001:db8::1]:81/x",
        "http://[::1]",
        "http://example.com:/",
        "http://example.com:99999/",
        "http://ex ample.com/",
        "http://bücher.example/",
        "http://a@b@c/",
        "ftp://example.com/",
        "/path",
    ];
    let text: Vec<String> = uris.iter().map(|uri| format!("{uri}: {}", told(Address::parse(uri)))).collect();
    insta::assert_snapshot!(text.join("\n"), @"");
}

#[test]
fn places_that_a_location_names() {
    let from = Address::parse("https://user@example.com:8443/a/b/c?d").unwrap();
    let locations = [
        "https://other.example/x#y",
        "HTTP://other.example",
        "//other.example/x",
        "/x?y",
        "x",
        "x/../y",
        "./",
        "..",
        "../../../../x",
        "?y",
        "",
        "#y",
        "mailto:me",
        "x:y",
    ];
    let text: Vec<String> = locations.iter().map(|to| format!("{to:?}: {}", told(from.join(to)))).collect();
    insta::assert_snapshot!(text.join("\n"), @"");
}
