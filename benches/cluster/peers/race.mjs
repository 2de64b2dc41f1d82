// What all peers have in common: the calls that their jobs make, and how long it takes until all jobs are settled.
//
// The program is told by its environment: DATABASE (a URL), REDIS (a port), TARGET (a URL), JOBS (a number). It fills its queue with jobs
// that are all due already, starts its workers, and prints one line of JSON when nothing is open any more.

import { Pool } from "undici";

export const jobs = Number(process.env.JOBS);
export const database = process.env.DATABASE;
export const redis = Number(process.env.REDIS);

const target = new URL(process.env.TARGET);
// undici is the fastest client there is for Node. As many connections as Punctual opens to one host, all of them kept alive.
const pool = new Pool(target.origin, { connections: 64, pipelining: 1, keepAliveTimeout: 60_000 });
const headers = { "content-type": "application/json" };
const text = "x".repeat(60);

let started;
let called = 0;

/** What a job does: the same call with the same body as Punctual's jobs make, with fewer headers. */
export async function call(number) {
  // The clock starts with the first call, not with the workers: how long they take to notice what is due is not held against them.
  started ??= performance.now();
  const body = `{"number":${number},"text":"${text}"}`;
  const answer = await pool.request({ method: "POST", path: target.pathname, headers, body });
  await answer.body.dump();
  if (answer.statusCode !== 200) throw new Error(`the receiver answered ${answer.statusCode}`);
  called += 1;
}

/** Waits until every job has called and the queue says that nothing is open, and prints how long that took. */
export async function finish(countOpen) {
  while (called < jobs) await pause(5);
  while ((await countOpen()) > 0) await pause(5);
  console.log(JSON.stringify({ seconds: (performance.now() - started) / 1000, called }));
}

/** The numbers of all jobs, in parts. */
export function* parts(size) {
  for (let first = 0; first < jobs; first += size) {
    yield Array.from({ length: Math.min(size, jobs - first) }, (_, at) => first + at);
  }
}

function pause(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
