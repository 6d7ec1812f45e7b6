import fc from 'fast-check';
import { events, startRest, type RestGateway } from './rest.harness.ts';

const times = {
  start: { dateTime: '2026-12-02T10:00:00+01:00', timeZone: 'Europe/Berlin' },
  end: { dateTime: '2026-12-02T11:00:00+01:00', timeZone: 'Europe/Berlin' },
};
const bare = {
  start: { dateTime: '2026-12-02T10:00:00+01:00' },
  end: { dateTime: '2026-12-02T11:00:00+01:00' },
};
const as = (email: string) => ({ as: email });
const bobs = '/calendar/v3/calendars/bob@example.com/events';

describe('PUT over REST', () => {
  let gateway: RestGateway;
  beforeAll(async () => {
    gateway = await startRest();
  });
  afterAll(() => gateway.close());

  const insert = async (body: object, query = '') =>
    (await gateway.send(`POST ${events}${query}`, { ...times, ...body })).json;
  const put = (id: string, body: object, query = '', options = {}) =>
    gateway.send(`PUT ${events}/${id}${query}`, body, options);

  test('needs start and end, and an event', async () => {
    expect(await put('teammeeting', { summary: 'x' })).toMatchObject({
      status: 400,
      reasons: ['required start', 'required end'],
    });
    expect(await put('teammeeting', { ...bare, end: null })).toMatchObject({
      status: 400,
      reasons: ['required end'],
    });
    expect(await put('nothing', {})).toMatchObject({ status: 404, reasons: ['notFound eventId'] });
  });

  test('changes nothing where what was read is sent back', async () => {
    const { json } = await gateway.send(`GET ${events}?showDeleted=true&maxResults=2500`);
    for (const event of json.items) {
      for (const query of ['', '?conferenceDataVersion=1&supportsAttachments=true']) {
        const answer = await put(event.id, event, query);
        expect([event.id, answer.status, answer.warnings, answer.json]).toEqual([
          event.id,
          200,
          undefined,
          event,
        ]);
      }
    }
    const guests = await gateway.send(`GET ${bobs}?showDeleted=true`, undefined, as('bob@example.com'));
    for (const event of guests.json.items) {
      const answer = await gateway.send(`PUT ${bobs}/${event.id}`, event, as('bob@example.com'));
      expect([event.id, answer.status, answer.json]).toEqual([event.id, 200, event]);
    }
  });

  test('takes a bare cancellation as it was read', async () => {
    const { id } = await insert({ summary: 'Uninvited', attendees: [{ email: 'bob@example.com' }] });
    await gateway.send(`PATCH ${bobs}/${id}`, { colorId: '4' }, as('bob@example.com'));
    await gateway.send(`PATCH ${events}/${id}`, { attendees: [] });
    const read = await gateway.send(`GET ${bobs}/${id}`, undefined, as('bob@example.com'));
    expect([read.json.status, read.json.start]).toEqual(['cancelled', undefined]);
    const answer = await gateway.send(`PUT ${bobs}/${id}`, read.json, as('bob@example.com'));
    expect([answer.status, answer.json]).toEqual([200, read.json]);
  });

  test('unsets what is absent, inside of objects and maps too', async () => {
    const { id } = await insert({
      summary: 'a',
      description: 'b',
      location: 'c',
      colorId: '3',
      transparency: 'transparent',
      visibility: 'private',
      guestsCanModify: true,
      guestsCanInviteOthers: false,
      status: 'tentative',
      extendedProperties: { private: { x: '1', y: '2' }, shared: { z: '3' } },
      gadget: { type: 't', title: 'u', preferences: { p: 'q' } },
      source: { title: 's', url: 'https://x.example' },
      reminders: { useDefault: false, overrides: [{ method: 'popup', minutes: 5 }] },
      recurrence: ['RRULE:FREQ=DAILY;COUNT=3'],
    });
    const { json } = await put(id, {
      ...bare,
      extendedProperties: { private: { y: '2' } },
      gadget: { type: 't' },
    });
    expect(json).toMatchObject({
      status: 'confirmed',
      reminders: { useDefault: true },
      extendedProperties: { private: { y: '2' } },
      gadget: { type: 't' },
      start: bare.start,
    });
    expect(Object.keys(json).sort()).toEqual([
      'created',
      'creator',
      'end',
      'etag',
      'eventType',
      'extendedProperties',
      'gadget',
      'htmlLink',
      'iCalUID',
      'id',
      'kind',
      'organizer',
      'reminders',
      'sequence',
      'start',
      'status',
      'updated',
    ]);
    expect([json.gadget, json.start]).toEqual([{ type: 't' }, bare.start]);
    expect(
      (await put(id, { start: { date: '2026-12-05' }, end: { date: '2026-12-06' } })).json.start,
    ).toEqual({ date: '2026-12-05' });
  });

  test('takes guests off who are not listed, and keeps answers', async () => {
    const { id } = await insert({
      attendees: [
        {
          email: 'zoe@elsewhere.example',
          displayName: 'Zoe',
          optional: true,
          responseStatus: 'accepted',
          comment: 'yes',
        },
        { email: 'yan@elsewhere.example' },
        { email: 'bob@example.com' },
        { email: 'room@resource.example', resource: true },
      ],
    });
    await gateway.send(
      `PATCH ${bobs}/${id}`,
      {
        attendees: [{ email: 'bob@example.com', responseStatus: 'declined', comment: 'no' }],
        attendeesOmitted: true,
      },
      as('bob@example.com'),
    );
    const { json, warnings } = await put(id, {
      ...times,
      attendees: [
        { email: 'zoe@elsewhere.example' },
        { email: 'bob@example.com' },
        { email: 'room@resource.example' },
      ],
    });
    expect([json.attendees, warnings]).toEqual([
      [
        { email: 'zoe@elsewhere.example', responseStatus: 'accepted' },
        { email: 'bob@example.com', responseStatus: 'declined', comment: 'no' },
        { email: 'room@resource.example', resource: true, responseStatus: 'needsAction' },
      ],
      undefined,
    ]);
    expect((await put(id, times)).json.attendees).toBeUndefined();
  });

  test('keeps conferences and attachments where they are not supported', async () => {
    const create = {
      conferenceData: { createRequest: { requestId: 'r', conferenceSolutionKey: { type: 'hangoutsMeet' } } },
      attachments: [{ fileUrl: 'https://x.example/f' }],
    };
    const made = await insert(create, '?conferenceDataVersion=1&supportsAttachments=true');
    const kept = (await put(made.id, times)).json;
    expect([kept.conferenceData, kept.attachments, kept.hangoutLink]).toEqual([
      made.conferenceData,
      made.attachments,
      made.hangoutLink,
    ]);
    const cleared = (await put(made.id, times, '?conferenceDataVersion=1&supportsAttachments=true')).json;
    expect([cleared.conferenceData, cleared.attachments, cleared.hangoutLink]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test("leaves alone what is another's", async () => {
    const { id } = await insert({
      summary: 'Ours',
      location: 'here',
      source: { title: 's', url: 'https://x.example' },
      attendees: [{ email: 'bob@example.com', displayName: 'Bob' }, { email: 'zoe@elsewhere.example' }],
    });
    const answered = await gateway.send(
      `PUT ${bobs}/${id}`,
      { ...times, colorId: '4' },
      as('bob@example.com'),
    );
    expect([
      answered.status,
      answered.json.colorId,
      answered.json.summary,
      answered.json.location,
      answered.json.attendees.length,
    ]).toEqual([200, '4', 'Ours', 'here', 2]);
    expect(
      (await gateway.send(`PUT ${bobs}/${id}`, times, as('bob@example.com'))).json.colorId,
    ).toBeUndefined();
    expect(
      await gateway.send(`PUT ${bobs}/${id}`, { ...times, summary: 'Mine' }, as('bob@example.com')),
    ).toMatchObject({ status: 403, reasons: ['forbiddenForNonOrganizer summary'] });
    await gateway.send(`PATCH ${events}/${id}`, { guestsCanModify: true });
    const modified = (
      await gateway.send(
        `PUT ${bobs}/${id}`,
        { ...times, attendees: [{ email: 'bob@example.com' }, { email: 'zoe@elsewhere.example' }] },
        as('bob@example.com'),
      )
    ).json;
    expect([modified.summary, modified.attendees[0], modified.guestsCanModify]).toEqual([
      undefined,
      { email: 'bob@example.com', self: true, responseStatus: 'needsAction' },
      true,
    ]);
    expect((await gateway.send(`GET ${events}/${id}`)).json.source).toEqual({
      title: 's',
      url: 'https://x.example',
    });
  });

  test('leaves guests alone whom the caller does not see, and copies that are locked', async () => {
    const { id } = await insert({
      guestsCanSeeOtherGuests: false,
      guestsCanModify: true,
      attendees: [{ email: 'bob@example.com' }, { email: 'zoe@elsewhere.example' }],
    });
    const { json } = await gateway.send(`GET ${bobs}/${id}`, undefined, as('bob@example.com'));
    expect(
      (await gateway.send(`PUT ${bobs}/${id}`, { ...json, summary: 'Seen' }, as('bob@example.com'))).status,
    ).toBe(200);
    expect(
      (await gateway.send(`GET ${events}/${id}`)).json.attendees.map(({ email }: { email: string }) => email),
    ).toEqual(expect.arrayContaining(['zoe@elsewhere.example']));
    const training = await gateway.send(`GET ${bobs}/training`, undefined, as('bob@example.com'));
    const { start, end } = training.json;
    const put = await gateway.send(
      `PUT ${bobs}/training`,
      { start, end, transparency: 'transparent' },
      as('bob@example.com'),
    );
    expect([put.status, put.json.summary, put.json.transparency]).toEqual([200, 'Training', 'transparent']);
  });

  test('restores a cancelled event', async () => {
    const { id } = await insert({ summary: 'Back' });
    await gateway.send(`DELETE ${events}/${id}`);
    expect((await put(id, { ...times, summary: 'Back' })).json.status).toBe('confirmed');
    const invited = await insert({ attendees: [{ email: 'bob@example.com' }] });
    await gateway.send(`DELETE ${bobs}/${invited.id}`, undefined, as('bob@example.com'));
    expect((await gateway.send(`PUT ${bobs}/${invited.id}`, times, as('bob@example.com'))).json.status).toBe(
      'confirmed',
    );
  });

  test('leaves what an insert of the same body makes', async () => {
    const text = fc.option(fc.constantFrom('one', 'two'), { nil: undefined });
    const body = fc.record({
      summary: text,
      description: text,
      location: text,
      colorId: fc.constantFrom(undefined, '1', '2'),
      transparency: fc.constantFrom(undefined, 'opaque', 'transparent'),
      guestsCanModify: fc.constantFrom(undefined, true, false),
      extendedProperties: fc.option(
        fc.record({
          private: fc.dictionary(fc.constantFrom('a', 'b'), fc.constantFrom('1', '2')),
          shared: fc.dictionary(fc.constantFrom('c', 'd'), fc.constant('3')),
        }),
        { nil: undefined },
      ),
      attendees: fc.option(
        fc.uniqueArray(
          fc.record({
            email: fc.constantFrom('x@y.example', 'z@y.example'),
            optional: fc.boolean(),
            displayName: text,
          }),
          { selector: ({ email }) => email },
        ),
        { nil: undefined },
      ),
      reminders: fc.constantFrom(undefined, {
        useDefault: false,
        overrides: [{ method: 'email', minutes: 9 }],
      }),
    });
    const apart = ({
      id: _i,
      iCalUID: _u,
      htmlLink: _l,
      etag: _e,
      created: _c,
      updated: _d,
      sequence: _s,
      ...rest
    }: Record<string, unknown>) => rest;
    await fc.assert(
      fc.asyncProperty(body, body, async (before, after) => {
        const { id } = await insert(before);
        expect(apart((await put(id, { ...times, ...after })).json)).toEqual(apart(await insert(after)));
      }),
      { numRuns: 40 },
    );
  });
});
