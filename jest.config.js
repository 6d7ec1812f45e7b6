/**
 * Node itself loads sources and tests (`test/runner/typescript.js`), so that a worker reads each module once instead of once per
 * test file, which halves the CPU time. In return, a test file must revert its changes to modules, `process.env` and `globalThis`.
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
  // Fixed, because containers see more cores than they may use. One more than two cores, because some tests wait.
  maxWorkers: 3,
  reporters: ['default', '<rootDir>/test/runner/summary-reporter.js'],
  // Babel's figures are exact here; v8 misses branches and counts type-only files as uncovered.
  coverageProvider: 'babel',
  // Excludes code of processes, the browser bundle and PostgreSQL, which run in tests without coverage.
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
