use super::{Address, Scheme, mask_address};

fn address(text: &str) -> Address {
    Address::parse(text).unwrap()
}

/// Every part of an address, in a line.
fn parts(text: &str) -> String {
    let address = address(text);
    assert_eq!(address.to_string(), text);
    format!(
        "{} {:?} {} {} {:?} {:?} {:?}",
        address.scheme().name(),
        address.user_info(),
        address.host(),
        address.port(),
        address.path(),
        address.query(),
        address.fragment()
    )
}

#[test]
fn an_address_has_parts() {
    for (text, expected) in [
        ("http://example.com", r#"http None example.com 80 "" None None"#),
        ("HTTPS://Example.COM./", r#"https None example.com. 443 "/" None None"#),
        ("https://h:8443/a@b?c@d#e", r#"https None h 8443 "/a@b" Some("c@d") Some("e")"#),
        ("https://user:p@ss@[::1]:80?x", r#"https Some("user:p@ss") ::1 80 "" Some("x") None"#),
        ("https://h:?", r#"https None h 443 "" Some("") None"#),
        ("https://h#a/b?c@d", r#"https None h 443 "" None Some("a/b?c@d")"#),
        ("https://h/a#", r#"https None h 443 "/a" None Some("")"#),
        ("https://@h", r#"https Some("") h 443 "" None None"#),
        ("https://[FE80::1]/", r#"https None fe80::1 443 "/" None None"#),
        ("https://münchen.example/ü", r#"https None münchen.example 443 "/ü" None None"#),
    ] {
        assert_eq!(parts(text), expected, "{text}");
    }
    assert_eq!(address("https://h/a?b#c").path_and_query(), "/a?b");
    assert_eq!(address("https://h?b").path_and_query(), "?b");
    assert_eq!(format!("{:?}", address("https://h/")), r#""https://h/""#);
}

#[test]
fn what_is_no_address_is_refused() {
    let absolute = "an absolute address such as https://example.com/path";
    let brackets = "an IPv6 address in brackets, such as https://[::1]:8080/path";
    for (text, expected) in [
        ("", absolute),
        ("example.com", absolute),
        ("ftp://example.com", "a scheme of http or https"),
        ("https://", absolute),
        ("https:///path", absolute),
        ("https://user@", absolute),
        ("https://#h", absolute),
        ("https://:80/", absolute),
        ("https://[]", absolute),
        ("https://h:99999", absolute),
        ("https://h:x", absolute),
        ("https://::1/", absolute),
        ("https://[", brackets),
        ("https://[::1", brackets),
        ("https://[::1]x", brackets),
        ("https://[::1]80", brackets),
        ("https://h /", "no blanks and no control characters; write a blank as %20"),
    ] {
        assert_eq!(Address::parse(text).unwrap_err().to_string(), expected, "{text}");
    }
    let long = format!("https://h/{}", "x".repeat(2048));
    assert_eq!(Address::parse(&long).unwrap_err().to_string(), "at most 2048 characters");
}

#[test]
fn a_host_has_one_key_however_it_is_written() {
    for (texts, expected) in [
        (["https://h", "https://H./a", "https://h:443?b", "http://u@h:80#c", "http://h:443"].as_slice(), "h"),
        (&["https://h:8080", "https://h.:8080/", "http://H:8080"], "h:8080"),
        (&["https://[::1]", "https://[::1]:443", "http://[::1]:", "http://[0:0::1]:443"], "[::1]"),
        (&["https://10.0.0.7", "https://10.7.", "http://0x0a000007/", "http://[::ffff:10.0.0.7]"], "10.0.0.7"),
    ] {
        for text in texts {
            assert_eq!(address(text).host_key(), expected, "{text}");
        }
    }
}

#[test]
fn an_origin_is_scheme_host_and_port() {
    let origin = |text| address(text).origin();
    assert_eq!(origin("https://H/a"), origin("https://user@h:443/b?c"));
    for other in ["http://h:443", "https://h:444", "https://h.", "https://other"] {
        assert_ne!(origin("https://h"), origin(other), "{other}");
    }
    assert_eq!(origin("HTTP://u@[::1]:8080/x").to_string(), "http://[::1]:8080");
    assert_eq!((Scheme::Http.default_port(), Scheme::Https.default_port()), (80, 443));
}

#[test]
fn a_mask_hides_user_query_and_keys_in_the_path() {
    for (text, expected) in [
        ("https://h/a", "https://h/a"),
        ("https://h/a@b#c", "https://h/a@b#c"),
        ("https://user:secret@h/@x?key=secret#d", "https://***@h/@x?***"),
        ("https://h#a?key=secret", "https://h#a?***"),
        ("https://user:sec#ret@h/", "https://***@h/"),
        ("user:secret@h?key", "***@h?***"),
        ("https://h/services/T0000/B0000/abcdefgh12345678", "https://h/services/T0000/B0000/***"),
        ("https://h/bot123456:AAE-abcdefghij/send#x", "https://h/***/send#x"),
        ("https://h/a/0b0c7bb1-8a7e-4d4f-9a5b-0123456789ab@x/b/?q", "https://h/a/***/b/?***"),
        (
            "https://h/abcdefgh1234567/processing-of-orders/1234567890123456",
            "https://h/abcdefgh1234567/processing-of-orders/1234567890123456",
        ),
        ("https://abcdefgh12345678.example.com/x", "https://abcdefgh12345678.example.com/x"),
    ] {
        assert_eq!(mask_address(text, "***"), expected);
    }
}
