// graphile-worker: jobs are rows that are deleted when they are done.

import { Logger, makeWorkerUtils, run } from "graphile-worker";
import pg from "pg";
import { call, database, finish, parts } from "./race.mjs";

// It says a line for each job otherwise.
const logger = new Logger(() => () => {});
const own = new pg.Client({ connectionString: database });
await own.connect();

const utils = await makeWorkerUtils({ connectionString: database, logger });
await utils.migrate();
const runAt = new Date();
for (const numbers of parts(5000)) {
  await utils.addJobs(numbers.map((number) => ({ identifier: "call", payload: { number }, runAt })));
}
await own.query("vacuum (analyze) graphile_worker._private_jobs");

const runner = await run({
  connectionString: database,
  maxPoolSize: 20,
  logger,
  noHandleSignals: true,
  // More than there are connections to the receiver: while one call waits, others are fetched and settled.
  concurrency: 128,
  taskList: { call: ({ number }) => call(number) },
  preset: {
    worker: {
      // Many jobs are fetched at once, and many that are done are settled at once. Without these two it is several times slower.
      localQueue: { size: 1000 },
      completeJobBatchDelay: 0,
      failJobBatchDelay: 0,
    },
  },
});
await finish(async () => {
  const { rows } = await own.query("select count(*)::int as open from graphile_worker._private_jobs");
  return rows[0].open;
});
await runner.stop();
process.exit(0);
