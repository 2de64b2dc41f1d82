// One action for each kind, as the client takes them.
'use strict';

const moment = require('moment');

// So far away that no job here ever runs by itself.
const START = new Date('2037-01-02T10:20:30.123Z');
const END = new Date('2038-01-02T00:00:00Z');
const RETRY_INTERVAL = moment.duration({ minutes: 1, seconds: 30 });
const TIME_TO_LIVE = moment.duration({ hours: 2, minutes: 5 });

const sharedAccessKey = { sasKey: 'not shown', sasKeyName: 'sender', type: 'SharedAccessKey' };

const http = {
  type: 'Http',
  request: { uri: 'http://example.test/a?b=c', method: 'PUT', body: 'body', headers: { 'x-a': '1' } },
};

const https = (authentication) => ({
  type: 'Https',
  request: { uri: 'https://example.test/', method: 'GET', authentication },
});

const httpsBasic = https({ type: 'Basic', username: 'clerk', password: 'not shown' });

const httpsOAuth = https({
  type: 'ActiveDirectoryOAuth',
  secret: 'not shown',
  tenant: 'contoso.test',
  audience: 'https://example.test/',
  clientId: 'app',
});

const queueMessage = { storageAccount: 'account', queueName: 'queue', sasToken: 'sv=1&sig=x', message: 'hi' };

const storageQueue = { type: 'StorageQueue', queueMessage };

const serviceBusQueue = {
  type: 'ServiceBusQueue',
  serviceBusQueueMessage: {
    namespace: 'bus-of-tests',
    queueName: 'queue',
    transportType: 'AMQP',
    message: 'hi',
    authentication: sharedAccessKey,
    brokeredMessageProperties: {
      contentType: 'text/plain',
      correlationId: 'c',
      label: 'l',
      messageId: 'm',
      sessionId: 's',
      forcePersistence: true,
      timeToLive: TIME_TO_LIVE,
      scheduledEnqueueTimeUtc: END,
    },
    customMessageProperties: { colour: 'red' },
  },
};

const serviceBusTopic = {
  type: 'ServiceBusTopic',
  serviceBusTopicMessage: {
    namespace: 'bus-of-tests',
    topicPath: 'topic',
    transportType: 'NetMessaging',
    message: 'hi',
    authentication: sharedAccessKey,
  },
};

const withRetriesAndErrorAction = {
  ...http,
  retryPolicy: { retryType: 'Fixed', retryInterval: RETRY_INTERVAL, retryCount: 3 },
  errorAction: { type: 'StorageQueue', queueMessage, retryPolicy: { retryType: 'None' } },
};

module.exports = {
  START,
  END,
  RETRY_INTERVAL,
  TIME_TO_LIVE,
  http,
  httpsBasic,
  httpsOAuth,
  storageQueue,
  serviceBusQueue,
  serviceBusTopic,
  withRetriesAndErrorAction,
};
