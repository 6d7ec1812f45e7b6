import { readArguments, runCommand } from '../src/command-line.ts';
import { StartError } from '../src/core/errors.ts';

describe('readArguments', () => {
  const { argv } = process;
  afterEach(() => {
    process.argv = argv;
    jest.restoreAllMocks();
  });
  const readWith = (...args: readonly string[]) => {
    process.argv = ['node', 'command', ...args];
    return readArguments('Usage: command [--name=NAME]', { name: { type: 'string' } });
  };

  test('reads declared options', () => {
    expect(readWith('--name=x')?.values.name).toBe('x');
  });

  test('prints the usage for --help and -h', () => {
    const print = jest.spyOn(console, 'log').mockImplementation(() => undefined);
    expect([readWith('--help'), readWith('-h')]).toEqual([undefined, undefined]);
    expect(print.mock.calls).toEqual([['Usage: command [--name=NAME]'], ['Usage: command [--name=NAME]']]);
  });

  test('refuses undeclared options', () => {
    expect(() => readWith('--other')).toThrow(new StartError("Unknown option '--other'. See --help."));
  });
});

describe('runCommand', () => {
  afterEach(() => jest.restoreAllMocks());

  test('ends the process with the message of a StartError', async () => {
    const print = jest.spyOn(console, 'error').mockImplementation(() => undefined);
    const exit = jest.spyOn(process, 'exit').mockImplementation((() => undefined) as never);
    const failToStart = () => Promise.reject(new StartError('The port is taken.'));
    await runCommand(failToStart);
    await runCommand(failToStart, 2);
    expect([print.mock.calls[0], exit.mock.calls]).toEqual([['The port is taken.'], [[1], [2]]]);
  });

  test('rethrows other errors', async () => {
    await expect(runCommand(() => Promise.reject(new Error('unexpected')))).rejects.toThrow('unexpected');
    await runCommand(async () => undefined);
  });
});
