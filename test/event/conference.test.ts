import {
  bad as badAt,
  hour,
  many,
  people,
  startEvents,
  text,
  type Controls,
  type EventGateway,
  type Shown,
} from './event.harness.ts';

const v1: Controls = { conferenceDataVersion: 1 };
const bad = (path: string, reason: string): string => badAt(`conferenceData${path}`, reason);
let requests = 0;
const request = (type = 'hostedCall') => ({
  createRequest: { requestId: `request ${(requests += 1)}`, conferenceSolutionKey: { type } },
});
const video = { entryPointType: 'video', uri: 'https://call.example' };
const phone = { entryPointType: 'phone', uri: 'tel:+1-202-555-0143' };
const sip = { entryPointType: 'sip', uri: 'sip:a@call.example' };
const more = { entryPointType: 'more', uri: 'https://call.example/more' };
const addOn = (entryPoints: object[] = [video]) => ({
  conferenceSolution: {
    key: { type: 'addOn' },
    name: 'Other calls',
    iconUri: 'https://call.example/icon.png',
  },
  entryPoints,
  notes: 'Ring <b>twice</b>',
});

describe('conference data', () => {
  let gateway: EventGateway;
  beforeAll(async () => {
    const unknown = { conferenceSolution: { key: { type: 'newerCall' } }, entryPoints: [video] };
    gateway = await startEvents({
      seed: {
        calendars: people([
          { ...hour, id: 'unknowncall', conferenceData: unknown },
          { ...hour, id: 'linkonly', callLink: 'https://elsewhere.example/call' },
        ]),
      },
    });
  });
  afterAll(() => gateway.close());
  const withCall = (type?: string) => gateway.make({ summary: 'Plan', conferenceData: request(type) }, v1);
  const apply = (id: string, conferenceData: object | null, controls = v1) =>
    gateway.patch(id, { conferenceData }, controls);

  describe('with version 0', () => {
    test.each([undefined, null, 0])('(%s) it is ignored with a warning', async (conferenceDataVersion) => {
      const event = await gateway.make();
      const ignored = await apply(event.id, request(), { conferenceDataVersion });
      expect([ignored.notes, ignored.event]).toEqual([['event.conferenceData ignored'], event]);
      expect(
        (await gateway.insert({ ...hour, conferenceData: request() }, { conferenceDataVersion })).notes,
      ).toEqual(['event.conferenceData ignored']);
    });

    test('there is no warning where it is what is stored, one where it would be removed', async () => {
      const event = await withCall();
      expect(await gateway.change(event.id, { conferenceData: event.conferenceData })).toEqual(event);
      const removed = await apply(event.id, null, {});
      expect([removed.notes, removed.event]).toEqual([['event.conferenceData ignored'], event]);
    });
  });

  describe('createRequest', () => {
    test.each([
      ['eventCall', ['video'], null],
      ['eventNamedCall', ['video'], expect.stringMatching(/^plan-[a-z]+$/)],
      ['hostedCall', ['video', 'phone', 'more'], expect.stringMatching(/^[a-z]{10}$/)],
    ])('makes an %s, in an insert and in a patch', async (type, kinds, conferenceId) => {
      const patched = await gateway.change(
        (await gateway.make({ summary: 'Plan' })).id,
        { conferenceData: { ...request(type), notes: 'Notes' } },
        v1,
      );
      for (const { conferenceData, callLink } of [await withCall(type), patched]) {
        expect(conferenceData).toMatchObject({
          conferenceId,
          conferenceSolution: { key: { type } },
          signature: expect.stringMatching(/./),
          createRequest: { conferenceSolutionKey: { type }, status: { statusCode: 'success' } },
        });
        expect(conferenceData.entryPoints.map((entry: Shown) => entry.entryPointType)).toEqual(kinds);
        expect(callLink).toBe(conferenceData.entryPoints[0].uri);
        for (const { entryPointType, regionCode } of conferenceData.entryPoints)
          expect(regionCode !== null).toBe(entryPointType === 'phone');
      }
      expect(patched.conferenceData.notes).toBe('Notes');
    });

    test('makes a name of the summary, of 40 characters and no hyphen at its end', async () => {
      const { conferenceData } = await gateway.make(
        { summary: `${'a'.repeat(39)} and more`, conferenceData: request('eventNamedCall') },
        v1,
      );
      expect(conferenceData.conferenceId).toMatch(/^a{39}-[a-z]{10}$/);
    });

    test('with the same requestId again is ignored, with a new one makes another conference', async () => {
      const event = await withCall();
      const { requestId } = event.conferenceData.createRequest;
      expect(
        await gateway.change(
          event.id,
          { conferenceData: { createRequest: { requestId, conferenceSolutionKey: { type: 'hostedCall' } } } },
          v1,
        ),
      ).toEqual(event);
      const other = await apply(event.id, {
        createRequest: { requestId, conferenceSolutionKey: { type: 'eventCall' } },
      });
      expect([other.notes, other.event]).toEqual([['event.conferenceData.createRequest ignored'], event]);
      const next = await gateway.change(event.id, { conferenceData: request() }, v1);
      expect(next.callLink).not.toBe(event.callLink);
    });

    test.each<[string, object, string[]]>([
      ['nothing', {}, ['requestId required', 'conferenceSolutionKey.type required']],
      [
        'an empty requestId',
        { requestId: '', conferenceSolutionKey: { type: 'eventCall' } },
        ['requestId required'],
      ],
      [
        'an unknown type',
        { requestId: 'a', conferenceSolutionKey: { type: 'other' } },
        ['conferenceSolutionKey.type invalid'],
      ],
      [
        'the type addOn',
        { requestId: 'a', conferenceSolutionKey: { type: 'addOn' } },
        ['conferenceSolutionKey.type invalid'],
      ],
      [
        'a requestId of 1025 characters',
        { requestId: text(1025), conferenceSolutionKey: { type: 'eventCall' } },
        ['requestId tooLong'],
      ],
    ])('with %s is refused', async (_name, createRequest, problems) => {
      const event = await gateway.make();
      const expected = problems.map(
        (problem) => `BAD_USER_INPUT event.conferenceData.createRequest.${problem}`,
      );
      expect((await apply(event.id, { createRequest })).problems).toEqual(expected);
      expect((await gateway.insert({ ...hour, conferenceData: { createRequest } }, v1)).problems).toEqual(
        expected,
      );
      expect((await gateway.read(event.id)).event).toEqual(event);
    });

    test('in a dry run shows a conference that is not made', async () => {
      const event = await gateway.make();
      const tried = await gateway.change(
        event.id,
        { conferenceData: request() },
        { ...v1, validateOnly: true },
      );
      expect(tried.conferenceData.createRequest.status).toEqual({ statusCode: 'success' });
      expect((await gateway.read(event.id)).event).toEqual(event);
    });
  });

  describe('a conference', () => {
    test('is removed by null, with its call link and without a warning', async () => {
      const { id } = await withCall();
      const removed = await gateway.change(id, { conferenceData: null }, v1);
      expect(removed).toMatchObject({ conferenceData: null, callLink: null });
      expect(await gateway.change(id, { conferenceData: null }, v1)).toEqual(removed);
    });

    test('has notes and parameters that are free, at most 2048 characters of notes', async () => {
      const { id, conferenceData } = await withCall();
      const parameters = { addOnParameters: { parameters: { theme: 'dark' } } };
      const changed = await gateway.change(id, { conferenceData: { notes: text(2048), parameters } }, v1);
      expect(changed.conferenceData).toEqual({ ...conferenceData, notes: text(2048), parameters });
      expect((await apply(id, { notes: text(2049) })).problems).toEqual([bad('.notes', 'tooLong')]);
    });

    test('has a call link that goes with it; one that came alone stays', async () => {
      const event = await withCall();
      const { notes, event: after } = await gateway.patch(event.id, { callLink: null }, v1);
      expect([notes, after]).toEqual([['event.callLink readOnly'], event]);
      const { event: alone } = await gateway.read('linkonly');
      expect(await gateway.change('linkonly', alone, v1)).toMatchObject({
        callLink: 'https://elsewhere.example/call',
        conferenceData: null,
      });
    });

    test('of an unknown type is shown, stays through other changes, and can only be removed', async () => {
      const shown = (await gateway.read('unknowncall')).event;
      expect(shown.conferenceData).toMatchObject({
        conferenceSolution: { key: { type: 'newerCall' } },
        entryPoints: [video],
      });
      const { conferenceData } = await gateway.change('unknowncall', { ...shown, summary: 'Other' }, v1);
      expect(conferenceData).toEqual(shown.conferenceData);
      for (const change of [{ notes: 'New' }, request()])
        expect((await apply('unknowncall', change)).problems).toEqual([bad('', 'invalid')]);
      expect((await gateway.change('unknowncall', { conferenceData: null }, v1)).conferenceData).toBeNull();
    });
  });

  describe('a copy on another event', () => {
    test.each<[string, (signed: Shown) => object]>([
      ['as it was read', (signed) => signed],
      [
        'without regionCodes',
        (signed) => ({
          ...signed,
          entryPoints: signed.entryPoints.map(({ regionCode: _code, ...entry }: Shown) => entry),
        }),
      ],
    ])('%s keeps its signature and call link', async (_name, of) => {
      const { conferenceData, callLink } = await withCall();
      const kept = {
        callLink,
        conferenceData: { signature: conferenceData.signature, conferenceId: conferenceData.conferenceId },
      };
      expect(
        await gateway.change((await gateway.make()).id, { conferenceData: of(conferenceData) }, v1),
      ).toMatchObject(kept);
      expect(await gateway.make({ conferenceData: of(conferenceData) }, v1)).toMatchObject(kept);
    });

    test.each<[string, (signed: Shown) => object]>([
      ['without its signature', (signed) => ({ ...signed, signature: null })],
      ['with a forged signature', (signed) => ({ ...signed, signature: 'forged' })],
      [
        'with another link',
        (signed) => ({
          ...signed,
          entryPoints: [{ ...signed.entryPoints[0], uri: 'https://phish.example' }],
        }),
      ],
      [
        'with another name',
        (signed) => ({ ...signed, conferenceSolution: { key: { type: 'hostedCall' }, name: 'Bank' } }),
      ],
      ['with another id', (signed) => ({ ...signed, conferenceId: 'abcdefghij' })],
      ['of entry points alone', ({ entryPoints }) => ({ entryPoints })],
    ])('%s is not applied, with a warning', async (_name, of) => {
      const sent = of((await withCall()).conferenceData);
      const event = await gateway.make();
      for (const dropped of [
        await apply(event.id, sent),
        await gateway.insert({ ...hour, conferenceData: sent }, v1),
      ]) {
        expect(dropped.problems).toEqual([]);
        expect(dropped.notes.join()).toMatch(/(^|,)event\.conferenceData[.\w]* ignored/);
        expect(dropped.event).toMatchObject({ conferenceData: null, callLink: null });
      }
      expect((await gateway.read(event.id)).event).toEqual(event);
    });

    test.each([
      ['on an event without one', false],
      ['on an event that has one', true],
    ])(
      'with a new createRequest: the request is carried out and wins, with a warning, %s',
      async (_name, hasOne) => {
        const { conferenceData: copied } = await withCall();
        const event = hasOne ? await withCall() : await gateway.make();
        const conferenceData = { ...copied, ...request('eventCall') };
        for (const answer of [
          await apply(event.id, conferenceData),
          await gateway.insert({ ...hour, conferenceData }, v1),
        ]) {
          expect(answer.problems).toEqual([]);
          expect(answer.notes.join()).toMatch(/(^|,)event\.conferenceData[.\w]* ignored/);
          expect(answer.event.conferenceData).toMatchObject({
            conferenceId: null,
            conferenceSolution: { key: { type: 'eventCall' } },
            createRequest: { ...conferenceData.createRequest, status: { statusCode: 'success' } },
          });
          expect(answer.event.conferenceData.signature).not.toBe(copied.signature);
          expect([copied.entryPoints[0].uri, event.callLink]).not.toContain(answer.event.callLink);
        }
      },
    );
  });

  describe('of another provider (addOn)', () => {
    const written = addOn([video, phone, phone, sip, more]);
    test('is written by the client without a signature, signed by the server, and has no call link', async () => {
      for (const event of [
        await gateway.make({ conferenceData: written }, v1),
        await gateway.change((await gateway.make()).id, { conferenceData: written }, v1),
      ]) {
        expect(event).toMatchObject({
          callLink: null,
          conferenceData: { ...written, signature: expect.stringMatching(/./) },
        });
        expect(await gateway.change(event.id, event, v1)).toEqual(event);
        expect(await gateway.make({ conferenceData: event.conferenceData }, v1)).toMatchObject({
          conferenceData: event.conferenceData,
        });
      }
    });

    test('may be written anew, take the place of another, and be removed', async () => {
      const { id } = await gateway.make({ conferenceData: written }, v1);
      const entryPoints = [{ ...video, uri: 'https://other.example' }];
      const { conferenceData } = await gateway.change(
        id,
        { conferenceData: { entryPoints, notes: null } },
        v1,
      );
      expect(conferenceData).toMatchObject({
        entryPoints,
        notes: null,
        conferenceSolution: written.conferenceSolution,
      });
      expect((await gateway.change(id, { conferenceData: null }, v1)).conferenceData).toBeNull();
    });

    const uris = [
      [video, 'ftp://call.example'],
      [video, 'https://'],
      [phone, 'https://call.example'],
      [phone, 'tel:'],
      [sip, 'tel:1'],
      [sip, 'sip:'],
      [video, ' https://call.example'],
    ] as const;
    test.each<[string, object[], string]>([
      ['a uri of 1301 characters', [{ ...video, uri: `https://${text(1293)}` }], '.0.uri tooLong'],
      ['a label of 513', [phone, { ...video, label: text(513) }], '.1.label tooLong'],
      ...['meetingCode', 'accessCode', 'passcode', 'password', 'pin'].map(
        (code): [string, object[], string] => [
          `a ${code} of 129`,
          [{ ...video, [code]: text(129) }],
          `.0.${code} tooLong`,
        ],
      ),
      ...uris.map(([entry, uri]): [string, object[], string] => [
        `a ${entry.entryPointType} at ${uri}`,
        [{ ...entry, uri }],
        '.0.uri invalid',
      ]),
      ['a more at mailto:', [video, { ...more, uri: 'mailto:a@b.c' }], '.1.uri invalid'],
      ['a more with a label', [video, { ...more, label: 'More' }], '.1.label invalid'],
      ['a lone more', [more], ' invalid'],
      ['two videos', [video, video], '.1 tooMany'],
      ['two sips', [sip, sip], '.1 tooMany'],
      ['two mores', [video, more, more], '.2 tooMany'],
      ['an unknown type', [{ ...video, entryPointType: 'fax' }], '.0.entryPointType invalid'],
      ['no type', [{ uri: video.uri }], '.0.entryPointType required'],
      ['no uri', [{ entryPointType: 'video' }], '.0.uri required'],
      ['an empty uri', [{ ...phone, uri: '' }], '.0.uri required'],
      ['51 entry points', many(51, () => phone), ' tooMany'],
    ])('with %s is refused', async (_name, entryPoints, problem) => {
      const expected = [`BAD_USER_INPUT event.conferenceData.entryPoints${problem}`];
      expect((await apply((await gateway.make()).id, addOn(entryPoints))).problems).toEqual(expected);
      expect((await gateway.insert({ ...hour, conferenceData: addOn(entryPoints) }, v1)).problems).toEqual(
        expected,
      );
    });

    test.each<[string, object]>([
      ['a uri of 1300 characters', { ...video, uri: `https://${text(1292)}` }],
      ['a label of 512', { ...video, label: text(512) }],
      [
        'codes of 128',
        {
          ...video,
          meetingCode: text(128),
          accessCode: text(128),
          passcode: text(128),
          password: text(128),
          pin: text(128),
        },
      ],
      ['a dial sequence', { ...phone, uri: 'TEL:+12345678,,,12345678;1234' }],
      ['http', { ...video, uri: 'http://call.example/a?b#c' }],
      ['features', { ...phone, entryPointFeatures: ['toll'] }],
    ])('with %s is stored', async (_name, entry) => {
      expect(
        (await gateway.make({ conferenceData: addOn([entry]) }, v1)).conferenceData.entryPoints,
      ).toMatchObject([entry]);
    });

    test('may get one more way in, and what is not its client’s to say is ignored with a warning', async () => {
      const event = await gateway.make({ conferenceData: addOn([video]) }, v1);
      const { conferenceData } = await gateway.change(
        event.id,
        { conferenceData: { entryPoints: [video, phone] } },
        v1,
      );
      expect(conferenceData.entryPoints).toMatchObject([video, phone]);
      for (const [change, notes] of [
        [{ signature: 'forged' }, ['signature ignored']],
        [
          { createRequest: { ...request().createRequest, status: { statusCode: 'success' } } },
          ['createRequest ignored', 'createRequest.status readOnly'],
        ],
      ] as const) {
        const answer = await gateway.insert({ ...hour, conferenceData: { ...addOn(), ...change } }, v1);
        expect([answer.problems, answer.notes, answer.event.conferenceData.entryPoints]).toEqual([
          [],
          notes.map((note) => `event.conferenceData.${note}`),
          [expect.objectContaining(video)],
        ]);
      }
      const named = await gateway.insert(
        { ...hour, conferenceData: { conferenceSolution: addOn().conferenceSolution } },
        v1,
      );
      expect([named.notes, named.event.conferenceData]).toEqual([
        ['event.conferenceData.signature ignored'],
        null,
      ]);
    });

    test('regionCode is for the server to fill in: ignored with a warning, however long', async () => {
      const answer = await gateway.insert(
        { ...hour, conferenceData: addOn([{ ...phone, regionCode: text(17) }]) },
        v1,
      );
      expect([answer.problems, answer.notes]).toEqual([
        [],
        ['event.conferenceData.entryPoints.0.regionCode readOnly'],
      ]);
    });

    test('a message about a secret does not repeat it', async () => {
      const { body } = await apply((await gateway.make()).id, addOn([{ ...video, pin: '7'.repeat(129) }]));
      expect(body).not.toContain('7'.repeat(20));
    });
  });

  test.each([
    ['eventCall', 'any'],
    ['eventNamedCall', ' '],
    ['hostedCall', 'abc'],
  ])('of type %s has no conferenceId %j', async (type, conferenceId) => {
    const conferenceData = { conferenceSolution: { key: { type } }, conferenceId, entryPoints: [video] };
    expect((await gateway.insert({ ...hour, conferenceData }, v1)).problems).toEqual([
      bad('.conferenceId', 'invalid'),
    ]);
    expect((await apply((await gateway.make()).id, conferenceData)).problems).toEqual([
      bad('.conferenceId', 'invalid'),
    ]);
  });

  test.each([
    [-1, ['BAD_USER_INPUT conferenceDataVersion invalid']],
    [2, ['BAD_USER_INPUT conferenceDataVersion invalid']],
    [1, []],
  ])('conferenceDataVersion %s', async (conferenceDataVersion, problems) => {
    const { id } = await gateway.make();
    expect((await gateway.patch(id, { summary: 'Any' }, { conferenceDataVersion })).problems).toEqual(
      problems,
    );
    expect((await gateway.insert(hour, { conferenceDataVersion })).problems).toEqual(problems);
  });
});
