import { checkTimes, type EventTimes } from '../../src/event/time.ts';

const ZONE = 'Europe/Berlin';
const APIA = 'Pacific/Apia';
const found = (event: EventTimes): string[] =>
  checkTimes(event, ZONE).map(({ path, reason }) => `${path.join('.')} ${reason}`);

describe('checkTimes', () => {
  const timed = { start: { dateTime: '2026-07-01T09:00:00Z' }, end: { dateTime: '2026-07-01T10:00:00Z' } };
  const allDay = { start: { date: '2026-07-01' }, end: { date: '2026-07-02' } };
  const zoned = {
    start: { dateTime: '2026-07-01T09:00:00', timeZone: ZONE },
    end: { dateTime: '2026-07-01T10:00:00', timeZone: 'America/New_York' },
  };
  const daily = ['RRULE:FREQ=DAILY'];

  test.each<[string, EventTimes]>([
    ['timed', timed],
    ['all-day', allDay],
    ['zoned', zoned],
    ['all-day with a zone', { ...allDay, start: { date: '2026-07-01', timeZone: ZONE } }],
    ['a recurring zoned one', { ...zoned, recurrence: daily }],
    ['a recurring all-day one, which needs no zone', { ...allDay, recurrence: daily }],
    ['no recurrence left', { ...timed, recurrence: [] }],
    ['an instance', { ...timed, recurringEventId: 'series', originalStartTime: { date: '2026-07-01' } }],
    ['an unspecified end', { ...timed, endTimeUnspecified: true }],
    ['one millisecond', { ...timed, end: { dateTime: '2026-07-01T09:00:00.001Z' } }],
    [
      'a day its zone skipped',
      { start: { date: '2011-12-30', timeZone: APIA }, end: { date: '2011-12-31', timeZone: APIA } },
    ],
  ])('%s passes', (_, event) => {
    expect(checkTimes(event, ZONE)).toEqual([]);
  });

  test('start and end are required, an unspecified end too', () => {
    expect(found({})).toEqual(['start required', 'end required']);
    expect(found({ start: timed.start, endTimeUnspecified: true })).toEqual(['end required']);
    expect(found({ end: timed.end })).toEqual(['start required']);
  });

  test('an object needs a date or a dateTime', () => {
    expect(found({ start: {}, end: { timeZone: ZONE } })).toEqual(['start required', 'end required']);
  });

  test('both date and dateTime: the message tells how to switch', () => {
    const both = { date: '2026-07-01', dateTime: '2026-07-01T09:00:00Z' };
    const [issue, ...more] = checkTimes({ ...timed, start: both }, ZONE);
    expect(more).toEqual([]);
    expect(issue).toMatchObject({ path: ['start'], reason: 'invalid' });
    expect(issue?.message).toContain('send null for the other field');
  });

  test('one all-day and one timed: the message tells how to switch', () => {
    const [issue, ...more] = checkTimes({ start: allDay.start, end: timed.end }, ZONE);
    expect(more).toEqual([]);
    expect(issue).toMatchObject({ path: ['end'], reason: 'invalid' });
    expect(issue?.message).toContain('send null for the other field');
  });

  test('unreal values, at their fields', () => {
    const event = {
      start: { date: '2026-02-30' },
      end: { date: '2026-03-01', timeZone: 'Mars/Olympus' },
      originalStartTime: { dateTime: '2026-07-01 09:00', timeZone: '+02:00' },
    };
    expect(found(event)).toEqual([
      'start.date invalid',
      'end.timeZone invalid',
      'originalStartTime.dateTime invalid',
      'originalStartTime.timeZone invalid',
    ]);
  });

  test('a dateTime without offset needs a timeZone, and the calendar’s is proposed', () => {
    const local = { start: { dateTime: '2026-07-01T09:00:00' }, end: { dateTime: '2026-07-01T08:00:00' } };
    expect(found(local)).toEqual(['start.timeZone required', 'end.timeZone required']);
    expect(checkTimes(local, ZONE)[0]?.message).toContain('"Europe/Berlin"');
    const nowhere = { ...local.start, timeZone: 'nowhere' };
    expect(found({ start: nowhere, end: zoned.end })).toEqual(['start.timeZone invalid']);
  });

  test('what cannot be read needs no zone', () => {
    expect(found({ ...timed, start: { dateTime: 'soon' } })).toEqual(['start.dateTime invalid']);
    expect(found({ ...timed, end: { dateTime: 'later' } })).toEqual(['end.dateTime invalid']);
  });

  test('a recurring timed event needs a zone in start and in end, once each', () => {
    expect(found({ ...timed, recurrence: daily })).toEqual(['start.timeZone required', 'end.timeZone required']);
    const local = { ...zoned, start: { dateTime: '2026-07-01T09:00:00' }, recurrence: daily };
    expect(found(local)).toEqual(['start.timeZone required']);
    expect(checkTimes(local, ZONE)[0]?.message).toContain('recurring');
  });

  test('an instance is not asked for the zone of a series', () => {
    expect(found({ ...timed, recurrence: daily, recurringEventId: 'series' })).toEqual([]);
  });

  test.each<[string, EventTimes]>([
    ['timed, equal', { ...timed, end: { dateTime: '2026-07-01T11:00:00+02:00' } }],
    ['timed, before', { ...timed, end: { dateTime: '2026-07-01T08:59:59.999Z' } }],
    ['timed, equal to the millisecond', { ...timed, end: { dateTime: '2026-07-01T09:00:00.000999Z' } }],
    ['zoned, before', { ...zoned, end: { dateTime: '2026-07-01T09:30:00', timeZone: 'Asia/Tokyo' } }],
    ['all-day, equal', { ...allDay, end: { date: '2026-07-01' } }],
    ['all-day, before', { ...allDay, end: { date: '2026-06-30' } }],
    ['all-day, equal, in zones apart', { ...allDay, end: { date: '2026-07-01', timeZone: 'America/New_York' } }],
  ])('empty range: %s', (_, event) => {
    expect(found(event)).toEqual(['end timeRangeEmpty']);
  });

  test('the message of an empty all-day range says that the end is exclusive', () => {
    expect(checkTimes({ ...allDay, end: allDay.start }, ZONE)[0]?.message).toContain('the next day');
    expect(checkTimes({ ...timed, end: timed.start }, ZONE)[0]?.message).toBe('end must be after start');
  });

  test('originalStartTime: one field, and an offset or a zone', () => {
    const check = (originalStartTime: object) => found({ ...timed, recurrence: [], originalStartTime });
    expect(check({})).toEqual(['originalStartTime required']);
    expect(check({ date: '2026-07-01', dateTime: '2026-07-01T09:00:00Z' })).toEqual(['originalStartTime invalid']);
    expect(check({ dateTime: '2026-07-01T09:00:00' })).toEqual(['originalStartTime.timeZone required']);
    expect(check({ dateTime: '2026-07-01T09:00:00', timeZone: ZONE })).toEqual([]);
    expect(found({ ...zoned, recurrence: daily, originalStartTime: timed.start })).toEqual([]);
  });

  test('an issue of originalStartTime or of a kind does not hide the others', () => {
    const event = { start: { date: '2026-07-01' }, end: { dateTime: '2026-07-01T09:00:00' }, originalStartTime: {} };
    expect(found(event)).toEqual(['end.timeZone required', 'originalStartTime required', 'end invalid']);
    expect(found({ ...timed, end: timed.start, originalStartTime: {} })).toEqual([
      'originalStartTime required',
      'end timeRangeEmpty',
    ]);
  });
});
