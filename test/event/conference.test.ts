import { checkConference, type ConferenceData } from '../../src/event/conference.ts';
import type { EntryPoint } from '../../src/event/conference-entry-points.ts';

const video: EntryPoint = { entryPointType: 'video', uri: 'https://meet.example.com/abc' };
const phone: EntryPoint = { entryPointType: 'phone', uri: 'tel:+12025550143,,1234%23' };
const sip: EntryPoint = { entryPointType: 'sip', uri: 'sip:call@example.com' };
const more: EntryPoint = { entryPointType: 'more', uri: 'https://meet.example.com/more' };

const found = (conference: ConferenceData): string[] =>
  checkConference(conference).map(({ path, reason }) => `${path.join('.')} ${reason}`);
const foundIn = (...entryPoints: EntryPoint[]): string[] =>
  found({ entryPoints }).map((line) => line.replace('conferenceData.entryPoints', ''));

describe('checkConference: entry points', () => {
  test('none at all, or one of each and several phones, are fine', () => {
    expect(found({})).toEqual([]);
    expect(foundIn()).toEqual([]);
    expect(foundIn(video, phone, phone, sip, more)).toEqual([]);
  });

  test.each([
    ['video', video],
    ['sip', sip],
  ])('at most one %s', (type, entry) => {
    expect(foundIn(entry, phone, entry, entry)).toEqual(['.2 tooMany', '.3 tooMany']);
    expect(checkConference({ entryPoints: [entry, entry] })[0]?.message).toContain(type);
  });

  test('at most one more', () => expect(foundIn(video, more, more)).toEqual(['.2 tooMany']));

  test('a lone more is invalid', () => {
    expect(foundIn(more)).toEqual([' invalid']);
    expect(foundIn(more, more)).toEqual(['.1 tooMany', ' invalid']);
    expect(foundIn(more, phone)).toEqual([]);
  });

  test('type and uri are required', () => {
    expect(foundIn({})).toEqual(['.0.entryPointType required', '.0.uri required']);
    expect(foundIn({ entryPointType: 'video' })).toEqual(['.0.uri required']);
    expect(foundIn({ entryPointType: 'video', uri: '' })).toEqual(['.0.uri required']);
    expect(foundIn({ uri: 'anything' })).toEqual(['.0.entryPointType required']);
  });

  test.each([
    [video, 'http://meet.example.com'],
    [video, 'HTTPS://meet.example.com/a?b#c'],
    [phone, 'tel:+1'],
    [phone, 'TEL:+12345678,,,12345678;1234'],
    [sip, 'SIP:a@b'],
  ])('%o may have the uri %s', (entry, uri) => expect(foundIn({ ...entry, uri })).toEqual([]));

  test.each([
    [video, 'ftp://meet.example.com'],
    [video, 'meet.example.com'],
    [video, 'https:meet'],
    [video, 'https://'],
    [video, 'https:///path'],
    [video, ' https://meet.example.com'],
    [video, 'https://meet.example.com/a b'],
    [video, 'https://meet.example.com/\u0001'],
    [video, 'javascript:alert(1)//https://a.example'],
    [phone, '+12025550143'],
    [phone, 'tel:'],
    [phone, 'https://meet.example.com'],
    [sip, 'sips:a@b'],
    [sip, 'sip:'],
  ])('%o may not have the uri %s', (entry, uri) => {
    expect(foundIn({ ...entry, uri })).toEqual(['.0.uri invalid']);
  });

  test('a more entry point takes http and https only', () => {
    expect(foundIn(video, { ...more, uri: 'http://a.example' })).toEqual([]);
    expect(foundIn(video, { ...more, uri: 'tel:+1' })).toEqual(['.1.uri invalid']);
  });

  test('uri: at most 1300 characters', () => {
    const uri = (length: number): string => 'https://a.example/'.padEnd(length, 'x');
    expect(foundIn({ ...video, uri: uri(1299) })).toEqual([]);
    expect(foundIn({ ...video, uri: uri(1300) })).toEqual([]);
    expect(foundIn({ ...video, uri: uri(1301) })).toEqual(['.0.uri tooLong']);
  });

  test('label: at most 512 characters, and empty for more', () => {
    expect(foundIn({ ...video, label: 'x'.repeat(511) })).toEqual([]);
    expect(foundIn({ ...video, label: 'x'.repeat(512) })).toEqual([]);
    expect(foundIn({ ...video, label: 'x'.repeat(513) })).toEqual(['.0.label tooLong']);
    expect(foundIn(video, { ...more, label: '' })).toEqual([]);
    expect(foundIn(video, { ...more, label: 'x' })).toEqual(['.1.label invalid']);
  });

  test.each(['meetingCode', 'accessCode', 'passcode', 'password', 'pin'])('%s: at most 128 characters', (code) => {
    expect(foundIn({ ...video, [code]: 'x'.repeat(127) })).toEqual([]);
    expect(foundIn({ ...video, [code]: 'x'.repeat(128) })).toEqual([]);
    expect(foundIn({ ...video, [code]: 'x'.repeat(129) })).toEqual([`.0.${code} tooLong`]);
  });

  test('a message never repeats a secret', () => {
    const [issue] = checkConference({ entryPoints: [{ ...video, pin: '7'.repeat(129) }] });
    expect(issue?.message).toBe('pin has 129 characters; at most 128 are allowed. Shorten it.');
  });

  test('bounds of this service: entry points, features, region code', () => {
    const phones = (count: number): EntryPoint[] => Array.from({ length: count }, () => phone);
    expect(foundIn(...phones(49))).toEqual([]);
    expect(foundIn(...phones(50))).toEqual([]);
    expect(foundIn(...phones(51))).toEqual([' tooMany']);
    const features = (count: number): EntryPoint => ({ ...video, entryPointFeatures: Array(count).fill('toll') });
    expect(foundIn(features(50))).toEqual([]);
    expect(foundIn(features(51))).toEqual(['.0.entryPointFeatures tooMany']);
    expect(foundIn({ ...video, entryPointFeatures: ['a', 'x'.repeat(129)] })).toEqual([
      '.0.entryPointFeatures.1 tooLong',
    ]);
    expect(foundIn({ ...phone, regionCode: 'x'.repeat(17) })).toEqual(['.0.regionCode tooLong']);
  });
});

describe('checkConference: conferenceId', () => {
  const withId = (type: string | undefined, conferenceId: string): string[] =>
    found({ conferenceId, conferenceSolution: { key: { type } } });
  const invalid = ['conferenceData.conferenceId invalid'];

  test.each(['abcdefghij', 'abc-defg-hij'])('a hosted call: %s', (id) => expect(withId('hostedCall', id)).toEqual([]));

  test.each(['', 'abcdefghi', 'abcdefghijk', 'ABCDEFGHIJ', 'abcdefghi1', '-abcdefghij', 'abc--defghij'])(
    'no hosted call: "%s"',
    (id) => expect(withId('hostedCall', id)).toEqual(invalid),
  );

  test('an event call has none', () => {
    expect(withId('eventCall', 'x')).toEqual(invalid);
    expect(found({ conferenceSolution: { key: { type: 'eventCall' } } })).toEqual([]);
  });

  test('a named call has its name', () => {
    expect(withId('eventNamedCall', 'standup')).toEqual([]);
    expect(withId('eventNamedCall', ' ')).toEqual(invalid);
  });

  test('an unknown or empty type may have any', () => {
    expect(withId('laterCall', 'X 1')).toEqual([]);
    expect(withId(undefined, 'X 1')).toEqual([]);
    expect(found({ conferenceId: 'X 1' })).toEqual([]);
    expect(found({ conferenceId: 'X 1', conferenceSolution: {} })).toEqual([]);
  });

  test('at most 1024 characters', () => {
    expect(withId('eventNamedCall', 'x'.repeat(1024))).toEqual([]);
    expect(withId('eventNamedCall', 'x'.repeat(1025))).toEqual(['conferenceData.conferenceId tooLong']);
  });
});

describe('checkConference: createRequest', () => {
  const requested = (requestId?: string, type?: string): string[] =>
    found({ createRequest: { requestId, conferenceSolutionKey: { type } } }).map((line) =>
      line.replace('conferenceData.createRequest.', ''),
    );

  test.each(['eventCall', 'eventNamedCall', 'hostedCall'])('%s can be created', (type) => {
    expect(requested('r1', type)).toEqual([]);
  });

  test('requestId and type are required', () => {
    expect(found({ createRequest: {} })).toEqual([
      'conferenceData.createRequest.requestId required',
      'conferenceData.createRequest.conferenceSolutionKey.type required',
    ]);
    expect(requested('', '')).toEqual(['requestId required', 'conferenceSolutionKey.type required']);
  });

  test('an unknown type cannot be created', () => {
    expect(requested('r1', 'laterCall')).toEqual(['conferenceSolutionKey.type invalid']);
    expect(requested('r1', 'toString')).toEqual(['conferenceSolutionKey.type invalid']);
  });

  test('requestId: at most 1024 characters', () => {
    expect(requested('x'.repeat(1024), 'eventCall')).toEqual([]);
    expect(requested('x'.repeat(1025), 'eventCall')).toEqual(['requestId tooLong']);
  });
});

describe('checkConference: the rest', () => {
  test('notes: at most 2048 characters', () => {
    expect(found({ notes: 'x'.repeat(2047) })).toEqual([]);
    expect(found({ notes: 'x'.repeat(2048) })).toEqual([]);
    expect(found({ notes: 'x'.repeat(2049) })).toEqual(['conferenceData.notes tooLong']);
  });

  test('solution and signature: at most 1024 characters each', () => {
    const filled = (text: string): ConferenceData => ({
      conferenceSolution: { iconUri: text, key: { type: text }, name: text },
      signature: text,
    });
    expect(found(filled('x'.repeat(1024)))).toEqual([]);
    expect(found(filled('x'.repeat(1025)))).toEqual([
      'conferenceData.conferenceSolution.iconUri tooLong',
      'conferenceData.conferenceSolution.key.type tooLong',
      'conferenceData.conferenceSolution.name tooLong',
      'conferenceData.signature tooLong',
    ]);
  });

  test('parameters: at most 100, names of 128 and values of 1024 characters', () => {
    const given = (parameters: Record<string, string>): string[] =>
      found({ parameters: { addOnParameters: { parameters } } }).map((line) => line.split('.').slice(3).join('.'));
    const many = (count: number): Record<string, string> =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 'v']));
    const name = 'n'.repeat(128);
    expect(given(many(100))).toEqual([]);
    expect(given(many(101))).toEqual(['parameters tooMany']);
    expect(given({ [name]: 'v'.repeat(1024) })).toEqual([]);
    expect(given({ [`${name}n`]: '' })).toEqual([`parameters.${name}n tooLong`]);
    expect(given({ k: 'v'.repeat(1025) })).toEqual(['parameters.k tooLong']);
    expect(found({ parameters: {} })).toEqual([]);
    expect(found({ parameters: { addOnParameters: {} } })).toEqual([]);
  });

  test('all issues come at once', () => {
    expect(found({ notes: 'x'.repeat(3000), entryPoints: [video, video], createRequest: {} })).toHaveLength(4);
  });
});
