// Everything that azure-arm-scheduler 1.2.0-preview, the Node client of Azure Scheduler, can do, done to a running server.
//
// The client hands on the texts of the server, and the original service wrote states, frequencies, days and kinds of retry
// in lower case: what is sent as `Enabled` is read as `enabled`.
'use strict';

const assert = require('assert').strict;
const fs = require('fs');
const Client = require('azure-arm-scheduler');
const { TokenCredentials } = require('ms-rest');
const actions = require('./actions');
const Plain = require('./plain');
const Report = require('./report');

const SUBSCRIPTION = 'subscription-of-clients';
const GROUP = 'node';
const COLLECTION = 'Office';
// More than one page of the server holds.
const MANY = 510;

function clientWith(token) {
  const options = { requestOptions: { ca: fs.readFileSync(process.env.PUNCTUAL_CA) } };
  return new Client(new TokenCredentials(token), SUBSCRIPTION, process.env.PUNCTUAL_URL, options);
}

const client = clientWith(process.env.PUNCTUAL_TOKEN);
const collections = client.jobCollections;
const jobs = client.jobs;
const plain = new Plain(SUBSCRIPTION, GROUP);

// What the client says of a call that fails, which is an error of its own.
async function failureOf(call) {
  try {
    await call();
  } catch (error) {
    assert.equal(typeof error.statusCode, 'number', error.stack);
    return { status: error.statusCode, code: error.code, message: error.body.message };
  }
  throw new assert.AssertionError({ message: 'no error' });
}

async function fails(call, status, code, words) {
  const failure = await failureOf(call);
  assert.deepEqual([failure.status, failure.code], [status, code]);
  assert.ok(failure.message.includes(words), failure.message);
}

const plainObject = (value) => JSON.parse(JSON.stringify(value));
const names = (listed) => listed.map((job) => job.name.replace(`${COLLECTION}/`, ''));

// --- Collections ---

function isCollection(collection, tags) {
  const path = `/subscriptions/${SUBSCRIPTION}/resourceGroups/${GROUP}/providers/Microsoft.Scheduler/jobCollections`;
  assert.deepEqual(plainObject(collection), {
    id: `${path}/${COLLECTION}`,
    type: 'Microsoft.Scheduler/jobCollections',
    name: COLLECTION,
    location: 'westus',
    tags,
    properties: {
      sku: { name: 'Standard' },
      state: 'Enabled',
      quota: { maxJobCount: 40, maxRecurrence: { frequency: 'minute', interval: 5 } },
    },
  });
}

async function createCollection() {
  const quota = { maxJobCount: 40, maxRecurrence: { frequency: 'Minute', interval: 5 } };
  const properties = { sku: { name: 'Standard' }, state: 'Enabled', quota };
  const wanted = { location: 'westus', tags: { a: 'b' }, properties };
  isCollection(await collections.createOrUpdate(GROUP, COLLECTION, wanted), { a: 'b' });
}

async function getCollection() {
  isCollection(await collections.get(GROUP, COLLECTION), { a: 'b' });
}

async function patchCollection() {
  // What is patched is merged, tags too.
  isCollection(await collections.patch(GROUP, COLLECTION, { tags: { c: 'd' } }), { a: 'b', c: 'd' });
}

async function listCollectionsOfGroup() {
  const listed = await collections.listByResourceGroup(GROUP);
  assert.equal(listed.length, 1);
  isCollection(listed[0], { a: 'b', c: 'd' });
}

async function listCollectionsOfSubscription() {
  const { id } = await collections.get(GROUP, COLLECTION);
  const listed = await collections.listBySubscription();
  assert.ok(listed.some((collection) => collection.id === id));
}

async function disableCollection() {
  await collections.disable(GROUP, COLLECTION);
  assert.equal((await collections.get(GROUP, COLLECTION)).properties.state, 'Disabled');
}

async function enableCollection() {
  await collections.enable(GROUP, COLLECTION);
  assert.equal((await collections.get(GROUP, COLLECTION)).properties.state, 'Enabled');
}

async function deleteCollection() {
  await collections.deleteMethod(GROUP, COLLECTION);
  await fails(() => collections.get(GROUP, COLLECTION), 404, 'ResourceNotFound', COLLECTION);
}

// --- Jobs ---

// Makes a job and compares what was answered, then what is read.
async function put(name, action, recurrence) {
  const properties = { startTime: actions.START, action, recurrence, state: 'Enabled' };
  const written = await jobs.createOrUpdate(GROUP, COLLECTION, name, { properties });
  const read = await jobs.get(GROUP, COLLECTION, name);
  for (const job of [written, read]) {
    assert.equal(job.name, `${COLLECTION}/${name}`);
    assert.equal(job.type, 'Microsoft.Scheduler/jobCollections/jobs');
    assert.deepEqual(job.properties.startTime, actions.START);
    assert.equal(job.properties.state, 'enabled');
    assert.equal(job.properties.action.type, action.type);
  }
  assert.deepEqual(plainObject(written), plainObject(read));
  return read.properties;
}

async function createHttp() {
  const { request } = (await put('http', actions.http)).action;
  assert.deepEqual(plainObject(request), actions.http.request);
}

async function createHttpsBasic() {
  const { authentication } = (await put('basic', actions.httpsBasic)).action.request;
  assert.deepEqual(plainObject(authentication), { type: 'Basic', username: 'clerk' });
}

async function createHttpsOAuth() {
  const { authentication } = (await put('oauth', actions.httpsOAuth)).action.request;
  const { secret, ...shown } = actions.httpsOAuth.request.authentication;
  assert.deepEqual(plainObject(authentication), shown);
}

async function createStorageQueue() {
  const { queueMessage } = (await put('queue', actions.storageQueue)).action;
  assert.deepEqual(plainObject(queueMessage), { storageAccount: 'account', queueName: 'queue', message: 'hi' });
}

async function createServiceBusQueue() {
  const message = (await put('bus-queue', actions.serviceBusQueue)).action.serviceBusQueueMessage;
  const { timeToLive, scheduledEnqueueTimeUtc } = message.brokeredMessageProperties;
  assert.equal(timeToLive.toISOString(), actions.TIME_TO_LIVE.toISOString());
  assert.deepEqual(scheduledEnqueueTimeUtc, actions.END);
  const sent = plainObject(actions.serviceBusQueue.serviceBusQueueMessage);
  sent.authentication = { sasKeyName: 'sender', type: 'sharedAccessKey' };
  assert.deepEqual(plainObject(message), sent);
}

async function createServiceBusTopic() {
  const message = (await put('bus-topic', actions.serviceBusTopic)).action.serviceBusTopicMessage;
  const sent = plainObject(actions.serviceBusTopic.serviceBusTopicMessage);
  sent.authentication = { sasKeyName: 'sender', type: 'sharedAccessKey' };
  sent.transportType = 'netMessaging';
  assert.deepEqual(plainObject(message), sent);
}

async function createRetries() {
  const { retryPolicy, errorAction } = (await put('retries', actions.withRetriesAndErrorAction)).action;
  assert.equal(retryPolicy.retryInterval.toISOString(), actions.RETRY_INTERVAL.toISOString());
  assert.deepEqual([retryPolicy.retryType, retryPolicy.retryCount], ['fixed', 3]);
  assert.deepEqual([errorAction.type, errorAction.queueMessage.queueName], ['StorageQueue', 'queue']);
  assert.equal(errorAction.retryPolicy.retryType, 'none');
}

async function createWeekly() {
  const schedule = { weekDays: ['Monday', 'Thursday'], hours: [7, 19], minutes: [0, 45] };
  const wanted = { frequency: 'Week', interval: 2, count: 5, endTime: actions.END, schedule };
  const { recurrence } = await put('weekly', actions.http, wanted);
  assert.deepEqual(recurrence.endTime, actions.END);
  const expected = { ...wanted, frequency: 'week', schedule: { ...schedule, weekDays: ['monday', 'thursday'] } };
  assert.deepEqual(plainObject(recurrence), plainObject(expected));
}

async function createMonthly() {
  const schedule = { monthDays: [1, -1], monthlyOccurrences: [{ day: 'Friday', occurrence: -1 }] };
  const { recurrence } = await put('monthly', actions.http, { frequency: 'Month', schedule });
  const expected = { monthDays: [1, -1], monthlyOccurrences: [{ day: 'friday', occurrence: -1 }] };
  assert.deepEqual(plainObject(recurrence), { frequency: 'month', interval: 1, schedule: expected });
}

async function getJob() {
  const { status } = (await jobs.get(GROUP, COLLECTION, 'monthly')).properties;
  // The last Friday, at the time of day of the start.
  const nextExecutionTime = new Date('2037-01-30T10:20:30.123Z');
  assert.deepEqual({ ...status }, { executionCount: 0, failureCount: 0, faultedCount: 0, nextExecutionTime });
}

async function patchJob() {
  const before = plainObject(await jobs.get(GROUP, COLLECTION, 'weekly'));
  const changed = await jobs.patch(GROUP, COLLECTION, 'weekly', { properties: { state: 'Disabled' } });
  const expected = { ...before, properties: { ...before.properties, state: 'disabled' } };
  // A job that is disabled and never ran has nothing to say of itself.
  delete expected.properties.status;
  assert.deepEqual(plainObject(changed), expected);
}

async function listJobs() {
  const listed = await jobs.list(GROUP, COLLECTION);
  const expected = ['basic', 'bus-queue', 'bus-topic', 'http', 'monthly', 'oauth', 'queue', 'retries', 'weekly'];
  assert.deepEqual(names(listed), expected);
  const { retryInterval } = listed[expected.indexOf('retries')].properties.action.retryPolicy;
  assert.equal(retryInterval.toISOString(), actions.RETRY_INTERVAL.toISOString());
}

async function listTopAndSkip() {
  assert.deepEqual(names(await jobs.list(GROUP, COLLECTION, { top: 2, skip: 3 })), ['http', 'monthly']);
}

async function listFilter() {
  assert.deepEqual(names(await jobs.list(GROUP, COLLECTION, { filter: "state eq 'Disabled'" })), ['weekly']);
  assert.equal((await jobs.list(GROUP, COLLECTION, { top: 100, filter: "state eq 'enabled'" })).length, 8);
}

async function runJob() {
  await jobs.run(GROUP, COLLECTION, 'http');
}

async function listHistory() {
  for (const { properties } of await jobs.listJobHistory(GROUP, COLLECTION, 'http', { top: 10, skip: 0 })) {
    assert.ok(properties.startTime instanceof Date);
    assert.equal(properties.actionName, 'MainAction');
  }
  // Nobody answers at the address of this job.
  const completed = await jobs.listJobHistory(GROUP, COLLECTION, 'http', { filter: "status eq 'Completed'" });
  assert.deepEqual([...completed], []);
}

async function deleteJob() {
  await jobs.deleteMethod(GROUP, COLLECTION, 'oauth');
  await fails(() => jobs.get(GROUP, COLLECTION, 'oauth'), 404, 'NotFound', 'oauth');
}

// --- Errors ---

async function missingJob() {
  for (const call of [jobs.get, jobs.run, jobs.deleteMethod]) {
    await fails(() => call.call(jobs, GROUP, COLLECTION, 'nobody'), 404, 'NotFound', "Job 'nobody' cannot be found.");
  }
}

async function missingCollection() {
  const words = `'Microsoft.Scheduler/jobcollections/nothing' under resource group '${GROUP}' was not found.`;
  await fails(() => collections.get(GROUP, 'nothing'), 404, 'ResourceNotFound', words);
}

async function fullCollection() {
  const properties = { sku: { name: 'Standard' }, quota: { maxJobCount: 1 } };
  await collections.createOrUpdate(GROUP, 'small', { properties });
  const job = { properties: { startTime: actions.START, action: actions.http } };
  await jobs.createOrUpdate(GROUP, 'small', 'first', job);
  const second = () => jobs.createOrUpdate(GROUP, 'small', 'second', job);
  await fails(second, 409, 'ConflictError', "has reached its quota of '1' jobs");
}

async function wrongJob() {
  const properties = { action: actions.http, recurrence: { frequency: 'Day', schedule: { hours: [24] } } };
  const call = () => jobs.createOrUpdate(GROUP, COLLECTION, 'wrong', { properties });
  await fails(call, 400, 'BadRequest', 'properties.recurrence.schedule.hours');
}

async function wrongToken() {
  const stranger = clientWith('punctual_nobody').jobCollections;
  await fails(() => stranger.get(GROUP, COLLECTION), 401, 'AuthenticationFailed', 'Authentication failed');
}

// --- Many ---

async function listMany() {
  await plain.put('jobCollections/many', { location: 'westus' });
  const job = { properties: { startTime: '2037-01-02', action: { request: { uri: 'https://example.test/' } } } };
  const wanted = Array.from({ length: MANY }, (_, number) => `job-${String(number).padStart(3, '0')}`);
  await Promise.all(wanted.map((name) => plain.put(`jobCollections/many/jobs/${name}`, job)));
  let page = await jobs.list(GROUP, 'many');
  const listed = [...page];
  while (page.nextLink) {
    page = await jobs.listNext(page.nextLink);
    listed.push(...page);
  }
  assert.deepEqual(listed.map((it) => it.name), wanted.map((name) => `many/${name}`));
}

// --- The round trip ---

const LAST_FRIDAY = {
  properties: {
    startTime: '2037-01-01T00:00:00',
    action: {
      type: 'Https',
      request: {
        uri: 'https://example.test/report',
        method: 'POST',
        body: '{}',
        headers: { 'x-a': '1' },
        authentication: { type: 'Basic', username: 'clerk', password: 'kept' },
      },
      retryPolicy: { retryType: 'Fixed', retryInterval: 'PT1M', retryCount: 3 },
    },
    recurrence: {
      frequency: 'Month',
      timeZone: 'Europe/Berlin',
      schedule: { hours: [17], minutes: [30], monthlyOccurrences: [{ day: 'Friday', occurrence: -1 }] },
    },
    options: { timeout: 'PT5M' },
  },
};

async function roundTrip() {
  const path = `jobCollections/${COLLECTION}/jobs/friday`;
  await plain.put(path, LAST_FRIDAY);
  const { options, ...expected } = (await plain.get(path)).properties;
  const { properties } = await jobs.get(GROUP, COLLECTION, 'friday');
  // 17:30 in Berlin, in winter.
  assert.deepEqual(properties.status.nextExecutionTime, new Date('2037-01-30T16:30:00Z'));
  const written = await jobs.createOrUpdateWithHttpOperationResponse(GROUP, COLLECTION, 'friday', { properties });
  const { warning } = written.response.headers;
  for (const words of ['properties.recurrence.timeZone', 'properties.options.timeout', '2037-01-30T16:30:00Z']) {
    assert.ok(warning.includes(words), warning);
  }
  assert.deepEqual(options, { timeout: 'PT5M' });
  delete expected.recurrence.timeZone;
  // Without the zone it is 17:30 of UTC.
  expected.status.nextExecutionTime = '2037-01-30T17:30:00Z';
  assert.deepEqual((await plain.get(path)).properties, expected);
}

async function credentialsAreKept() {
  const { properties } = await jobs.get(GROUP, COLLECTION, 'friday');
  const { request } = properties.action;
  assert.deepEqual({ ...request.authentication }, { type: 'Basic', username: 'clerk' });
  await jobs.patch(GROUP, COLLECTION, 'friday', { properties: { state: 'Disabled' } });
  // The same user name needs no password, since the stored one is kept; another one does.
  request.body = 'changed';
  const written = (await jobs.createOrUpdate(GROUP, COLLECTION, 'friday', { properties })).properties.action.request;
  assert.deepEqual([written.authentication.username, written.body], ['clerk', 'changed']);
  request.authentication.username = 'somebody else';
  const call = () => jobs.createOrUpdate(GROUP, COLLECTION, 'friday', { properties });
  await fails(call, 400, 'BadRequest', 'properties.action.request.authentication.password');
}

// --- What the original never had ---

async function beyond() {
  await plain.put('jobCollections/beyond', { location: 'westus' });
  const action = { request: { uri: 'https://example.test/' } };
  const patient = { ...action, retryPolicy: { retryType: 'Exponential', retryInterval: 'PT1M' } };
  const startTime = '2037-01-02';
  const made = {
    cron: { startTime, action, recurrence: { cron: '0 6 * * 1-5' } },
    patient: { startTime, action: patient, recurrence: { frequency: 'Day' } },
    yearly: { startTime, action, recurrence: { frequency: 'Year' } },
  };
  for (const [name, properties] of Object.entries(made)) {
    await plain.put(`jobCollections/beyond/jobs/${name}`, { properties });
  }
  const listed = await jobs.list(GROUP, 'beyond');
  assert.deepEqual(listed.map((job) => job.name), ['beyond/cron', 'beyond/patient', 'beyond/yearly']);
  for (const name of ['patient', 'yearly']) {
    const { properties } = await jobs.get(GROUP, 'beyond', name);
    // The client itself refuses to send a value that is not in its enums.
    await assert.rejects(jobs.createOrUpdate(GROUP, 'beyond', name, { properties }), /is not a valid value for/);
  }
  // Without its cron expression it would run once, and nobody would have asked for that.
  const { properties } = await jobs.get(GROUP, 'beyond', 'cron');
  const call = () => jobs.createOrUpdate(GROUP, 'beyond', 'cron', { properties });
  await fails(call, 400, 'BadRequest', 'properties.recurrence.frequency');
}

// In the order in which they build upon each other.
const CHECKS = [
  ['JobCollections_CreateOrUpdate', createCollection],
  ['JobCollections_Get', getCollection],
  ['JobCollections_Patch', patchCollection],
  ['JobCollections_ListByResourceGroup', listCollectionsOfGroup],
  ['JobCollections_ListBySubscription', listCollectionsOfSubscription],
  ['JobCollections_Disable', disableCollection],
  ['JobCollections_Enable', enableCollection],
  ['Jobs_CreateOrUpdate: http', createHttp],
  ['Jobs_CreateOrUpdate: https with basic authentication', createHttpsBasic],
  ['Jobs_CreateOrUpdate: https with OAuth', createHttpsOAuth],
  ['Jobs_CreateOrUpdate: storage queue', createStorageQueue],
  ['Jobs_CreateOrUpdate: service bus queue', createServiceBusQueue],
  ['Jobs_CreateOrUpdate: service bus topic', createServiceBusTopic],
  ['Jobs_CreateOrUpdate: retry policy and error action', createRetries],
  ['Jobs_CreateOrUpdate: weekly', createWeekly],
  ['Jobs_CreateOrUpdate: monthly', createMonthly],
  ['Jobs_Get', getJob],
  ['Jobs_Patch', patchJob],
  ['Jobs_List', listJobs],
  ['Jobs_List: top and skip', listTopAndSkip],
  ['Jobs_List: filter', listFilter],
  ['Jobs_Run', runJob],
  ['Jobs_ListJobHistory', listHistory],
  ['Jobs_Delete', deleteJob],
  ['error: a job that is not there', missingJob],
  ['error: a collection that is not there', missingCollection],
  ['error: a collection that is full', fullCollection],
  ['error: a job that is wrong', wrongJob],
  ['error: a wrong token', wrongToken],
  [`paging: ${MANY} jobs`, listMany],
  ['round trip: nothing is lost but what the client does not know', roundTrip],
  ['round trip: the credentials are still there', credentialsAreKept],
  ['beyond the original: jobs can be read, and are not changed silently by being written back', beyond],
  ['JobCollections_Delete', deleteCollection],
];

async function main() {
  const report = new Report(GROUP);
  for (const [name, check] of CHECKS) {
    await report.check(name, check);
  }
  plain.close();
  report.finish();
}

main();
