//! The last line of the log: what the stop has left behind, in one sentence.

use punctual_model::plural;

/// Logs that the server has stopped.
pub(super) fn log(requests_cut: usize, attempts_left: u32) {
    let text = text(requests_cut as u64, attempts_left.into());
    if requests_cut == 0 && attempts_left == 0 {
        tracing::info!("{text}");
    } else {
        tracing::warn!("{text}");
    }
}

fn text(requests_cut: u64, attempts_left: u64) -> String {
    let requests = match requests_cut {
        0 => "every accepted request was answered".to_owned(),
        cut => format!("{} took too long and {} cut off", plural(cut, "request"), was(cut)),
    };
    let attempts = match attempts_left {
        0 => "no attempt is in flight".to_owned(),
        left => format!(
            "{} {} still running and will be sent again at the next start, marked as resent",
            plural(left, "attempt"),
            was(left)
        ),
    };
    format!("stopped; {requests}; {attempts}")
}

const fn was(number: u64) -> &'static str {
    if number == 1 { "was" } else { "were" }
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn one_sentence_that_does_not_contradict_itself() {
        assert_eq!(text(0, 0), "stopped; every accepted request was answered; no attempt is in flight");
        assert_eq!(text(1, 0), "stopped; 1 request took too long and was cut off; no attempt is in flight");
        assert_eq!(
            text(0, 2),
            "stopped; every accepted request was answered; 2 attempts were still running and will be sent again at the next \
             start, marked as resent"
        );
    }
}
