import { parseFields, select } from '../../../src/official/partial.ts';
import { events, startRest, type RestGateway } from './rest.harness.ts';

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

const asked = [
  'id,summary',
  '*',
  'kind,eventType',
  'eventType/of',
  'start(date)',
  'start/dateTime,end',
  'source/url',
  'attendees(email)',
  'attendees/optional',
  'attendees/nothing',
  'recurrence',
  'recurrence/of',
  'extendedProperties',
  'extendedProperties/private/ticket',
  'extendedProperties/*',
  'extendedProperties/shared',
  'reminders/overrides/minutes',
  '*/email',
  '*(date),start/timeZone',
  '*/private/*,start,colorId/of',
  'nothing,__proto__,constructor',
];

describe('what is answered for fields is that part of the whole answer, under the same entity tag', () => {
  let gateway: RestGateway;
  beforeAll(async () => {
    gateway = await startRest();
    for (const id of ['planning', 'gone1'])
      expect((await gateway.send(`POST ${events}`, { ...event, id })).reasons).toEqual([]);
    await gateway.send(`DELETE ${events}/gone1`);
  });

  test.each(asked)('of an event: %s', async (fields) => {
    for (const zone of ['', '&timeZone=Asia/Tokyo']) {
      const whole = await gateway.send(`GET ${events}/planning?x=${zone}`);
      const part = await gateway.send(`GET ${events}/planning?fields=${encodeURIComponent(fields)}${zone}`);
      expect(part.json).toEqual(await select(parseFields(fields) as never, whole.json));
      expect(part.headers.etag).toBe(whole.headers.etag);
    }
  });

  test.each([
    'items',
    'kind,nextSyncToken',
    'summary,items/id',
    '*',
    '*/id',
    'items(id,status),*/email',
    'etag,items(start/date,attendees/email)',
    ...asked.map((fields) => `items(${fields})`),
  ])('of a list: %s', async (fields) => {
    const list = `GET ${events}?showDeleted=true`;
    const whole = await gateway.send(list);
    const part = await gateway.send(`${list}&fields=${encodeURIComponent(fields)}`);
    const { nextSyncToken: _token, ...rest } = await select(parseFields(fields) as never, whole.json);
    const { nextSyncToken: _other, ...shown } = part.json;
    expect(shown).toEqual(rest);
    expect(part.headers.etag).toBe(whole.headers.etag);
  });
});
