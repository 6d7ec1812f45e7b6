import { parseFields, selectFields } from '../../../src/google/partial-response.ts';
import { eventListUrl, useRest } from './rest.harness.ts';

const event = {
  summary: 'Planning',
  colorId: '7',
  start: { dateTime: '2026-12-01T10:00:00+01:00', timeZone: 'Europe/Berlin' },
  end: { dateTime: '2026-12-01T11:00:00+01:00', timeZone: 'Europe/Berlin' },
  recurrence: ['RRULE:FREQ=DAILY;COUNT=2'],
  attendees: [{ email: 'bob@example.com', optional: true }, { email: 'carol@example.com' }],
  extendedProperties: { private: { ticket: 'W-17', place: 'x' } },
  reminders: { useDefault: false, overrides: [{ method: 'popup', minutes: 10 }] },
};

/** Values of `fields` for one event. */
const eventFields = [
  ...['id,summary', '*', 'kind,eventType', 'eventType/of', 'start(date)', 'start/dateTime,end', 'source/url'],
  ...['attendees(email)', 'attendees/optional', 'attendees/nothing', 'recurrence', 'recurrence/of'],
  ...['extendedProperties', 'extendedProperties/private/ticket', 'extendedProperties/*'],
  ...['extendedProperties/shared', 'reminders/overrides/minutes', '*/email', '*(date),start/timeZone'],
  ...['*/private/*,start,colorId/of', 'nothing,__proto__,constructor'],
];
/** Values of `fields` for a list of events. */
const listFields = [
  ...['items', 'kind,nextSyncToken', 'summary,items/id', '*', '*/id', 'items(id,status),*/email'],
  ...['etag,items(start/date,attendees/email)', ...eventFields.map((fields) => `items(${fields})`)],
];

describe('the query parameter `fields`', () => {
  const rest = useRest();
  beforeAll(async () => {
    for (const id of ['planning', 'gone1'])
      expect(await rest.status(`POST ${eventListUrl}`, { ...event, id })).toBe(200);
    await rest.send(`DELETE ${eventListUrl}/gone1`);
  });

  test.each([
    ...eventFields.map((fields) => [`${eventListUrl}/planning?`, fields]),
    ...eventFields.map((fields) => [`${eventListUrl}/planning?timeZone=Asia/Tokyo`, fields]),
    ...listFields.map((fields) => [`${eventListUrl}?showDeleted=true`, fields]),
  ])('selects from the whole response, with the same etag: GET %s fields=%s', async (path, fields) => {
    const fullAnswer = await rest.send(`GET ${path}`);
    const partialAnswer = await rest.send(`GET ${path}&fields=${encodeURIComponent(fields)}`);
    // Every list response has a new sync token.
    const { nextSyncToken: _token, ...expectedFields } = await selectFields(
      parseFields(fields) as never,
      fullAnswer.json,
    );
    const { nextSyncToken: _other, ...actualFields } = partialAnswer.json;
    expect(actualFields).toEqual(expectedFields);
    expect(partialAnswer.headers.etag).toBe(fullAnswer.headers.etag);
  });
});
