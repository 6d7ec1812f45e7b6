const { TestEnvironment } = require('jest-environment-node');

/** Skips the remaining tests after a failure: one failing test detects a mutant. */
module.exports = class extends TestEnvironment {
  hasFailed = false;

  handleTestEvent(event) {
    if (event.name === 'test_done' && event.test.errors.length > 0) this.hasFailed = true;
    if (event.name === 'test_start' && this.hasFailed) event.test.mode = 'skip';
  }
};
