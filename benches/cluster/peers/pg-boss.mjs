// pg-boss: jobs are rows that are kept when they are done. Four workers take 2,000 each at a time.

import PgBoss from "pg-boss";
import { call, database, finish, parts } from "./race.mjs";

const WORKERS = 4;
const BATCH = 2000;

// What it does beside jobs is switched off while it is measured.
const boss = new PgBoss({ connectionString: database, max: 10, supervise: false, schedule: false });
boss.on("error", (error) => {
  console.error(error);
  process.exit(1);
});
await boss.start();
const queue = `calls-${Date.now()}`;
await boss.createQueue(queue);
const startAfter = new Date();
for (const numbers of parts(5000)) {
  await boss.insert(numbers.map((number) => ({ name: queue, data: { number }, startAfter })));
}
await boss.getDb().executeSql("vacuum (analyze) pgboss.job");

for (let worker = 0; worker < WORKERS; worker += 1) {
  // A batch is done when all its calls are, and is settled with one statement. The interval is the shortest it takes.
  await boss.work(queue, { batchSize: BATCH, pollingIntervalSeconds: 0.5 }, (batch) =>
    Promise.all(batch.map((job) => call(job.data.number))).then(() => {}),
  );
}
await finish(async () => {
  const sql = "select count(*)::int as open from pgboss.job where name = $1 and state < 'completed'";
  const { rows } = await boss.getDb().executeSql(sql, [queue]);
  return rows[0].open;
});
process.exit(0);
