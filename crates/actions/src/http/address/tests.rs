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
    insta::assert_snapshot!(text.join("\n"), @"
    http://example.com: http://example.com port 80 target /
    HTTPS://Example.COM:443/Path?Query#fragment: https://example.com port 443 target /Path?Query
    http://example.com:8080?q: http://example.com:8080 port 8080 target /?q
    https://user:p%40ss@example.com/: https://example.com port 443 target / with credentials
    http://[2001:db8::1]:81/x: http://[2001:db8::1]:81 port 81 target /x
    http://[::1]: http://[::1] port 80 target /
    http://example.com:/: http://example.com port 80 target /
    http://example.com:99999/: no address
    http://ex ample.com/: no address
    http://bücher.example/: no address
    http://a@b@c/: http://c port 80 target / with credentials
    ftp://example.com/: no address
    /path: no address
    ");
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
    insta::assert_snapshot!(text.join("\n"), @r##"
    "https://other.example/x#y": https://other.example port 443 target /x
    "HTTP://other.example": http://other.example port 80 target /
    "//other.example/x": https://other.example port 443 target /x
    "/x?y": https://example.com:8443 port 8443 target /x?y
    "x": https://example.com:8443 port 8443 target /a/b/x
    "x/../y": https://example.com:8443 port 8443 target /a/b/y
    "./": https://example.com:8443 port 8443 target /a/b/
    "..": https://example.com:8443 port 8443 target /a/
    "../../../../x": https://example.com:8443 port 8443 target /x
    "?y": https://example.com:8443 port 8443 target /a/b/c?y
    "": https://example.com:8443 port 8443 target /a/b/c?d
    "#y": https://example.com:8443 port 8443 target /a/b/c?d
    "mailto:me": no address
    "x:y": no address
    "##);
}
