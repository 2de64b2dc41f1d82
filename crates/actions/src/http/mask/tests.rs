use proptest::prelude::*;
use punctual_model::action::HttpType;

use super::*;

fn mask(password: &str) -> Mask {
    let action = HttpAction {
        kind: HttpType::Http,
        uri: "http://example.com/".to_owned(),
        method: "GET".to_owned(),
        headers: Vec::new(),
        body: None,
        authentication: Some(Authentication::Basic { username: "me".to_owned(), password: Secret::new(password) }),
    };
    Mask::new(&action, &Address::parse(&action.uri).unwrap())
}

fn masked(password: &str, text: &str) -> String {
    String::from_utf8(mask(password).apply(text.as_bytes(), false, usize::MAX)).unwrap()
}

/// Whether a text holds a secret after all percent signs are resolved, once or twice.
fn shows(text: &str, secret: &str) -> bool {
    text.contains(secret) || percent_decode_str(text).decode_utf8_lossy().contains(secret)
}

#[test]
fn spellings() {
    assert_eq!(masked("p\"a/s\\s", r#"x p"a/s\s y"#), "x *** y");
    assert_eq!(masked("p\"a/s\\s", r#"x p\"a\/s\\s y"#), "x *** y");
    assert_eq!(masked("p\"a/s\\s", r"x p\u0022a%2fs%5Cs y"), "x *** y");
    assert_eq!(masked("%?+a", "x %25%3F%2Ba %?+a y"), "x *** *** y");
    assert_eq!(masked("%25x", "x %25x %2525x y"), "x *** *** y");
    assert_eq!(masked("pass word", "x pass+word pass%20word pass word y"), "x *** *** *** y");
}

#[test]
fn short_secrets_are_left() {
    assert_eq!(masked("abc", "abcdef"), "abcdef");
    assert!(mask("abc").needles.iter().all(|needle| needle.len() > 4), "only together with the user name");
}

proptest! {
    #[test]
    fn what_is_planted_is_not_found(
        secret in "[a-zA-Z0-9 %&+/=?]{4,20}",
        before in "[\\PC]{0,20}",
        after in "[\\PC]{0,20}",
        form in 0..4,
    ) {
        let planted = match form {
            0 => secret.clone(),
            1 => percent_encoding::utf8_percent_encode(&secret, percent_encoding::NON_ALPHANUMERIC).to_string(),
            2 => STANDARD_NO_PAD.encode(format!("me:{secret}")),
            _ => URL_SAFE_NO_PAD.encode(format!("me:{secret}")),
        };
        let text = masked(&secret, &format!("{before}{planted}{after}"));
        prop_assert!(!text.contains(&planted), "{text}");
        prop_assert!(form > 1 || !shows(&text, &secret), "{text}");
    }
}
