//! Everything that `azure_mgmt_scheduler`, the Rust client of Azure Scheduler, can do, done to a running server.
//!
//! It reads enums only as the OpenAPI description spells them, which is why the server has a dialect for it. It never waits
//! for what takes longer, since it returns the first answer; the server's is complete.

mod actions;
mod beyond;
mod collections;
mod errors;
mod jobs;
mod office;
mod plain;
mod report;
mod round_trip;

use office::Office;
use report::Report;

#[tokio::main(flavor = "current_thread")]
async fn main() -> std::process::ExitCode {
    let office = Office::new();
    let mut report = Report::default();
    // In the order in which they build upon each other.
    report.check("JobCollections_CreateOrUpdate", collections::create(&office)).await;
    report.check("JobCollections_Get", collections::get(&office)).await;
    report.check("JobCollections_Patch", collections::patch(&office)).await;
    report.check("JobCollections_ListByResourceGroup", collections::list_by_group(&office)).await;
    report.check("JobCollections_ListBySubscription", collections::list_by_subscription(&office)).await;
    report.check("JobCollections_Disable", collections::disable(&office)).await;
    report.check("JobCollections_Enable", collections::enable(&office)).await;
    report.check("Jobs_CreateOrUpdate: http", jobs::create_http(&office)).await;
    report.check("Jobs_CreateOrUpdate: https with basic authentication", jobs::create_https_basic(&office)).await;
    report.check("Jobs_CreateOrUpdate: https with OAuth", jobs::create_https_oauth(&office)).await;
    report.check("Jobs_CreateOrUpdate: storage queue", jobs::create_storage_queue(&office)).await;
    report.check("Jobs_CreateOrUpdate: service bus queue", jobs::create_service_bus_queue(&office)).await;
    report.check("Jobs_CreateOrUpdate: service bus topic", jobs::create_service_bus_topic(&office)).await;
    report.check("Jobs_CreateOrUpdate: retry policy and error action", jobs::create_retries(&office)).await;
    report.check("Jobs_CreateOrUpdate: weekly", jobs::create_weekly(&office)).await;
    report.check("Jobs_CreateOrUpdate: monthly", jobs::create_monthly(&office)).await;
    report.check("Jobs_Get", jobs::get(&office)).await;
    report.check("Jobs_Patch", jobs::patch(&office)).await;
    report.check("Jobs_List", jobs::list(&office)).await;
    report.check("Jobs_List: top and skip", jobs::list_top_and_skip(&office)).await;
    report.check("Jobs_List: filter", jobs::list_filter(&office)).await;
    report.check("Jobs_Run", jobs::run(&office)).await;
    report.check("Jobs_ListJobHistory", jobs::list_history(&office)).await;
    report.check("Jobs_Delete", jobs::delete(&office)).await;
    report.check("error: a job that is not there", errors::missing_job(&office)).await;
    report.check("error: a collection that is not there", errors::missing_collection(&office)).await;
    report.check("error: a collection that is full", errors::full_collection(&office)).await;
    report.check("error: a job that is wrong", errors::wrong_job(&office)).await;
    report.check("error: a wrong token", errors::wrong_token(&office)).await;
    report.check("paging: 510 jobs", jobs::list_many(&office)).await;
    let lost = "round trip: nothing is lost but what the client does not know";
    report.check(lost, round_trip::nothing_is_lost(&office)).await;
    report.check("round trip: the credentials are still there", round_trip::credentials_are_kept(&office)).await;
    let changed = "beyond the original: jobs can be read, and are not changed silently by being written back";
    report.check(changed, beyond::nothing_changes_silently(&office)).await;
    report.check("JobCollections_Delete", collections::delete(&office)).await;
    report.finish("rust")
}
