import { hour, startEvents, text, type Controls, type EventGateway } from './event-http.harness.ts';

const v1: Controls = { conferenceDataVersion: 1 };
const bad = (path: string, reason: string): string => `BAD_USER_INPUT event.conferenceData${path} ${reason}`;
let requests = 0;
const request = (type = 'hostedCall') => ({
  createRequest: { requestId: `request ${(requests += 1)}`, conferenceSolutionKey: { type } },
});

describe('conference data', () => {
  let gateway: EventGateway;
  beforeAll(async () => {
    gateway = await startEvents();
  });
  afterAll(() => gateway.close());

  const plain = async () => (await gateway.insert(hour)).event;
  const withCall = async (type?: string) =>
    (await gateway.insert({ ...hour, summary: 'Plan', conferenceData: request(type) }, v1)).event;
  const apply = (id: string, conferenceData: object | null, controls = v1) => gateway.patch(id, { conferenceData }, controls);

  describe('version 0 ignores it', () => {
    test.each([undefined, null, 0])('version %s: a warning, and nothing is stored', async (conferenceDataVersion) => {
      const event = await plain();
      const ignored = await apply(event.id, request(), { conferenceDataVersion });
      expect(ignored.problems).toEqual([]);
      expect(ignored.notes).toEqual(['event.conferenceData ignored']);
      expect(ignored.event).toEqual(event);
      expect((await gateway.insert({ ...hour, conferenceData: request() }, { conferenceDataVersion })).notes).toEqual([
        'event.conferenceData ignored',
      ]);
    });

    test('no warning where it is what is stored, one where it would be removed', async () => {
      const event = await withCall();
      expect((await apply(event.id, event.conferenceData, {})).notes).toEqual([]);
      const removed = await apply(event.id, null, {});
      expect(removed.notes).toEqual(['event.conferenceData ignored']);
      expect(removed.event).toEqual(event);
    });
  });

  describe('version 1 makes a conference on request', () => {
    test.each([
      ['eventCall', ['video'], null],
      ['eventNamedCall', ['video'], expect.stringMatching(/^plan-[a-z]+$/)],
      ['hostedCall', ['video', 'phone', 'more'], expect.stringMatching(/^[a-z]{10}$/)],
    ])('%s', async (type, entryPoints, conferenceId) => {
      const { conferenceData, callLink } = await withCall(type);
      expect(conferenceData).toMatchObject({
        conferenceId,
        conferenceSolution: { key: { type } },
        createRequest: { conferenceSolutionKey: { type }, status: { statusCode: 'success' } },
        signature: expect.stringMatching(/./),
      });
      expect(conferenceData.entryPoints.map((entry: { entryPointType: string }) => entry.entryPointType)).toEqual(entryPoints);
      expect(callLink).toBe(conferenceData.entryPoints[0].uri);
      expect(callLink).toMatch(/^https:/);
      const phone = conferenceData.entryPoints[1];
      if (type === 'hostedCall') expect(phone).toMatchObject({ uri: expect.stringMatching(/^tel:/), regionCode: 'US' });
    });

    test('in a patch as in an insert, with notes and parameters', async () => {
      const { id } = await plain();
      const parameters = { addOnParameters: { parameters: { theme: 'dark' } } };
      const patched = await apply(id, { ...request(), notes: '<b>Ring twice</b>', parameters });
      expect(patched.problems).toEqual([]);
      expect(patched.event.conferenceData).toMatchObject({
        notes: '<b>Ring twice</b>',
        parameters,
        createRequest: { status: { statusCode: 'success' } },
      });
    });

    test('the same requestId again changes nothing, a new one makes another conference', async () => {
      const event = await withCall();
      const { requestId } = event.conferenceData.createRequest;
      const again = await apply(event.id, { createRequest: { requestId, conferenceSolutionKey: { type: 'hostedCall' } } });
      expect(again.event).toEqual(event);
      const asOther = await apply(event.id, { createRequest: { requestId, conferenceSolutionKey: { type: 'eventCall' } } });
      expect(asOther.notes).toEqual(['event.conferenceData.createRequest ignored']);
      expect(asOther.event).toEqual(event);
      const next = await apply(event.id, request());
      expect(next.event.callLink).not.toBe(event.callLink);
    });

    test.each<[string, object, string[]]>([
      [
        'no requestId',
        { createRequest: { conferenceSolutionKey: { type: 'eventCall' } } },
        [bad('.createRequest.requestId', 'required')],
      ],
      [
        'an empty requestId',
        { createRequest: { requestId: '', conferenceSolutionKey: { type: 'eventCall' } } },
        [bad('.createRequest.requestId', 'required')],
      ],
      ['no type', { createRequest: { requestId: 'a' } }, [bad('.createRequest.conferenceSolutionKey.type', 'required')]],
      [
        'an unknown type',
        { createRequest: { requestId: 'a', conferenceSolutionKey: { type: 'other' } } },
        [bad('.createRequest.conferenceSolutionKey.type', 'invalid')],
      ],
      [
        'nothing',
        { createRequest: {} },
        [bad('.createRequest.requestId', 'required'), bad('.createRequest.conferenceSolutionKey.type', 'required')],
      ],
      [
        'a requestId of 1025 characters',
        { createRequest: { requestId: text(1025), conferenceSolutionKey: { type: 'eventCall' } } },
        [bad('.createRequest.requestId', 'tooLong')],
      ],
    ])('a request with %s is refused', async (_name, conferenceData, problems) => {
      const event = await plain();
      expect((await apply(event.id, conferenceData)).problems).toEqual(problems);
      expect((await gateway.read(event.id)).event).toEqual(event);
    });

    test('the status of a request and the region of a phone are read-only', async () => {
      const event = await withCall();
      const status = await apply(event.id, { createRequest: { status: { statusCode: 'pending' } } });
      expect(status.notes).toEqual(['event.conferenceData.createRequest.status readOnly']);
      const entryPoints = event.conferenceData.entryPoints.map((entry: object, index: number) =>
        index === 1 ? { ...entry, regionCode: 'DE' } : entry,
      );
      const region = await apply(event.id, { entryPoints });
      expect(region.notes).toEqual(['event.conferenceData.entryPoints.1.regionCode readOnly']);
      expect(region.event).toEqual(event);
    });
  });

  describe('removal', () => {
    test('null removes it and the call link, silently', async () => {
      const { id } = await withCall();
      const removed = await apply(id, null);
      expect({ problems: removed.problems, notes: removed.notes }).toEqual({ problems: [], notes: [] });
      expect(removed.event).toMatchObject({ conferenceData: null, callLink: null });
      expect((await apply(id, null)).event).toEqual(removed.event);
    });

    test('the call link alone cannot be set or removed', async () => {
      const event = await withCall();
      const { notes, event: after } = await gateway.patch(event.id, { callLink: null }, v1);
      expect(notes).toEqual(['event.callLink readOnly']);
      expect(after).toEqual(event);
    });
  });

  test('a call link that came without conference data stays when the event is sent back', async () => {
    const { id } = await plain();
    await gateway.disturb(id, { callLink: 'https://elsewhere.example/call' });
    const before = (await gateway.read(id)).event;
    expect(before).toMatchObject({ callLink: 'https://elsewhere.example/call', conferenceData: null });
    expect((await gateway.patch(id, before, v1)).event).toEqual(before);
  });

  describe('a copy on another event', () => {
    test('with its signature it is stored, call link and history included', async () => {
      const { conferenceData, callLink } = await withCall();
      const { id } = await plain();
      const copied = await apply(id, conferenceData);
      expect({ problems: copied.problems, notes: copied.notes }).toEqual({ problems: [], notes: [] });
      expect(copied.event).toMatchObject({ conferenceData, callLink });
      expect((await gateway.insert({ ...hour, conferenceData }, v1)).event).toMatchObject({ conferenceData, callLink });
    });

    test.each<[string, (signed: { entryPoints: object[] }) => object]>([
      ['without its signature', (signed) => ({ ...signed, signature: null })],
      ['with a forged signature', (signed) => ({ ...signed, signature: 'forged' })],
      [
        'with another link',
        (signed) => ({ ...signed, entryPoints: [{ ...signed.entryPoints[0], uri: 'https://phish.example' }] }),
      ],
      ['with another name', (signed) => ({ ...signed, conferenceSolution: { key: { type: 'hostedCall' }, name: 'Bank' } })],
    ])('%s it is not applied, with a warning', async (_name, change) => {
      const { conferenceData } = await withCall();
      const event = await plain();
      const dropped = await apply(event.id, change(conferenceData));
      expect(dropped.problems).toEqual([]);
      expect(dropped.notes).toContain('event.conferenceData.signature ignored');
      expect(dropped.event).toEqual(event);
      expect((await gateway.insert({ ...hour, conferenceData: change(conferenceData) }, v1)).event).toMatchObject({
        conferenceData: null,
        callLink: null,
      });
    });
  });

  describe('limits', () => {
    test.each([2047, 2048])('notes of %d characters are stored', async (length) => {
      const { id } = await withCall();
      const { event, notes } = await apply(id, { notes: text(length) });
      expect(notes).toEqual([]);
      expect(event.conferenceData.notes).toBe(text(length));
    });

    test('notes of 2049 characters are refused', async () => {
      const { id } = await withCall();
      expect((await apply(id, { notes: text(2049) })).problems).toEqual([bad('.notes', 'tooLong')]);
      expect((await apply((await plain()).id, { ...request(), notes: text(2049) })).problems).toEqual([bad('.notes', 'tooLong')]);
    });

    // Entry points cannot be changed by a client, so at the limit they are not applied, and beyond it refused.
    const video = { entryPointType: 'video', uri: 'https://call.example' };
    const phone = { entryPointType: 'phone', uri: 'tel:+1-202-555-0143' };
    const sip = { entryPointType: 'sip', uri: 'sip:a@call.example' };
    const more = { entryPointType: 'more', uri: 'https://call.example/more' };
    test.each<[string, object[]]>([
      ['a uri of 1300 characters', [{ ...video, uri: `https://${text(1292)}` }]],
      ['a label of 512 characters', [{ ...video, label: text(512) }]],
      ...['meetingCode', 'accessCode', 'passcode', 'password', 'pin'].map((code): [string, object[]] => [
        `a ${code} of 128 characters`,
        [{ ...video, [code]: text(128) }],
      ]),
      ['one of each and two phones', [video, phone, phone, sip, more]],
    ])('%s is no fault', async (_name, entryPoints) => {
      const { problems, notes } = await apply((await plain()).id, { entryPoints });
      expect(problems).toEqual([]);
      expect(notes).toEqual(['event.conferenceData.signature ignored']);
    });

    test.each<[string, object[], string, string]>([
      ['a uri of 1301 characters', [{ ...video, uri: `https://${text(1293)}` }], '.entryPoints.0.uri', 'tooLong'],
      ['a label of 513 characters', [phone, { ...video, label: text(513) }], '.entryPoints.1.label', 'tooLong'],
      ...['meetingCode', 'accessCode', 'passcode', 'password', 'pin'].map((code): [string, object[], string, string] => [
        `a ${code} of 129 characters`,
        [{ ...video, [code]: text(129) }],
        `.entryPoints.0.${code}`,
        'tooLong',
      ]),
      ['a video under ftp', [{ ...video, uri: 'ftp://call.example' }], '.entryPoints.0.uri', 'invalid'],
      ['a phone under https', [{ ...phone, uri: 'https://call.example' }], '.entryPoints.0.uri', 'invalid'],
      ['a sip under tel', [{ ...sip, uri: 'tel:1' }], '.entryPoints.0.uri', 'invalid'],
      ['a more under mailto', [video, { ...more, uri: 'mailto:a@b.c' }], '.entryPoints.1.uri', 'invalid'],
      ['a more with a label', [video, { ...more, label: 'More' }], '.entryPoints.1.label', 'invalid'],
      ['a lone more', [more], '.entryPoints', 'invalid'],
      ['two videos', [video, video], '.entryPoints.1', 'tooMany'],
      ['two sips', [sip, sip], '.entryPoints.1', 'tooMany'],
      ['two mores', [video, more, more], '.entryPoints.2', 'tooMany'],
      ['an unknown type', [{ ...video, entryPointType: 'fax' }], '.entryPoints.0.entryPointType', 'invalid'],
      ['no type', [{ uri: video.uri }], '.entryPoints.0.entryPointType', 'required'],
      ['no uri', [{ entryPointType: 'video' }], '.entryPoints.0.uri', 'required'],
    ])('%s is refused', async (_name, entryPoints, path, reason) => {
      expect((await apply((await plain()).id, { entryPoints })).problems).toEqual([bad(path, reason)]);
    });
  });

  test('a conference of an unknown type is shown, stays through other changes, and can only be removed', async () => {
    const { id } = await plain();
    const conferenceData = {
      conferenceSolution: { key: { type: 'newerCall' } },
      entryPoints: [{ entryPointType: 'video', uri: 'https://newer.example' }],
    };
    await gateway.disturb(id, { conferenceData });
    const shown = (await gateway.read(id)).event;
    expect(shown.conferenceData).toMatchObject(conferenceData);
    expect((await gateway.patch(id, { ...shown, summary: 'Other' }, v1)).event.conferenceData).toEqual(shown.conferenceData);
    expect((await apply(id, { notes: 'New' })).problems).toEqual([bad('', 'invalid')]);
    expect((await apply(id, request())).problems).toEqual([bad('', 'invalid')]);
    expect((await apply(id, null)).event.conferenceData).toBeNull();
  });
});
