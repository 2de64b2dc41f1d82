//! Who may do what: every route with every kind of caller.
//!
//! What is expected is computed here, from a table written by hand and three lines of rules, and not from the code that
//! decides. All requests name things that are not there, or have a body that is wrong, so that a caller who may do it
//! gets an answer that changes nothing, and one who may not is told nothing about what is there.

mod callers;
mod issuer;
#[expect(clippy::too_many_lines, reason = "a table is as long as it has rows")]
mod matrix;
mod routes;

/// What a caller has: a role on a path.
#[derive(Clone, Copy, Debug)]
struct Holding {
    role: &'static str,
    scope: &'static str,
}

/// Whether the role is as much as what is needed.
fn suffices(role: &str, needed: &str) -> bool {
    let rank = |role: &str| ["reader", "contributor", "owner"].iter().position(|known| *known == role).unwrap();
    rank(role) >= rank(needed)
}

/// Whether `inner` is `outer` or lies in it.
fn is_within(inner: &str, outer: &str) -> bool {
    outer == "/" || inner == outer || inner.starts_with(&format!("{outer}/"))
}
