//! An incident: jobs that are in the same trouble, at the same target, for the same class of failure.

use super::condition::Trouble;
use super::{Alert, Form};
use crate::limits;
use crate::time::Timestamp;

/// An incident as far as its next step depends on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incident {
    /// What its jobs are in.
    pub trouble: Trouble,
    /// When its first job got into it.
    pub opened_at: Timestamp,
    /// When it was told that it opened; none if it was not.
    pub told_at: Option<Timestamp>,
    /// When something was last told of it.
    pub last_told_at: Option<Timestamp>,
    /// Until when someone wants to hear nothing of it, of this incident or of its alert.
    pub muted_until: Option<Timestamp>,
    /// A success of a job that is well again, 30 seconds or more after the last failure that was known then; none if none was seen.
    pub well_since: Option<Timestamp>,
    /// How its jobs stand.
    pub members: Members,
}

/// How the jobs of an incident stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Members {
    /// How many jobs are in trouble.
    pub troubled: u64,
    /// How many jobs are well again.
    pub well: u64,
    /// How many jobs were disabled, deleted or have ended.
    pub gone: u64,
    /// When an attempt of one of them last failed, if it is about failures.
    pub last_failure: Option<Timestamp>,
    /// When one of them last got into trouble.
    pub last_joined: Option<Timestamp>,
    /// When one of them was last found to be well again.
    pub last_well: Option<Timestamp>,
    /// When an attempt last started, of those that are well again, that succeeded.
    pub last_success: Option<Timestamp>,
    /// When the first of those that are in trouble makes its next attempt, or began one that is under way.
    pub next_attempt: Option<Timestamp>,
}

/// What is done about an incident.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// What is told.
    pub tell: Option<Tell>,
    /// Whether the incident is over.
    pub closes: bool,
    /// When the incident has to be looked at again, if nothing happens before.
    pub look_at: Option<Timestamp>,
    /// What [`Incident::well_since`] is from now on.
    pub well_since: Option<Timestamp>,
}

/// What is told of an incident.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tell {
    /// The incident opened.
    Opened,
    /// The incident lasts, which people are reminded of.
    Reminder,
    /// The incident lasts, which a program is told that would take it for over otherwise.
    Lasts,
    /// The incident is over.
    Recovered,
}

impl Incident {
    /// What is to be done about the incident now.
    pub fn step(&self, alert: &Alert, now: Timestamp) -> Step {
        Step { well_since: self.first_success(), ..self.decide(alert, now) }
    }

    fn decide(&self, alert: &Alert, now: Timestamp) -> Step {
        let gathered_at = self.opened_at.saturating_add(limits::ALERT_GATHER_TICKS);
        if self.told_at.is_none() && now < gathered_at {
            return Step::new(None, false, Some(gathered_at));
        }
        let over_at = self.over_at(alert.form, now);
        let is_over = over_at.is_some_and(|over_at| over_at <= now);
        let muted_until = self.muted_until.filter(|until| *until > now);
        // A receiver that keeps incidents of its own has to hear the end of those that it was told of.
        let is_known = self.told_at.is_some() && alert.form.keeps_incidents();
        if is_over && muted_until.is_some() && !is_known {
            return Step::new(None, true, None);
        }
        let held_until = muted_until.max(alert.quiet_until(now));
        if let Some(held_until) = held_until {
            let (tell, again) = self.keep_alive(alert.form, now).filter(|_| !is_over).unwrap_or_default();
            let look_at = earlier(earlier(held_until, again), over_at.filter(|at| *at > now));
            return Step::new(tell, false, Some(look_at));
        }
        if is_over {
            self.close(alert, now)
        } else if self.trouble.is_event() {
            // It waits for its end alone: nobody is reminded of what does not last.
            Step::new(None, false, over_at)
        } else {
            self.go_on(alert, over_at, now)
        }
    }

    /// The incident is over. Of one that was held back until now, its end says all.
    fn close(&self, alert: &Alert, now: Timestamp) -> Step {
        if self.has_passed() && self.told_at.is_none() {
            // Who fails and has ended by that, or was disabled at once, has failed all the same. A receiver that would keep it
            // open is told its end later.
            let closes = !alert.form.waits_for_end();
            let look_at = (!closes).then(|| now.saturating_add(limits::ALERT_PAST_TICKS));
            return Step::new(Some(Tell::Opened), closes, look_at);
        }
        let tell = if self.has_passed() {
            // A receiver that keeps incidents of its own would keep this one open for ever.
            Some(Tell::Recovered).filter(|_| alert.form.keeps_incidents())
        } else {
            let is_wanted = alert.conditions.recovered || alert.form.keeps_incidents();
            Some(if is_wanted { Tell::Recovered } else { Tell::Opened }).filter(|_| is_wanted || self.told_at.is_none())
        };
        Step::new(tell, true, None)
    }

    fn go_on(&self, alert: &Alert, over_at: Option<Timestamp>, now: Timestamp) -> Step {
        let reminder_ticks = alert.reminder.as_ref().map(crate::time::Span::ticks);
        let keep_alive_ticks = Form::keep_alive_ticks(alert.form);
        let due = |ticks: Option<i64>, last: Timestamp| ticks.map(|ticks| last.saturating_add(ticks));
        let tell = match self.last_told_at {
            _ if self.told_at.is_none() => Some(Tell::Opened),
            Some(last) if due(reminder_ticks, last).is_some_and(|due| due <= now) => Some(Tell::Reminder),
            Some(last) if due(keep_alive_ticks, last).is_some_and(|due| due <= now) => Some(Tell::Lasts),
            _ => None,
        };
        let last = if tell.is_some() { now } else { self.last_told_at.unwrap_or(now) };
        let again =
            [due(reminder_ticks, last), due(keep_alive_ticks, last), over_at.or_else(|| self.look_for_success(now))];
        Step::new(tell, false, again.into_iter().flatten().min())
    }

    /// When to look whether one of the jobs that are well again has succeeded once more. That is no news to anyone, so that
    /// nothing tells of it; but it may end the incident, although others have not run.
    fn look_for_success(&self, now: Timestamp) -> Option<Timestamp> {
        let Members { troubled, well, .. } = self.members;
        let is_wanted = self.trouble.is_failure() && troubled > 0 && well > 0;
        is_wanted.then(|| now.saturating_add(limits::ALERT_RECOVERY_TICKS))
    }

    /// Since when none of its jobs is in trouble, as far as anyone has noticed; none if that is not known.
    pub fn ended_at(&self) -> Option<Timestamp> {
        match self.trouble {
            // No run that is in time tells of itself.
            Trouble::Late => self.members.last_joined,
            _ => self.members.last_well,
        }
    }

    /// What a receiver has to hear that was told of the incident and would take it for over otherwise, and when again. That says
    /// nothing new to anybody, so that it goes on while everything else is held back.
    fn keep_alive(&self, form: Form, now: Timestamp) -> Option<(Option<Tell>, Option<Timestamp>)> {
        let ticks = form.keep_alive_ticks().filter(|_| self.told_at.is_some())?;
        let due = self.last_told_at?.saturating_add(ticks);
        let is_due = due <= now;
        Some((is_due.then_some(Tell::Lasts), Some(if is_due { now.saturating_add(ticks) } else { due })))
    }

    /// From when on the incident is over, as far as is known now.
    fn over_at(&self, form: Form, now: Timestamp) -> Option<Timestamp> {
        let Members { troubled, last_well, next_attempt, .. } = self.members;
        if self.trouble.is_event() {
            let told_at = self.told_at.filter(|_| form.waits_for_end());
            return Some(told_at.map_or(self.opened_at, |told_at| told_at.saturating_add(limits::ALERT_PAST_TICKS)));
        }
        if self.trouble == Trouble::Late {
            // No run that is in time tells of itself: the incident is over when none was late for a while.
            let last_joined = self.members.last_joined.unwrap_or(self.opened_at);
            return Some(last_joined.saturating_add(limits::ALERT_LATE_TICKS));
        }
        if !self.trouble.is_failure() || self.is_deserted() {
            return (troubled == 0).then(|| last_well.unwrap_or(self.opened_at));
        }
        if troubled == 0 {
            return Some(self.settled_at().max(last_well?));
        }
        // Those that have not run since may be well or not: they are named, not waited for. But whoever is due by now, or
        // under way, is about to show it.
        let began_at = now.saturating_add(-limits::ALERT_UNDER_WAY_TICKS);
        let is_running = next_attempt.is_some_and(|next_attempt| (began_at..=now).contains(&next_attempt));
        let first_success = self.first_success().filter(|_| !is_running)?;
        Some(first_success.saturating_add(limits::ALERT_RECOVERY_TICKS))
    }

    /// When a success says that the trouble may be over: a job that failed at about the same time as another one succeeded has
    /// run, and one that is due then may be about to fail.
    fn settled_at(&self) -> Timestamp {
        self.members.last_failure.unwrap_or(self.opened_at).saturating_add(limits::ALERT_RECOVERY_TICKS)
    }

    /// The first success that was seen after the failures had settled. It is kept: the latest one of a job that runs every few
    /// seconds is always too young to say anything.
    fn first_success(&self) -> Option<Timestamp> {
        let has_settled = |success: &Timestamp| *success >= self.settled_at();
        let Members { troubled, last_well, last_success, .. } = self.members;
        let latest = last_well.map(|last_well| last_success.map_or(last_well, |success| success.max(last_well)));
        let is_wanted = self.trouble.is_failure() && troubled > 0;
        self.well_since.filter(has_settled).or_else(|| latest.filter(has_settled)).filter(|_| is_wanted)
    }

    /// Whether there is nothing that could recover: it has happened, or all of its jobs have gone.
    pub const fn has_passed(&self) -> bool {
        self.trouble.is_event() || self.is_deserted()
    }

    /// Whether all of its jobs have gone, and none is well again.
    const fn is_deserted(&self) -> bool {
        self.members.troubled == 0 && self.members.well == 0
    }
}

impl Step {
    const fn new(tell: Option<Tell>, closes: bool, look_at: Option<Timestamp>) -> Self {
        Self { tell, closes, look_at, well_since: None }
    }
}

fn earlier(at: Timestamp, other: Option<Timestamp>) -> Timestamp {
    other.map_or(at, |other| other.min(at))
}
