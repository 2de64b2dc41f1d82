//! A server whose operator has lifted the limits of the plans.

use punctual_api::Plans;
use serde_json::{Value, json};

use super::{collection, job};
use crate::server::Server;

#[tokio::test]
async fn plans_limit_nothing() {
    let server = Server::with(|settings| settings.plans = Plans::unlimited()).await;
    assert_eq!(collection(&server, "Free", json!({ "maxJobCount": 5000 })).await.status(), 201);
    let second = json!({ "properties": { "sku": { "name": "Free" } } });
    assert_eq!(server.put("/v1/collections/second", second).await.status(), 201);
    for number in 0..6 {
        assert_eq!(job(&server, &format!("j{number}"), json!({ "frequency": "Minute" })).await.status(), 201);
    }
    let basic = json!({ "type": "Basic", "username": "ada", "password": "x" });
    let action = json!({ "request": { "uri": "https://example.com", "authentication": basic, "body": "x".repeat(20_000) },
        "retryPolicy": { "retryType": "Fixed", "retryInterval": "PT15S" } });
    let big = server.put("/v1/collections/c/jobs/big", json!({ "action": action })).await;
    assert_eq!(big.status(), 201, "{big}");
    assert_eq!(
        collection(&server, "Free", json!({ "maxJobCount": 6 })).await.status(),
        409,
        "a quota of one's own holds"
    );
    assert_eq!(collection(&server, "Free", Value::Null).await.status(), 201);
}
