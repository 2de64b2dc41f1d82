"""What several drills look at."""


def records_of(cluster, name):
    """What history has of a job, duplicates included."""
    tables = [row["name"] for row in cluster.query("select name from punctual.history_segment")]
    parts = [f"select * from punctual.{table}" for table in tables]
    return cluster.query(
        f"select is_duplicate, is_resent, status, message from ({' union all '.join(parts)}) as attempt "
        f"where job = (select id from punctual.job where name = '{name}') order by number"
    )


def duplicates_of(cluster, name):
    return sum(record["is_duplicate"] == "t" for record in records_of(cluster, name))


def marked_after_the_first(cluster, path):
    """An attempt was sent twice by two nodes, the second time with the mark."""
    calls = cluster.receiver.of(path)
    assert len(calls) == 2 and [call.is_resent for call in calls] == [False, True], calls
    assert calls[0].attempt == calls[1].attempt and calls[0].source != calls[1].source, calls
