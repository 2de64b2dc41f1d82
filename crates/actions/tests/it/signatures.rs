//! Signed calls.

use insta::assert_snapshot;
use punctual_actions::{Call, Executor};

use crate::job::{Job, actions, tell};
use crate::receiver::{Receiver, Reply, Seen};

const KEY: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

fn signature(seen: &Seen) -> String {
    seen.headers().filter(|line| line.starts_with("webhook")).collect::<Vec<_>>().join("\n")
}

/// Another implementation makes the same signatures of these.
#[tokio::test]
async fn the_headers() {
    let receiver = Receiver::always(Reply::ok("")).await;
    let job = Job::new("POST", receiver.url("/")).body("body").signed(KEY);
    let actions = actions();
    let retry = Call { attempt_id: [7; 16], ..job.clone().call() };
    for call in [job.clone().call(), retry, job.error_call(), Job::get(receiver.url("/")).signed(KEY).call()] {
        assert!(tell(&actions.execute(call).await).starts_with("succeeded"));
    }
    let signatures: Vec<_> = receiver.requests().iter().map(signature).collect();
    assert_eq!(signatures[0], signatures[1], "a retry of the same second is the same message");
    assert_snapshot!(signatures[1..].join("\n"), @"
    webhook-id: abababababababababababababababab
    webhook-timestamp: 1800000001
    webhook-signature: v1,bYBsPrC6QrdaDeCScPzpagBG1R4/6oRgO1C2lWzQRbM=
    webhook-id: abababababababababababababababab-error
    webhook-timestamp: 1800000001
    webhook-signature: v1,3SXg5RkXWFrOJKBEioC6vObXGpLZv0/ZziMStyOqXuY=
    webhook-id: abababababababababababababababab
    webhook-timestamp: 1800000001
    webhook-signature: v1,JMrwOuUTB2sJ5FoLF16cr/9lwAIVNQmq+QFtYV/gED4=
    ");
}

#[tokio::test]
async fn a_redirect_to_another_origin_is_not_signed() {
    let elsewhere = Receiver::always(Reply::ok("")).await;
    let location = elsewhere.url("/");
    let receiver = Receiver::start(move |_| Reply::redirect(&location)).await;
    assert!(Job::get(receiver.url("/")).signed(KEY).tell().await.starts_with("succeeded"));
    assert!(!signature(&receiver.requests()[0]).is_empty());
    assert_eq!(signature(&elsewhere.requests()[0]), "");
}
