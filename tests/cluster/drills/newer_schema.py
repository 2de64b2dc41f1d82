"""A newer version has migrated the database while these nodes run.

There is no newer version. What it would leave is written here: a step that only adds, which these nodes do not mind, and one that they
cannot live with.
"""

import subprocess

from node import BINARY, clean_environment

ADDS = """begin;
alter table punctual.work add column of_a_newer_version bigint;
create table punctual.of_a_newer_version (id bigint primary key);
insert into punctual.schema_step (version, checksum) select version + 1, 'that of a newer version' from punctual.schema_state;
update punctual.schema_state set version = version + 1;
commit;"""
BREAKS = "update punctual.schema_state set least_version = version"
FORGETS = """begin;
alter table punctual.work drop column of_a_newer_version;
drop table punctual.of_a_newer_version;
delete from punctual.schema_step where checksum = 'that of a newer version';
update punctual.schema_state set version = version - 1, least_version = {least_version};
commit;"""


def drill(cluster, is_long):
    (state,) = cluster.query("select version, least_version from punctual.schema_state")
    known = int(state["version"])
    cluster.query(ADDS)
    took = cluster.wait_until_all_run("with a schema that has more columns than they know")
    # A node that is started now finds it.
    node = cluster.nodes[0]
    node.stop()
    node.start()
    cluster.wait_until_balanced()
    cluster.query(BREAKS)
    refused = start(cluster)
    newer = known + 1
    said = f"the database has schema {newer}, which programs understand that know schema {newer}, and this one knows up to {known}"
    assert refused.returncode != 0 and said in refused.stderr, refused
    cluster.wait_until_all_run("after a newer version has said that they do not understand the schema")
    cluster.query(FORGETS.format(**state))
    print(
        f"a newer schema that only adds: nodes go on (all jobs ran within {took:.1f} s) and may be restarted; one that they cannot "
        "understand: a node is refused at its start, and those that run go on"
    )


def start(cluster):
    command = [BINARY, "serve", "--data", f"{cluster.directory}/refused", "--listen", "127.0.0.1:0"]
    environment = {**clean_environment(), **cluster.nodes[0].environment, "PUNCTUAL_CLUSTER__NAME": "refused"}
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=30)
