import { berlin, day, hour, startEvents, type EventGateway } from './event-http.harness.ts';

const bad = (path: string, reason: string): string => `BAD_USER_INPUT event.${path} ${reason}`;
const local = (from: string, to: string, timeZone?: string) => ({
  start: { dateTime: from, timeZone },
  end: { dateTime: to, timeZone },
});
/** A local time in a zone, and an end that names its instant. */
const zoned = (start: string, timeZone: string, end: string) => ({
  start: { dateTime: start, timeZone },
  end: { dateTime: end },
});

describe('times', () => {
  let gateway: EventGateway;
  beforeAll(async () => {
    gateway = await startEvents();
  });
  afterAll(() => gateway.close());

  describe('switching between all-day and timed', () => {
    test('an all-day event becomes timed with date: null, and back with dateTime: null', async () => {
      const { event } = await gateway.insert(day);
      const timed = await gateway.patch(event.id, {
        start: { date: null, dateTime: '2026-12-01T10:00:00', timeZone: berlin },
        end: { date: null, dateTime: '2026-12-01T11:00:00', timeZone: berlin },
      });
      expect(timed.event).toMatchObject({
        start: { date: null, dateTime: '2026-12-01T10:00:00', timeZone: berlin },
        end: { date: null, dateTime: '2026-12-01T11:00:00', timeZone: berlin },
        sequence: 1,
      });
      const back = await gateway.patch(event.id, {
        start: { date: '2026-12-01', dateTime: null, timeZone: null },
        end: { date: '2026-12-02', dateTime: null, timeZone: null },
      });
      expect(back.event).toMatchObject({
        start: { ...day.start, dateTime: null, timeZone: null },
        end: { ...day.end, dateTime: null, timeZone: null },
        sequence: 2,
      });
    });

    test.each<[string, object, object, string[]]>([
      ['all-day to timed', day, hour, [bad('start', 'invalid'), bad('end', 'invalid')]],
      ['timed to all-day', hour, day, [bad('start', 'invalid'), bad('end', 'invalid')]],
      ['only the start', day, { start: { date: null, ...hour.start } }, [bad('end', 'invalid')]],
    ])('%s without the nulls is an error that tells the cure', async (_name, before, body, problems) => {
      const { event } = await gateway.insert(before);
      const refused = await gateway.patch(event.id, body);
      expect(refused.problems).toEqual(problems);
      for (const { message } of refused.errors?.[0]?.extensions.issues ?? [])
        expect(message).toContain('send null for the other field');
      expect((await gateway.read(event.id)).event).toEqual(event);
    });
  });

  describe('offset and zone', () => {
    test.each<[string, object]>([
      [
        'an offset as it was written',
        { start: { dateTime: '2026-12-01T10:00:00+05:30' }, end: { dateTime: '2026-12-01T05:00:00Z' } },
      ],
      [
        'lower-case letters and fractions',
        { start: { dateTime: '2026-12-01t10:00:00.25z' }, end: { dateTime: '2026-12-01T10:00:00.500001+00:00' } },
      ],
      ['no offset beside a zone', local('2026-12-01T10:00:00', '2026-12-01T11:00:00', berlin)],
      [
        'an offset that the zone does not have at that time',
        local('2026-12-01T10:00:00+05:00', '2026-12-01T11:00:00+05:00', berlin),
      ],
      [
        'two zones',
        {
          start: { dateTime: '2026-12-01T10:00:00', timeZone: berlin },
          end: { dateTime: '2026-12-01T06:00:00', timeZone: 'America/New_York' },
        },
      ],
      ['an all-day event with a zone', { start: { ...day.start, timeZone: berlin }, end: { ...day.end, timeZone: berlin } }],
      ['29 February', { start: { date: '2028-02-29' }, end: { date: '2028-03-01' } }],
    ])('%s: kept', async (_name, body) => {
      const { event, problems } = await gateway.insert(body);
      expect(problems).toEqual([]);
      expect(event).toMatchObject(body);
      expect((await gateway.read(event.id)).event).toMatchObject(body);
    });

    test('a time without offset needs a zone, its own or the stored one', async () => {
      const bare = local('2026-12-01T12:00:00', '2026-12-01T13:00:00');
      const refused = await gateway.insert(bare);
      expect(refused.problems).toEqual([bad('start.timeZone', 'required'), bad('end.timeZone', 'required')]);
      expect(refused.errors?.[0]?.message).toContain(berlin);
      const inZone = await gateway.insert(local('2026-12-01T10:00:00', '2026-12-01T11:00:00', 'Asia/Tokyo'));
      const moved = await gateway.patch(inZone.event.id, bare);
      expect(moved.event).toMatchObject(local('2026-12-01T12:00:00', '2026-12-01T13:00:00', 'Asia/Tokyo'));
      const offsets = await gateway.insert(hour);
      expect((await gateway.patch(offsets.event.id, bare)).problems).toEqual([
        bad('start.timeZone', 'required'),
        bad('end.timeZone', 'required'),
      ]);
      expect((await gateway.patch(inZone.event.id, { start: { timeZone: null } })).problems).toEqual([
        bad('start.timeZone', 'required'),
      ]);
    });

    test.each([
      ['a zone that does not exist', { start: { timeZone: 'Europe/Bonn' } }, 'start.timeZone'],
      ['an offset as a zone', { end: { timeZone: '+01:00' } }, 'end.timeZone'],
      ['an abbreviation', { end: { timeZone: 'BST' } }, 'end.timeZone'],
      ['an empty zone', { start: { timeZone: '' } }, 'start.timeZone'],
      ['a day that does not exist', { start: { date: '2026-02-30', dateTime: null } }, 'start.date'],
      ['a date in another order', { start: { date: '01.12.2026' } }, 'start.date'],
      ['a time that is none', { end: { dateTime: 'at noon' } }, 'end.dateTime'],
      ['24 hours', { end: { dateTime: '2026-12-01T24:00:00Z' } }, 'end.dateTime'],
      ['a number', { end: { dateTime: 1_796_119_200 } }, 'end.dateTime'],
    ])('%s: refused, at its field', async (_name, body, field) => {
      const { event } = await gateway.insert(hour);
      expect((await gateway.patch(event.id, body)).problems).toContain(bad(field, 'invalid'));
      expect((await gateway.read(event.id)).event).toEqual(event);
    });
  });

  describe('clock changes: a local time in the gap moves forward, in the overlap it is the first of the two', () => {
    // The end is the start’s instant (refused), and a second after it (stored).
    test.each([
      ['gap in Berlin', '2026-03-29T02:30:00', berlin, '2026-03-29T01:30:00Z'],
      ['overlap in Berlin', '2026-10-25T02:30:00', berlin, '2026-10-25T00:30:00Z'],
      ['gap in New York', '2026-03-08T02:30:00', 'America/New_York', '2026-03-08T07:30:00Z'],
      ['overlap in New York', '2026-11-01T01:30:00', 'America/New_York', '2026-11-01T05:30:00Z'],
      ['gap of half an hour on Lord Howe', '2026-10-04T02:15:00', 'Australia/Lord_Howe', '2026-10-03T15:45:00Z'],
      ['overlap of half an hour on Lord Howe', '2026-04-05T01:45:00', 'Australia/Lord_Howe', '2026-04-04T14:45:00Z'],
    ])('%s', async (_name, start, timeZone, instant) => {
      expect((await gateway.insert(zoned(start, timeZone, instant))).problems).toEqual([bad('end', 'timeRangeEmpty')]);
      const later = await gateway.insert(zoned(start, timeZone, instant.replace(':00Z', ':01Z')));
      expect(later.problems).toEqual([]);
      expect(later.event.start).toMatchObject({ dateTime: start, timeZone });
    });
  });

  describe('the range', () => {
    test.each<[string, object]>([
      ['an end at the start', { start: hour.start, end: hour.start }],
      ['an end before the start', { start: hour.end, end: hour.start }],
      [
        'an end at the start in another offset',
        { start: { dateTime: '2026-12-01T10:00:00+01:00' }, end: { dateTime: '2026-12-01T09:00:00Z' } },
      ],
      ['an all-day event that ends on its day', { start: day.start, end: day.start }],
      ['an all-day event that ends before', { start: day.end, end: day.start }],
      ['an unspecified end at the start', { start: hour.start, end: hour.start, endTimeUnspecified: true }],
    ])('%s: timeRangeEmpty', async (_name, body) => {
      expect((await gateway.insert(body)).problems).toEqual([bad('end', 'timeRangeEmpty')]);
      const { event } = await gateway.insert('date' in (body as typeof day).start ? day : hour);
      expect((await gateway.patch(event.id, body)).problems).toEqual([bad('end', 'timeRangeEmpty')]);
    });

    test('a start moved behind the stored end is refused, moved with it it is stored', async () => {
      const { event } = await gateway.insert(hour);
      const start = { dateTime: '2026-12-01T11:00:00+01:00' };
      expect((await gateway.patch(event.id, { start })).problems).toEqual([bad('end', 'timeRangeEmpty')]);
      const moved = await gateway.patch(event.id, { start, end: { dateTime: '2026-12-01T11:00:01+01:00' } });
      expect(moved.event).toMatchObject({ start, end: { dateTime: '2026-12-01T11:00:01+01:00' }, sequence: 1 });
    });

    test('an unspecified end is kept, and an end is needed all the same', async () => {
      const { event } = await gateway.insert({ ...hour, endTimeUnspecified: true });
      expect(event).toMatchObject({ ...hour, endTimeUnspecified: true });
      expect((await gateway.insert({ start: hour.start, endTimeUnspecified: true })).problems).toEqual([bad('end', 'required')]);
    });
  });
});
