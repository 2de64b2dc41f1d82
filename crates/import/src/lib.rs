//! Reads jobs of other schedulers, and says of each how well it fits.
//!
//! ```text
//!   text of a file ──▶ a reader for its kind ──▶ Draft ──▶ check, by whoever reads jobs ──▶ Report
//!                                                  │
//!                                                  └── what is not in the file: a hole, until somebody fills it
//! ```
//!
//! Everything here is a function of its arguments: files are texts, the present is a value, and so is the function that says
//! whether a job would be taken. The jobs that come out are the JSON of our API.

mod action;
mod arm;
mod azure;
mod azure_json;
mod checked;
mod cron_field;
mod crontab;
mod draft;
mod eventbridge;
mod fill;
mod gather;
mod google;
mod kubernetes;
pub mod limits;
mod logic_app;
mod report;
mod shell;
mod terraform;
mod terraform_azurerm;
mod yaml;

use std::collections::BTreeMap;

use punctual_arm::Json;
use punctual_model::Violation;
use punctual_model::time::Timestamp;

pub use checked::Checked;
pub use report::{Collection, Finding, Job, Report, Verdict};

use crate::gather::Gather;
use crate::limits::FILE_BYTES_MAX;

/// Where jobs come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// ARM templates with jobs of Azure Scheduler.
    Arm,
    /// What Azure Scheduler answered to GET: a job, a collection, or a list of them.
    AzureJson,
    /// Workflows of Azure Logic Apps with a recurrence and one HTTP action.
    LogicApp,
    /// Crontabs whose lines call curl or wget.
    Crontab,
    /// CronJobs of Kubernetes whose container is a curl or a wget.
    Kubernetes,
    /// Schedules and rules of Amazon EventBridge, as AWS CLI exports them, or the state of Terraform.
    EventBridge,
    /// Jobs of Google Cloud Scheduler, as gcloud exports them, or the state of Terraform.
    Google,
    /// `azurerm_scheduler_job` in the state of Terraform.
    TerraformAzurerm,
}

impl Kind {
    /// Each kind.
    pub const ALL: [Self; 8] = [
        Self::Arm,
        Self::AzureJson,
        Self::LogicApp,
        Self::Crontab,
        Self::Kubernetes,
        Self::EventBridge,
        Self::Google,
        Self::TerraformAzurerm,
    ];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Arm => "arm",
            Self::AzureJson => "azure-json",
            Self::LogicApp => "logic-app",
            Self::Crontab => "crontab",
            Self::Kubernetes => "kubernetes",
            Self::EventBridge => "eventbridge",
            Self::Google => "google",
            Self::TerraformAzurerm => "terraform-azurerm",
        }
    }
}

/// What is known beside the file.
pub struct Settings<'a> {
    /// A file of parameters of a template.
    pub parameters: Option<&'a Json>,
    /// What fills holes, by name.
    pub fills: &'a BTreeMap<String, String>,
    /// The id of the subscription that a template is deployed to.
    pub subscription: Option<&'a str>,
    /// The name of the resource group that a template is deployed to.
    pub group: Option<&'a str>,
    /// The collection of jobs whose origin has none.
    pub collection: &'a str,
    /// The zone in which a crontab is meant, where it does not say so.
    pub time_zone: Option<&'a str>,
    /// The present.
    pub now: Timestamp,
    /// Reads a job as the API does.
    pub check: Check<'a>,
}

/// Reads a job as the API does; strictly, no member may be unknown.
pub type Check<'a> = &'a dyn Fn(&Json, Strictness) -> Result<Checked, Vec<Violation>>;

/// What becomes of members that a job does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strictness {
    /// They are warned of, as on the paths of the original.
    Lenient,
    /// They are refused, as under `/v1`.
    Strict,
}

/// Reads the text of a file.
pub fn read(kind: Kind, text: &str, settings: &Settings<'_>) -> Result<Report, Vec<Violation>> {
    if text.len() > FILE_BYTES_MAX {
        let given = format!("{} bytes", text.len());
        return Err(vec![Violation::new("the file", given, format!("at most {FILE_BYTES_MAX} bytes"))]);
    }
    let mut gather = Gather::new(settings);
    match kind {
        Kind::Arm => arm::read(text, &mut gather)?,
        Kind::AzureJson => azure_json::read(&json(text)?, &mut gather)?,
        Kind::LogicApp => logic_app::read(&json(text)?, &mut gather)?,
        Kind::Crontab => crontab::read(text, &mut gather),
        Kind::Kubernetes => kubernetes::read(text, &mut gather)?,
        Kind::EventBridge => eventbridge::read(&json(text)?, &mut gather)?,
        Kind::Google => google::read(&json(text)?, &mut gather)?,
        Kind::TerraformAzurerm => terraform_azurerm::read(&json(text)?, &mut gather)?,
    }
    Ok(gather.finish())
}

fn json(text: &str) -> Result<Json, Vec<Violation>> {
    punctual_arm::json::parse(text).map_err(|violation| vec![violation])
}

/// The options of curl that can be read, by letter and long name; `\0` is no letter.
pub fn known_curl_options() -> impl Iterator<Item = (char, &'static str)> {
    shell::known_curl_options()
}
