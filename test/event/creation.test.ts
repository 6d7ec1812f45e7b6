import {
  alice,
  problemAt,
  berlin,
  bob,
  oneDay,
  oneHour,
  makeMany,
  textOfLength,
  zonedHour,
  useEventGateway,
  wanda,
} from './event.harness.ts';

const duplicateProblem = (field: string): string[] => [`CONFLICT event.${field} duplicate`];
const base32hex = '0123456789abcdefghijklmnopqrstuv';

describe('a new event', () => {
  const gateway = useEventGateway();

  describe('its id', () => {
    const validIds = ['abcde', '09av0', base32hex.repeat(32)];
    test.each(validIds)('%.10s… is kept and used in the iCalUID', async (id) => {
      const event = await gateway.makeEvent({ id });
      expect(event).toMatchObject({ id, iCalUID: `${id}@calendar.example.com` });
      expect((await gateway.read(id)).event).toEqual(event);
    });

    test.each([
      ['abcd', 'invalid'],
      ['', 'invalid'],
      [`${base32hex.repeat(32)}0`, 'tooLong'],
      ['abcdw', 'invalid'],
      ['ABCDE', 'invalid'],
      ['123e4567-e89b-12d3', 'invalid'],
      ['abcde\n', 'invalid'],
      ['äbcde', 'invalid'],
    ])('%j is refused', async (id, reason) => {
      await gateway.expectInsertRefused({ id }, [`id ${reason}`]);
      await gateway.expectNotFound(alice, id);
    });

    test.each([undefined, null])('%s is replaced by a valid, unique one', async (id) => {
      const ids = (await Promise.all(makeMany(20, () => gateway.makeEvent({ id })))).map((event) => event.id);
      expect(new Set(ids).size).toBe(20);
      for (const newId of ids) expect(newId).toMatch(/^[a-v0-9]{5,1024}$/);
    });

    test('that exists on the calendar is a conflict; another calendar may have it', async () => {
      const event = await gateway.makeEvent({ id: 'taken', summary: 'First' });
      for (const validateOnly of [true, false])
        await gateway.expectInsertRefused({ id: 'taken' }, duplicateProblem('id'), { validateOnly });
      expect((await gateway.read('taken')).event).toEqual(event);
      await gateway.makeEvent({ id: 'taken' }, { as: bob, calendarId: bob });
    });

    test('is stored once for a hundred concurrent inserts', async () => {
      const insert = (index: number) => gateway.insert({ ...oneHour, id: 'rush0', summary: `${index}` });
      const outcomes = await Promise.all(makeMany(100, insert));
      const refusedOutcomes = outcomes.filter(({ problems }) => problems[0] === duplicateProblem('id')[0]);
      expect(refusedOutcomes).toHaveLength(99);
      expect((await gateway.read('rush0')).event).toEqual(outcomes.find(({ event }) => event)?.event);
    });
  });

  describe('its iCalUID', () => {
    test.each([
      ['', 'invalid'],
      [textOfLength(1025), 'tooLong'],
    ])('%.5j is refused', async (iCalUID, reason) => {
      await gateway.expectInsertRefused({ iCalUID }, [`iCalUID ${reason}`]);
    });

    test('can be chosen, but not together with an id', async () => {
      const event = await gateway.makeEvent({ iCalUID: 'meeting@elsewhere.example' });
      expect(event.iCalUID).toBe('meeting@elsewhere.example');
      expect(event.id).toMatch(/^[a-v0-9]{5,}$/);
      await gateway.expectInsertRefused({ id: 'chosen', iCalUID: 'a@b.example' }, ['iCalUID invalid']);
    });

    test('of another event of the calendar is a conflict, also in a dry run', async () => {
      for (const { iCalUID } of [
        await gateway.makeEvent(),
        await gateway.makeEvent({ iCalUID: 'twice@elsewhere.example' }),
      ]) {
        for (const validateOnly of [true, false])
          await gateway.expectInsertRefused({ iCalUID }, duplicateProblem('iCalUID'), { validateOnly });
        await gateway.makeEvent({ iCalUID }, { as: bob, calendarId: bob });
      }
    });
  });

  test('has the documented defaults, and null for all other fields', async () => {
    const event = await gateway.makeEvent();
    const { id, iCalUID, etag, created, updated, htmlLink, nodeId: _nodeId, ...otherFields } = event;
    expect([iCalUID, created]).toEqual([`${id}@calendar.example.com`, updated]);
    expect(etag).toMatch(/^"[^"]+"$/);
    expect(created).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(htmlLink).toMatch(/^https:/);
    const self = { id: null, displayName: null, email: alice, self: true };
    expect(Object.fromEntries(Object.entries(otherFields).filter(([, value]) => value !== null))).toEqual({
      kind: 'calendar#event',
      status: 'confirmed',
      transparency: 'opaque',
      visibility: 'default',
      anyoneCanAddSelf: false,
      attendeesOmitted: false,
      endTimeUnspecified: false,
      guestsCanInviteOthers: true,
      guestsCanModify: false,
      guestsCanSeeOtherGuests: true,
      locked: false,
      privateCopy: false,
      sequence: 0,
      creator: self,
      organizer: self,
      start: { ...oneHour.start, date: null, timeZone: null },
      end: { ...oneHour.end, date: null, timeZone: null },
      reminders: { useDefault: true, overrides: null },
    });
  });

  test("has the calendar's owner as organizer and the caller as creator", async () => {
    const people = { creator: { email: wanda, self: false }, organizer: { email: alice, self: true } };
    expect(await gateway.makeEvent({}, { as: wanda })).toMatchObject(people);
  });

  test('treats null as absent, except in a map, where it is an error at its key', async () => {
    const nullFields = { id: null, summary: null, status: null, attendees: null, sequence: null };
    const nullValues = { reminders: null, recurringEventId: null };
    const nestedNulls = { ...nullValues, gadget: { title: null }, extendedProperties: { private: null } };
    const expectedFields = { gadget: null, extendedProperties: null, sequence: 0 };
    expect(await gateway.makeEvent({ ...nullFields, ...nestedNulls })).toMatchObject(expectedFields);
    const body = {
      ...oneHour,
      extendedProperties: { private: { a: '1', b: null }, shared: { c: null } },
      gadget: { preferences: { d: null } },
      conferenceData: { parameters: { addOnParameters: { parameters: { e: null } } } },
    };
    expect((await gateway.insert(body, { conferenceDataVersion: 1 })).problems.toSorted()).toEqual([
      problemAt('conferenceData.parameters.addOnParameters.parameters.e', 'required'),
      problemAt('extendedProperties.private.b', 'required'),
      problemAt('extendedProperties.shared.c', 'required'),
      problemAt('gadget.preferences.d', 'required'),
    ]);
  });

  test('ignores read-only fields, with a warning if they differ', async () => {
    const dates = { created: '2020-01-01T00:00:00Z', updated: '2020-01-01T00:00:00Z' };
    const links = { htmlLink: 'https://x.example', callLink: 'https://x.example' };
    const people = { creator: { email: bob }, organizer: { email: bob } };
    const readOnlyFields = { ...dates, ...links, ...people, etag: '"mine"', locked: true };
    const { event, warningTexts } = await gateway.insert({
      ...oneHour,
      ...readOnlyFields,
      kind: 'calendar#event',
    });
    const warnings = Object.keys(readOnlyFields).map((field) => `event.${field} readOnly`);
    expect(warningTexts.toSorted()).toEqual(warnings.sort());
    const self = { email: alice, self: true };
    expect(event).toMatchObject({ creator: self, organizer: self, locked: false, callLink: null });
    const attendees = [{ email: bob, self: false, organizer: false }];
    await gateway.makeEvent({ locked: false, creator: self, organizer: self, attendees });
  });

  describe('as an exception of a series', () => {
    const originalStartTime = { dateTime: '2026-12-03T10:00:00+01:00', timeZone: berlin };
    const timeInDecember = (time: string) => ({ ...originalStartTime, dateTime: `2026-12-${time}:00+01:00` });
    const movedTimes = {
      start: { dateTime: '2026-12-03T15:00:00+01:00' },
      end: { dateTime: '2026-12-03T16:00:00+01:00' },
    };
    const dailyFields = { ...zonedHour, recurrence: ['RRULE:FREQ=DAILY'], attendees: [{ email: bob }] };
    const makeSeries = (body: object = {}) => gateway.makeEvent({ ...dailyFields, ...body });

    test('shares the iCalUID, has its own id, and exists once', async () => {
      const { id: recurringEventId, iCalUID } = await makeSeries();
      const instance = { ...movedTimes, recurringEventId, originalStartTime };
      const id = `${recurringEventId}_20261203T090000Z`;
      expect(await gateway.makeEvent(instance)).toMatchObject({ ...instance, iCalUID, id });
      await gateway.expectInsertRefused(instance, duplicateProblem('originalStartTime'));
      const { recurrence } = dailyFields;
      const subseries = { ...instance, recurrence, originalStartTime: timeInDecember('04T10:00') };
      expect((await gateway.insert(subseries)).problems).toContain(problemAt('recurrence', 'invalid'));
    });

    test.each<[string, object, ...string[]]>([
      ['of a missing event', { recurringEventId: 'nothere' }, 'recurringEventId invalid'],
      ['without the original start', { originalStartTime: null }, 'originalStartTime required'],
      ['with another iCalUID', { iCalUID: 'other@elsewhere.example' }, 'iCalUID invalid'],
      ['without the series', { recurringEventId: null }, 'originalStartTime invalid'],
      ['with a day as the original start', { originalStartTime: oneDay.start }, 'originalStartTime invalid'],
      ['with another id', { id: 'another' }, 'id invalid'],
      ['with a null for its end', { end: null }, 'end required'],
      ['with another start only', { end: undefined, start: originalStartTime }, 'end required'],
      [
        'with a null for its end and without such an occurrence',
        { end: null, originalStartTime: timeInDecember('03T11:00') },
        'originalStartTime invalid',
        'end required',
      ],
    ])('%s is refused', async (_name, change, ...problems) => {
      const { id: recurringEventId } = await makeSeries();
      await gateway.expectInsertRefused(
        { ...movedTimes, recurringEventId, originalStartTime, ...change },
        problems,
      );
    });

    test('may change from a time to a day and back', async () => {
      const timedSeries = await makeSeries();
      const allDay = { start: { date: '2026-12-03' }, end: { date: '2026-12-05' } };
      const emptyTime = { date: null, dateTime: null, timeZone: null };
      const instance = { ...allDay, recurringEventId: timedSeries.id, originalStartTime };
      const [start, end] = [allDay.start, allDay.end].map((time) => ({ ...emptyTime, ...time }));
      const expectedTimes = { start, end, originalStartTime };
      expect(await gateway.makeEvent(instance)).toMatchObject(expectedTimes);
      expect(await gateway.readOn(bob, `${timedSeries.id}_20261203T090000Z`)).toMatchObject(allDay);
      const [firstDay, secondDay] = [oneDay.start, oneDay.end].map((time) => ({ ...time, timeZone: berlin }));
      const dailyBody = { start: firstDay, end: secondDay, recurrence: ['RRULE:FREQ=DAILY'] };
      const dailySeries = await gateway.makeEvent(dailyBody);
      const dayInstance = { recurringEventId: dailySeries.id, originalStartTime: { date: '2026-12-03' } };
      const times = ['15', '16'].map((hours) => ({ dateTime: `2026-12-03T${hours}:00:00` }));
      const withoutZone = { ...dayInstance, start: times[0], end: times[1] };
      await gateway.expectInsertRefused(withoutZone, ['start.timeZone required', 'end.timeZone required']);
      const timedInstance = {
        start: { ...emptyTime, ...movedTimes.start },
        end: { ...emptyTime, ...movedTimes.end },
      };
      expect(await gateway.makeEvent({ ...dayInstance, ...movedTimes })).toMatchObject(timedInstance);
    });

    test('has by default the time zone of the series', async () => {
      const { id: recurringEventId } = await makeSeries();
      const localTimes = {
        start: { dateTime: '2026-12-03T15:00:00' },
        end: { dateTime: '2026-12-03T16:00:00', timeZone: 'Europe/London' },
      };
      expect(await gateway.makeEvent({ ...localTimes, recurringEventId, originalStartTime })).toMatchObject({
        start: { dateTime: '2026-12-03T15:00:00+01:00', timeZone: berlin },
        end: { dateTime: '2026-12-03T16:00:00+00:00', timeZone: 'Europe/London' },
      });
    });

    test.each<[string, object, object | undefined]>([
      ['that does not recur', { recurrence: null }, undefined],
      ['that is cancelled', {}, { status: 'cancelled' }],
    ])('of an event %s is refused', async (_name, body, change) => {
      const { id: recurringEventId } = await makeSeries(body);
      if (change) await gateway.changeEvent(recurringEventId, change);
      const instance = { ...movedTimes, recurringEventId, originalStartTime };
      await gateway.expectInsertRefused(instance, ['recurringEventId invalid']);
    });

    test('may have its computed id, change nothing, or be cancelled without times', async () => {
      const { id: recurringEventId } = await makeSeries();
      const unchangedInstance = {
        recurringEventId,
        originalStartTime: timeInDecember('04T10:00'),
        id: `${recurringEventId}_20261204T090000Z`,
        start: timeInDecember('04T10:00'),
        end: timeInDecember('04T11:00'),
      };
      expect(await gateway.makeEvent(unchangedInstance)).toMatchObject(unchangedInstance);
      await gateway.expectInsertRefused(unchangedInstance, duplicateProblem('originalStartTime'));
      const cancelledInstance = {
        recurringEventId,
        originalStartTime: timeInDecember('05T10:00'),
        status: 'cancelled',
      };
      const { event } = await gateway.insert(cancelledInstance);
      expect(event).toMatchObject({ id: `${recurringEventId}_20261205T090000Z`, status: 'cancelled' });
    });

    test('is inserted by the organizer, or by a guest who may modify the series', async () => {
      const { id: recurringEventId } = await makeSeries();
      const instance = { ...movedTimes, recurringEventId, originalStartTime };
      const { errors } = await gateway.insert(instance, { as: bob });
      const extensions = { code: 'FORBIDDEN', reason: 'forbiddenForNonOrganizer' };
      expect(errors).toMatchObject([{ extensions }]);
      await gateway.changeEvent(recurringEventId, { guestsCanModify: true });
      await gateway.makeEvent(instance, { as: bob, calendarId: bob });
      expect(await gateway.readOn(alice, `${recurringEventId}_20261203T090000Z`)).toMatchObject(movedTimes);
    });
  });
});
