// BullMQ: jobs are in Redis, which writes every command to disk before it answers.

import { Queue, Worker } from "bullmq";
import { Redis } from "ioredis";
import { call, finish, parts, redis } from "./race.mjs";

// Commands of one turn of the event loop are sent together, so that they share a write to disk.
const connect = () => new Redis({ port: redis, maxRetriesPerRequest: null, enableAutoPipelining: true });

const queue = new Queue("calls", { connection: connect() });
// Due at once: those with a delay are moved to the waiting ones first, which it is spared here.
const opts = { removeOnComplete: true, removeOnFail: true };
for (const numbers of parts(5000)) {
  await queue.addBulk(numbers.map((number) => ({ name: "call", data: { number }, opts })));
}
const worker = new Worker("calls", (job) => call(job.data.number), {
  connection: connect(),
  // More than there are connections to the receiver: while one call waits, others are fetched and settled.
  concurrency: 256,
  drainDelay: 1,
});
worker.on("error", (error) => {
  console.error(error);
  process.exit(1);
});
await finish(async () => {
  const { waiting, active, delayed, failed } = await queue.getJobCounts("waiting", "active", "delayed", "failed");
  return waiting + active + delayed + failed;
});
process.exit(0);
