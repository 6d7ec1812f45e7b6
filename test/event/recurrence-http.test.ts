import { berlin, day, hour, startEvents, type EventGateway } from './event-http.harness.ts';

const bad = (path: string, reason: string): string => `BAD_USER_INPUT event.${path} ${reason}`;
const zoned = { start: { ...hour.start, timeZone: berlin }, end: { ...hour.end, timeZone: berlin } };
const weekly = ['RRULE:FREQ=WEEKLY;BYDAY=TU'];

describe('recurrence', () => {
  let gateway: EventGateway;
  beforeAll(async () => {
    gateway = await startEvents();
  });
  afterAll(() => gateway.close());

  const series = async (recurrence: string[] = weekly): Promise<string> =>
    (await gateway.insert({ ...zoned, recurrence })).event.id;

  test.each<[string, object]>([
    ['a rule', { ...zoned, recurrence: weekly }],
    [
      'all four properties',
      {
        ...zoned,
        recurrence: [
          ...weekly,
          'EXRULE:FREQ=MONTHLY;BYMONTHDAY=1',
          'RDATE;TZID=Europe/Berlin:20261203T100000',
          'EXDATE:20261208T090000Z',
        ],
      },
    ],
    ['dates alone', { ...zoned, recurrence: ['RDATE:20261203T090000Z'] }],
    ['COUNT', { ...zoned, recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] }],
    ['an all-day series, which needs no zone', { ...day, recurrence: ['RRULE:FREQ=DAILY;UNTIL=20261231'] }],
    ['no line', { ...hour, recurrence: [] }],
  ])('%s: stored as it was written', async (_name, body) => {
    const { event, problems } = await gateway.insert(body);
    expect(problems).toEqual([]);
    expect(event).toMatchObject(body);
    const single = await gateway.insert({ ...body, recurrence: null });
    const sequence = event.recurrence.length > 0 ? 1 : 0;
    expect((await gateway.patch(single.event.id, body)).event).toMatchObject({ ...body, sequence });
  });

  // The message names the part that is wrong.
  test.each<[string, string, string]>([
    ['an unknown part', 'RRULE:FREQ=DAILY;BYEASTER=1', 'BYEASTER'],
    ['a part given twice', 'RRULE:FREQ=DAILY;COUNT=1;COUNT=2', 'COUNT'],
    ['no FREQ', 'RRULE:INTERVAL=2', 'FREQ'],
    ['an unknown FREQ', 'RRULE:FREQ=NEVER', 'FREQ'],
    ['INTERVAL=0', 'RRULE:FREQ=DAILY;INTERVAL=0', 'INTERVAL'],
    ['BYMONTHDAY=45', 'RRULE:FREQ=MONTHLY;BYMONTHDAY=45', 'BYMONTHDAY'],
    ['BYDAY=XX', 'RRULE:FREQ=WEEKLY;BYDAY=XX', 'BYDAY'],
    ['COUNT with UNTIL', 'RRULE:FREQ=DAILY;COUNT=2;UNTIL=20261231T000000Z', 'COUNT and UNTIL'],
    ['UNTIL as a day, with a timed start', 'RRULE:FREQ=DAILY;UNTIL=20261231', 'UNTIL'],
    ['UNTIL without zone', 'RRULE:FREQ=DAILY;UNTIL=20261231T000000', 'UNTIL'],
    ['DTSTART', 'DTSTART:20261201T100000Z', 'DTSTART'],
    ['DTEND', 'DTEND:20261201T110000Z', 'DTEND'],
    ['another property', 'SUMMARY:Hello', 'SUMMARY'],
    ['a line break', 'RRULE:FREQ=DAILY\r\nATTENDEE:mailto:a@b.c', 'line'],
    ['EXDATE as days', 'EXDATE;VALUE=DATE:20261201', 'EXDATE'],
    ['RDATE with a zone that does not exist', 'RDATE;TZID=Mars/Olympus:20261201T100000', 'TZID'],
  ])('%s: refused, in its line', async (_name, line, part) => {
    const { event } = await gateway.insert(zoned);
    const refused = await gateway.patch(event.id, { recurrence: [...weekly, line] });
    expect(refused.problems).toEqual([bad('recurrence.1', 'invalid')]);
    expect(refused.errors?.[0]?.message).toContain(part);
    expect((await gateway.read(event.id)).event).toEqual(event);
    expect((await gateway.insert({ ...zoned, recurrence: [...weekly, line] })).problems).toEqual(refused.problems);
  });

  test('a timed series needs the zone of start and of end', async () => {
    const { event } = await gateway.insert(hour);
    const refused = await gateway.patch(event.id, { recurrence: weekly });
    expect(refused.problems).toEqual([bad('start.timeZone', 'required'), bad('end.timeZone', 'required')]);
    const zone = { timeZone: berlin };
    expect((await gateway.patch(event.id, { recurrence: weekly, start: zone, end: zone })).event).toMatchObject({
      recurrence: weekly,
      sequence: 1,
    });
    expect((await gateway.patch(event.id, { start: { timeZone: null } })).problems).toEqual([bad('start.timeZone', 'required')]);
    expect((await gateway.patch(event.id, { recurrence: null, start: { timeZone: null } })).event).toMatchObject({
      recurrence: null,
      sequence: 2,
    });
  });

  test('dates that are only excluded repeat nothing', async () => {
    expect((await gateway.insert({ ...zoned, recurrence: ['EXDATE:20261208T090000Z'] })).problems).toEqual([
      bad('recurrence', 'required'),
    ]);
  });

  test('the list is replaced as a whole', async () => {
    const id = await series([...weekly, 'EXDATE:20261208T090000Z']);
    expect((await gateway.patch(id, { recurrence: weekly })).event.recurrence).toEqual(weekly);
  });

  test('100 lines are stored, 101 refused', async () => {
    const lines = (count: number) => Array.from({ length: count }, () => 'RDATE:20261203T090000Z');
    expect((await gateway.insert({ ...zoned, recurrence: lines(100) })).problems).toEqual([]);
    expect((await gateway.insert({ ...zoned, recurrence: lines(101) })).problems).toEqual([bad('recurrence', 'tooMany')]);
  });

  test('a series made all-day has to say so in its rule', async () => {
    const id = await series(['RRULE:FREQ=DAILY;UNTIL=20261231T000000Z']);
    const allDay = { start: { ...day.start, dateTime: null }, end: { ...day.end, dateTime: null } };
    expect((await gateway.patch(id, allDay)).problems).toEqual([bad('recurrence.0', 'invalid')]);
    expect((await gateway.patch(id, { ...allDay, recurrence: ['RRULE:FREQ=DAILY;UNTIL=20261231'] })).problems).toEqual([]);
  });

  test('an instance cannot be made recurring', async () => {
    const recurringEventId = await series();
    const instance = { ...hour, recurringEventId, originalStartTime: hour.start };
    expect((await gateway.insert({ ...instance, recurrence: weekly })).problems).toContain(bad('recurrence', 'invalid'));
    const { event } = await gateway.insert(instance);
    expect((await gateway.patch(event.id, { recurrence: weekly })).problems).toEqual([bad('recurrence', 'invalid')]);
    expect(
      (await gateway.patch(event.id, { recurrence: weekly, start: { timeZone: berlin }, end: { timeZone: berlin } })).problems,
    ).toEqual([bad('recurrence', 'invalid')]);
  });
});
