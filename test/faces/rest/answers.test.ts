import { gunzipSync } from 'node:zlib';
import inject from 'light-my-request';
import { tokenFor } from '../../harness.ts';
import { events, startRest, type RestGateway } from './rest.harness.ts';

const times = {
  start: { dateTime: '2026-12-02T10:00:00+02:00' },
  end: { dateTime: '2026-12-02T11:00:00.500+02:00' },
};

describe('answers over REST', () => {
  let gateway: RestGateway;
  beforeAll(async () => {
    gateway = await startRest();
  });
  afterAll(() => gateway.close());

  const insert = async (body: object = {}, query = '') =>
    (await gateway.send(`POST ${events}${query}`, { ...times, ...body })).json;

  test('have the headers of the official APIs', async () => {
    const { status, headers, json } = await gateway.send(`POST ${events}`, times);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=UTF-8',
      etag: json.etag,
      'cache-control': 'private, max-age=0, must-revalidate',
      'x-request-id': expect.any(String),
    });
    const { data } = await gateway.ask(
      'query ($id: String!) { event(calendarId: "primary", eventId: $id) { etag } }',
      { id: json.id },
    );
    expect(data.event.etag).toBe(json.etag);
    const gone = await gateway.send(`DELETE ${events}/${json.id}`);
    expect([gone.status, gone.body, gone.headers['content-type']]).toEqual([204, '', undefined]);
    const headersOf = {
      authorization: `Bearer ${await tokenFor('alice@example.com')}`,
      'accept-encoding': 'gzip',
    };
    const listed = await inject((request, reply) => void gateway.app.server.emit('request', request, reply), {
      url: events,
      headers: headersOf,
    });
    expect(JSON.parse(gunzipSync(listed.rawPayload).toString()).kind).toBe('calendar#events');
    expect(listed.headers.vary).toContain('Accept-Encoding');
  });

  test('hold no null, no default and no nodeId, but what is always there', async () => {
    const json = await insert({ attendees: [{ email: 'zoe@elsewhere.example' }], attachments: [] });
    expect(Object.keys(json).sort()).toEqual([
      'attendees',
      'created',
      'creator',
      'end',
      'etag',
      'eventType',
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
    expect(json).toMatchObject({
      sequence: 0,
      eventType: 'default',
      reminders: { useDefault: true },
      creator: { email: 'alice@example.com', self: true },
    });
    expect(json.attendees).toEqual([{ email: 'zoe@elsewhere.example', responseStatus: 'needsAction' }]);
    const odd = await insert({
      transparency: 'transparent',
      visibility: 'public',
      guestsCanInviteOthers: false,
      guestsCanSeeOtherGuests: false,
      guestsCanModify: true,
      anyoneCanAddSelf: true,
      attendees: [{ email: 'zoe@elsewhere.example', optional: true, additionalGuests: 2 }],
      recurrence: ['RRULE:FREQ=DAILY;COUNT=2'],
      start: { ...times.start, timeZone: 'UTC' },
      end: { ...times.end, timeZone: 'UTC' },
    });
    expect(odd).toMatchObject({
      transparency: 'transparent',
      visibility: 'public',
      guestsCanInviteOthers: false,
      guestsCanSeeOtherGuests: false,
      guestsCanModify: true,
      anyoneCanAddSelf: true,
      attendees: [
        {
          email: 'zoe@elsewhere.example',
          optional: true,
          additionalGuests: 2,
          responseStatus: 'needsAction',
        },
      ],
    });
    expect(JSON.stringify((await gateway.send(`GET ${events}`)).json)).not.toContain('null');
  });

  test('call conferences by their official names, in and out', async () => {
    const create = (type: string) => ({
      conferenceData: { createRequest: { requestId: type, conferenceSolutionKey: { type } } },
    });
    const named = await insert(create('hangoutsMeet'), '?conferenceDataVersion=1');
    expect([
      named.conferenceData.conferenceSolution.key.type,
      named.conferenceData.createRequest.conferenceSolutionKey.type,
    ]).toEqual(['hangoutsMeet', 'hangoutsMeet']);
    expect(named.hangoutLink).toContain('https://');
    expect(named.callLink).toBeUndefined();
    expect(
      (await insert(create('eventCall'), '?conferenceDataVersion=1')).conferenceData.conferenceSolution.key
        .type,
    ).toBe('eventHangout');
    const copy = await gateway.send(`POST ${events}?conferenceDataVersion=1`, {
      ...times,
      conferenceData: named.conferenceData,
    });
    expect([copy.warnings, copy.json.conferenceData.signature]).toEqual([
      undefined,
      named.conferenceData.signature,
    ]);
    const other = await gateway.send(`PATCH ${events}/${named.id}`, { hangoutLink: 'https://else.example' });
    expect(other.warnings).toMatchObject([{ path: ['hangoutLink'], reason: 'readOnly' }]);
    expect(
      (await gateway.send(`PATCH ${events}/${named.id}`, { callLink: named.hangoutLink })).warnings,
    ).toBeUndefined();
    expect(
      (await gateway.send(`PATCH ${events}/${named.id}`, { callLink: 'https://else.example' })).warnings,
    ).toMatchObject([{ path: ['hangoutLink'], reason: 'readOnly' }]);
    const { conferenceSolution } = named.conferenceData;
    const within = {
      ...named.conferenceData,
      conferenceSolution: { ...conferenceSolution, key: { type: 'hostedCall' } },
    };
    const signed = await gateway.send(`POST ${events}?conferenceDataVersion=1`, {
      ...times,
      conferenceData: within,
    });
    expect([signed.warnings, signed.json.conferenceData]).toEqual([undefined, copy.json.conferenceData]);
    const { data } = await gateway.ask(
      'query ($id: String!) { event(calendarId: "primary", eventId: $id) { conferenceData { conferenceSolution { key { type } } } } }',
      { id: named.id },
    );
    expect(data.event.conferenceData.conferenceSolution.key.type).toBe('hostedCall');
  });

  test('keep the spelling of times, or show them at the offset of a zone', async () => {
    const { id, start, end } = await insert();
    expect([start.dateTime, end.dateTime]).toEqual([times.start.dateTime, times.end.dateTime]);
    const zoned = (await gateway.send(`GET ${events}/${id}?timeZone=America/New_York`)).json;
    expect([zoned.start, zoned.end]).toEqual([
      { dateTime: '2026-12-02T03:00:00-05:00' },
      { dateTime: '2026-12-02T04:00:00.500-05:00' },
    ]);
    const early = await insert({
      start: { dateTime: '1800-01-01T12:00:00Z' },
      end: { dateTime: '9999-12-31T23:30:00Z' },
    });
    const moved = (await gateway.send(`GET ${events}/${early.id}?timeZone=Europe/Berlin`)).json;
    expect([moved.start.dateTime, moved.end.dateTime]).toEqual([
      '1800-01-01T12:53:00+00:53',
      '9999-12-31T23:30:00Z',
    ]);
    const day = await insert({ start: { date: '2026-12-03' }, end: { date: '2026-12-04' } });
    expect((await gateway.send(`GET ${events}/${day.id}?timeZone=Asia/Tokyo`)).json.start).toEqual({
      date: '2026-12-03',
    });
    const instances = (await gateway.send(`GET ${events}/standup/instances?maxResults=1&timeZone=UTC`)).json;
    expect([instances.timeZone, instances.items[0].originalStartTime.dateTime]).toEqual([
      'UTC',
      '2026-12-01T08:00:00Z',
    ]);
  });

  test('hold the fields that are asked for', async () => {
    const { json, headers } = await gateway.send(
      `GET ${events}?fields=nextPageToken,items(id,start/date)&maxResults=2`,
    );
    expect([Object.keys(json), Object.keys(json.items[0])]).toEqual([
      ['nextPageToken', 'items'],
      ['id', 'start'],
    ]);
    expect(headers.etag).toMatch(/^".+"$/);
    const broken = await gateway.send(`PATCH ${events}/teammeeting?fields=id(`, { location: 'Nowhere' });
    expect(broken).toMatchObject({ status: 400, reasons: ['invalidParameter fields'] });
    expect((await gateway.send(`GET ${events}/teammeeting?fields=location,none`)).json).toEqual({
      location: 'Room 3',
    });
    expect((await gateway.send(`GET ${events}/none?fields=id`)).json.error.code).toBe(404);
  });

  test('are indented on demand', async () => {
    for (const path of [
      'calendars/primary',
      'users/me/calendarList',
      'calendars/primary/events?eventTypes=birthday',
      'calendars/primary/events?fields=none',
      'calendars/primary/events?maxResults=3',
    ]) {
      const { body, json } = await gateway.send(
        `GET /calendar/v3/${path}${path.includes('?') ? '&' : '?'}prettyPrint=true`,
      );
      expect(body).toBe(`${JSON.stringify(json, undefined, 2)}\n`);
    }
    expect((await gateway.send('GET /calendar/v3/calendars/primary')).body).toContain('{"kind"');
  });

  test('are 304 for whoever has them', async () => {
    const { etag } = (await gateway.send(`GET ${events}/teammeeting`)).json;
    const ask = (header: string, request = `GET ${events}/teammeeting`) =>
      gateway.send(request, undefined, { headers: { 'if-none-match': header } });
    for (const header of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const { status, body, headers } = await ask(header);
      expect([status, body, headers.etag]).toEqual([304, '', etag]);
    }
    expect((await ask('"x"')).status).toBe(200);
    const list = await gateway.send(`GET ${events}?maxResults=3`);
    expect((await ask(list.headers.etag ?? '', `GET ${events}?maxResults=3`)).status).toBe(304);
    await insert();
    expect(
      (await ask((await gateway.send(`GET ${events}`)).headers.etag ?? '', `GET ${events}`)).status,
    ).toBe(304);
    expect((await ask(list.headers.etag ?? '', `GET ${events}`)).status).toBe(200);
    expect((await gateway.send(`POST ${events}`, times, { headers: { 'if-match': '"x"' } })).status).toBe(
      200,
    );
  });

  test('say in a short header of ASCII what was not applied', async () => {
    const { headers, warnings, json } = await gateway.send(`POST ${events}`, {
      ...times,
      conferenceData: { notes: 'ü' },
      created: '2020-01-01T00:00:00Z',
      'schön€𝄞': 1,
    });
    expect(headers['x-warnings']).toMatch(/^[ -~]+$/);
    expect(warnings.map(({ path, reason }: { path: string[]; reason: string }) => [reason, ...path])).toEqual(
      [
        ['unknownField', 'schön€𝄞'],
        ['ignored', 'conferenceData'],
        ['readOnly', 'created'],
      ],
    );
    expect(Object.keys(warnings[0])).toEqual(['path', 'reason', 'message']);
    const many = await gateway.send(
      `PATCH ${events}/${json.id}`,
      Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`field ${index}`, 1])),
    );
    expect(many.headers['x-warnings']?.length).toBeLessThanOrEqual(4096);
    expect(many.warnings.at(-1).reason).toBe('incomplete');
    expect((await gateway.send(`GET ${events}/teammeeting`)).warnings).toBeUndefined();
  });
});
