-- Whether the clock of a node is too far off for it to run jobs. The node says so itself: a clock that wavers at the limit would move
-- shards with each heartbeat, if every node looked at the offset alone.
alter table node add column is_clock_off boolean not null default false;
