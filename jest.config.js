/**
 * Sources and tests are ES modules that Node itself loads (`test/runner/typescript.js`), so that a worker reads each
 * module once, not once for each test file: that halves the CPU of a run. In return what a test file changes in a
 * module, in `process.env` or in `globalThis` it has to change back.
 *
 * @type {import('jest').Config}
 */
export default {
  runner: 'jest-light-runner',
  setupFilesAfterEnv: ['<rootDir>/test/runner/time-limit.js'],
  testSequencer: '<rootDir>/test/runner/sequencer.js',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': '<rootDir>/test/runner/typescript-transform.js' },
  // A fixed number: a container often sees more cores than it may use. One more than two cores: some tests wait.
  maxWorkers: 3,
  reporters: ['default', '<rootDir>/test/runner/summary-reporter.js'],
  // v8 counts files of types alone as uncovered and sees fewer branches; babel's figures are exact here.
  coverageProvider: 'babel',
  // Code of processes, of a bundle for browsers and of PostgreSQL is run by tests without coverage.
  collectCoverageFrom: [
    'src/**/*.ts',
    '!src/generated/**',
    '!src/{bin,main,migrate,token,data}.ts',
    '!src/telemetry/log.ts',
    '!src/validation/**',
    '!src/adapters/postgres/**',
  ],
  coverageReporters: ['text', 'lcovonly'],
  coverageThreshold: { global: { lines: 95, branches: 95 } },
};
