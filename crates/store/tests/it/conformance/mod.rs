//! One suite for every store: whatever database is behind it, these cases hold.
//!
//! A case is an `async fn` that is given a place of its own. Here they are listed; one that is not is dead code, which the
//! compiler tells. Another store joins with its own [`Place`](crate::place::Place), `conformance!(Place::new())` and, if it
//! is a database, `conformance_of_databases!(Place::new())`.

pub(crate) mod alert_edits;
pub(crate) mod alerts;
pub(crate) mod annotations;
pub(crate) mod assignments;
pub(crate) mod backfills;
pub(crate) mod batches;
pub(crate) mod bells;
pub(crate) mod changes;
pub(crate) mod collections;
pub(crate) mod deleting;
pub(crate) mod due;
pub(crate) mod failing;
pub(crate) mod groups;
pub(crate) mod history;
pub(crate) mod incidents;
pub(crate) mod jobs;
pub(crate) mod keys;
pub(crate) mod messages;
pub(crate) mod names;
pub(crate) mod paging;
pub(crate) mod pauses;
pub(crate) mod quotas;
pub(crate) mod reading;
pub(crate) mod removal;
pub(crate) mod reruns;
pub(crate) mod runs;
pub(crate) mod searching;
pub(crate) mod series;
pub(crate) mod sessions;
pub(crate) mod settling;
pub(crate) mod staleness;
pub(crate) mod stops;
pub(crate) mod taking_over;
pub(crate) mod tallies;
pub(crate) mod tokens;
pub(crate) mod told;

macro_rules! cases {
    ($place:expr; $($noun:ident: $($case:ident)+;)+) => {
        $(mod $noun {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $case() {
                crate::conformance::$noun::$case(&$place).await;
            })+
        })+
    };
}

/// What the simulated store does, too.
macro_rules! conformance {
    ($place:expr) => {
        cases! { $place;
            collections: what_was_said_comes_back one_that_was_not_made_is_not_found
                a_change_keeps_the_number_and_counts_the_revision one_is_made_once what_is_not_there_cannot_be_changed
                lists_are_in_order_of_group_and_name lists_of_one_group subscriptions_do_not_mix
                jobs_are_counted a_closed_store_keeps_them the_store_takes_writes;
            jobs: every_action_and_recurrence_comes_back every_standing_and_progress_comes_back
                extreme_instants_come_back anchors_come_back the_longest_message_comes_back
                one_that_was_not_made_is_not_found one_is_made_once an_edit_keeps_number_and_counters
                an_edit_can_change_everything a_deleted_one_is_gone a_new_one_of_an_old_name_is_another
                collections_do_not_share_names one_cannot_be_moved lists_are_in_order_of_names lists_of_one_state
                a_closed_store_keeps_them numbers_are_not_reused_after_closing;
            annotations: a_note_and_labels_come_back an_edit_changes_them_and_nothing_else
                a_job_is_disabled_until_an_instant only_a_disabled_job_is_to_be_enabled
                who_is_to_be_enabled_is_listed_page_by_page one_that_is_gone_is_not_to_be_enabled
                a_closed_store_keeps_them;
            runs: they_are_limited they_are_returned_and_counted_beside_the_schedule jobs_do_not_share_the_limit a_job_that_is_gone_is_not_run
                they_are_limited_among_many_callers they_go_with_the_job they_do_not_disturb_an_edit
                the_limit_outlives_closing;
            backfills: its_parts_run_beside_the_schedule_one_at_a_time_of_a_job a_cancelled_one_ends_with_what_has_begun
                a_job_that_is_gone_has_none it_moves_on_and_survives_a_crash;
            reruns: one_runs_beside_the_schedule_as_what_it_was they_are_limited_beside_manual_runs
                what_is_open_is_not_run_once_more a_job_that_is_gone_is_not_run a_record_is_found_by_its_key;
            history: what_was_not_run_is_listed it_is_written_only_if_the_edit_was the_newest_comes_first
                pages_go_on_where_the_last_ended some_are_skipped only_what_is_asked_for every_record_has_a_key_of_its_own
                the_years_1_and_9999 a_closed_store_keeps_it jobs_do_not_share_it a_new_job_can_have_some;
            failing: a_job_fails_until_an_attempt_of_it_succeeds manual_runs_count_and_error_actions_do_not
                the_latest_comes_first_page_by_page one_that_is_gone_does_not_fail recent_outcomes_are_known
                what_came_of_all_jobs_is_listed_latest_first an_error_action_knows_why_the_action_failed;
            searching: by_name_in_the_order_of_the_collections only_what_the_filter_admits
                by_next_run_and_then_those_without_one by_the_time_they_began_to_fail a_search_that_finds_little_stops;
            groups: what_was_said_comes_back one_is_new_once one_that_only_holds_is_listed lists_are_in_order
                one_that_holds_is_not_removed one_is_removed_with_its_collections one_that_is_not_there_is_absent
                subscriptions_are_those_that_hold_something a_closed_store_keeps_them;
            quotas: a_collection_is_full_at_its_number a_full_collection_can_be_edited a_deleted_job_makes_room
                who_was_beaten_to_a_name_is_told_so_first jobs_among_64_creators a_plan_is_full_at_its_number
                a_plan_does_not_count_the_collection_itself a_deleted_collection_makes_room collections_among_64_creators;
            names: any_case_finds_them they_are_answered_as_first_written another_case_is_the_same_name
                they_are_ordered_without_case the_longest_and_strangest pages_go_on_after_any_case;
            paging: no_job_is_lost_or_twice no_job_is_lost_or_twice_while_others_write pages_of_one_state_with_some_skipped
                no_collection_is_lost_or_twice no_group_or_subscription_is_lost_or_twice;
            staleness: of_two_edits_from_one_read_one_wins an_edit_after_a_delete an_edit_after_the_collection_changed
                an_edit_after_the_collection_was_deleted a_delete_after_an_edit a_new_job_after_the_collection_changed
                of_two_changes_of_a_collection_one_wins a_collection_deleted_after_a_change
                sixty_four_editors_all_get_through_in_the_end;
            deleting: all_is_gone_at_once the_name_is_free_at_once sweeping_leaves_the_others_alone nothing_to_sweep
                a_group_of_many_goes_at_once;
            due: they_are_in_order_of_wake_time_lane_and_number every_page_is_a_part_of_the_whole a_stampede_is_paged
                what_is_open_of_some_jobs a_lane_is_a_collection_and_a_host an_edit_moves_all_that_is_open_to_its_lane;
            taking_over: nothing_is_marked_without_a_watermark what_woke_up_to_the_watermark_is_marked
                what_is_sent_again_is_counted after_a_clean_end_nothing_is_marked
                what_waits_in_a_pause_was_not_sent what_a_pause_before_the_takeover_holds_may_have_been_sent_before_it
                the_watermark_does_not_go_back a_settlement_begins_anew an_edit_keeps_the_mark_of_the_same_attempt;
            reading: a_schedule_comes_back it_is_read_as_it_is_now what_runs_beside_comes_with_its_schedule
                what_is_gone_is_left_out a_time_in_which_its_collection_was_disabled a_definition_comes_back;
            settling: a_schedule_goes_on a_stale_change_writes_nothing_and_the_others_do counters_are_added_to
                a_manual_run_is_tried_again_and_goes an_occurrence_beside_is_settled_with_its_schedule
                a_job_ends_and_stays_the_same an_edit_and_a_settlement_do_not_overwrite_each_other
                what_was_deleted_stays_deleted many_at_once_while_clients_write;
            pauses: one_begins_and_ends the_bell_is_rung_with_it a_closed_store_keeps_it
                one_at_the_start_holds_messages_also_in_a_pause_that_goes_on old_ones_are_forgotten
                what_is_due_comes_with_its_job what_is_due_in_some_collections;
            stops: nothing_to_do every_job_is_woken_once it_goes_on_after_closing who_was_told_does_not_hear_it_again
                a_deleted_collection_is_not_woken;
            removal: jobs_that_ended_go a_run_that_is_open_keeps_its_job an_edit_counts_as_the_end
                old_history_is_dropped failures_may_be_kept_longer;
            series: every_change_of_schedule_or_state_is_kept it_outlives_its_job_and_its_collection
                every_page_is_a_part_of_the_whole what_a_job_was_before_it_ended_is_kept stops_of_a_collection;
            tallies: outcomes_are_counted_by_minute_and_collection what_is_not_written_is_not_counted
                an_edit_counts_what_it_does_not_run some_collections_are_asked_for every_page_is_a_part_of_the_whole
                old_ones_are_forgotten they_go_with_their_collection a_closed_store_keeps_them
                the_largest_range_is_counted;
            batches: what_was_written_has_landed the_answer_is_final;
            bells: it_is_rung_for_every_job_that_is_written what_was_refused_rings_nobody
                it_is_rung_for_all_where_a_collection_matters;
        }
    };
}

/// What only a database has: access, sealing keys, and deleted collections whose jobs are cleared away bit by bit.
macro_rules! conformance_of_databases {
    ($place:expr) => {
        cases! { $place;
            tokens: what_was_said_comes_back the_oldest_comes_first each_public_part_is_taken_once they_are_limited
                a_forgotten_one_is_gone a_closed_store_keeps_them;
            sessions: what_was_said_comes_back one_that_is_over_is_not_found a_hash_belongs_to_its_owner
                each_owner_may_have_some they_end_one_by_one_and_all_at_once they_end_with_their_token
                those_that_are_over_are_forgotten a_closed_store_keeps_them;
            assignments: what_was_said_comes_back the_oldest_comes_first they_are_limited
                one_that_was_taken_back_is_gone a_closed_store_keeps_them;
            keys: everything_opens_after_a_rotation numbers_ascend a_rotation_without_jobs
                an_interrupted_rotation_goes_on_after_closing a_place_beyond_the_end_loses_nothing
                a_key_that_comes_in_the_middle_loses_nothing edits_during_rotations_lose_nothing
                a_new_job_during_a_rotation;
            changes: the_latest_comes_first secrets_are_not_kept what_is_gone_has_changes
                what_is_not_yet_cleared_away_has_changes the_latest_200_are_kept the_latest_200_of_many_jobs_are_kept
                old_ones_are_forgotten only_what_was_written_is_there they_open_after_a_rotation;
            told: what_is_written_is_told what_was_told_is_told_again_after_closing pages_miss_nothing
                what_is_not_written_is_not_told what_was_dropped_is_a_gap;
            alerts: what_was_said_comes_back what_happens_is_signalled_where_somebody_wants_to_hear_of_it
                a_signal_that_is_replaced_is_not_taken jobs_at_one_target_are_one_incident
                a_job_that_goes_is_signalled_while_an_incident_is_about_it a_step_is_made_of_what_was_read
                a_message_is_a_job_that_nobody_sees each_job_that_is_watched_by_the_clock_has_a_deadline
                a_job_that_fails_in_no_incident_is_signalled
                a_collection_that_is_disabled_is_signalled_for_its_jobs_in_incidents;
            alert_edits: who_wrote_one_is_known those_who_watch_jobs_are_not_told what_is_watched_has_room_for_some
                what_happens_after_it_was_told_is_another_incident
                an_alert_that_watches_something_else_lets_go_of_the_rest;
            tallies: those_of_the_servers_own_jobs_are_not_there they_are_swept_bit_by_bit;
            incidents: a_success_of_a_job_that_is_well_again_counts what_is_no_failure_has_no_facts_of_one alerts_take_turns
                what_a_step_has_seen_is_kept a_job_that_is_gone_is_still_named what_is_more_than_a_hundred_is_one;
            messages: each_attempt_that_failed_is_noted_once a_later_one_takes_the_place_of_one_that_waits
                one_goes_where_its_alert_points_now an_incident_is_told_anew_whose_message_was_not_delivered
                the_last_ones_of_an_alert_outlive_it a_receiver_that_is_left_is_told_the_end
                the_end_is_told_to_who_keeps_the_incident;
            deleting: it_is_swept_bit_by_bit sweeping_goes_on_after_closing;
        }
    };
}
