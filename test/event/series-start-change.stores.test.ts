import { alice, berlin, bob, type Outcome, type EventJson } from './event.harness.ts';
import { createSeriesSplitter } from './following.harness.ts';
import { responseOf, withGuests, listAllEvents } from './list.harness.ts';
import { stores } from '../stores.ts';

const localTime = (day: string, time: string, timeZone = berlin) => ({
  timeZone,
  dateTime: `${day}T${time}`,
});
const hourOn = (day: string, hour = 10, timeZone = berlin) => ({
  start: localTime(day, `${String(hour).padStart(2, '0')}:00:00`, timeZone),
  end: localTime(day, `${String(hour + 1).padStart(2, '0')}:00:00`, timeZone),
});
const allDayTimes = (day: string, endDay: string) => ({
  start: { date: day, dateTime: null, timeZone: null },
  end: { date: endDay, dateTime: null, timeZone: null },
});
/** Times of an hour for a patch of an all-day event: they clear its dates. */
const timedPatchOn = (day: string) => {
  const { start, end } = hourOn(day);
  return { start: { date: null, ...start }, end: { date: null, ...end } };
};

describe.each(stores)('a series whose start moves, over $name', ({ useGateway }) => {
  let now = Date.parse('2026-12-01T00:00:00Z');
  const gateway = useGateway(() => ({ clock: () => (now += 1) }));
  const { listInstances, splitSeries, expectNoProblems } = createSeriesSplitter(gateway);

  const makeSeries = (recurrence: readonly string[], body: object = hourOn('2026-12-07')) =>
    gateway.makeEvent({ summary: 'S', ...body, recurrence });
  const instanceIdOf = ({ id }: EventJson, utc: string): string => `${id}_${utc}`;
  const moveSeries = async (series: EventJson, body: object): Promise<Outcome> => {
    const outcome = await gateway.patch(series.id, body);
    expect(outcome.problems).toEqual([]);
    return outcome;
  };
  /** Lists instances as `original summary start`, without the start if it is the original one. */
  const describeInstances = async (series: EventJson): Promise<string[]> =>
    (await listInstances(series.id)).map(({ id, summary, start: { date, dateTime } }: EventJson) => {
      const originalStart = id.slice(id.lastIndexOf('_') + 1);
      const start = date
        ? date.replaceAll('-', '')
        : `${new Date(dateTime).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
      const changes = [...(summary === 'S' ? [] : [summary]), ...(start === originalStart ? [] : [start])];
      return [originalStart, ...changes].join(' ');
    });

  describe('its recurrence lines', () => {
    test.each<[string, readonly string[], object, readonly string[], readonly string[]]>([
      [
        'UNTIL, RDATE and EXDATE move with its time',
        [
          'RRULE:FREQ=DAILY;UNTIL=20261220T090000Z',
          'RDATE;TZID=Europe/Berlin:20261224T100000',
          'EXDATE:20261209T090000Z,20261210T090000Z',
        ],
        hourOn('2026-12-07', 12),
        [
          'RRULE:FREQ=DAILY;UNTIL=20261220T110000Z',
          'RDATE;TZID=Europe/Berlin:20261224T120000',
          'EXDATE:20261209T110000Z,20261210T110000Z',
        ],
        [],
      ],
      [
        'a single weekday moves',
        ['RRULE:FREQ=WEEKLY;BYDAY=MO;UNTIL=20261228T090000Z', 'EXDATE:20261214T090000Z'],
        hourOn('2026-12-08'),
        ['RRULE:FREQ=WEEKLY;BYDAY=TU;UNTIL=20261229T090000Z', 'EXDATE:20261215T090000Z'],
        [],
      ],
      [
        'WKST moves with weekdays of every other week',
        ['RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=SU,MO'],
        hourOn('2026-12-08'),
        ['RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TU;WKST=TU'],
        [],
      ],
      [
        'weekdays stay if the new one is among them',
        ['RRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;UNTIL=20261231T090000Z'],
        hourOn('2026-12-08'),
        ['RRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;UNTIL=20261231T090000Z'],
        [],
      ],
      [
        'a day of the month stays, and the new start is an additional occurrence',
        ['RRULE:FREQ=MONTHLY;BYMONTHDAY=7'],
        hourOn('2026-12-08'),
        ['RRULE:FREQ=MONTHLY;BYMONTHDAY=7'],
        ['event.recurrence normalized'],
      ],
      [
        'an EXDATE without an occurrence is dropped',
        ['RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=3', 'EXDATE:20261221T090000Z'],
        hourOn('2027-02-01'),
        ['RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=3', 'EXDATE:20270215T090000Z'],
        [],
      ],
      [
        'local times stay with another zone',
        [
          'RRULE:FREQ=DAILY;UNTIL=20261220T090000Z',
          'RDATE:20261224T090000Z',
          'EXDATE;TZID=Europe/Berlin:20261209T100000',
        ],
        hourOn('2026-12-07', 10, 'America/New_York'),
        [
          'RRULE:FREQ=DAILY;UNTIL=20261220T150000Z',
          'RDATE:20261224T150000Z',
          'EXDATE;TZID=America/New_York:20261209T100000',
        ],
        [],
      ],
      [
        'a timed series becomes all-day',
        ['RRULE:FREQ=DAILY;UNTIL=20261220T090000Z', 'RDATE:20261224T210000Z', 'EXDATE:20261209T090000Z'],
        allDayTimes('2026-12-07', '2026-12-08'),
        ['RRULE:FREQ=DAILY;UNTIL=20261220', 'EXDATE;VALUE=DATE:20261209', 'RDATE;VALUE=DATE:20261224'],
        [],
      ],
    ])('%s', async (_case, recurrence, body, movedLines, warningTexts) => {
      const series = await makeSeries(recurrence);
      const outcome = await moveSeries(series, body);
      expect([outcome.event.recurrence.toSorted(), outcome.warningTexts]).toEqual([
        movedLines.toSorted(),
        warningTexts,
      ]);
      const repeatedPatch = await gateway.patch(series.id, { start: outcome.event.start });
      expect([repeatedPatch.warningTexts, repeatedPatch.event.etag]).toEqual([[], outcome.event.etag]);
    });

    test('an all-day series becomes timed', async () => {
      const series = await makeSeries(
        ['RRULE:FREQ=DAILY;UNTIL=20261212', 'RDATE;VALUE=DATE:20261224', 'EXDATE;VALUE=DATE:20261209'],
        allDayTimes('2026-12-07', '2026-12-08'),
      );
      const { event } = await moveSeries(series, timedPatchOn('2026-12-07'));
      expect(event.recurrence.toSorted()).toEqual([
        'EXDATE:20261209T090000Z',
        'RDATE:20261224T090000Z',
        'RRULE:FREQ=DAILY;UNTIL=20261212T225959Z',
      ]);
    });

    test('periods keep their lengths and own zones', async () => {
      const { event: series } = await gateway.insert({
        ...hourOn('2026-12-07'),
        recurrence: [
          'RRULE:FREQ=DAILY;COUNT=3',
          'RDATE;VALUE=PERIOD:20261224T090000Z/20261224T100000Z,20261225T090000Z/PT1H',
          'RDATE;TZID=America/New_York:20261226T040000',
        ],
      });
      const { event } = await moveSeries(series, hourOn('2026-12-07', 12));
      expect(event.recurrence).toEqual([
        'RRULE:FREQ=DAILY;COUNT=3',
        'RDATE;VALUE=PERIOD:20261224T110000Z/20261224T120000Z,20261225T110000Z/PT1H',
        'RDATE;TZID=America/New_York:20261226T060000',
      ]);
    });

    test('are refused if converted EXDATEs are too long', async () => {
      const days = (year: number): string =>
        Array.from({ length: 840 }, (_, index) =>
          new Date(Date.UTC(year, 0, 1 + index)).toISOString().slice(0, 10).replaceAll('-', ''),
        ).join(',');
      const series = await makeSeries(
        ['RRULE:FREQ=DAILY', ...[2027, 2030, 2033].map((year) => `EXDATE;VALUE=DATE:${days(year)}`)],
        allDayTimes('2026-12-07', '2026-12-08'),
      );
      await gateway.expectPatchRefused(series.id, timedPatchOn('2026-12-07'), ['recurrence tooMany']);
    });

    test('move also when they are sent back unchanged', async () => {
      const recurrence = ['RRULE:FREQ=WEEKLY;BYDAY=MO;UNTIL=20261228T090000Z', 'EXDATE:20261214T090000Z'];
      const series = await makeSeries(recurrence);
      await gateway.changeEvent(instanceIdOf(series, '20261221T090000Z'), { status: 'cancelled' });
      const { event } = await moveSeries(series, { ...allDayTimes('2026-12-08', '2026-12-09'), recurrence });
      expect(event.recurrence).toEqual([
        'RRULE:FREQ=WEEKLY;BYDAY=TU;UNTIL=20261229',
        'EXDATE;VALUE=DATE:20261215',
        'EXDATE;VALUE=DATE:20261222',
      ]);
    });

    test('move when sent in another form, without a warning', async () => {
      const series = await makeSeries(['RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=4']);
      const recurrence = ['rrule:freq=weekly;byday=mo;count=4;'];
      const { event, warningTexts } = await moveSeries(series, { ...hourOn('2026-12-08'), recurrence });
      expect([event.recurrence, warningTexts]).toEqual([['RRULE:FREQ=WEEKLY;BYDAY=TU;COUNT=4'], []]);
    });

    test('stay on a day when the clocks skip their time', async () => {
      const series = await makeSeries(
        ['RRULE:FREQ=DAILY;COUNT=5', 'EXDATE;TZID=Europe/Berlin:20270328T023000'],
        { start: localTime('2027-03-26', '02:30:00'), end: localTime('2027-03-26', '03:00:00') },
      );
      const { event } = await moveSeries(series, {
        start: localTime('2027-03-26', '09:00:00'),
        end: localTime('2027-03-26', '09:30:00'),
      });
      const movedExdate = 'EXDATE;TZID=Europe/Berlin:20270328T090000';
      expect(event.recurrence).toEqual(['RRULE:FREQ=DAILY;COUNT=5', movedExdate]);
    });

    test('are stored as sent if they differ', async () => {
      const series = await makeSeries(['RRULE:FREQ=DAILY;UNTIL=20261220T090000Z']);
      const recurrence = ['RRULE:FREQ=DAILY;COUNT=3'];
      const { event } = await moveSeries(series, { ...hourOn('2026-12-08', 12), recurrence });
      expect(event.recurrence).toEqual(recurrence);
    });
  });

  describe('its exceptions', () => {
    const changeInstances = async (series: EventJson, bodies: Record<string, object>): Promise<void> => {
      for (const [utc, body] of Object.entries(bodies))
        await gateway.changeEvent(instanceIdOf(series, utc), body);
    };

    test('move with its time of day: changed and cancelled ones, own times and lengths', async () => {
      const series = await makeSeries(['RRULE:FREQ=DAILY;COUNT=5']);
      await changeInstances(series, {
        '20261208T090000Z': { summary: 'Other' },
        '20261209T090000Z': { status: 'cancelled' },
        '20261210T090000Z': hourOn('2026-12-10', 15),
        '20261211T090000Z': { end: localTime('2026-12-11', '13:00:00') },
      });
      const { warningTexts } = await moveSeries(series, hourOn('2026-12-07', 11));
      expect(warningTexts).toEqual([]);
      expect(await describeInstances(series)).toEqual([
        '20261207T100000Z',
        '20261208T100000Z Other',
        '20261210T100000Z 20261210T140000Z',
        '20261211T100000Z',
      ]);
      const lastInstance = await gateway.readOn(alice, instanceIdOf(series, '20261211T100000Z'));
      expect(lastInstance.end.dateTime).toBe('2026-12-11T14:00:00+01:00');
      expect(lastInstance.originalStartTime.dateTime).toBe('2026-12-11T11:00:00+01:00');
    });

    test('are removed with a warning if a new rule has no such occurrence', async () => {
      const series = await makeSeries(['RRULE:FREQ=WEEKLY;COUNT=4']);
      await changeInstances(series, {
        '20261214T090000Z': { summary: 'Other' },
        '20261221T090000Z': { status: 'cancelled' },
      });
      const outcome = await gateway.patch(series.id, {
        recurrence: ['RRULE:FREQ=WEEKLY;COUNT=1', 'RDATE:20261224T090000Z'],
      });
      expect([outcome.problems, outcome.warningTexts]).toEqual([[], ['event.recurrence instancesRemoved']]);
      expect(outcome.warnings?.[0]?.params).toEqual({ count: 2 });
    });

    test('are removed if their new occurrence has an exception already', async () => {
      const series = await makeSeries(['RRULE:FREQ=DAILY;COUNT=10']);
      await changeInstances(series, {
        '20261208T090000Z': { summary: 'First' },
        '20261215T090000Z': { summary: 'Second' },
      });
      const { warningTexts, warnings } = await moveSeries(series, hourOn('2026-12-14'));
      expect([warningTexts, warnings?.[0]?.params]).toEqual([['event.start instancesRemoved'], { count: 1 }]);
      const [first, second] = await describeInstances(series);
      expect([first, second]).toEqual(['20261214T090000Z', '20261215T090000Z Second']);
    });

    test('become EXDATEs or are removed if the series becomes all-day', async () => {
      const series = await makeSeries(['RRULE:FREQ=DAILY;COUNT=5']);
      await changeInstances(series, {
        '20261208T090000Z': { summary: 'Other' },
        '20261209T090000Z': { status: 'cancelled' },
      });
      const { event, warningTexts, warnings } = await moveSeries(
        series,
        allDayTimes('2026-12-07', '2026-12-08'),
      );
      expect(event.recurrence).toEqual(['RRULE:FREQ=DAILY;COUNT=5', 'EXDATE;VALUE=DATE:20261209']);
      expect([warningTexts, warnings?.[0]?.params]).toEqual([['event.start instancesRemoved'], { count: 1 }]);
    });

    test('keep responses and settings of guests', async () => {
      const body = { ...hourOn('2026-12-07'), ...withGuests(bob) };
      const series = await makeSeries(['RRULE:FREQ=DAILY;COUNT=3'], body);
      const id = instanceIdOf(series, '20261208T090000Z');
      await gateway.changeEvent(id, responseOf(bob, 'accepted'), { as: bob });
      await gateway.changeEvent(id, { colorId: '3' }, { as: bob });
      await moveSeries(series, hourOn('2026-12-07', 12));
      const movedInstance = await gateway.readOn(bob, instanceIdOf(series, '20261208T110000Z'));
      expect([movedInstance.colorId, movedInstance.attendees[0].responseStatus]).toEqual(['3', 'accepted']);
    });
  });

  describe('the old id of a moved instance', () => {
    const expectExpired = async (syncToken: string, as = alice): Promise<void> => {
      const listDocument = `{ result: events(calendarId: "${as}", ${syncToken}) { nodes { id } } }`;
      const { problems } = await gateway.run(listDocument, {}, as);
      expect(problems).toEqual(['BAD_USER_INPUT syncToken invalid']);
    };

    test('is cancelled, cannot be changed, and may become valid again', async () => {
      const series = await makeSeries(['RRULE:FREQ=DAILY;COUNT=3']);
      const [oldId, newId] = [
        instanceIdOf(series, '20261208T090000Z'),
        instanceIdOf(series, '20261208T110000Z'),
      ];
      await gateway.changeEvent(oldId, { summary: 'Other' });
      const { syncToken } = await listAllEvents(gateway, alice);
      await moveSeries(series, hourOn('2026-12-07', 12));
      expect((await listAllEvents(gateway, alice, syncToken)).statusTexts).toEqual(
        expect.arrayContaining([`${oldId} cancelled`, `${newId} confirmed`]),
      );
      const { event } = await gateway.read(oldId);
      expect(event).toMatchObject({ id: oldId, status: 'cancelled', recurringEventId: series.id });
      expect(event.originalStartTime.dateTime).toBe('2026-12-08T10:00:00+01:00');
      expect((await gateway.patch(oldId, { summary: 'x' })).problems).toEqual(['NOT_FOUND eventId notFound']);
      await gateway.changeEvent(newId, { summary: 'Moved' });
      await moveSeries(series, hourOn('2026-12-07'));
      expect(await gateway.readOn(alice, oldId)).toMatchObject({ status: 'confirmed', summary: 'Moved' });
      expect((await gateway.read(newId)).event.status).toBe('cancelled');
    });

    test('has its original start, also of the other kind', async () => {
      const series = await makeSeries(['RRULE:FREQ=DAILY;COUNT=5'], {
        start: localTime('2026-12-06', '00:30:00'),
        end: localTime('2026-12-06', '01:30:00'),
      });
      const oldId = instanceIdOf(series, '20261206T233000Z');
      await gateway.changeEvent(oldId, { summary: 'Other' });
      await moveSeries(series, allDayTimes('2026-12-06', '2026-12-07'));
      const { event } = await gateway.read(oldId);
      const { date, dateTime } = event.originalStartTime;
      expect([event.status, date]).toEqual(['cancelled', null]);
      expect(Date.parse(dateTime)).toBe(Date.parse('2026-12-06T23:30:00Z'));
    });

    test('is kept for 30 days, and then older sync tokens expire', async () => {
      const series = await makeSeries(['RRULE:FREQ=DAILY;COUNT=3']);
      const oldId = instanceIdOf(series, '20261208T090000Z');
      await gateway.changeEvent(oldId, { summary: 'Other' });
      const listBefore = await listAllEvents(gateway, alice);
      await moveSeries(series, hourOn('2026-12-07', 12));
      const listAfter = await listAllEvents(gateway, alice);
      const instancesDocument = `query { result: instances(calendarId: "${alice}", eventId: "${series.id}", showDeleted: true) { nodes { id } } }`;
      /** Whether the old id is in the unexpanded list, the expanded list, and the instances. */
      const hasOldIdInEachList = async () => {
        const { ids: unexpanded } = await listAllEvents(gateway, alice, 'showDeleted: true');
        const { ids: expanded } = await listAllEvents(
          gateway,
          alice,
          'showDeleted: true, singleEvents: true',
        );
        const { nodes } = (await gateway.run(instancesDocument, {})).event;
        const instanceIds = nodes.map(({ id }: EventJson) => id);
        return [unexpanded, expanded, instanceIds].map((ids) => ids.includes(oldId));
      };
      expect(await hasOldIdInEachList()).toEqual([true, true, true]);
      now += 31 * 86_400_000;
      expect(await hasOldIdInEachList()).toEqual([false, false, false]);
      await gateway.expectNotFound(alice, oldId);
      await expectExpired(listBefore.syncToken);
      await moveSeries(series, hourOn('2026-12-07', 13));
      const { ids } = await listAllEvents(gateway, alice, listAfter.syncToken);
      expect(ids).toEqual(expect.arrayContaining([series.id, instanceIdOf(series, '20261208T120000Z')]));
      expect(ids).not.toContain(oldId);
      await expectExpired(listBefore.syncToken);
      expect(await hasOldIdInEachList()).toEqual([false, false, false]);
    });

    test('expires the sync tokens of a guest who was invited to that instance only', async () => {
      const series = await makeSeries(['RRULE:FREQ=DAILY;COUNT=3']);
      await gateway.changeEvent(instanceIdOf(series, '20261208T090000Z'), withGuests(bob));
      const { ids, syncToken } = await listAllEvents(gateway, bob);
      expect(ids).toHaveLength(1);
      await gateway.patch(series.id, { recurrence: ['RRULE:FREQ=DAILY;COUNT=1'] });
      now += 31 * 86_400_000;
      await gateway.patch(series.id, { recurrence: ['RRULE:FREQ=DAILY;COUNT=2'] });
      await gateway.patch(series.id, { recurrence: ['RRULE:FREQ=DAILY;COUNT=1'] });
      await expectExpired(syncToken, bob);
    });
  });

  test('patchFollowingEvents from the first instance moves the series, also after EXDATEs', async () => {
    const series = await makeSeries(['RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=4', 'EXDATE:20261207T090000Z']);
    await gateway.changeEvent(instanceIdOf(series, '20261221T090000Z'), { summary: 'Other' });
    const { event } = await splitSeries(instanceIdOf(series, '20261214T090000Z'), hourOn('2026-12-15', 12));
    expect(event.before).toBeNull();
    expect(await describeInstances(event.following)).toEqual([
      '20261215T110000Z',
      '20261222T110000Z Other',
      '20261229T110000Z',
    ]);
    const [firstInstance] = await listInstances(series.id);
    const { end } = hourOn('2026-12-15', 14);
    expect((await splitSeries(firstInstance.id, { end })).event.following.end.dateTime).toBe(
      '2026-12-08T15:00:00+01:00',
    );
    const allDaySplit = await splitSeries(firstInstance.id, allDayTimes('2026-12-16', '2026-12-17'));
    expect([allDaySplit.problems, allDaySplit.event.following.start.date]).toEqual([[], '2026-12-09']);
  });

  test('patchFollowingEvents moves lines and exceptions from the named instance', async () => {
    const series = await makeSeries(['RRULE:FREQ=DAILY;UNTIL=20261213T090000Z', 'EXDATE:20261212T090000Z']);
    await gateway.changeEvent(instanceIdOf(series, '20261208T090000Z'), { summary: 'Before' });
    const namedInstance = { ...hourOn('2026-12-10', 16), summary: 'Named' };
    await gateway.changeEvent(instanceIdOf(series, '20261210T090000Z'), namedInstance);
    await gateway.changeEvent(instanceIdOf(series, '20261211T090000Z'), { summary: 'Behind' });
    const event = await expectNoProblems(
      splitSeries(instanceIdOf(series, '20261210T090000Z'), hourOn('2026-12-10', 12)),
    );
    expect(event.following.recurrence).toEqual([
      'RRULE:FREQ=DAILY;UNTIL=20261213T110000Z',
      'EXDATE:20261212T110000Z',
    ]);
    expect(await describeInstances(event.before)).toEqual([
      '20261207T090000Z',
      '20261208T090000Z Before',
      '20261209T090000Z',
    ]);
    expect(await describeInstances(event.following)).toEqual([
      '20261210T110000Z Named',
      '20261211T110000Z Behind',
      '20261213T110000Z',
    ]);
  });
});
