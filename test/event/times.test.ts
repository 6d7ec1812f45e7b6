import { problemAt, berlin, oneDay, oneHour, zonedHour, useEventGateway } from './event.harness.ts';

/** Times of an hour without an offset. */
const hourWithoutOffset = (timeZone?: string) => ({
  start: { dateTime: '2026-12-01T12:00:00', timeZone },
  end: { dateTime: '2026-12-01T13:00:00', timeZone },
});
const newYork = 'America/New_York';
const weeklyRule = ['RRULE:FREQ=WEEKLY;COUNT=10'];

describe('times', () => {
  const gateway = useEventGateway();

  describe('a dateTime is always returned with an offset:', () => {
    test.each([
      ['its own offset', '2026-12-01T10:00:00+05:30', undefined, undefined],
      ['Z', '2026-12-01T10:00:00Z', undefined, undefined],
      ['lower case and fractions', '2026-12-01t10:00:00.25z', undefined, undefined],
      ['an offset that its zone does not have', '2026-12-01T10:00:00+05:00', berlin, undefined],
      ["by default the zone's in winter", '2026-12-01T10:00:00', berlin, '2026-12-01T10:00:00+01:00'],
      ["by default the zone's in summer", '2026-07-01T10:00:00', berlin, '2026-07-01T10:00:00+02:00'],
      ['UTC', '2026-07-01T10:00:00', 'UTC', /^2026-07-01T10:00:00(Z|\+00:00)$/],
      ['with fractions', '2026-07-01T10:00:00.5', 'Asia/Kathmandu', /^2026-07-01T10:00:00\.50*\+05:45$/],
      ['moved forward in a gap', '2026-03-29T02:30:00', berlin, '2026-03-29T03:30:00+02:00'],
      ['with fractions in a gap', '2026-03-29T02:30:00.250', berlin, '2026-03-29T03:30:00.25+02:00'],
      ['the first of two equal local times', '2026-10-25T02:30:00', berlin, '2026-10-25T02:30:00+02:00'],
    ] as const)('%s (%s)', async (_name, dateTime, timeZone, expected) => {
      const body = { start: { dateTime, timeZone }, end: { dateTime: '2026-12-31T10:00:00Z' } };
      const inserted = await gateway.makeEvent(body);
      const { event } = await gateway.read(inserted.id);
      const expectedDateTime =
        typeof expected === 'object' ? expect.stringMatching(expected) : (expected ?? dateTime);
      for (const { start } of [inserted, event])
        expect(start).toEqual({ date: null, dateTime: expectedDateTime, timeZone: timeZone ?? null });
      expect(await gateway.changeEvent(inserted.id, body)).toEqual(inserted);
    });

    test('local times of a patch are resolved in the sent zone, or else the stored one', async () => {
      const { id } = await gateway.makeEvent({ ...hourWithoutOffset('Asia/Tokyo') });
      const inOtherZone = { dateTime: '2026-12-01T12:00:00+09:00', timeZone: 'Asia/Tokyo' };
      expect((await gateway.changeEvent(id, hourWithoutOffset())).start).toMatchObject(inOtherZone);
      const endInNewYork = { dateTime: '2026-12-01T13:00:00-05:00', timeZone: newYork };
      expect((await gateway.changeEvent(id, hourWithoutOffset(newYork))).end).toMatchObject(endInNewYork);
    });

    test('times without offset and zone are refused, with the calendar’s zone as a hint', async () => {
      const zones = ['start.timeZone required', 'end.timeZone required'];
      const refusedInsert = await gateway.expectInsertRefused(hourWithoutOffset(), zones);
      expect(refusedInsert.errors?.[0]?.message).toContain(berlin);
      await gateway.expectPatchRefused((await gateway.makeEvent()).id, hourWithoutOffset(), zones);
      const end = { dateTime: '2026-12-01T13:00:00', timeZone: null };
      await gateway.expectPatchRefused((await gateway.makeEvent(zonedHour)).id, { end }, [
        'end.timeZone required',
      ]);
    });
  });

  test('days are returned unchanged, with and without a zone', async () => {
    const emptyTime = { dateTime: null, timeZone: null };
    const expectedDays = { start: { ...emptyTime, ...oneDay.start }, end: { ...emptyTime, ...oneDay.end } };
    expect(await gateway.makeEvent(oneDay)).toMatchObject(expectedDays);
    const leapDay = {
      start: { date: '2028-02-29', timeZone: berlin },
      end: { date: '2028-03-01', timeZone: newYork },
    };
    expect(await gateway.makeEvent(leapDay)).toMatchObject(leapDay);
  });

  describe('switching between all-day and timed', () => {
    test('needs null for the other field', async () => {
      const { id } = await gateway.makeEvent(oneDay);
      const timedHour = { start: { date: null, ...zonedHour.start }, end: { date: null, ...zonedHour.end } };
      expect(await gateway.changeEvent(id, timedHour)).toMatchObject({ ...timedHour, sequence: 1 });
      const clearedTime = { dateTime: null, timeZone: null };
      const allDayTimes = {
        start: { ...oneDay.start, ...clearedTime },
        end: { ...oneDay.end, ...clearedTime },
      };
      expect(await gateway.changeEvent(id, allDayTimes)).toMatchObject({ ...allDayTimes, sequence: 2 });
    });

    test.each<[string, object, object, string[]]>([
      ['all-day to timed', oneDay, oneHour, ['start', 'end']],
      ['timed to all-day', oneHour, oneDay, ['start', 'end']],
      ['a dateTime for an all-day start only', oneDay, { start: { date: null, ...oneHour.start } }, ['end']],
      ['a date for a timed start only', oneHour, { start: oneDay.start }, ['start']],
      ['a date for a timed end only', oneHour, { end: oneDay.end }, ['end']],
    ])('%s without the nulls is an error with a hint', async (_name, storedTimes, body, fields) => {
      const event = await gateway.makeEvent(storedTimes);
      const refusedPatch = await gateway.patch(event.id, body);
      // If both times have both fields, only the issue at `end` is guaranteed.
      const startProblem = problemAt('start', 'invalid');
      const problems = refusedPatch.problems.filter(
        (problem) => fields.length === 1 || problem !== startProblem,
      );
      expect(problems).toEqual([problemAt(fields.at(-1) as string, 'invalid')]);
      for (const { message } of refusedPatch.errors?.[0]?.extensions.issues ?? [])
        expect(message).toContain('null');
      expect((await gateway.read(event.id)).event).toEqual(event);
    });

    test('an insert with date and dateTime has no hint for patches', async () => {
      const start = { ...oneDay.start, ...oneHour.start };
      const { errors } = await gateway.expectInsertRefused({ start }, ['start invalid']);
      expect(errors?.[0]?.message).not.toContain('null');
    });
  });

  test.each<[string, object, ...string[]]>([
    ['neither start nor end', { start: undefined, end: undefined }, 'start required', 'end required'],
    ['a start of null', { start: null }, 'start required'],
    ['an empty end', { end: {} }, 'end required'],
    ['an end with a zone only', { end: { timeZone: berlin } }, 'end required'],
    ['endTimeUnspecified without an end', { end: undefined, endTimeUnspecified: true }, 'end required'],
    ['start and end of different kinds', { end: oneDay.end }, 'end invalid'],
    ['the end at the start', { end: oneHour.start }, 'end timeRangeEmpty'],
    ['the end at the start in UTC', { end: { dateTime: '2026-12-01T09:00:00Z' } }, 'end timeRangeEmpty'],
    ['the end before the start', { start: oneHour.end, end: oneHour.start }, 'end timeRangeEmpty'],
    ['a day that ends on the same day', { start: oneDay.start, end: oneDay.start }, 'end timeRangeEmpty'],
    [
      'an unspecified end at the start',
      { end: oneHour.start, endTimeUnspecified: true },
      'end timeRangeEmpty',
    ],
    ['an unknown zone', { start: { ...oneHour.start, timeZone: 'Europe/Bonn' } }, 'start.timeZone invalid'],
    ['an offset as a zone', { end: { ...oneHour.end, timeZone: '+01:00' } }, 'end.timeZone invalid'],
    ['an abbreviation as a zone', { end: { ...oneHour.end, timeZone: 'BST' } }, 'end.timeZone invalid'],
    ['a day that does not exist', { start: { date: '2026-02-30' }, end: oneDay.end }, 'start.date invalid'],
    ['another date format', { start: { date: '01.12.2026' }, end: oneDay.end }, 'start.date invalid'],
    ['text as a time', { end: { dateTime: 'at noon' } }, 'end.dateTime invalid'],
    ['the hour 24', { end: { dateTime: '2026-12-01T24:00:00Z' } }, 'end.dateTime invalid'],
    ['a number as a time', { end: { dateTime: 1_796_119_200 } }, 'end.dateTime invalid'],
  ])('an insert with %s is refused', async (_name, body, ...problems) => {
    await gateway.expectInsertRefused(body, problems);
  });

  test('a start moved after the stored end is refused, unless the end moves too', async () => {
    const { id } = await gateway.makeEvent();
    await gateway.expectPatchRefused(id, { start: oneHour.end }, ['end timeRangeEmpty']);
    const end = { dateTime: '2026-12-01T11:00:01+01:00' };
    const movedTimes = { start: oneHour.end, end, endTimeUnspecified: true };
    expect(await gateway.changeEvent(id, movedTimes)).toMatchObject({ ...movedTimes, sequence: 1 });
  });

  describe('a series', () => {
    const additionalLines = [
      'EXRULE:FREQ=MONTHLY;BYDAY=1TU',
      'RDATE;TZID=Europe/Berlin:20261203T100000',
      'EXDATE:20261208T090000Z',
    ];
    test.each<[string, object, string[]]>([
      ['a rule', zonedHour, weeklyRule],
      ['rules, dates and exceptions', zonedHour, [...weeklyRule, ...additionalLines]],
      ['days, without a zone', oneDay, ['RRULE:FREQ=DAILY;UNTIL=20261231', 'EXDATE;VALUE=DATE:20261203']],
    ])('%s: stored as sent, and raises sequence in a patch', async (_name, body, recurrence) => {
      expect(await gateway.makeEvent({ ...body, recurrence })).toMatchObject({ recurrence, sequence: 0 });
      const { id } = await gateway.makeEvent(body);
      expect(await gateway.changeEvent(id, { recurrence })).toMatchObject({ recurrence, sequence: 1 });
    });

    test.each([
      ['RRULE:INTERVAL=2', 'FREQ'],
      ['RRULE:FREQ=DAILY\r\nATTENDEE:mailto:a@b.c', 'line'],
    ])('with the line %s is refused with the name of the part', async (line, partName) => {
      const [body, problems] = [
        { ...zonedHour, recurrence: [...weeklyRule, line] },
        ['recurrence.1 invalid'],
      ];
      const { errors } = await gateway.expectPatchRefused(
        (await gateway.makeEvent(zonedHour)).id,
        body,
        problems,
      );
      expect(errors?.[0]?.message).toContain(partName);
      await gateway.expectInsertRefused(body, problems);
    });

    test('of timed events needs time zones of start and end', async () => {
      const { id } = await gateway.makeEvent();
      const missingZones = ['start.timeZone required', 'end.timeZone required'];
      await gateway.expectPatchRefused(id, { recurrence: weeklyRule }, missingZones);
      const inBerlin = { start: { timeZone: berlin }, end: { timeZone: berlin } };
      await gateway.changeEvent(id, { recurrence: weeklyRule, ...inBerlin });
      const clearedZone = { start: { timeZone: null } };
      await gateway.expectPatchRefused(id, clearedZone, ['start.timeZone required']);
      const singleEvent = await gateway.changeEvent(id, { recurrence: null, ...clearedZone });
      expect(singleEvent).toMatchObject({ recurrence: null, sequence: 2 });
    });

    test('with an hourly rule cannot become all-day', async () => {
      const recurrence = ['RRULE:FREQ=HOURLY;UNTIL=20261231T000000Z'];
      const { id } = await gateway.makeEvent({ ...zonedHour, recurrence });
      const allDayPatch = {
        start: { ...oneDay.start, dateTime: null },
        end: { ...oneDay.end, dateTime: null },
      };
      await gateway.expectPatchRefused(id, allDayPatch, ['recurrence.0 invalid']);
      const allDaySeries = { ...allDayPatch, recurrence: ['RRULE:FREQ=DAILY;UNTIL=20261231'] };
      expect((await gateway.changeEvent(id, allDaySeries)).sequence).toBe(1);
    });
  });
});
