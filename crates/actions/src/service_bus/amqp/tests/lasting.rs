//! Connections and links that are kept, and what becomes of them.

use std::sync::Arc;
use std::time::Duration;

use insta::assert_snapshot;

use super::double::{Command, Event, Fate, Reason, Script};
use super::{NOW_SECONDS, Pair};
use crate::limits;

fn reason(condition: &str) -> Reason {
    (condition.to_owned(), String::new())
}

#[tokio::test]
async fn one_connection_and_one_link_serve_many_messages() {
    let mut pair = Pair::new(Script::default()).await;
    for text in ["one", "two", "three"] {
        pair.send(text).await.unwrap();
    }
    pair.send_to("others", "four").await.unwrap();
    assert_snapshot!(pair.events().await, @"opened · attached orders · one for orders");
    assert_snapshot!(pair.events().await, @"two for orders");
    assert_snapshot!(pair.events().await, @"three for orders");
    assert_snapshot!(pair.events().await, @"attached others · four for others");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_messages_are_on_their_way_at_once() {
    let mut pair = Pair::new(Script { fate: Fate::Held, ..Script::default() }).await;
    let sends: Vec<_> = (0..500).map(|number| pair.spawn(&number.to_string())).collect();
    for _ in 0..500 {
        pair.double.message().await;
    }
    pair.double.command(Command::Settle);
    for send in sends {
        send.await.unwrap().unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn messages_wait_for_credit() {
    let mut pair = Pair::new(Script { credit: 3, ..Script::default() }).await;
    let sends: Vec<_> = (0..9).map(|number| pair.spawn(&number.to_string())).collect();
    for _ in 0..3 {
        for _ in 0..3 {
            pair.double.message().await;
        }
        pair.double.command(Command::Credit(3));
    }
    for send in sends {
        send.await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn a_message_that_is_given_up_before_it_has_credit_is_never_sent() {
    let mut pair = Pair::new(Script { credit: 0, ..Script::default() }).await;
    let given_up = pair.spawn("one");
    while pair.double.next().await != Event::Attached("orders".to_owned()) {}
    given_up.abort();
    assert!(given_up.await.unwrap_err().is_cancelled());
    pair.double.command(Command::Credit(1));
    pair.send("two").await.unwrap();
    assert_snapshot!(pair.events().await, @"two for orders");
}

#[tokio::test]
async fn a_message_that_is_given_up_does_not_disturb_the_others() {
    let mut pair = Pair::new(Script::default()).await;
    pair.send("one").await.unwrap();
    pair.events().await;
    pair.double.change(|script| script.fate = Fate::Held);
    let given_up = pair.spawn("two");
    pair.events().await;
    pair.double.change(|script| script.fate = Fate::Accepted);
    pair.send("three").await.unwrap();
    given_up.abort();
    assert!(given_up.await.unwrap_err().is_cancelled());
    pair.double.command(Command::Settle);
    pair.send("four").await.unwrap();
    assert_snapshot!(pair.events().await, @"three for orders");
    assert_snapshot!(pair.events().await, @"four for orders");
}

#[tokio::test]
async fn a_connection_on_which_nothing_is_confirmed_is_not_used_again() {
    let mut pair = Pair::new(Script { fate: Fate::Held, ..Script::default() }).await;
    let given_up = pair.spawn("one");
    pair.events().await;
    given_up.abort();
    assert!(given_up.await.unwrap_err().is_cancelled());
    pair.double.change(|script| script.fate = Fate::Accepted);
    pair.send("two").await.unwrap();
    let events = pair.events().await;
    assert!(events.contains("opened"), "{events}");
}

#[tokio::test]
async fn a_connection_that_is_being_made_outlives_who_wanted_it_first() {
    let mut pair = Pair::new(Script::default()).await;
    let given_up = pair.spawn("one");
    while !matches!(pair.double.next().await, Event::Opened { .. }) {}
    given_up.abort();
    pair.send("two").await.unwrap();
    let events = pair.events().await;
    assert!(!events.contains("opened"), "{events}");
}

#[tokio::test]
async fn a_link_that_was_detached_is_attached_again() {
    let mut pair = Pair::new(Script::default()).await;
    pair.send("one").await.unwrap();
    pair.events().await;
    for reason in [None, Some(reason("amqp:link:detach-forced")), Some(reason("amqp:unauthorized-access"))] {
        pair.double.command(Command::Detach(reason));
        assert_eq!(pair.double.next().await, Event::Detached("orders".to_owned()));
        pair.send("two").await.unwrap();
        assert_eq!(pair.events().await, "attached orders · two for orders");
    }
}

#[tokio::test]
async fn a_connection_that_was_closed_is_made_again() {
    let mut pair = Pair::new(Script::default()).await;
    pair.send("one").await.unwrap();
    pair.events().await;
    for command in [Command::Close(None), Command::Close(Some(reason("amqp:connection:forced"))), Command::Cut] {
        pair.double.command(command);
        while pair.double.next().await != Event::Gone {}
        pair.send("two").await.unwrap();
        // Whether we have noticed before we sent it is up to the two machines.
        let events = pair.events().await;
        assert_eq!(events.trim_end_matches(", resent"), "opened · attached orders · two for orders");
    }
}

#[tokio::test]
async fn a_message_whose_connection_breaks_is_sent_again_and_says_so() {
    let mut pair = Pair::new(Script { fate: Fate::Held, ..Script::default() }).await;
    let send = pair.spawn("one");
    assert_eq!(pair.events().await, "opened · attached orders · one for orders");
    pair.double.change(|script| script.fate = Fate::Accepted);
    pair.double.command(Command::Cut);
    send.await.unwrap().unwrap();
    assert_eq!(pair.events().await, "gone · opened · attached orders · one for orders, resent");
}

#[tokio::test]
async fn a_token_is_replaced_before_it_ends() {
    let key = Some(("Root".to_owned(), "secret".to_owned()));
    let mut pair = Pair::new(Script { key, ..Script::default() }).await;
    pair.send("one").await.unwrap();
    pair.events().await;
    pair.send_at(NOW_SECONDS + 44 * 60, "orders", "two").await.unwrap();
    assert_eq!(pair.events().await, "two for orders");
    pair.send_at(NOW_SECONDS + 45 * 60, "orders", "three").await.unwrap();
    let is_token = |event: &Event| matches!(event, Event::Token { is_good: true, .. });
    let (first, second) = (pair.double.next().await, pair.double.next().await);
    assert!(is_token(&first) != is_token(&second), "{first:?} {second:?}");
    pair.send_at(NOW_SECONDS + 46 * 60, "orders", "four").await.unwrap();
    assert_eq!(pair.events().await, "four for orders");
}

#[tokio::test]
async fn a_token_can_be_replaced_after_the_links_for_tokens_were_detached() {
    let key = Some(("Root".to_owned(), "secret".to_owned()));
    let mut pair = Pair::new(Script { key, ..Script::default() }).await;
    pair.send("one").await.unwrap();
    pair.events().await;
    pair.double.command(Command::Detach(None));
    for _ in 0..3 {
        assert!(matches!(pair.double.next().await, Event::Detached(_)));
    }
    pair.send("two").await.unwrap();
    assert_snapshot!(pair.events().await, @"attached $cbs · attached $cbs · good token for sb://Contoso.servicebus.windows.net/orders · attached orders · two for orders");
}

#[tokio::test]
async fn what_nobody_uses_is_closed() {
    let mut pair = Pair::new(Script::default()).await;
    pair.send("one").await.unwrap();
    pair.send_to("others", "two").await.unwrap();
    pair.events().await;
    pair.events().await;
    let pass = |pair: &Pair, seconds| {
        (0..seconds).for_each(|_| pair.clock.advance_second());
        pair.amqp.sweep();
    };
    pass(&pair, limits::AMQP_IDLE_SECONDS_MAX - 1);
    pair.send("three").await.unwrap();
    assert_eq!(pair.events().await, "three for orders");
    pass(&pair, 1);
    assert_eq!(pair.double.next().await, Event::Detached("others".to_owned()));
    pair.send("four").await.unwrap();
    assert_eq!(pair.events().await, "four for orders");
    pass(&pair, limits::AMQP_IDLE_SECONDS_MAX);
    while pair.double.next().await != Event::Gone {}
    pair.send("five").await.unwrap();
    assert_eq!(pair.events().await, "opened · attached orders · five for orders");
}

#[tokio::test]
async fn a_link_with_a_message_on_its_way_is_in_use() {
    let mut pair = Pair::new(Script { fate: Fate::Held, ..Script::default() }).await;
    let send = pair.spawn("one");
    pair.events().await;
    (0..2 * limits::AMQP_IDLE_SECONDS_MAX).for_each(|_| pair.clock.advance_second());
    pair.amqp.sweep();
    pair.double.command(Command::Settle);
    send.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_login_that_is_forgotten_is_not_used_again() {
    let mut pair = Pair::new(Script { fate: Fate::Held, ..Script::default() }).await;
    let send = pair.spawn("one");
    pair.events().await;
    pair.amqp.forget(&pair.broker);
    pair.double.change(|script| script.fate = Fate::Accepted);
    pair.send("two").await.unwrap();
    assert_eq!(pair.events().await, "opened · attached orders · two for orders");
    pair.double.command(Command::Settle);
    send.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_broker_that_does_not_answer_to_a_close_is_cut_off() {
    let mut pair = Pair::new(Script { is_deaf: true, ..Script::default() }).await;
    pair.send("one").await.unwrap();
    pair.events().await;
    pair.amqp.forget(&pair.broker);
    while pair.double.next().await != Event::Detached("orders".to_owned()) {}
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(limits::AMQP_CLOSING_SECONDS_MAX)).await;
    tokio::time::resume();
    assert_eq!(pair.double.next().await, Event::Gone);
}

#[tokio::test]
async fn logins_do_not_share_connections() {
    let user = |password: &str| Some(("guest".to_owned(), password.to_owned()));
    let pair = Pair::new(Script { user: user("geheim"), ..Script::default() }).await;
    pair.send("one").await.unwrap();
    let other =
        Pair { amqp: Arc::clone(&pair.amqp), ..Pair::new(Script { user: user("anders"), ..Script::default() }).await };
    let mut broker = other.broker.clone();
    broker.port = pair.broker.port;
    let other = Pair { broker, ..other };
    assert!(other.refusal("two").await.starts_with("UnauthorizedAccess"));
}
