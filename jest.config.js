/**
 * Run as `node --experimental-vm-modules node_modules/jest/bin/jest.js`: sources and tests stay ES modules,
 * and imports keep the `.ts` endings they have on disk.
 *
 * @type {import('jest').Config}
 */
export default {
  testEnvironment: './test/coverage-environment.js',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '\\.ts$': [
      '@swc/jest',
      {
        sourceMaps: 'inline',
        module: { type: 'es6' },
        jsc: {
          target: 'es2023',
          parser: { syntax: 'typescript' },
          transform: { verbatimModuleSyntax: true },
        },
      },
    ],
  },
  // For all tests: so that one that hangs ends, and none that a busy machine makes slow.
  testTimeout: 300_000,
  // A fixed number: a container often sees more cores than it may use. One more than two cores: some tests wait.
  maxWorkers: 3,
  // What is loaded for one file is not given back behind it; a worker that holds much spends its time on looking through it.
  workerIdleMemoryLimit: '700MB',
  reporters: ['default', '<rootDir>/test/summary-reporter.js'],
  // v8 counts files of types alone as uncovered and sees fewer branches; babel's figures are exact here.
  coverageProvider: 'babel',
  // Code of processes, of a bundle for browsers and of PostgreSQL is run by tests without coverage.
  collectCoverageFrom: [
    'src/**/*.ts',
    '!src/generated/**',
    '!src/{bin,main,migrate,token,data}.ts',
    '!src/telemetry/line-writer.ts',
    '!src/validation/**',
    '!src/adapters/postgres/**',
  ],
  coverageReporters: ['text', 'lcovonly'],
  coverageThreshold: { global: { lines: 95, branches: 95 } },
};
