import { createResponse } from '../../../src/faces/rest/answer.ts';
import { maxResponseCharacters } from '../../../src/core/json.ts';
import { events, times as utc, useRest } from './rest.harness.ts';

const times = {
  start: { dateTime: '2026-12-02T10:00:00+02:00' },
  end: { dateTime: '2026-12-02T11:00:00.500+02:00' },
};
const zoe = { email: 'zoe@elsewhere.example' };

describe('responses over REST', () => {
  const rest = useRest();
  const insert = (body: object = {}, query = '') =>
    rest.json(`POST ${events}${query}`, { ...times, ...body });
  const read = (id: string, query = '') => rest.json(`GET ${events}/${id}${query}`);
  const conference = '?conferenceDataVersion=1';

  test('have the headers of the official APIs', async () => {
    const { status, headers, json } = await rest.send(`POST ${events}`, times);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=UTF-8',
      etag: json.etag,
      'cache-control': 'private, max-age=0, must-revalidate',
      'x-request-id': expect.any(String),
    });
    const document = 'query ($id: String!) { event(calendarId: "primary", eventId: $id) { etag } }';
    expect((await rest.ask(document, { id: json.id })).data.event.etag).toBe(json.etag);
    const deleted = await rest.send(`DELETE ${events}/${json.id}`);
    expect([deleted.status, deleted.body, deleted.headers['content-type']]).toEqual([204, '', undefined]);
  });

  test('are compressed for clients that accept it', async () => {
    const listed = await rest.withHeaders({ 'accept-encoding': 'gzip' }).send(`GET ${events}`);
    expect(listed.headers['content-encoding']).toBe('gzip');
    expect(listed.json.kind).toBe('calendar#events');
    expect(listed.headers.vary).toContain('Accept-Encoding');
  });

  test('omit nulls, defaults and nodeId, and always have certain fields', async () => {
    const self = { email: 'alice@example.com', self: true };
    expect(await insert({ attendees: [zoe], attachments: [], ...utc })).toEqual({
      ...utc,
      id: expect.any(String),
      kind: 'calendar#event',
      status: 'confirmed',
      sequence: 0,
      eventType: 'default',
      reminders: { useDefault: true },
      creator: self,
      organizer: self,
      attendees: [{ ...zoe, responseStatus: 'needsAction' }],
      created: expect.any(String),
      updated: expect.any(String),
      etag: expect.any(String),
      htmlLink: expect.any(String),
      iCalUID: expect.any(String),
    });
    const nonDefaults = {
      transparency: 'transparent',
      visibility: 'public',
      guestsCanInviteOthers: false,
      guestsCanSeeOtherGuests: false,
      guestsCanModify: true,
      anyoneCanAddSelf: true,
      attendees: [{ ...zoe, optional: true, additionalGuests: 2 }],
    };
    expect(await insert(nonDefaults)).toMatchObject(nonDefaults);
    expect(JSON.stringify(await rest.json(`GET ${events}`))).not.toContain('null');
  });

  test('have the official conference names, which requests may use too', async () => {
    const create = (type: string) => ({
      conferenceData: { createRequest: { requestId: type, conferenceSolutionKey: { type } } },
    });
    const keyOf = (type: string) => ({ conferenceSolution: { key: { type } } });
    const { id, conferenceData, hangoutLink, callLink } = await insert(create('hangoutsMeet'), conference);
    expect(conferenceData).toMatchObject({
      ...keyOf('hangoutsMeet'),
      createRequest: { conferenceSolutionKey: { type: 'hangoutsMeet' } },
    });
    expect([hangoutLink, callLink]).toEqual([expect.stringContaining('https://'), undefined]);
    expect((await insert(create('eventCall'), conference)).conferenceData).toMatchObject(
      keyOf('eventHangout'),
    );
    const document =
      'query ($id: String!) { event(calendarId: "primary", eventId: $id) { conferenceData { conferenceSolution { key { type } } } } }';
    expect((await rest.ask(document, { id })).data.event.conferenceData).toEqual(keyOf('hostedCall'));

    const renamed = { ...conferenceData.conferenceSolution, key: { type: 'hostedCall' } };
    for (const copy of [conferenceData, { ...conferenceData, conferenceSolution: renamed }]) {
      const body = { ...times, conferenceData: copy };
      const { json, warnings } = await rest.send(`POST ${events}${conference}`, body);
      expect([json.conferenceData.signature, json.conferenceData.conferenceSolution, warnings]).toEqual([
        conferenceData.signature,
        conferenceData.conferenceSolution,
        undefined,
      ]);
    }
    for (const [link, warnings] of [
      [{ hangoutLink: 'https://else.example' }, ['readOnly hangoutLink']],
      [{ callLink: 'https://else.example' }, ['readOnly hangoutLink']],
      [{ callLink: hangoutLink }, undefined],
    ] as const)
      expect((await rest.send(`PATCH ${events}/${id}`, link)).warnings).toEqual(warnings);
  });

  test('keep the notation of times, or convert them to ?timeZone', async () => {
    const { id, start, end } = await insert();
    expect({ start, end }).toEqual(times);
    expect(await read(id, '?timeZone=America/New_York')).toMatchObject({
      start: { dateTime: '2026-12-02T03:00:00-05:00' },
      end: { dateTime: '2026-12-02T04:00:00.500-05:00' },
    });
    const long = await insert({
      start: { dateTime: '1800-01-01T12:00:00Z' },
      end: { dateTime: '9999-12-31T23:30:00Z' },
    });
    expect(await read(long.id, '?timeZone=Europe/Berlin')).toMatchObject({
      start: { dateTime: '1800-01-01T12:53:00+00:53' },
      end: { dateTime: '9999-12-31T23:30:00Z' },
    });
    const day = await insert({ start: { date: '2026-12-03' }, end: { date: '2026-12-04' } });
    expect((await read(day.id, '?timeZone=Asia/Tokyo')).start).toEqual({ date: '2026-12-03' });
    expect(await read('standup/instances', '?maxResults=1&timeZone=UTC')).toMatchObject({
      timeZone: 'UTC',
      items: [{ originalStartTime: { dateTime: '2026-12-01T08:00:00Z' } }],
    });
  });

  test('have the selected fields; an invalid ?fields writes nothing', async () => {
    const { json, headers } = await rest.send(
      `GET ${events}?fields=nextPageToken,items(id,start/date)&maxResults=2`,
    );
    expect([Object.keys(json), Object.keys(json.items[0])]).toEqual([
      ['nextPageToken', 'items'],
      ['id', 'start'],
    ]);
    expect(headers.etag).toMatch(/^".+"$/);
    expect(await rest.refusal(`PATCH ${events}/teammeeting?fields=id(`, { location: 'Nowhere' })).toBe(
      '400 invalidParameter fields',
    );
    expect(await read('teammeeting', '?fields=location,none')).toEqual({ location: 'Room 3' });
    expect((await read('none', '?fields=id')).error.code).toBe(404);
  });

  test('are indented with prettyPrint', async () => {
    for (const path of [
      'calendars/primary?',
      'users/me/calendarList?',
      'calendars/primary/events?eventTypes=birthday&',
      'calendars/primary/events?fields=none&',
      'calendars/primary/events?maxResults=3&',
    ]) {
      const { body, json } = await rest.send(`GET /calendar/v3/${path}prettyPrint=true`);
      expect(body).toBe(`${JSON.stringify(json, undefined, 2)}\n`);
    }
    expect((await rest.send('GET /calendar/v3/calendars/primary')).body).toContain('{"kind"');
  });

  test('are 304 when If-None-Match has the current etag', async () => {
    const ifNoneMatch = (header: string, path: string) =>
      rest.withHeaders({ 'if-none-match': header }).send(`GET ${path}`);
    const etagOf = async (path: string) => (await rest.send(`GET ${path}`)).headers.etag ?? '';
    const event = `${events}/teammeeting`;
    const etag = await etagOf(event);
    for (const header of [etag, `W/${etag}`, `"x", ${etag}`, '*'])
      expect(await ifNoneMatch(header, event)).toMatchObject({ status: 304, body: '', headers: { etag } });
    expect((await ifNoneMatch('"x"', event)).status).toBe(200);
    const page = `${events}?maxResults=3`;
    const before = await etagOf(page);
    expect((await ifNoneMatch(before, page)).status).toBe(304);
    await insert();
    expect((await ifNoneMatch(await etagOf(events), events)).status).toBe(304);
    expect((await ifNoneMatch(before, events)).status).toBe(200);
    expect(await rest.withHeaders({ 'if-match': '"x"' }).status(`POST ${events}`, times)).toBe(200);
  });

  test('report unapplied input in a short ASCII header', async () => {
    const { headers, json } = await rest.send(`POST ${events}`, {
      ...times,
      conferenceData: { notes: 'ü' },
      created: '2020-01-01T00:00:00Z',
      'schön€𝄞': 1,
    });
    expect(headers['x-warnings']).toMatch(/^[ -~]+$/);
    const message = expect.any(String);
    expect(JSON.parse(headers['x-warnings'] ?? '')).toEqual([
      { path: ['schön€𝄞'], reason: 'unknownField', message },
      { path: ['conferenceData'], reason: 'ignored', message },
      { path: ['created'], reason: 'readOnly', message },
    ]);
    const fields = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`field ${index}`, 1]));
    const manyWarnings = await rest.send(`PATCH ${events}/${json.id}`, fields);
    expect(manyWarnings.headers['x-warnings']?.length).toBeLessThanOrEqual(4096);
    const warnings = JSON.parse(manyWarnings.headers['x-warnings'] ?? '') as {
      reason: string;
      message: string;
    }[];
    const leftOut = Number(/\d+/.exec(warnings.at(-1)?.message ?? '')?.[0]);
    expect([warnings.at(-1)?.reason, warnings.length - 1 + leftOut]).toEqual(['incomplete', 300]);
    expect((await rest.send(`GET ${events}/teammeeting`)).warnings).toBeUndefined();
  });
});

test('a response that is too long is refused, other errors are rethrown', async () => {
  const long = { text: 'x'.repeat(maxResponseCharacters) };
  await expect(createResponse({ json: long }, { isIndented: false })).rejects.toMatchObject({
    code: 'BAD_USER_INPUT',
    reason: 'tooLong',
  });
  const broken = {
    toJSON: () => {
      throw new TypeError('broken');
    },
  };
  await expect(createResponse({ json: { broken } }, { isIndented: false })).rejects.toThrow(TypeError);
});
