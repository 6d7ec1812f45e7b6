import { spawnSync } from 'node:child_process';

/** A Python interpreter with some modules, if installed. */
export interface Python {
  readonly command: string | undefined;
  /** `describe` for suites that need Python. Without it they are skipped and say so; in CI, which installs it, they run and fail. */
  readonly describe: (name: string, suite: () => void) => void;
}

/** Finds a Python with these modules. `debianPackage` provides them. */
export function findPython(modules: string, debianPackage: string): Python {
  const command = ['python3', '/usr/bin/python3'].find(
    (name) => spawnSync(name, ['-c', `import ${modules}`]).status === 0,
  );
  const isExpected = command !== undefined || process.env.CI === 'true';
  return {
    command,
    describe: isExpected
      ? describe
      : (name, suite) => describe.skip(`${name} (skipped: ${debianPackage} is not installed)`, suite),
  };
}
