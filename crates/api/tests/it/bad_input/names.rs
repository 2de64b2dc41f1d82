use insta::assert_snapshot;
use serde_json::json;

use super::Table;

#[tokio::test]
async fn names() {
    let mut table = Table::new().await;
    let job = json!({ "action": { "request": { "uri": "https://example.com" } } });
    for name in ["a%2Fb", "a%5Cb", "a%3Fb", "a%23b", "a%25b", "%00", "a%0Ab", "%FF", "%20", "%20a", "a.", "%C2%85", "."]
    {
        let answer = table.server.put(&format!("/v1/jobs/{name}"), job.clone()).await;
        if answer.status() == 201 {
            table.server.delete(&format!("/v1/jobs/{name}")).await;
            table.rows.push(format!("{name}\n  -> taken"));
        } else {
            table.add(name, "", &answer);
        }
    }
    let long = "x".repeat(261);
    let answer = table.server.put(&format!("/v1/jobs/{long}"), job.clone()).await;
    table.add("a name of 261 characters", "", &answer);
    assert_eq!(table.server.put(&format!("/v1/jobs/{}", &long[..260]), job).await.status(), 201);
    table.server.delete(&format!("/v1/jobs/{}", &long[..260])).await;
    for path in [
        "/v1/collections/a%2Fb",
        "/v1/jobs//history",
        "/subscriptions/a%2Fb/resourceGroups?api-version=2016-02-01",
        "/subscriptions//resourceGroups/g?api-version=2016-02-01",
        "/subscriptions/s/resourceGroups/g%3F/providers/Microsoft.Scheduler/jobCollections?api-version=2016-03-01",
    ] {
        let answer = table.server.get(path).await;
        table.add(path, "", &answer);
    }
    for path in
        ["/v1/tokens/short", "/v1/tokens/ABCDEFGH2345", "/v1/assignments/x", "/v1/assignments/99999999999999999999"]
    {
        let answer = table.server.delete(path).await;
        table.add(path, "", &answer);
    }
    assert_snapshot!(table.finish().await, @r#"
    a%2Fb
      -> the job: Given "a/b", expected 1 to 260 characters, none of / \ ? # % and no control characters.
    a%5Cb
      -> the job: Given "a\\b", expected 1 to 260 characters, none of / \ ? # % and no control characters.
    a%3Fb
      -> the job: Given "a?b", expected 1 to 260 characters, none of / \ ? # % and no control characters.
    a%23b
      -> the job: Given "a#b", expected 1 to 260 characters, none of / \ ? # % and no control characters.
    a%25b
      -> the job: Given "a%b", expected 1 to 260 characters, none of / \ ? # % and no control characters.
    %00
      -> the job: Given "\0", expected 1 to 260 characters, none of / \ ? # % and no control characters.
    a%0Ab
      -> the job: Given "a\nb", expected 1 to 260 characters, none of / \ ? # % and no control characters.
    %FF
      -> the path: Given %FF, expected percent-encoded UTF-8.
    %20
      -> taken
    %20a
      -> taken
    a.
      -> taken
    %C2%85
      -> the job: Given "\u{85}", expected 1 to 260 characters, none of / \ ? # % and no control characters.
    .
      -> the job: Given ".", expected a name; these dots mean a place in an address, and clients take them out.
    a name of 261 characters
      -> the job: Given "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…, expected 1 to 260 characters, none of / \ ? # % and no control characters.
    /v1/collections/a%2Fb
      -> the collection: Given "a/b", expected 1 to 260 characters, none of / \ ? # % and no control characters.
    /v1/jobs//history
      -> the job: Given "", expected 1 to 260 characters, none of / \ ? # % and no control characters.
    /subscriptions/a%2Fb/resourceGroups?api-version=2016-02-01
      -> the subscription: Given "a/b", expected 1 to 260 characters, none of / \ ? # % and no control characters.
    /subscriptions//resourceGroups/g?api-version=2016-02-01
      -> the subscription: Given "", expected 1 to 260 characters, none of / \ ? # % and no control characters.
    /subscriptions/s/resourceGroups/g%3F/providers/Microsoft.Scheduler/jobCollections?api-version=2016-03-01
      -> the resource group: Given "g?", expected 1 to 260 characters, none of / \ ? # % and no control characters.
    /v1/tokens/short
      -> the token: Given 5 characters, expected 12 lower-case letters and digits, the middle part of a token.
    /v1/tokens/ABCDEFGH2345
      -> the token: Given 12 characters, expected 12 lower-case letters and digits, the middle part of a token.
    /v1/assignments/x
      -> the assignment: Given x, expected a number.
    /v1/assignments/99999999999999999999
      -> the assignment: Given 99999999999999999999, expected a number.
    "#);
}
