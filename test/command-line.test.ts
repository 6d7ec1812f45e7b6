import { howToRun, readArguments } from '../src/command-line.ts';

const usage = 'what it takes';
const options = { email: { type: 'string' }, all: { type: 'boolean' } } as const;

describe('the arguments of a command', () => {
  const before = process.argv;
  const given = (...args: readonly string[]): void => {
    process.argv = ['node', 'command', ...args];
  };
  afterEach(() => {
    process.argv = before;
    jest.restoreAllMocks();
  });

  test('are its options, and what stands beside them where it takes that', () => {
    given('--email', 'bob@example.com', '--all');
    expect(readArguments(usage, options)?.values).toEqual({ email: 'bob@example.com', all: true });
    given('import', 'file.json', '--all');
    expect(readArguments(usage, options, true)).toEqual({
      values: { all: true },
      positionals: ['import', 'file.json'],
    });
  });

  test.each(['--help', '-h'])('may ask what it takes: %s', (help) => {
    const print = jest.spyOn(console, 'log').mockImplementation(() => undefined);
    given('--all', help);
    expect(readArguments(usage, options)).toBeUndefined();
    expect(print.mock.calls).toEqual([[usage]]);
  });

  test.each([
    [['--what'], '--what'],
    [['file.json'], 'file.json'],
    [['--email'], '--email'],
  ])('that it does not take are named: %j', (args, named) => {
    given(...args);
    const sentence = new RegExp(`^[^\\n]*${named}[^\\n]*\\. --help tells what there is\\.$`);
    expect(() => readArguments(usage, options)).toThrow(sentence);
  });

  test('are told as a clone takes them', () => {
    expect(howToRun('token')).toBe('npm run -s token --');
  });
});
