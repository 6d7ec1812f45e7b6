import {
  oneHour,
  sampleCalendars,
  textOfLength,
  type Controls,
  type EventJson,
  useEventGateway,
} from './event.harness.ts';

const version1Controls: Controls = { conferenceDataVersion: 1 };
const createRequestWith = (requestId: string, type: string) => ({
  createRequest: { requestId, conferenceSolutionKey: { type } },
});
let requestCount = 0;
const makeRequest = (type = 'hostedCall') => createRequestWith(`request ${(requestCount += 1)}`, type);
const video = { entryPointType: 'video', uri: 'https://call.example' };
const phone = { entryPointType: 'phone', uri: 'tel:+1-202-555-0143' };
const sip = { entryPointType: 'sip', uri: 'sip:a@call.example' };
const moreEntryPoint = { entryPointType: 'more', uri: 'https://call.example/more' };
const createAddOnConference = (entryPoints: object[] = [video]) => ({
  conferenceSolution: { key: { type: 'addOn' }, name: 'Other', iconUri: 'https://call.example/icon.png' },
  entryPoints,
  notes: 'Ring <b>twice</b>',
});

describe('conference data', () => {
  const unknownConference = { conferenceSolution: { key: { type: 'newerCall' } }, entryPoints: [video] };
  const calendars = sampleCalendars([
    { ...oneHour, id: 'unknowncall', conferenceData: unknownConference },
    { ...oneHour, id: 'linkonly', callLink: 'https://elsewhere.example/call' },
  ]);
  const gateway = useEventGateway({ seed: { calendars } });
  const makeWithCall = (type?: string) =>
    gateway.makeEvent({ summary: 'Plan', conferenceData: makeRequest(type) }, version1Controls);
  const patchConference = (id: string, conferenceData: object | null, controls = version1Controls) =>
    gateway.patch(id, { conferenceData }, controls);
  /** Stores a conference and expects no problems. */
  const changeConference = (id: string, conferenceData: object | null) =>
    gateway.changeEvent(id, { conferenceData }, version1Controls);
  const insertWithConference = (conferenceData: object) =>
    gateway.insert({ ...oneHour, conferenceData }, version1Controls);
  /** Expects a patch and an insert to be refused, without storing anything. */
  async function expectRefused(conferenceData: object, ...problems: string[]): Promise<void> {
    const event = await gateway.makeEvent();
    const expected = problems.map((problem) => `conferenceData${problem}`);
    await gateway.expectPatchRefused(event.id, { conferenceData }, expected, version1Controls);
    await gateway.expectInsertRefused({ conferenceData }, expected, version1Controls);
    expect((await gateway.read(event.id)).event).toEqual(event);
  }
  const conferenceIgnoredWarning = expect.stringMatching(/^event\.conferenceData[.\w]* ignored$/);

  describe('with version 0', () => {
    test.each([undefined, null, 0])(
      '(%s) a conference is ignored with a warning',
      async (conferenceDataVersion) => {
        const event = await gateway.makeEvent();
        const ignoredOutcome = await patchConference(event.id, makeRequest(), { conferenceDataVersion });
        expect([ignoredOutcome.warningTexts, ignoredOutcome.event]).toEqual([
          ['event.conferenceData ignored'],
          event,
        ]);
        const body = { ...oneHour, conferenceData: makeRequest() };
        const inserted = await gateway.insert(body, { conferenceDataVersion });
        expect(inserted.warningTexts).toEqual(ignoredOutcome.warningTexts);
      },
    );

    test('an equal conference causes no warning, but its removal does', async () => {
      const event = await makeWithCall();
      expect(await gateway.changeEvent(event.id, { conferenceData: event.conferenceData })).toEqual(event);
      const removed = await patchConference(event.id, null, {});
      expect([removed.warningTexts, removed.event]).toEqual([['event.conferenceData ignored'], event]);
    });
  });

  describe('createRequest', () => {
    test.each([
      ['eventCall', ['video'], null],
      ['eventNamedCall', ['video'], expect.stringMatching(/^plan-[a-z]+$/)],
      ['hostedCall', ['video', 'phone', 'more'], expect.stringMatching(/^[a-z]{10}$/)],
    ])('makes an %s in an insert and a patch', async (type, entryPointTypes, conferenceId) => {
      const { id } = await gateway.makeEvent({ summary: 'Plan' });
      const patched = await changeConference(id, { ...makeRequest(type), notes: 'Notes' });
      for (const { conferenceData, callLink } of [await makeWithCall(type), patched]) {
        expect(conferenceData).toMatchObject({
          conferenceId,
          conferenceSolution: { key: { type } },
          signature: expect.stringMatching(/./),
          createRequest: { conferenceSolutionKey: { type }, status: { statusCode: 'success' } },
        });
        expect(conferenceData.entryPoints.map((entry: EventJson) => entry.entryPointType)).toEqual(
          entryPointTypes,
        );
        expect(callLink).toBe(conferenceData.entryPoints[0].uri);
        for (const { entryPointType, regionCode } of conferenceData.entryPoints)
          expect(regionCode !== null).toBe(entryPointType === 'phone');
      }
      expect(patched.conferenceData.notes).toBe('Notes');
    });

    test('makes an id of up to 40 characters of the summary, without a double hyphen', async () => {
      const summary = `${'a'.repeat(39)} and more`;
      const body = { summary, conferenceData: makeRequest('eventNamedCall') };
      const { conferenceData } = await gateway.makeEvent(body, version1Controls);
      expect(conferenceData.conferenceId).toMatch(/^a{39}-[a-z]{10}$/);
    });

    test('with the same requestId is ignored, with a new one makes another conference', async () => {
      const event = await makeWithCall();
      const { requestId } = event.conferenceData.createRequest;
      expect(await changeConference(event.id, createRequestWith(requestId, 'hostedCall'))).toEqual(event);
      const outcome = await patchConference(event.id, createRequestWith(requestId, 'eventCall'));
      expect([outcome.warningTexts, outcome.event]).toEqual([
        ['event.conferenceData.createRequest ignored'],
        event,
      ]);
      expect((await changeConference(event.id, makeRequest())).callLink).not.toBe(event.callLink);
    });

    test.each([
      ['an empty requestId', '', 'eventCall', 'requestId required'],
      ['an unknown type', 'a', 'other', 'conferenceSolutionKey.type invalid'],
      ['the type addOn', 'a', 'addOn', 'conferenceSolutionKey.type invalid'],
    ])('with %s is refused', (_name, requestId, type, problem) =>
      expectRefused(createRequestWith(requestId, type), `.createRequest.${problem}`),
    );

    test('without fields is refused', () =>
      expectRefused(
        { createRequest: {} },
        '.createRequest.requestId required',
        '.createRequest.conferenceSolutionKey.type required',
      ));

    test('in a dry run shows a conference without storing it', async () => {
      const event = await gateway.makeEvent();
      const dryRun = { ...version1Controls, validateOnly: true };
      const { event: dryRunEvent } = await patchConference(event.id, makeRequest(), dryRun);
      expect(dryRunEvent.conferenceData.createRequest.status).toEqual({ statusCode: 'success' });
      expect((await gateway.read(event.id)).event).toEqual(event);
    });
  });

  describe('a conference', () => {
    test('is removed by null, with its call link and without a warning', async () => {
      const { id } = await makeWithCall();
      const removed = await changeConference(id, null);
      expect(removed).toMatchObject({ conferenceData: null, callLink: null });
      expect(await changeConference(id, null)).toEqual(removed);
    });

    test('may get any notes and parameters', async () => {
      const { id, conferenceData } = await makeWithCall();
      const parameters = { addOnParameters: { parameters: { theme: 'dark' } } };
      const changed = await changeConference(id, { notes: 'Dial in', parameters });
      expect(changed.conferenceData).toEqual({ ...conferenceData, notes: 'Dial in', parameters });
    });

    test('has a read-only call link; a call link without a conference stays', async () => {
      const event = await makeWithCall();
      const { warningTexts, event: patchedEvent } = await gateway.patch(
        event.id,
        { callLink: null },
        version1Controls,
      );
      expect([warningTexts, patchedEvent]).toEqual([['event.callLink readOnly'], event]);
      const { event: eventWithLink } = await gateway.read('linkonly');
      expect(eventWithLink).toMatchObject({
        callLink: 'https://elsewhere.example/call',
        conferenceData: null,
      });
      expect(await gateway.changeEvent('linkonly', eventWithLink, version1Controls)).toEqual(eventWithLink);
    });

    test('of an unknown type is shown and kept, and can only be removed', async () => {
      const { event: unknownEvent } = await gateway.read('unknowncall');
      expect(unknownEvent.conferenceData.conferenceSolution.key.type).toBe('newerCall');
      expect(unknownEvent.conferenceData.entryPoints).toMatchObject([video]);
      const { conferenceData } = await gateway.changeEvent(
        'unknowncall',
        { ...unknownEvent, summary: 'Other' },
        version1Controls,
      );
      expect(conferenceData).toEqual(unknownEvent.conferenceData);
      for (const change of [{ notes: 'New' }, makeRequest()])
        await gateway.expectPatchRefused(
          'unknowncall',
          { conferenceData: change },
          ['conferenceData invalid'],
          version1Controls,
        );
      expect((await changeConference('unknowncall', null)).conferenceData).toBeNull();
    });
  });

  describe('a copy on another event', () => {
    const hostedKey = { type: 'hostedCall' };
    const removeRegion = ({ regionCode: _code, ...entry }: EventJson) => entry;
    test.each<[string, (signed: EventJson) => object]>([
      ['as it was read', (signed) => signed],
      ['without regions', (signed) => ({ ...signed, entryPoints: signed.entryPoints.map(removeRegion) })],
    ])('%s keeps its signature and call link', async (_name, copyOf) => {
      const { conferenceData, callLink } = await makeWithCall();
      const { signature, conferenceId } = conferenceData;
      const { id } = await gateway.makeEvent();
      for (const copy of [
        await changeConference(id, copyOf(conferenceData)),
        (await insertWithConference(copyOf(conferenceData))).event,
      ])
        expect(copy).toMatchObject({ callLink, conferenceData: { signature, conferenceId } });
    });

    test.each<[string, (signed: EventJson) => object]>([
      ['without its signature', (signed) => ({ ...signed, signature: null })],
      ['with a forged signature', (signed) => ({ ...signed, signature: 'forged' })],
      [
        'with another link',
        (signed) => ({ ...signed, entryPoints: [{ ...video, uri: 'https://a.example' }] }),
      ],
      [
        'with another name',
        (signed) => ({ ...signed, conferenceSolution: { key: hostedKey, name: 'Bank' } }),
      ],
      ['with another id', (signed) => ({ ...signed, conferenceId: 'abcdefghij' })],
      ['of its entry points only', ({ entryPoints }) => ({ entryPoints })],
    ])('%s is ignored with a warning', async (_name, copyOf) => {
      const sentConference = copyOf((await makeWithCall()).conferenceData);
      const event = await gateway.makeEvent();
      for (const droppedOutcome of [
        await patchConference(event.id, sentConference),
        await insertWithConference(sentConference),
      ]) {
        expect(droppedOutcome).toMatchObject({
          problems: [],
          event: { conferenceData: null, callLink: null },
        });
        expect(droppedOutcome.warningTexts).toContainEqual(conferenceIgnoredWarning);
      }
      expect((await gateway.read(event.id)).event).toEqual(event);
    });

    test.each([
      ['on an event without one', false],
      ['on an event that has one', true],
    ])(
      'with a new createRequest %s is replaced by the request, with a warning',
      async (_name, hasConference) => {
        const { conferenceData: copiedConference } = await makeWithCall();
        const event = hasConference ? await makeWithCall() : await gateway.makeEvent();
        const conferenceData = { ...copiedConference, ...makeRequest('eventCall') };
        for (const requestOutcome of [
          await patchConference(event.id, conferenceData),
          await insertWithConference(conferenceData),
        ]) {
          expect(requestOutcome.problems).toEqual([]);
          expect(requestOutcome.warningTexts).toContainEqual(conferenceIgnoredWarning);
          const createRequest = { ...conferenceData.createRequest, status: { statusCode: 'success' } };
          const conferenceSolution = { key: { type: 'eventCall' } };
          const replacement = { conferenceId: null, conferenceSolution, createRequest };
          expect(requestOutcome.event.conferenceData).toMatchObject(replacement);
          expect(requestOutcome.event.conferenceData.signature).not.toBe(copiedConference.signature);
          expect([copiedConference.entryPoints[0].uri, event.callLink]).not.toContain(
            requestOutcome.event.callLink,
          );
        }
      },
    );
  });

  describe('of another provider (addOn)', () => {
    const addOnCall = createAddOnConference([video, phone, phone, sip, moreEntryPoint]);
    test('is written by the client, signed by the server, and has no call link', async () => {
      for (const { event } of [
        await insertWithConference(addOnCall),
        await patchConference((await gateway.makeEvent()).id, addOnCall),
      ]) {
        const signed = { ...addOnCall, signature: expect.stringMatching(/./) };
        expect(event).toMatchObject({ callLink: null, conferenceData: signed });
        expect(await gateway.changeEvent(event.id, event, version1Controls)).toEqual(event);
        const copy = (await insertWithConference(event.conferenceData)).event;
        expect(copy.conferenceData).toEqual(event.conferenceData);
      }
    });

    test('may be changed, replace another, and be removed', async () => {
      const { id } = await gateway.makeEvent({ conferenceData: addOnCall }, version1Controls);
      const entryPoints = [{ ...video, uri: 'https://other.example' }];
      const { conferenceData } = await changeConference(id, { entryPoints, notes: null });
      const { conferenceSolution } = addOnCall;
      expect(conferenceData).toMatchObject({ entryPoints, notes: null, conferenceSolution });
      expect((await changeConference(id, null)).conferenceData).toBeNull();
    });

    test.each<[string, object[], string]>([
      ['a video at ftp:', [{ ...video, uri: 'ftp://call.example' }], '.0.uri invalid'],
      ['a video without a host', [{ ...video, uri: 'https://' }], '.0.uri invalid'],
      ['a video after a space', [{ ...video, uri: ' https://call.example' }], '.0.uri invalid'],
      ['a phone at https:', [{ ...phone, uri: 'https://call.example' }], '.0.uri invalid'],
      ['a phone without a number', [{ ...phone, uri: 'tel:' }], '.0.uri invalid'],
      ['a sip at tel:', [{ ...sip, uri: 'tel:1' }], '.0.uri invalid'],
      ['a sip without an address', [{ ...sip, uri: 'sip:' }], '.0.uri invalid'],
      ['a more at mailto:', [video, { ...moreEntryPoint, uri: 'mailto:a@b.c' }], '.1.uri invalid'],
      ['a more with a label', [video, { ...moreEntryPoint, label: 'More' }], '.1.label invalid'],
      ['a lone more', [moreEntryPoint], ' invalid'],
      ['two videos', [video, video], '.1 tooMany'],
      ['two sips', [sip, sip], '.1 tooMany'],
      ['two mores', [video, moreEntryPoint, moreEntryPoint], '.2 tooMany'],
      ['an unknown type', [{ ...video, entryPointType: 'fax' }], '.0.entryPointType invalid'],
      ['no type', [{ uri: video.uri }], '.0.entryPointType required'],
      ['no uri', [{ entryPointType: 'video' }], '.0.uri required'],
      ['an empty uri', [{ ...phone, uri: '' }], '.0.uri required'],
    ])('with %s is refused', (_name, entryPoints, problem) =>
      expectRefused(createAddOnConference(entryPoints), `.entryPoints${problem}`),
    );

    test.each<[string, object]>([
      ['a dial sequence', { ...phone, uri: 'TEL:+12345678,,,12345678;1234' }],
      ['http', { ...video, uri: 'http://call.example/a?b#c' }],
      ['features', { ...phone, entryPointFeatures: ['toll'] }],
    ])('with %s is stored', async (_name, entry) => {
      const { conferenceData } = await gateway.makeEvent(
        { conferenceData: createAddOnConference([entry]) },
        version1Controls,
      );
      expect(conferenceData.entryPoints).toMatchObject([entry]);
    });

    test('may get another entry point; fields that the server sets are ignored with a warning', async () => {
      const event = await gateway.makeEvent(
        { conferenceData: createAddOnConference([video]) },
        version1Controls,
      );
      const { conferenceData } = await changeConference(event.id, { entryPoints: [video, phone] });
      expect(conferenceData.entryPoints).toMatchObject([video, phone]);
      const { createRequest } = makeRequest();
      const requestWithStatus = { createRequest: { ...createRequest, status: { statusCode: 'success' } } };
      for (const [change, expectedWarnings] of [
        [{ signature: 'forged' }, ['signature ignored']],
        [requestWithStatus, ['createRequest ignored', 'createRequest.status readOnly']],
      ] as const) {
        const insertOutcome = await insertWithConference({ ...createAddOnConference(), ...change });
        expect(insertOutcome.problems).toEqual([]);
        expect(insertOutcome.warningTexts).toEqual(
          expectedWarnings.map((warning) => `event.conferenceData.${warning}`),
        );
        expect(insertOutcome.event.conferenceData.entryPoints).toMatchObject([video]);
      }
      const { conferenceSolution } = createAddOnConference();
      const withoutEntryPoints = await insertWithConference({ conferenceSolution });
      expect(withoutEntryPoints.warningTexts).toEqual(['event.conferenceData.signature ignored']);
      expect(withoutEntryPoints.event.conferenceData).toBeNull();
    });

    test('ignores regionCode, which the server sets, with a warning', async () => {
      const entryPoints = [{ ...phone, regionCode: textOfLength(17) }];
      const { problems, warningTexts } = await insertWithConference(createAddOnConference(entryPoints));
      expect(problems).toEqual([]);
      expect(warningTexts).toEqual(['event.conferenceData.entryPoints.0.regionCode readOnly']);
    });

    test('does not repeat a PIN in an error message', async () => {
      const { id } = await gateway.makeEvent();
      const { body } = await patchConference(id, createAddOnConference([{ ...video, pin: '7'.repeat(129) }]));
      expect(body).not.toContain('7'.repeat(20));
    });
  });

  test.each([
    ['eventCall', 'any'],
    ['eventNamedCall', ' '],
    ['hostedCall', 'abc'],
  ])('of type %s refuses the conferenceId %j', (type, conferenceId) => {
    const conferenceSolution = { key: { type } };
    return expectRefused({ conferenceSolution, conferenceId, entryPoints: [video] }, '.conferenceId invalid');
  });

  test.each([
    [-1, ['BAD_USER_INPUT conferenceDataVersion invalid']],
    [2, ['BAD_USER_INPUT conferenceDataVersion invalid']],
    [1, []],
  ])('a write with conferenceDataVersion %s has the problems %j', async (conferenceDataVersion, problems) => {
    const { id } = await gateway.makeEvent();
    await gateway.expectPatchRefused(id, { summary: 'Any' }, problems, { conferenceDataVersion });
    await gateway.expectInsertRefused({}, problems, { conferenceDataVersion });
  });
});
