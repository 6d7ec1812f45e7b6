import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { environment } from '../src/config/environment.ts';

const run = promisify(execFile);

interface Ended {
  readonly code?: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A built command, to its end; with a setting that would stop it if it began with its work. */
const ended = (command: string, ...args: readonly string[]): Promise<Ended> =>
  run(process.execPath, [fileURLToPath(new URL(`../dist/${command}.js`, import.meta.url)), ...args], {
    env: { PATH: process.env.PATH, PORT: 'none' },
    timeout: 15_000,
  }).catch((error: unknown) => error as Ended);

describe('the command line', () => {
  test.each([['--help'], ['-h']])(
    'of the gateway lists every setting with its meaning for %s, and starts nothing',
    async (option) => {
      const { code, stdout, stderr } = await ended('main', option);
      expect([code, stderr]).toEqual([undefined, '']);
      const listed = [...stdout.matchAll(/^ {2}([A-Z_\d]+) +\S.+$/gm)].map(([, name]) => name);
      expect(listed).toEqual(Object.keys(environment.shape));
    },
  );

  test.each([
    ['token', '--email'],
    ['migrate', 'DATABASE_URL'],
    ['data', 'import FILE'],
  ])('of %s tells what it takes', async (command, names) => {
    const { code, stdout, stderr } = await ended(command, '--help');
    expect([code, stderr]).toEqual([undefined, '']);
    expect(stdout).toContain(names);
  });

  test.each([
    ['main', '--port=4000', "Unknown option '--port'."],
    ['main', '4000', "Unexpected argument '4000'."],
    ['main', '-p', "Unknown option '-p'."],
    ['migrate', '--dry-run', "Unknown option '--dry-run'."],
    ['token', '--mail=alice@example.com', "Unknown option '--mail'."],
    ['data', '--calender=x', "Unknown option '--calender'."],
    ['token', '--email', "Option '--email <value>' argument missing."],
  ])('of %s refuses %s, says so and names the cure', async (command, argument, message) => {
    expect(await ended(command, argument)).toMatchObject({
      code: command === 'data' ? 2 : 1,
      stdout: '',
      stderr: `${message} --help tells what there is.\n`,
    });
  });
});
