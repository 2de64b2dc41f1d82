// What was tried, and how it went.
'use strict';

class Report {
  constructor(client) {
    this.client = client;
    this.passed = 0;
    this.failed = 0;
  }

  // Does it. A check that fails does not keep the others from running.
  async check(name, action) {
    try {
      await action();
      this.passed += 1;
      console.log(`ok ${name}`);
    } catch (error) {
      this.failed += 1;
      console.log(`FAILED ${name}\n${error.stack}`);
    }
  }

  finish() {
    const failed = this.failed ? `, ${this.failed} failed` : '';
    console.log(`${this.client}: ${this.passed} passed${failed}`);
    process.exitCode = this.failed ? 1 : 0;
  }
}

module.exports = Report;
