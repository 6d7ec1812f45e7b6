import { parseTopic } from '../../src/notification/notification.fields.ts';
import { anyCharacter, fc } from '../property.ts';

const defaultHost = 'pubsub.googleapis.com';
const parseWithHost = (text: string, host = defaultHost) => parseTopic(text, host);
const parsedTopic = (text: string) => ({ topic: text });
const splitWords = (list: string): string[] => list.trim().split(/\s+/);
/** Pairs of test title and value; the title of a long value is cut. */
const withTitles = (...values: string[]): [string, string][] =>
  values.map((value) => [value.length > 80 ? `${value.slice(0, 20)}… (${value.length})` : value, value]);
const problemWith = (word: string) => ({ problem: expect.stringContaining(word) });

describe('the form of a topic', () => {
  test('is kept if complete, and completed with the default host if short', () => {
    const fullForm = '//pubsub.example/projects/my-project/topics/photos';
    expect(parseWithHost(fullForm)).toEqual(parsedTopic(fullForm));
    const shortForm = 'projects/my-project/topics/photos';
    expect(parseWithHost(shortForm)).toEqual(parsedTopic(`//${defaultHost}/${shortForm}`));
  });

  test.each(
    withTitles(
      ...splitWords(`
      photos /projects/my-project/topics/photos projects/my-project/topics/
      projects/my-project/topics/photos/ projects/my-project/topics/photos/subscriptions
      projects//topics/photos projects/my-project/subscriptions/photos
      Projects/my-project/topics/photos
      https://pubsub.googleapis.com/projects/my-project/topics/photos
      //pubsub.googleapis.com/v1/projects/my-project/topics/photos
      //pubsub.googleapis.com//projects/my-project/topics/photos //projects/my-project/topics/photos
      projects/my-project/topics/photos?x=1#y`),
      '',
      ' projects/my-project/topics/photos',
      'projects/my-project/topics/photos\n',
    ),
  )('%j is invalid', (_title, text) => expect(parseWithHost(text)).toEqual({ problem: expect.any(String) }));
});

describe('the host of a topic', () => {
  const parseHost = (host: string) => parseWithHost(`//${host}/projects/my-project/topics/photos`);
  const label63 = 'a'.repeat(63);
  const name253 = [label63, label63, label63, 'a'.repeat(61)].join('.');

  test.each(
    withTitles(
      ...splitWords(`
      localhost localhost:8085 a a:1 a:65535 3com.example xn--mnchen-3ya.example a-b.c--d.example
      127.0.0.1:8085 255.255.255.255 [::1]:8085 [2001:db8::8:800:200c:417a]`),
      `${label63}.example`,
      name253,
      `${name253}:65535`,
    ),
  )('%j is valid', (_title, host) =>
    expect(parseHost(host)).toEqual(parsedTopic(`//${host}/projects/my-project/topics/photos`)),
  );

  test.each([
    ['PubSub.Example:8085', 'pubsub.example:8085'],
    ['pubsub.example.', 'pubsub.example'],
    ['PUBSUB.example.:8085', 'pubsub.example:8085'],
    ['[2001:DB8::1]', '[2001:db8::1]'],
  ])('%j is the same host as %j', (host, normalized) =>
    expect(parseHost(host)).toEqual(parseHost(normalized)),
  );

  test.each(
    withTitles(
      ...splitWords(`
      . a..b .a a.. -a.example a-.example a_b.example münchen.example {pubsub_host} user@a.example a:
      a:0 a:080 a:65536 a:x a:1:2 256.1.1.1 1.2.3 ::1 [::1 [::g] [1.2.3.4] [fe80::1%25eth0] [::1].`),
      '',
      'a b',
      '\u212aelvin.example',
      `a${label63}.example`,
      `${name253}a`,
      'a.'.repeat(100_000),
    ),
  )('%j is invalid', (_title, host) => expect(parseHost(host)).toEqual(problemWith('host')));

  test('is normalized if it comes from the configuration', () => {
    const parseResult = parseWithHost('projects/my-project/topics/photos', 'PubSub.Example.:85');
    expect(parseResult).toEqual(parseHost('pubsub.example:85'));
  });
});

describe('the project of a topic', () => {
  const parseProject = (project: string) => parseWithHost(`projects/${project}/topics/photos`);
  const domain253 = `${'a.'.repeat(126)}a`;

  test.each(
    withTitles(
      ...splitWords('abcdef my-project-1 example.com:my-project a-b.co.uk:my-project 1 123456789012'),
      'a'.repeat(30),
      `${domain253}:my-project`,
      '9'.repeat(19),
    ),
  )('%j is valid', (_title, project) =>
    expect(parseProject(project)).toEqual(parsedTopic(`//${defaultHost}/projects/${project}/topics/photos`)),
  );

  test.each(
    withTitles(
      ...splitWords(`
      abcde My-project 1project -project project- my_project _ 0 012345 :my-project com:my-project
      example..com:my-project Example.com:my-project example.com:my-project:x example.com:
      example.com:123456 ..`),
      'a'.repeat(31),
      'my project',
      '9'.repeat(20),
      `a${domain253}:my-project`,
      `${'a.'.repeat(100_000)}a:my-project`,
    ),
  )('%j is invalid', (_title, project) => expect(parseProject(project)).toEqual(problemWith('project')));
});

describe('the name of a topic', () => {
  const parseName = (name: string) => parseWithHost(`projects/my-project/topics/${name}`);

  test.each(
    withTitles('abc', 'Abc', 'a-_', 'a.b.c', 'a~+%', 'a%2Fb', 'a'.repeat(255), 'Google', 'a-goog', 'goo'),
  )('%j is valid', (_title, name) =>
    expect(parseName(name)).toEqual(parsedTopic(`//${defaultHost}/projects/my-project/topics/${name}`)),
  );

  test.each(
    withTitles(
      ...splitWords('ab 1ab _ab -ab a*b a>b äbc abcß goog google goog-x'),
      'a'.repeat(256),
      'a b',
      'a'.repeat(1_000_000),
    ),
  )('%j is invalid', (_title, name) => expect(parseName(name)).toEqual(problemWith('name of the topic')));
});

describe('any topic', () => {
  const anyShortText = fc.string({ unit: anyCharacter, maxLength: 9 });
  /** Mostly one of the likely values, sometimes any text. */
  const mostlyOneOf = (...likelyValues: string[]) =>
    fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...likelyValues) }, anyShortText);
  const anyTopic = fc
    .tuple(
      mostlyOneOf('', '//a.example/', '//A.Example.:80/', '//[::1]:8085/', '//127.0.0.1/'),
      mostlyOneOf('projects/'),
      mostlyOneOf('my-project', 'example.com:my-project', '1234567', 'MY-PROJECT'),
      mostlyOneOf('/topics/'),
      mostlyOneOf('photos', 'a%2Fb', 'goog', 'abc~+._-'),
      mostlyOneOf('', '', ''),
    )
    .map((pieces) => pieces.join(''));
  const fullTopicPattern =
    /^\/\/[a-z0-9.:[\]-]+\/projects\/[a-z0-9.:-]+\/topics\/[A-Za-z][A-Za-z0-9._~+%-]{2,254}$/;

  test('is refused with a reason, or stored in full; a stored topic is accepted unchanged', () => {
    fc.assert(
      fc.property(anyTopic, (text) => {
        const parseResult = parseWithHost(text);
        if (parseResult.problem !== undefined) return parseResult.problem.length > 20;
        return (
          fullTopicPattern.test(parseResult.topic) &&
          JSON.stringify(parseWithHost(parseResult.topic, 'elsewhere')) === JSON.stringify(parseResult)
        );
      }),
      { numRuns: 1000 },
    );
  });

  const anyHost = fc.oneof(
    fc.domain(),
    fc.ipV4(),
    fc.ipV6().map((address) => `[${address}]`),
  );
  test('with any internet host is accepted', () => {
    fc.assert(
      fc.property(anyHost, fc.integer({ min: 1, max: 65535 }), (host, port) => {
        const path = 'projects/my-project/topics/photos';
        const parseResult = parseWithHost(`//${host}:${port}/${path}`);
        expect(parseResult).toEqual(parsedTopic(`//${host.toLowerCase()}:${port}/${path}`));
      }),
    );
  });
});
