use insta::assert_snapshot;
use proptest::prelude::*;

use super::{Grant, Grants, Role, Scope, TokenId};
use crate::Name;

const COLLECTION: &str = "/subscriptions/S/resourceGroups/G/providers/Microsoft.Scheduler/jobCollections/C";

fn scope(text: &str) -> Scope {
    Scope::parse(text).unwrap_or_else(|expected| panic!("{text}: expected {expected}"))
}

fn grants(granted: &[(Role, &str)]) -> Grants {
    Grants(granted.iter().map(|(role, text)| Grant { role: *role, scope: scope(text) }).collect())
}

/// Few names, so that they meet often, and such that one begins with another.
fn names() -> impl Strategy<Value = Name> {
    prop::sample::select(vec!["a", "A", "ab", "AB", "a b", "subscriptions", "é", "É"])
        .prop_map(|text| Name::parse(text).unwrap())
}

fn scopes() -> impl Strategy<Value = Scope> {
    (0..4, names(), names(), names()).prop_map(|(depth, subscription, group, collection)| match depth {
        0 => Scope::Server,
        1 => Scope::Subscription(subscription),
        2 => Scope::Group { subscription, group },
        _ => Scope::Collection { subscription, group, collection },
    })
}

fn roles() -> impl Strategy<Value = Role> {
    prop::sample::select(Role::ALL.to_vec())
}

fn any_grants() -> impl Strategy<Value = Grants> {
    let grant = (roles(), scopes()).prop_map(|(role, scope)| Grant { role, scope });
    prop::collection::vec(grant, 0..4).prop_map(Grants)
}

/// What covering means, said of the paths as text: the same path, or one that goes on behind a slash.
fn covers_as_text(outer: &Scope, inner: &Scope) -> bool {
    let (outer, inner) = (outer.to_string().to_lowercase(), inner.to_string().to_lowercase());
    outer == "/" || inner == outer || inner.starts_with(&format!("{outer}/"))
}

proptest! {
    #[test]
    fn a_scope_is_read_back_as_it_was_written(scope in scopes()) {
        let text = scope.to_string();
        let read = Scope::parse(&text).unwrap();
        prop_assert_eq!(read.to_string(), text.clone());
        prop_assert_eq!(&read, &scope);
        prop_assert_eq!(Scope::parse(&text.to_uppercase()).unwrap(), scope.clone());
        prop_assert_eq!(Scope::parse(&text.to_lowercase()).unwrap(), scope);
    }

    #[test]
    fn covering_is_going_on_behind_a_slash(one in scopes(), other in scopes()) {
        prop_assert_eq!(one.covers(&other), covers_as_text(&one, &other));
    }

    #[test]
    fn covering_is_an_order(one in scopes(), two in scopes(), three in scopes()) {
        prop_assert!(one.covers(&one));
        prop_assert!(Scope::Server.covers(&one));
        prop_assert_eq!(one.covers(&two) && two.covers(&one), one == two);
        prop_assert!(!(one.covers(&two) && two.covers(&three)) || one.covers(&three));
    }

    #[test]
    fn what_is_granted_holds_further_in_and_is_seen_further_out(
        grants in any_grants(), outer in scopes(), inner in scopes(), role in roles(),
    ) {
        prop_assume!(outer.covers(&inner));
        prop_assert!(grants.role_on(&inner) >= grants.role_on(&outer));
        prop_assert!(!grants.allows(role, &outer) || grants.allows(role, &inner));
        prop_assert!(!grants.sees(&inner) || grants.sees(&outer));
        prop_assert!(!grants.allows(role, &inner) || grants.sees(&inner));
    }

    #[test]
    fn a_role_is_allowed_where_a_grant_of_it_or_more_covers(grants in any_grants(), scope in scopes(), role in roles()) {
        let expected = grants.0.iter().any(|grant| grant.role >= role && covers_as_text(&grant.scope, &scope));
        prop_assert_eq!(grants.allows(role, &scope), expected);
        prop_assert!(Grants::everything().allows(role, &scope));
        prop_assert!(!Grants::default().sees(&scope));
    }

    #[test]
    fn any_text_is_read_or_refused(text in any::<String>(), path in "(/(subscriptions|resourceGroups|a|%|\\.\\.)?){0,10}") {
        for text in [text, path] {
            if let Ok(scope) = Scope::parse(&text) {
                prop_assert!(scope.to_string().eq_ignore_ascii_case(&text));
            }
            if let Ok(role) = Role::parse(&text) {
                prop_assert!(role.name().eq_ignore_ascii_case(&text));
            }
            if let Ok(id) = TokenId::parse(&text) {
                prop_assert_eq!(id.as_str(), text);
            }
        }
    }
}

#[test]
fn only_whole_paths_are_scopes() {
    let slash_behind = format!("{COLLECTION}/");
    let job = format!("{COLLECTION}/jobs/J");
    let wrong = [
        "",
        "//",
        "/subscriptions",
        "/subscriptions/",
        "subscriptions/S",
        "/subscription/S",
        "/subscriptions/S/",
        "/subscriptions/S/resourceGroups",
        "/subscriptions/S//G",
        "/subscriptions/S/resourceGroups/G/providers/Microsoft.Scheduler",
        "/subscriptions/S/resourceGroups/G/providers/Microsoft.Other/jobCollections/C",
        "/subscriptions/S%20",
        &slash_behind,
        &job,
    ];
    for text in wrong {
        assert!(Scope::parse(text).is_err(), "{text:?}");
    }
    assert_snapshot!(Scope::parse("/groups/G").unwrap_err().at("scope", "/groups/G"), @"scope: given /groups/G, expected / for the whole server, /subscriptions/S, /subscriptions/S/resourceGroups/G or /subscriptions/S/resourceGroups/G/providers/Microsoft.Scheduler/jobCollections/C");
    assert_snapshot!(Scope::parse("/subscriptions/a?b").unwrap_err(), @r"a path of names of 1 to 260 characters, none of / \ ? # % and no control characters");
}

#[test]
fn a_name_that_begins_with_another_is_another() {
    let group = scope("/subscriptions/S/resourceGroups/test");
    assert!(group.covers(&scope("/Subscriptions/s/RESOURCEGROUPS/Test")));
    assert!(!group.covers(&scope("/subscriptions/S/resourceGroups/test2")));
    assert!(!group.covers(&scope("/subscriptions/S2/resourceGroups/test")));
    assert!(!group.covers(&scope("/subscriptions/S")));
}

#[test]
fn the_highest_role_that_covers_counts() {
    let grants = grants(&[
        (Role::Reader, "/subscriptions/S"),
        (Role::Owner, "/subscriptions/S/resourceGroups/G"),
        (Role::Contributor, COLLECTION),
    ]);
    let role = |text: &str| grants.role_on(&scope(text));
    assert_eq!(role("/"), None);
    assert_eq!(role("/subscriptions/S"), Some(Role::Reader));
    assert_eq!(role("/subscriptions/S/resourceGroups/other"), Some(Role::Reader));
    assert_eq!(role(COLLECTION), Some(Role::Owner));
    assert_eq!(role("/subscriptions/T"), None);
}

#[test]
fn what_holds_something_visible_may_be_listed() {
    let grants = grants(&[(Role::Reader, COLLECTION)]);
    let seen = ["/", "/subscriptions/s", "/subscriptions/S/resourceGroups/G", COLLECTION];
    assert!(seen.iter().all(|text| grants.sees(&scope(text))));
    let unseen = ["/subscriptions/T", "/subscriptions/S/resourceGroups/H", &format!("{COLLECTION}2")];
    assert!(!unseen.iter().any(|text| grants.sees(&scope(text))));
    assert!(!grants.allows(Role::Reader, &scope("/subscriptions/S")));
}

#[test]
fn roles_are_known_by_their_names() {
    for role in Role::ALL {
        assert_eq!(Role::parse(role.name()), Ok(role));
        assert_eq!(Role::parse(&role.name().to_uppercase()), Ok(role));
    }
    assert!(Role::ALL.is_sorted());
    assert_snapshot!(Role::parse("admin").unwrap_err().at("role", "admin"), @"role: given admin, expected one of reader, contributor, owner");
}

#[test]
fn a_token_is_spoken_of_by_its_public_part() {
    assert_eq!(TokenId::parse("abc234def567").unwrap().to_string(), "abc234def567");
    for wrong in ["", "abc234def56", "abc234def5678", "ABC234DEF567", "abc234def56_", "abc234def5é"] {
        assert!(TokenId::parse(wrong).is_err(), "{wrong:?}");
    }
    assert_snapshot!(TokenId::parse("x").unwrap_err(), @"12 lower-case letters and digits, the middle part of a token");
}
