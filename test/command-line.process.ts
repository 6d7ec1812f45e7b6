import { environment } from '../src/config/environment.ts';
import { runCommand } from './gateway-process.ts';

/** Runs a command with an invalid `PORT`, so that it fails if it starts its work. */
const runWithInvalidPort = (command: string, ...args: readonly string[]) =>
  runCommand(command, args, { PORT: 'none' });

describe('the command line', () => {
  test('of the gateway lists every setting with its meaning on --help, and starts nothing', async () => {
    const { code, stdout, stderr } = await runWithInvalidPort('main', '--help');
    expect([code, stderr]).toEqual([0, '']);
    const listedSettings = [...stdout.matchAll(/^ {2}([A-Z_\d]+) +\S.+$/gm)].map(([, name]) => name);
    expect(listedSettings).toEqual(Object.keys(environment.shape));
  });

  test.each([
    ['token', '--email'],
    ['migrate', 'DATABASE_URL'],
    ['data', 'import FILE'],
  ])('of %s lists its arguments on --help', async (command, argumentText) => {
    const { code, stdout, stderr } = await runWithInvalidPort(command, '--help');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(argumentText);
  });

  test.each([
    ['main', '--port=4000', "Unknown option '--port'."],
    ['migrate', '--dry-run', "Unknown option '--dry-run'."],
    ['token', '--mail=alice@example.com', "Unknown option '--mail'."],
    ['data', '--calender=x', "Unknown option '--calender'."],
  ])('of %s refuses %s and points to --help', async (command, argument, message) => {
    expect(await runWithInvalidPort(command, argument)).toMatchObject({
      code: command === 'data' ? 2 : 1,
      stdout: '',
      stderr: `${message} See --help.\n`,
    });
  });
});
