import { alice, berlin, bob, type Outcome, type Shown } from './event.harness.ts';
import { divisionsOn } from './following.harness.ts';
import { answer, listed } from './list.harness.ts';
import { stores } from '../stores.ts';

/** Contract, section 15: what becomes of the lines and of changed instances of a series whose start moves. */
const at = (day: string, time: string, timeZone = berlin) => ({ dateTime: `${day}T${time}`, timeZone });
const hourOn = (day: string, hour = 10, timeZone = berlin) => ({
  start: at(day, `${String(hour).padStart(2, '0')}:00:00`, timeZone),
  end: at(day, `${String(hour + 1).padStart(2, '0')}:00:00`, timeZone),
});
const allDay = (day: string, next: string) => ({
  start: { date: day, dateTime: null, timeZone: null },
  end: { date: next, dateTime: null, timeZone: null },
});
/** The same hour for an event that was all-day. */
const timedOn = (day: string) => {
  const { start, end } = hourOn(day);
  return { start: { date: null, ...start }, end: { date: null, ...end } };
};

describe.each(stores)('a series whose start moves, over $name', ({ useGateway }) => {
  let now = Date.parse('2026-12-01T00:00:00Z');
  const gateway = useGateway(() => ({ clock: () => (now += 1) }));
  const { instances, split } = divisionsOn(gateway);

  const series = (recurrence: readonly string[], body: object = hourOn('2026-12-07')): Promise<Shown> =>
    gateway.make({ summary: 'S', ...body, recurrence });
  const idOf = ({ id }: Shown, utc: string): string => `${id}_${utc}`;
  const move = async (made: Shown, body: object): Promise<Outcome> => {
    const outcome = await gateway.patch(made.id, body);
    expect(outcome.problems).toEqual([]);
    return outcome;
  };
  /** `original summary start`, the start where it is not the original one. */
  const shownOf = async (made: Shown): Promise<string[]> =>
    (await instances(made.id)).map(({ id, summary, start: { date, dateTime } }: Shown) => {
      const original = id.slice(id.lastIndexOf('_') + 1);
      const begins = date
        ? date.replaceAll('-', '')
        : `${new Date(dateTime).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
      return [original, ...(summary === 'S' ? [] : [summary]), ...(begins === original ? [] : [begins])].join(
        ' ',
      );
    });

  describe('its lines', () => {
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
        'the weekday moves, where it is the only one',
        ['RRULE:FREQ=WEEKLY;BYDAY=MO;UNTIL=20261228T090000Z', 'EXDATE:20261214T090000Z'],
        hourOn('2026-12-08'),
        ['RRULE:FREQ=WEEKLY;BYDAY=TU;UNTIL=20261229T090000Z', 'EXDATE:20261215T090000Z'],
        [],
      ],
      [
        'the begin of the week moves with weekdays of every other week',
        ['RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=SU,MO'],
        hourOn('2026-12-08'),
        ['RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TU;WKST=TU'],
        [],
      ],
      [
        'weekdays stay, where the new one is among them',
        ['RRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;UNTIL=20261231T090000Z'],
        hourOn('2026-12-08'),
        ['RRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;UNTIL=20261231T090000Z'],
        [],
      ],
      [
        'a day of the month stays, and the new start is an occurrence beside it',
        ['RRULE:FREQ=MONTHLY;BYMONTHDAY=7'],
        hourOn('2026-12-08'),
        ['RRULE:FREQ=MONTHLY;BYMONTHDAY=7'],
        ['event.recurrence normalized'],
      ],
      [
        'an excluded date that excludes nothing any more is dropped',
        ['RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=3', 'EXDATE:20261221T090000Z'],
        hourOn('2027-02-01'),
        ['RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=3', 'EXDATE:20270215T090000Z'],
        [],
      ],
      [
        'another zone alone: local times stay',
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
        'all-day instead of at a time',
        ['RRULE:FREQ=DAILY;UNTIL=20261220T090000Z', 'RDATE:20261224T210000Z', 'EXDATE:20261209T090000Z'],
        allDay('2026-12-07', '2026-12-08'),
        ['RRULE:FREQ=DAILY;UNTIL=20261220', 'EXDATE;VALUE=DATE:20261209', 'RDATE;VALUE=DATE:20261224'],
        [],
      ],
    ])('%s', async (_title, recurrence, body, moved, notes) => {
      const made = await series(recurrence);
      const outcome = await move(made, body);
      expect([outcome.event.recurrence.toSorted(), outcome.notes]).toEqual([moved.toSorted(), notes]);
      const again = await gateway.patch(made.id, { start: outcome.event.start });
      expect([again.notes, again.event.etag]).toEqual([[], outcome.event.etag]);
    });

    test('at a time instead of all-day', async () => {
      const made = await series(
        ['RRULE:FREQ=DAILY;UNTIL=20261212', 'RDATE;VALUE=DATE:20261224', 'EXDATE;VALUE=DATE:20261209'],
        allDay('2026-12-07', '2026-12-08'),
      );
      const { event } = await move(made, timedOn('2026-12-07'));
      expect(event.recurrence.toSorted()).toEqual([
        'EXDATE:20261209T090000Z',
        'RDATE:20261224T090000Z',
        'RRULE:FREQ=DAILY;UNTIL=20261212T225959Z',
      ]);
    });

    test('periods keep their lengths, and zones of their own', async () => {
      const { event: made } = await gateway.insert({
        ...hourOn('2026-12-07'),
        recurrence: [
          'RRULE:FREQ=DAILY;COUNT=3',
          'RDATE;VALUE=PERIOD:20261224T090000Z/20261224T100000Z,20261225T090000Z/PT1H',
          'RDATE;TZID=America/New_York:20261226T040000',
        ],
      });
      const { event } = await move(made, hourOn('2026-12-07', 12));
      expect(event.recurrence).toEqual([
        'RRULE:FREQ=DAILY;COUNT=3',
        'RDATE;VALUE=PERIOD:20261224T110000Z/20261224T120000Z,20261225T110000Z/PT1H',
        'RDATE;TZID=America/New_York:20261226T060000',
      ]);
    });

    test('whose days exclude too much for times are refused', async () => {
      const days = (year: number): string =>
        Array.from({ length: 840 }, (_, index) =>
          new Date(Date.UTC(year, 0, 1 + index)).toISOString().slice(0, 10).replaceAll('-', ''),
        ).join(',');
      const made = await series(
        ['RRULE:FREQ=DAILY', ...[2027, 2030, 2033].map((year) => `EXDATE;VALUE=DATE:${days(year)}`)],
        allDay('2026-12-07', '2026-12-08'),
      );
      await gateway.refusesPatch(made.id, timedOn('2026-12-07'), ['recurrence tooMany']);
    });

    test('that are sent back move as those that are left out', async () => {
      const recurrence = ['RRULE:FREQ=WEEKLY;BYDAY=MO;UNTIL=20261228T090000Z', 'EXDATE:20261214T090000Z'];
      const made = await series(recurrence);
      await gateway.change(idOf(made, '20261221T090000Z'), { status: 'cancelled' });
      const { event } = await move(made, { ...allDay('2026-12-08', '2026-12-09'), recurrence });
      expect(event.recurrence).toEqual([
        'RRULE:FREQ=WEEKLY;BYDAY=TU;UNTIL=20261229',
        'EXDATE;VALUE=DATE:20261215',
        'EXDATE;VALUE=DATE:20261222',
      ]);
    });

    test('that come to what is stored move, without a word on their form', async () => {
      const made = await series(['RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=4']);
      const recurrence = ['rrule:freq=weekly;byday=mo;count=4;'];
      const { event, notes } = await move(made, { ...hourOn('2026-12-08'), recurrence });
      expect([event.recurrence, notes]).toEqual([['RRULE:FREQ=WEEKLY;BYDAY=TU;COUNT=4'], []]);
    });

    test('on the day on which the clocks skip their time stay there', async () => {
      const made = await series(['RRULE:FREQ=DAILY;COUNT=5', 'EXDATE;TZID=Europe/Berlin:20270328T023000'], {
        start: at('2027-03-26', '02:30:00'),
        end: at('2027-03-26', '03:00:00'),
      });
      const { event } = await move(made, {
        start: at('2027-03-26', '09:00:00'),
        end: at('2027-03-26', '09:30:00'),
      });
      expect(event.recurrence).toEqual([
        'RRULE:FREQ=DAILY;COUNT=5',
        'EXDATE;TZID=Europe/Berlin:20270328T090000',
      ]);
    });

    test('that are sent are stored as sent', async () => {
      const made = await series(['RRULE:FREQ=DAILY;UNTIL=20261220T090000Z']);
      const recurrence = ['RRULE:FREQ=DAILY;COUNT=3'];
      expect((await move(made, { ...hourOn('2026-12-08', 12), recurrence })).event.recurrence).toEqual(
        recurrence,
      );
    });
  });

  describe('its changed instances', () => {
    const changed = async (made: Shown, changes: Readonly<Record<string, object>>): Promise<void> => {
      for (const [utc, body] of Object.entries(changes)) await gateway.change(idOf(made, utc), body);
    };

    test('move with its time of the day: changes, cancelled ones, own times and own lengths', async () => {
      const made = await series(['RRULE:FREQ=DAILY;COUNT=5']);
      await changed(made, {
        '20261208T090000Z': { summary: 'Other' },
        '20261209T090000Z': { status: 'cancelled' },
        '20261210T090000Z': hourOn('2026-12-10', 15),
        '20261211T090000Z': { end: at('2026-12-11', '13:00:00') },
      });
      const { notes } = await move(made, hourOn('2026-12-07', 11));
      expect(notes).toEqual([]);
      expect(await shownOf(made)).toEqual([
        '20261207T100000Z',
        '20261208T100000Z Other',
        '20261210T100000Z 20261210T140000Z',
        '20261211T100000Z',
      ]);
      const last = await gateway.on(alice, idOf(made, '20261211T100000Z'));
      expect(last.end.dateTime).toBe('2026-12-11T14:00:00+01:00');
      expect(last.originalStartTime.dateTime).toBe('2026-12-11T11:00:00+01:00');
    });

    test('are removed by a new rule that has no place for them, which is warned of', async () => {
      const made = await series(['RRULE:FREQ=WEEKLY;COUNT=4']);
      await changed(made, {
        '20261214T090000Z': { summary: 'Other' },
        '20261221T090000Z': { status: 'cancelled' },
      });
      const fewer = await gateway.patch(made.id, {
        recurrence: ['RRULE:FREQ=WEEKLY;COUNT=1', 'RDATE:20261224T090000Z'],
      });
      expect([fewer.problems, fewer.notes]).toEqual([[], ['event.recurrence instancesRemoved']]);
      expect(fewer.warnings?.[0]?.params).toEqual({ count: 2 });
    });

    test('give way to those that stay, and are removed where no place is left', async () => {
      const made = await series(['RRULE:FREQ=DAILY;COUNT=10']);
      await changed(made, {
        '20261208T090000Z': { summary: 'First' },
        '20261215T090000Z': { summary: 'Second' },
      });
      const { notes, warnings } = await move(made, hourOn('2026-12-14'));
      expect([notes, warnings?.[0]?.params]).toEqual([['event.start instancesRemoved'], { count: 1 }]);
      expect((await shownOf(made)).slice(0, 2)).toEqual(['20261214T090000Z', '20261215T090000Z Second']);
    });

    test('become excluded dates or go, where it is all-day from then on', async () => {
      const made = await series(['RRULE:FREQ=DAILY;COUNT=5']);
      await changed(made, {
        '20261208T090000Z': { summary: 'Other' },
        '20261209T090000Z': { status: 'cancelled' },
      });
      const { event, notes, warnings } = await move(made, allDay('2026-12-07', '2026-12-08'));
      expect(event.recurrence).toEqual(['RRULE:FREQ=DAILY;COUNT=5', 'EXDATE;VALUE=DATE:20261209']);
      expect([notes, warnings?.[0]?.params]).toEqual([['event.start instancesRemoved'], { count: 1 }]);
    });

    test('keep responses and settings of guests', async () => {
      const made = await series(['RRULE:FREQ=DAILY;COUNT=3'], {
        ...hourOn('2026-12-07'),
        attendees: [{ email: bob }],
      });
      const id = idOf(made, '20261208T090000Z');
      await gateway.change(id, answer(bob, 'accepted'), { as: bob });
      await gateway.change(id, { colorId: '3' }, { as: bob });
      await move(made, hourOn('2026-12-07', 12));
      const moved = await gateway.on(bob, idOf(made, '20261208T110000Z'));
      expect([moved.colorId, moved.attendees[0].responseStatus]).toEqual(['3', 'accepted']);
    });
  });

  describe('an old id', () => {
    const expectExpired = async (syncToken: string, as = alice): Promise<void> => {
      const list = `{ result: events(calendarId: "${as}", ${syncToken}) { nodes { id } } }`;
      const { problems } = await gateway.run(list, {}, as);
      expect(problems).toEqual(['BAD_USER_INPUT syncToken invalid']);
    };

    test('is cancelled, cannot be changed, and may be an ordinary occurrence again', async () => {
      const made = await series(['RRULE:FREQ=DAILY;COUNT=3']);
      const [old, other] = [idOf(made, '20261208T090000Z'), idOf(made, '20261208T110000Z')];
      await gateway.change(old, { summary: 'Other' });
      const { syncToken } = await listed(gateway, alice);
      await move(made, hourOn('2026-12-07', 12));
      expect((await listed(gateway, alice, syncToken)).shown).toEqual(
        expect.arrayContaining([`${old} cancelled`, `${other} confirmed`]),
      );
      const { event } = await gateway.read(old);
      expect(event).toMatchObject({ id: old, status: 'cancelled', recurringEventId: made.id });
      expect(event.originalStartTime.dateTime).toBe('2026-12-08T10:00:00+01:00');
      expect((await gateway.patch(old, { summary: 'x' })).problems).toEqual(['NOT_FOUND eventId notFound']);
      await gateway.change(other, { summary: 'Moved' });
      await move(made, hourOn('2026-12-07'));
      expect(await gateway.on(alice, old)).toMatchObject({ status: 'confirmed', summary: 'Moved' });
      expect((await gateway.read(other)).event.status).toBe('cancelled');
    });

    test('names the time at which it was, also of the other kind', async () => {
      const made = await series(['RRULE:FREQ=DAILY;COUNT=5'], {
        start: at('2026-12-06', '00:30:00'),
        end: at('2026-12-06', '01:30:00'),
      });
      const old = idOf(made, '20261206T233000Z');
      await gateway.change(old, { summary: 'Other' });
      await move(made, allDay('2026-12-06', '2026-12-07'));
      const { event } = await gateway.read(old);
      expect([
        event.status,
        event.originalStartTime.date,
        Date.parse(event.originalStartTime.dateTime),
      ]).toEqual(['cancelled', null, Date.parse('2026-12-06T23:30:00Z')]);
    });

    test('is kept for 30 days; then it is not found, and older sync tokens expire', async () => {
      const made = await series(['RRULE:FREQ=DAILY;COUNT=3']);
      const old = idOf(made, '20261208T090000Z');
      await gateway.change(old, { summary: 'Other' });
      const before = await listed(gateway, alice);
      await move(made, hourOn('2026-12-07', 12));
      const after = await listed(gateway, alice);
      const ofSeries = `query { result: instances(calendarId: "${alice}", eventId: "${made.id}", showDeleted: true) { nodes { id } } }`;
      /** Whether each of the lists has the old id. */
      const lists = async () => {
        const { ids: whole } = await listed(gateway, alice, 'showDeleted: true');
        const { ids: expanded } = await listed(gateway, alice, 'showDeleted: true, singleEvents: true');
        const instancesShown = (await gateway.run(ofSeries, {})).event.nodes.map(({ id }: Shown) => id);
        return [whole, expanded, instancesShown].map((ids) => ids.includes(old));
      };
      expect(await lists()).toEqual([true, true, true]);
      now += 31 * 86_400_000;
      expect(await lists()).toEqual([false, false, false]);
      await gateway.expectNotFound(alice, old);
      await expectExpired(before.syncToken);
      await move(made, hourOn('2026-12-07', 13));
      const { ids } = await listed(gateway, alice, after.syncToken);
      expect(ids).toEqual(expect.arrayContaining([made.id, idOf(made, '20261208T120000Z')]));
      expect(ids).not.toContain(old);
      await expectExpired(before.syncToken);
      expect(await lists()).toEqual([false, false, false]);
    });

    test('that a guest has without its series expires the sync tokens of this guest too', async () => {
      const made = await series(['RRULE:FREQ=DAILY;COUNT=3']);
      await gateway.change(idOf(made, '20261208T090000Z'), { attendees: [{ email: bob }] });
      const { ids, syncToken } = await listed(gateway, bob);
      expect(ids).toHaveLength(1);
      await gateway.patch(made.id, { recurrence: ['RRULE:FREQ=DAILY;COUNT=1'] });
      now += 31 * 86_400_000;
      await gateway.patch(made.id, { recurrence: ['RRULE:FREQ=DAILY;COUNT=2'] });
      await gateway.patch(made.id, { recurrence: ['RRULE:FREQ=DAILY;COUNT=1'] });
      await expectExpired(syncToken, bob);
    });
  });

  test('a change from the first instance on moves the series by as much, also behind excluded dates', async () => {
    const made = await series(['RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=4', 'EXDATE:20261207T090000Z']);
    await gateway.change(idOf(made, '20261221T090000Z'), { summary: 'Other' });
    const { event } = await split(idOf(made, '20261214T090000Z'), hourOn('2026-12-15', 12));
    expect(event.before).toBeNull();
    expect(await shownOf(event.following)).toEqual([
      '20261215T110000Z',
      '20261222T110000Z Other',
      '20261229T110000Z',
    ]);
    const [first] = await instances(made.id);
    const { end } = hourOn('2026-12-15', 14);
    expect((await split(first.id, { end })).event.following.end.dateTime).toBe('2026-12-08T15:00:00+01:00');
    const days = await split(first.id, allDay('2026-12-16', '2026-12-17'));
    expect([days.problems, days.event.following.start.date]).toEqual([[], '2026-12-09']);
  });

  test('a change of this and all following ones moves lines and instances from the named one on', async () => {
    const made = await series(['RRULE:FREQ=DAILY;UNTIL=20261213T090000Z', 'EXDATE:20261212T090000Z']);
    await gateway.change(idOf(made, '20261208T090000Z'), { summary: 'Before' });
    await gateway.change(idOf(made, '20261210T090000Z'), { ...hourOn('2026-12-10', 16), summary: 'Named' });
    await gateway.change(idOf(made, '20261211T090000Z'), { summary: 'Behind' });
    const { problems, notes, event } = await split(idOf(made, '20261210T090000Z'), hourOn('2026-12-10', 12));
    expect([problems, notes]).toEqual([[], []]);
    expect(event.following.recurrence).toEqual([
      'RRULE:FREQ=DAILY;UNTIL=20261213T110000Z',
      'EXDATE:20261212T110000Z',
    ]);
    expect(await shownOf(event.before)).toEqual([
      '20261207T090000Z',
      '20261208T090000Z Before',
      '20261209T090000Z',
    ]);
    expect(await shownOf(event.following)).toEqual([
      '20261210T110000Z Named',
      '20261211T110000Z Behind',
      '20261213T110000Z',
    ]);
  });
});
