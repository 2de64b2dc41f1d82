// The server without a client: plain HTTP, for what no client can send and to see what is really stored.
'use strict';

const fs = require('fs');
const https = require('https');

const API_VERSION = '2016-03-01';

class Plain {
  constructor(subscription, group) {
    this.agent = new https.Agent({ keepAlive: true, maxSockets: 4, ca: fs.readFileSync(process.env.PUNCTUAL_CA) });
    this.group = `/subscriptions/${subscription}/resourceGroups/${group}/providers/Microsoft.Scheduler`;
  }

  put(path, body) {
    return this.send('PUT', path, JSON.stringify(body));
  }

  get(path) {
    return this.send('GET', path, '');
  }

  send(method, path, body) {
    const url = `${process.env.PUNCTUAL_URL}${this.group}/${path}?api-version=${API_VERSION}`;
    const headers = {
      Authorization: `Bearer ${process.env.PUNCTUAL_TOKEN}`,
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
      // Durations look the same in it, whichever client wrote them.
      'x-punctual-dialect': 'openapi',
    };
    return new Promise((resolve, reject) => {
      const request = https.request(url, { method, headers, agent: this.agent }, (answer) => {
        let text = '';
        answer.setEncoding('utf8');
        answer.on('data', (part) => { text += part; });
        answer.on('end', () => {
          if (answer.statusCode < 300) resolve(JSON.parse(text));
          else reject(new Error(`${method} ${path}: ${answer.statusCode} ${text}`));
        });
      });
      request.on('error', reject);
      request.end(body);
    });
  }

  close() {
    this.agent.destroy();
  }
}

module.exports = Plain;
