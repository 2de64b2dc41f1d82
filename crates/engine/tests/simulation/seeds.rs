//! Seeds that once failed, and what each of them found.
//!
//! What a seed leads to changes with every throw of the dice that is added. Then these are seeds like any other; what they
//! found is kept, because it is what goes wrong first.

/// A seed, and what went wrong in it.
pub(crate) const FAILED_ONCE: [(u64, &str); 13] = [
    (
        121_282_290_380_167,
        "an attempt whose backfill was cancelled while it was in flight was recorded as settled, and not counted",
    ),
    (
        90_269_911_479_851,
        "a job of which a stop of the collection left nothing never ended, because nothing of it had changed",
    ),
    (115_595_286_261_000, "a retry that was moved after the clock went back lost its mark, and was resent without it"),
    (175_431_679_593_359, "a definition that could not be read was taken for one that is gone, and its stop was lost"),
    (99_882_119_109_853, "two reads of a row were on their way, and the older one was believed"),
    (54_887_389_947_216, "an error action that an edit took away was sent again, with nothing to send"),
    (29_807_126_541_436, "after the clock went back, rows of the future took the room of those that were due"),
    (
        103_933_020_230_460,
        "a write that was decided before a stop of the collection ended was taken for the answer to its end",
    ),
    (267_608_910_890_640, "a lane that holds one key only was never filled again"),
    (227_323_730_273_621, "a late answer to a row that had moved on was taken for the end of a stop of the collection"),
    (
        155_137_847_215_059,
        "the last row beside a schedule did not hear that a stop of the collection was over, and the job never ended",
    ),
    (
        29_762_723_937_613,
        "more keys came while a lane was filled than were kept, and the first of them was the one that was lost",
    ),
    (
        188_267_407_513_554,
        "an attempt of a job whose edited definition cannot be read was settled with the old one, and a time was lost",
    ),
];

/// The same of several nodes.
pub(crate) const OF_NODES_FAILED_ONCE: [(u64, &str); 8] = [
    (19, "an attempt whose row beside the schedule another node had ended was counted a second time"),
    (229_771_653_302_353, "a row that was read before its shard came was started without the mark of the takeover"),
    (38_857_365_278_057, "two nodes that ended together gave their shards to each other, again and again"),
    (221_623_147_162_649, "an attempt was settled as if its collection, enabled through another node, were disabled"),
    (14_036_127_420_248, "two nodes wrote a row again and again, each because the other one had"),
    (225_930_874_205_816, "a row was started whose former owner was just writing that it was not run"),
    (22_871_808_701_864, "a job was started by a node that had not heard for a while what was written through others"),
    (
        156_351_388_166_923,
        "a row was started whose job another node had ended after the row and before its definition was read",
    ),
];
