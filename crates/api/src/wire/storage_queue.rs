//! `queueMessage`.

use punctual_model::action::{
    MessageFormat, Secret, StorageQueueAction, check_account, check_message, check_queue, check_queue_message,
    check_queue_times, check_sas_token,
};

use super::object::Object;

pub(super) fn read(mut message: Object<'_>) -> Option<StorageQueueAction<Option<Secret>>> {
    message.require("storageAccount", "the name of the storage account");
    message.require("queueName", "the name of the queue");
    message.require("message", "the text to put on the queue");
    let account = message.checked("storageAccount", check_account);
    let queue = message.checked("queueName", check_queue);
    let sas_token = message.secret("sasToken", check_sas_token);
    let text = message.unseen("message", check_message);
    let format = message.choice("format", &MessageFormat::ALL.map(|format| (format.name(), format)));
    message.adopt(None, text.as_deref().and_then(|text| check_queue_message(text, format).err()));
    let time_to_live = message.span("timeToLive");
    let visibility_delay = message.span("visibilityDelay");
    message.adopt(None, check_queue_times(time_to_live.as_ref(), visibility_delay.as_ref()));
    message.ignore_rest();
    Some(StorageQueueAction {
        account: account?,
        queue: queue?,
        sas_token,
        message: text?,
        format,
        time_to_live,
        visibility_delay,
    })
}
