//! Resource groups.

use insta::assert_snapshot;
use serde_json::json;

use crate::server::Server;

const G: &str = "/subscriptions/S/resourcegroups/RG?api-version=2016-02-01";

#[tokio::test]
async fn any_name_is_a_group() {
    let server = Server::start().await;
    assert_snapshot!(server.get(G).await, @r#"
    200 OK
    content-type: application/json; charset=utf-8
    {
      "id": "/subscriptions/S/resourceGroups/RG",
      "name": "RG",
      "type": "Microsoft.Resources/resourceGroups",
      "location": "local",
      "properties": {
        "provisioningState": "Succeeded"
      }
    }
    "#);
    assert_snapshot!(server.call("HEAD", G).send().await, @"204 No Content");
}

#[tokio::test]
async fn put_makes_with_201_and_replaces_with_200() {
    let server = Server::start().await;
    let group = json!({ "location": "westeurope", "tags": { "a": "b" } });
    assert_snapshot!(server.put(G, group.clone()).await, @r#"
    201 Created
    content-type: application/json; charset=utf-8
    {
      "id": "/subscriptions/S/resourceGroups/RG",
      "name": "RG",
      "type": "Microsoft.Resources/resourceGroups",
      "location": "westeurope",
      "tags": {
        "a": "b"
      },
      "properties": {
        "provisioningState": "Succeeded"
      }
    }
    "#);
    let again = server.put(G, group).await;
    assert_eq!((again.status(), again.at("/tags/a")), (200, "b".into()));
    assert_eq!(server.get("/subscriptions/s/resourceGroups/rg?api-version=2021-04-01").await.body(), again.body());
    assert_snapshot!(server.get("/subscriptions/s/resourceGroups?api-version=2021-04-01").await, @r#"
    200 OK
    content-type: application/json; charset=utf-8
    {
      "value": [
        {
          "id": "/subscriptions/S/resourceGroups/RG",
          "name": "RG",
          "type": "Microsoft.Resources/resourceGroups",
          "location": "westeurope",
          "tags": {
            "a": "b"
          },
          "properties": {
            "provisioningState": "Succeeded"
          }
        }
      ],
      "nextLink": null
    }
    "#);
}

#[tokio::test]
async fn a_group_with_collections_is_deleted_by_force_only() {
    let server = Server::start().await;
    assert_snapshot!(server.delete(G).await, @r#"
    404 Not Found
    content-type: application/json; charset=utf-8
    {
      "error": {
        "code": "ResourceGroupNotFound",
        "message": "Resource group 'RG' could not be found."
      }
    }
    "#);
    server.put("/v1/collections/a?subscription=S&group=RG", json!({})).await;
    server.put("/v1/collections/b?subscription=S&group=RG", json!({})).await;
    let listed = server.get("/subscriptions/S/resourceGroups?api-version=2021-04-01").await;
    assert_eq!(listed.each("name"), ["RG"], "a group that holds something is there");
    assert_snapshot!(server.delete(G).await, @r#"
    409 Conflict
    content-type: application/json; charset=utf-8
    {
      "error": {
        "code": "ConflictError",
        "message": "The resource group 'RG' holds 2 job collections; delete them first, or add ?force=true.",
        "details": [
          {
            "code": "ConflictError",
            "target": "resourceGroup",
            "message": "The resource group 'RG' holds 2 job collections; delete them first, or add ?force=true."
          }
        ]
      }
    }
    "#);
    assert_eq!(server.delete(&format!("{G}&force=false")).await.status(), 409);
    assert_snapshot!(server.delete(&format!("{G}&force=TRUE")).await, @"200 OK");
    assert_eq!(server.get("/v1/collections/a?subscription=S&group=RG").await.status(), 404);
    assert_eq!(server.delete(G).await.status(), 404);
}
