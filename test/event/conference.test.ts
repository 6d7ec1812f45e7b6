import { hour, people, text, type Controls, type Shown, useEvents } from './event.harness.ts';

const v1: Controls = { conferenceDataVersion: 1 };
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
  const unknown = { conferenceSolution: { key: { type: 'newerCall' } }, entryPoints: [video] };
  const calendars = people([
    { ...hour, id: 'unknowncall', conferenceData: unknown },
    { ...hour, id: 'linkonly', callLink: 'https://elsewhere.example/call' },
  ]);
  const gateway = useEvents({ seed: { calendars } });
  const withCall = (type?: string) => gateway.make({ summary: 'Plan', conferenceData: request(type) }, v1);
  const apply = (id: string, conferenceData: object | null, controls = v1) =>
    gateway.patch(id, { conferenceData }, controls);
  /** A conference that is stored without a problem. */
  const write = (id: string, conferenceData: object | null) => gateway.change(id, { conferenceData }, v1);
  const insert = (conferenceData: object) => gateway.insert({ ...hour, conferenceData }, v1);
  /** Expects that this is refused in a patch and in an insert, and that nothing is stored. */
  async function expectRefused(conferenceData: object, ...problems: string[]): Promise<void> {
    const event = await gateway.make();
    const expected = problems.map((problem) => `conferenceData${problem}`);
    await gateway.refusesPatch(event.id, { conferenceData }, expected, v1);
    await gateway.refusesInsert({ conferenceData }, expected, v1);
    expect((await gateway.read(event.id)).event).toEqual(event);
  }
  const ignoredSomewhere = expect.stringMatching(/^event\.conferenceData[.\w]* ignored$/);

  describe('with version 0', () => {
    test.each([undefined, null, 0])('(%s) it is ignored with a warning', async (conferenceDataVersion) => {
      const event = await gateway.make();
      const ignored = await apply(event.id, request(), { conferenceDataVersion });
      expect([ignored.notes, ignored.event]).toEqual([['event.conferenceData ignored'], event]);
      const body = { ...hour, conferenceData: request() };
      const inserted = await gateway.insert(body, { conferenceDataVersion });
      expect(inserted.notes).toEqual(ignored.notes);
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
      const { id } = await gateway.make({ summary: 'Plan' });
      const patched = await write(id, { ...request(type), notes: 'Notes' });
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
      const named = { summary: `${'a'.repeat(39)} and more`, conferenceData: request('eventNamedCall') };
      const { conferenceData } = await gateway.make(named, v1);
      expect(conferenceData.conferenceId).toMatch(/^a{39}-[a-z]{10}$/);
    });

    test('with the same requestId again is ignored, with a new one makes another conference', async () => {
      const event = await withCall();
      const { requestId } = event.conferenceData.createRequest;
      const again = (type: string) => ({ createRequest: { requestId, conferenceSolutionKey: { type } } });
      expect(await write(event.id, again('hostedCall'))).toEqual(event);
      const other = await apply(event.id, again('eventCall'));
      expect([other.notes, other.event]).toEqual([['event.conferenceData.createRequest ignored'], event]);
      expect((await write(event.id, request())).callLink).not.toBe(event.callLink);
    });

    test.each([
      ['an empty requestId', '', 'eventCall', 'requestId required'],
      ['an unknown type', 'a', 'other', 'conferenceSolutionKey.type invalid'],
      ['the type addOn', 'a', 'addOn', 'conferenceSolutionKey.type invalid'],
    ])('with %s is refused', (_name, requestId, type, problem) =>
      expectRefused(
        { createRequest: { requestId, conferenceSolutionKey: { type } } },
        `.createRequest.${problem}`,
      ),
    );

    test('with nothing is refused', () =>
      expectRefused(
        { createRequest: {} },
        '.createRequest.requestId required',
        '.createRequest.conferenceSolutionKey.type required',
      ));

    test('in a dry run shows a conference that is not made', async () => {
      const event = await gateway.make();
      const { event: tried } = await apply(event.id, request(), { ...v1, validateOnly: true });
      expect(tried.conferenceData.createRequest.status).toEqual({ statusCode: 'success' });
      expect((await gateway.read(event.id)).event).toEqual(event);
    });
  });

  describe('a conference', () => {
    test('is removed by null, with its call link and without a warning', async () => {
      const { id } = await withCall();
      const removed = await write(id, null);
      expect(removed).toMatchObject({ conferenceData: null, callLink: null });
      expect(await write(id, null)).toEqual(removed);
    });

    test('has notes and parameters that are free', async () => {
      const { id, conferenceData } = await withCall();
      const parameters = { addOnParameters: { parameters: { theme: 'dark' } } };
      const changed = await write(id, { notes: 'Dial in', parameters });
      expect(changed.conferenceData).toEqual({ ...conferenceData, notes: 'Dial in', parameters });
    });

    test('has a call link that goes with it; one that came alone stays', async () => {
      const event = await withCall();
      const { notes, event: after } = await gateway.patch(event.id, { callLink: null }, v1);
      expect([notes, after]).toEqual([['event.callLink readOnly'], event]);
      const { event: alone } = await gateway.read('linkonly');
      expect(alone).toMatchObject({ callLink: 'https://elsewhere.example/call', conferenceData: null });
      expect(await gateway.change('linkonly', alone, v1)).toEqual(alone);
    });

    test('of an unknown type is shown, stays through other changes, and can only be removed', async () => {
      const { event: shown } = await gateway.read('unknowncall');
      expect(shown.conferenceData.conferenceSolution.key.type).toBe('newerCall');
      expect(shown.conferenceData.entryPoints).toMatchObject([video]);
      const { conferenceData } = await gateway.change('unknowncall', { ...shown, summary: 'Other' }, v1);
      expect(conferenceData).toEqual(shown.conferenceData);
      for (const change of [{ notes: 'New' }, request()])
        await gateway.refusesPatch('unknowncall', { conferenceData: change }, ['conferenceData invalid'], v1);
      expect((await write('unknowncall', null)).conferenceData).toBeNull();
    });
  });

  describe('a copy on another event', () => {
    const withoutRegion = ({ regionCode: _code, ...entry }: Shown) => entry;
    test.each<[string, (signed: Shown) => object]>([
      ['as it was read', (signed) => signed],
      ['without regions', (signed) => ({ ...signed, entryPoints: signed.entryPoints.map(withoutRegion) })],
    ])('%s keeps its signature and call link', async (_name, of) => {
      const { conferenceData, callLink } = await withCall();
      const { signature, conferenceId } = conferenceData;
      const { id } = await gateway.make();
      for (const copy of [await write(id, of(conferenceData)), (await insert(of(conferenceData))).event])
        expect(copy).toMatchObject({ callLink, conferenceData: { signature, conferenceId } });
    });

    test.each<[string, (signed: Shown) => object]>([
      ['without its signature', (signed) => ({ ...signed, signature: null })],
      ['with a forged signature', (signed) => ({ ...signed, signature: 'forged' })],
      [
        'with another link',
        (signed) => ({ ...signed, entryPoints: [{ ...video, uri: 'https://phish.example' }] }),
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
      for (const dropped of [await apply(event.id, sent), await insert(sent)]) {
        expect(dropped).toMatchObject({ problems: [], event: { conferenceData: null, callLink: null } });
        expect(dropped.notes).toContainEqual(ignoredSomewhere);
      }
      expect((await gateway.read(event.id)).event).toEqual(event);
    });

    test.each([
      ['on an event without one', false],
      ['on an event that has one', true],
    ])('with a new createRequest %s: the request wins, with a warning', async (_name, hasOne) => {
      const { conferenceData: copied } = await withCall();
      const event = hasOne ? await withCall() : await gateway.make();
      const conferenceData = { ...copied, ...request('eventCall') };
      for (const answer of [await apply(event.id, conferenceData), await insert(conferenceData)]) {
        expect(answer.problems).toEqual([]);
        expect(answer.notes).toContainEqual(ignoredSomewhere);
        const createRequest = { ...conferenceData.createRequest, status: { statusCode: 'success' } };
        const made = {
          conferenceId: null,
          conferenceSolution: { key: { type: 'eventCall' } },
          createRequest,
        };
        expect(answer.event.conferenceData).toMatchObject(made);
        expect(answer.event.conferenceData.signature).not.toBe(copied.signature);
        expect([copied.entryPoints[0].uri, event.callLink]).not.toContain(answer.event.callLink);
      }
    });
  });

  describe('of another provider (addOn)', () => {
    const written = addOn([video, phone, phone, sip, more]);
    test('is written by the client without a signature, signed by the server, and has no call link', async () => {
      for (const { event } of [await insert(written), await apply((await gateway.make()).id, written)]) {
        const signed = { ...written, signature: expect.stringMatching(/./) };
        expect(event).toMatchObject({ callLink: null, conferenceData: signed });
        expect(await gateway.change(event.id, event, v1)).toEqual(event);
        expect((await insert(event.conferenceData)).event.conferenceData).toEqual(event.conferenceData);
      }
    });

    test('may be written anew, take the place of another, and be removed', async () => {
      const { id } = await gateway.make({ conferenceData: written }, v1);
      const entryPoints = [{ ...video, uri: 'https://other.example' }];
      const { conferenceData } = await write(id, { entryPoints, notes: null });
      const { conferenceSolution } = written;
      expect(conferenceData).toMatchObject({ entryPoints, notes: null, conferenceSolution });
      expect((await write(id, null)).conferenceData).toBeNull();
    });

    test.each<[string, object[], string]>([
      ['a video at ftp:', [{ ...video, uri: 'ftp://call.example' }], '.0.uri invalid'],
      ['a video without a host', [{ ...video, uri: 'https://' }], '.0.uri invalid'],
      ['a video after a space', [{ ...video, uri: ' https://call.example' }], '.0.uri invalid'],
      ['a phone at https:', [{ ...phone, uri: 'https://call.example' }], '.0.uri invalid'],
      ['a phone without a number', [{ ...phone, uri: 'tel:' }], '.0.uri invalid'],
      ['a sip at tel:', [{ ...sip, uri: 'tel:1' }], '.0.uri invalid'],
      ['a sip without an address', [{ ...sip, uri: 'sip:' }], '.0.uri invalid'],
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
    ])('with %s is refused', (_name, entryPoints, problem) =>
      expectRefused(addOn(entryPoints), `.entryPoints${problem}`),
    );

    test.each<[string, object]>([
      ['a dial sequence', { ...phone, uri: 'TEL:+12345678,,,12345678;1234' }],
      ['http', { ...video, uri: 'http://call.example/a?b#c' }],
      ['features', { ...phone, entryPointFeatures: ['toll'] }],
    ])('with %s is stored', async (_name, entry) => {
      const { conferenceData } = await gateway.make({ conferenceData: addOn([entry]) }, v1);
      expect(conferenceData.entryPoints).toMatchObject([entry]);
    });

    test('may get one more way in, and what is not its client’s to say is ignored with a warning', async () => {
      const event = await gateway.make({ conferenceData: addOn([video]) }, v1);
      const { conferenceData } = await write(event.id, { entryPoints: [video, phone] });
      expect(conferenceData.entryPoints).toMatchObject([video, phone]);
      const { createRequest } = request();
      const requested = { createRequest: { ...createRequest, status: { statusCode: 'success' } } };
      for (const [change, notes] of [
        [{ signature: 'forged' }, ['signature ignored']],
        [requested, ['createRequest ignored', 'createRequest.status readOnly']],
      ] as const) {
        const answer = await insert({ ...addOn(), ...change });
        expect(answer.problems).toEqual([]);
        expect(answer.notes).toEqual(notes.map((note) => `event.conferenceData.${note}`));
        expect(answer.event.conferenceData.entryPoints).toMatchObject([video]);
      }
      const named = await insert({ conferenceSolution: addOn().conferenceSolution });
      expect(named.notes).toEqual(['event.conferenceData.signature ignored']);
      expect(named.event.conferenceData).toBeNull();
    });

    test('regionCode is for the server to fill in: ignored with a warning, however long', async () => {
      const { problems, notes } = await insert(addOn([{ ...phone, regionCode: text(17) }]));
      expect(problems).toEqual([]);
      expect(notes).toEqual(['event.conferenceData.entryPoints.0.regionCode readOnly']);
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
  ])('of type %s has no conferenceId %j', (type, conferenceId) => {
    const conferenceSolution = { key: { type } };
    return expectRefused({ conferenceSolution, conferenceId, entryPoints: [video] }, '.conferenceId invalid');
  });

  test.each([
    [-1, ['BAD_USER_INPUT conferenceDataVersion invalid']],
    [2, ['BAD_USER_INPUT conferenceDataVersion invalid']],
    [1, []],
  ])('with conferenceDataVersion %s: problems %j', async (conferenceDataVersion, problems) => {
    const { id } = await gateway.make();
    await gateway.refusesPatch(id, { summary: 'Any' }, problems, { conferenceDataVersion });
    await gateway.refusesInsert({}, problems, { conferenceDataVersion });
  });
});
