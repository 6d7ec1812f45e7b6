import { shellCommand, readArguments } from '../src/command-line.ts';

const usage = 'what it takes';
const options = { email: { type: 'string' }, all: { type: 'boolean' } } as const;

describe('command-line arguments', () => {
  const before = process.argv;
  const setArguments = (...args: readonly string[]): void => {
    process.argv = ['node', 'command', ...args];
  };
  afterEach(() => {
    process.argv = before;
    jest.restoreAllMocks();
  });

  test('are options, and positionals where the command takes them', () => {
    setArguments('--email', 'bob@example.com', '--all');
    expect(readArguments(usage, options)?.values).toEqual({ email: 'bob@example.com', all: true });
    setArguments('import', 'file.json', '--all');
    expect(readArguments(usage, options, true)).toEqual({
      values: { all: true },
      positionals: ['import', 'file.json'],
    });
  });

  test.each(['--help', '-h'])('ask for the usage: %s', (help) => {
    const print = jest.spyOn(console, 'log').mockImplementation(() => undefined);
    setArguments('--all', help);
    expect(readArguments(usage, options)).toBeUndefined();
    expect(print.mock.calls).toEqual([[usage]]);
  });

  test.each([
    [['--what'], '--what'],
    [['file.json'], 'file.json'],
    [['--email'], '--email'],
  ])('are named in the error when unknown or incomplete: %j', (args, named) => {
    setArguments(...args);
    const sentence = new RegExp(`^[^\\n]*${named}[^\\n]*\\. See --help\\.$`);
    expect(() => readArguments(usage, options)).toThrow(sentence);
  });

  test('are shown with the npm script in a clone', () => {
    expect(shellCommand('token')).toBe('npm run -s token --');
  });
});
