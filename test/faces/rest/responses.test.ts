import { createResponse } from '../../../src/faces/rest/response.ts';
import { maxResponseCharacters } from '../../../src/core/json.ts';
import { eventListUrl, times as utc, useRest } from './rest.harness.ts';

const timesWithOffset = {
  start: { dateTime: '2026-12-02T10:00:00+02:00' },
  end: { dateTime: '2026-12-02T11:00:00.500+02:00' },
};
const zoe = { email: 'zoe@elsewhere.example' };

describe('responses over REST', () => {
  const rest = useRest();
  const insertEvent = (body: object = {}, query = '') =>
    rest.json(`POST ${eventListUrl}${query}`, { ...timesWithOffset, ...body });
  const readEvent = (id: string, query = '') => rest.json(`GET ${eventListUrl}/${id}${query}`);
  const conferenceQuery = '?conferenceDataVersion=1';

  test('have the headers of the official APIs', async () => {
    const { status, headers, json } = await rest.send(`POST ${eventListUrl}`, timesWithOffset);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=UTF-8',
      etag: json.etag,
      'cache-control': 'private, max-age=0, must-revalidate',
      'x-request-id': expect.any(String),
    });
    const document = 'query ($id: String!) { event(calendarId: "primary", eventId: $id) { etag } }';
    expect((await rest.ask(document, { id: json.id })).data.event.etag).toBe(json.etag);
    const deleteAnswer = await rest.send(`DELETE ${eventListUrl}/${json.id}`);
    expect([deleteAnswer.status, deleteAnswer.body, deleteAnswer.headers['content-type']]).toEqual([
      204,
      '',
      undefined,
    ]);
  });

  test('are compressed for clients that accept it', async () => {
    const listAnswer = await rest.withHeaders({ 'accept-encoding': 'gzip' }).send(`GET ${eventListUrl}`);
    expect(listAnswer.headers['content-encoding']).toBe('gzip');
    expect(listAnswer.json.kind).toBe('calendar#events');
    expect(listAnswer.headers.vary).toContain('Accept-Encoding');
  });

  test('omit nulls, defaults and nodeId, and always have certain fields', async () => {
    const self = { email: 'alice@example.com', self: true };
    expect(await insertEvent({ attendees: [zoe], attachments: [], ...utc })).toEqual({
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
    expect(await insertEvent(nonDefaults)).toMatchObject(nonDefaults);
    expect(JSON.stringify(await rest.json(`GET ${eventListUrl}`))).not.toContain('null');
  });

  test('have the official conference names, which requests may use too', async () => {
    const createConferenceBody = (type: string) => ({
      conferenceData: { createRequest: { requestId: type, conferenceSolutionKey: { type } } },
    });
    const solutionWithKey = (type: string) => ({ conferenceSolution: { key: { type } } });
    const { id, conferenceData, hangoutLink, callLink } = await insertEvent(
      createConferenceBody('hangoutsMeet'),
      conferenceQuery,
    );
    expect(conferenceData).toMatchObject({
      ...solutionWithKey('hangoutsMeet'),
      createRequest: { conferenceSolutionKey: { type: 'hangoutsMeet' } },
    });
    expect([hangoutLink, callLink]).toEqual([expect.stringContaining('https://'), undefined]);
    expect(
      (await insertEvent(createConferenceBody('eventCall'), conferenceQuery)).conferenceData,
    ).toMatchObject(solutionWithKey('eventHangout'));
    const document =
      'query ($id: String!) { event(calendarId: "primary", eventId: $id) { conferenceData { conferenceSolution { key { type } } } } }';
    expect((await rest.ask(document, { id })).data.event.conferenceData).toEqual(
      solutionWithKey('hostedCall'),
    );

    const solutionWithGraphqlKey = { ...conferenceData.conferenceSolution, key: { type: 'hostedCall' } };
    for (const copy of [conferenceData, { ...conferenceData, conferenceSolution: solutionWithGraphqlKey }]) {
      const body = { ...timesWithOffset, conferenceData: copy };
      const { json, warnings } = await rest.send(`POST ${eventListUrl}${conferenceQuery}`, body);
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
      expect((await rest.send(`PATCH ${eventListUrl}/${id}`, link)).warnings).toEqual(warnings);
  });

  test('keep the notation of times, or convert them to ?timeZone', async () => {
    const { id, start, end } = await insertEvent();
    expect({ start, end }).toEqual(timesWithOffset);
    expect(await readEvent(id, '?timeZone=America/New_York')).toMatchObject({
      start: { dateTime: '2026-12-02T03:00:00-05:00' },
      end: { dateTime: '2026-12-02T04:00:00.500-05:00' },
    });
    const longEvent = await insertEvent({
      start: { dateTime: '1800-01-01T12:00:00Z' },
      end: { dateTime: '9999-12-31T23:30:00Z' },
    });
    expect(await readEvent(longEvent.id, '?timeZone=Europe/Berlin')).toMatchObject({
      start: { dateTime: '1800-01-01T12:53:00+00:53' },
      end: { dateTime: '9999-12-31T23:30:00Z' },
    });
    const allDayEvent = await insertEvent({ start: { date: '2026-12-03' }, end: { date: '2026-12-04' } });
    expect((await readEvent(allDayEvent.id, '?timeZone=Asia/Tokyo')).start).toEqual({ date: '2026-12-03' });
    expect(await readEvent('standup/instances', '?maxResults=1&timeZone=UTC')).toMatchObject({
      timeZone: 'UTC',
      items: [{ originalStartTime: { dateTime: '2026-12-01T08:00:00Z' } }],
    });
  });

  test('have the selected fields; an invalid ?fields writes nothing', async () => {
    const { json, headers } = await rest.send(
      `GET ${eventListUrl}?fields=nextPageToken,items(id,start/date)&maxResults=2`,
    );
    expect([Object.keys(json), Object.keys(json.items[0])]).toEqual([
      ['nextPageToken', 'items'],
      ['id', 'start'],
    ]);
    expect(headers.etag).toMatch(/^".+"$/);
    expect(await rest.refusal(`PATCH ${eventListUrl}/teammeeting?fields=id(`, { location: 'Nowhere' })).toBe(
      '400 invalidParameter fields',
    );
    expect(await readEvent('teammeeting', '?fields=location,none')).toEqual({ location: 'Room 3' });
    expect((await readEvent('none', '?fields=id')).error.code).toBe(404);
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
    const sendIfNoneMatch = (header: string, path: string) =>
      rest.withHeaders({ 'if-none-match': header }).send(`GET ${path}`);
    const readEtag = async (path: string) => (await rest.send(`GET ${path}`)).headers.etag ?? '';
    const eventUrl = `${eventListUrl}/teammeeting`;
    const etag = await readEtag(eventUrl);
    for (const header of [etag, `W/${etag}`, `"x", ${etag}`, '*'])
      expect(await sendIfNoneMatch(header, eventUrl)).toMatchObject({
        status: 304,
        body: '',
        headers: { etag },
      });
    expect((await sendIfNoneMatch('"x"', eventUrl)).status).toBe(200);
    const pageUrl = `${eventListUrl}?maxResults=3`;
    const etagBefore = await readEtag(pageUrl);
    expect((await sendIfNoneMatch(etagBefore, pageUrl)).status).toBe(304);
    await insertEvent();
    expect((await sendIfNoneMatch(await readEtag(eventListUrl), eventListUrl)).status).toBe(304);
    expect((await sendIfNoneMatch(etagBefore, eventListUrl)).status).toBe(200);
    expect(
      await rest.withHeaders({ 'if-match': '"x"' }).status(`POST ${eventListUrl}`, timesWithOffset),
    ).toBe(200);
  });

  test('report unapplied input in a short ASCII header', async () => {
    const { headers, json } = await rest.send(`POST ${eventListUrl}`, {
      ...timesWithOffset,
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
    const manyWarnings = await rest.send(`PATCH ${eventListUrl}/${json.id}`, fields);
    expect(manyWarnings.headers['x-warnings']?.length).toBeLessThanOrEqual(4096);
    const warnings = JSON.parse(manyWarnings.headers['x-warnings'] ?? '') as {
      reason: string;
      message: string;
    }[];
    const leftOutCount = Number(/\d+/.exec(warnings.at(-1)?.message ?? '')?.[0]);
    expect([warnings.at(-1)?.reason, warnings.length - 1 + leftOutCount]).toEqual(['incomplete', 300]);
    expect((await rest.send(`GET ${eventListUrl}/teammeeting`)).warnings).toBeUndefined();
  });
});

test('a response that is too long is refused, other errors are rethrown', async () => {
  const longJson = { text: 'x'.repeat(maxResponseCharacters) };
  await expect(createResponse({ json: longJson }, { isIndented: false })).rejects.toMatchObject({
    code: 'BAD_USER_INPUT',
    reason: 'tooLong',
  });
  const unserializable = {
    toJSON: () => {
      throw new TypeError('broken');
    },
  };
  await expect(createResponse({ json: { broken: unserializable } }, { isIndented: false })).rejects.toThrow(
    TypeError,
  );
});
