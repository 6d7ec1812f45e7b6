const { TestEnvironment } = require('jest-environment-node');

/** Runs no further test once one has failed: a mutant needs to be noticed once. */
module.exports = class extends TestEnvironment {
  hasFailed = false;

  handleTestEvent(event) {
    if (event.name === 'test_done' && event.test.errors.length > 0) this.hasFailed = true;
    if (event.name === 'test_start' && this.hasFailed) event.test.mode = 'skip';
  }
};
