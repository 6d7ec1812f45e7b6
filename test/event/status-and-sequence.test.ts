import {
  alice,
  berlin,
  problemAt,
  bob,
  oneDay,
  oneHour,
  idOnlyFields,
  halfAnHourLater,
  listPresentFields,
  withoutNulls,
  zonedHour,
  type EventJson,
  useEventGateway,
  rita,
  wanda,
} from './event.harness.ts';
import { responseOf, withGuests, hourAt } from './list.harness.ts';

const weeklySeries = { ...zonedHour, recurrence: ['RRULE:FREQ=WEEKLY;COUNT=5'] };
const { attendees } = withGuests(bob);
const statusForbidden = ['FORBIDDEN event.status forbidden'];
/** Writers of the organizer's and a guest's calendar. */
const writers = [
  [alice, alice],
  [wanda, alice],
  [bob, bob],
  [wanda, bob],
] as const;

describe('the status of an event', () => {
  const gateway = useEventGateway();
  const makeEventId = async (body: object = {}): Promise<string> =>
    (await gateway.makeEvent({ summary: 'Planning', attendees, ...body })).id;

  test.each([
    ['confirmed', 'tentative'],
    ['confirmed', 'cancelled'],
    ['tentative', 'confirmed'],
    ['tentative', 'cancelled'],
    ['cancelled', 'confirmed'],
    ['cancelled', 'tentative'],
    ['tentative', null],
    ['cancelled', null],
  ])(
    'from %s to %s increases the sequence and shows on all copies; null means confirmed',
    async (from, to) => {
      const id = await makeEventId({ status: from });
      const status = to ?? 'confirmed';
      const event = await gateway.changeEvent(id, { status: to });
      expect(event).toMatchObject({ status, sequence: 1, summary: 'Planning' });
      expect(await gateway.readOn(alice, id)).toEqual(event);
      expect(await gateway.readOn(bob, id)).toMatchObject({ status });
    },
  );

  describe('a cancelled event', () => {
    const makeCancelled = async (body: object = {}): Promise<string> => {
      const id = await makeEventId(body);
      await gateway.changeEvent(id, { status: 'cancelled' });
      return id;
    };

    test("keeps its details on the organizer's calendar, and only its id on a guest's", async () => {
      const { etag: _etag, updated: _updated, ...before } = await gateway.makeEvent({ attendees });
      await gateway.changeEvent(before.id, { status: 'cancelled' });
      const cancelledEvent = { ...before, status: 'cancelled', sequence: 1 };
      expect(await gateway.readOn(alice, before.id)).toMatchObject(cancelledEvent);
      expect(listPresentFields(await gateway.readOn(bob, before.id))).toEqual(idOnlyFields);
    });

    test.each<[string, object]>([
      ['another title', { summary: 'Other' }],
      ["this copy's colour", { colorId: '1' }],
      ['another guest', { attendees: [{ email: bob }, { email: alice }] }],
      ['cancelling with another title', { status: 'cancelled', summary: 'Other' }],
    ])('refuses %s with a hint to restore it', async (_name, body) => {
      const id = await makeCancelled();
      const before = await gateway.readOn(alice, id);
      const refusal = await gateway.expectPatchRefused(id, body, statusForbidden);
      expect(refusal.errors?.[0]?.extensions.issues[0]?.message).toMatch(/restore/i);
      expect(await gateway.readOn(alice, id)).toEqual(before);
    });

    const ineffectiveBodies: readonly [string, (currentEvent: EventJson) => object][] = [
      ['nothing', () => ({})],
      ['cancelling once more', () => ({ status: 'cancelled' })],
      ['the event as read', (currentEvent) => currentEvent],
      ['the event as read, without nulls', (currentEvent) => withoutNulls(currentEvent) as object],
    ];
    test.each(
      ineffectiveBodies.flatMap(([name, body]) =>
        writers.map(([as, calendarId]) => ({ name, body, as, calendarId })),
      ),
    )('is unchanged by $name, for $as on the calendar of $calendarId', async ({ body, as, calendarId }) => {
      for (const canceller of [alice, bob]) {
        const id = await makeEventId();
        await gateway.changeEvent(id, { status: 'cancelled' }, { as: canceller });
        // The event that Bob deleted on his own calendar is not cancelled on Alice's.
        if (canceller === bob && calendarId === alice) continue;
        const before = await gateway.readOn(calendarId, id, as);
        expect(await gateway.changeEvent(id, body(before), { as, calendarId })).toEqual(before);
      }
    });

    test('refuses any patch from a reader', async () => {
      const id = await makeCancelled();
      const { problems } = await gateway.patch(id, {}, { as: rita, calendarId: alice });
      expect(problems).toEqual([expect.stringMatching(/^FORBIDDEN .*forbidden$/)]);
    });

    test('is restored by its organizer only, together with other changes', async () => {
      const id = await makeCancelled({ guestsCanModify: true });
      for (const status of ['confirmed', 'tentative'])
        await gateway.expectPatchRefused(id, { status }, statusForbidden, { as: bob });
      await gateway.changeEvent(id, { status: 'tentative', summary: 'Again' });
      const restoredFields = { status: 'tentative', summary: 'Again', sequence: 2 };
      expect(await gateway.readOn(bob, id)).toMatchObject(restoredFields);
    });
  });

  describe.each([false, true])('a guest who deletes an own copy (guestsCanModify: %s)', (guestsCanModify) => {
    const makeDeleted = async (body: object = {}): Promise<string> => {
      const id = await makeEventId({ guestsCanModify, ...body });
      await gateway.changeEvent(id, { status: 'cancelled', colorId: '4' }, { as: bob });
      return id;
    };

    test('keeps the event for others, its details, and sees later changes', async () => {
      const {
        id,
        etag: _etag,
        ...copyBefore
      } = await gateway.readOn(bob, await makeEventId({ guestsCanModify }));
      const event = await gateway.changeEvent(id, { status: 'cancelled' }, { as: bob });
      const { updated } = event;
      expect(event).toMatchObject({ ...copyBefore, attendees, updated, status: 'cancelled' });
      expect(await gateway.readOn(alice, id)).toMatchObject({ status: 'confirmed', sequence: 0 });
      await gateway.changeEvent(id, { summary: 'Other' });
      expect(await gateway.readOn(bob, id)).toMatchObject({ status: 'cancelled', summary: 'Other' });
    });

    test('can change nothing but restore it', async () => {
      const id = await makeDeleted();
      for (const body of [{ colorId: '1' }, responseOf(bob, 'accepted')])
        await gateway.expectPatchRefused(id, body, statusForbidden, { as: bob });
      const restoringPatch = { status: 'confirmed', transparency: 'transparent' };
      const event = await gateway.changeEvent(id, restoringPatch, { as: bob });
      expect(event).toMatchObject({ ...restoringPatch, colorId: '4', sequence: 0 });
    });

    test("restores it with the event's status", async () => {
      const id = await makeDeleted({ status: 'tentative' });
      expect((await gateway.changeEvent(id, { status: 'tentative' }, { as: bob })).status).toBe('tentative');
      if (guestsCanModify) return;
      const tentativeId = await makeDeleted({ status: 'tentative' });
      const { event, warningTexts } = await gateway.patch(tentativeId, { status: 'confirmed' }, { as: bob });
      expect(event).toMatchObject({ status: 'tentative', sequence: 0 });
      expect(warningTexts).toEqual(['event.status ignored']);
    });
  });

  describe('sequence', () => {
    const inBerlin = { start: { timeZone: berlin }, end: { timeZone: berlin } };
    test.each<[string, object]>([
      ['start', halfAnHourLater],
      ['end', { end: { dateTime: '2026-12-01T11:30:00+01:00' } }],
      ['the zone of the start', { start: { timeZone: berlin } }],
      ['start and end', hourAt('2026-12-02', 10)],
      ['recurrence', { ...inBerlin, recurrence: weeklySeries.recurrence }],
      ['status', { status: 'tentative' }],
      ['all of them', { ...weeklySeries, status: 'tentative' }],
    ])('increases by one with a change of %s', async (_name, body) => {
      expect((await gateway.changeEvent(await makeEventId({ sequence: 3 }), body)).sequence).toBe(4);
    });

    test.each<[string, object]>([
      ['the same start and status', { start: oneHour.start, status: 'confirmed' }],
      ['other shared fields', { summary: 'Other', location: 'x', description: 'y', attendees: [] }],
      ["this copy's fields", { colorId: '1', transparency: 'transparent', reminders: { useDefault: true } }],
      ['no recurrence where there was none', { recurrence: null }],
    ])('does not increase with %s', async (_name, body) => {
      expect((await gateway.changeEvent(await makeEventId({ sequence: 3 }), body)).sequence).toBe(3);
    });

    test.each([
      [2, {}, problemAt('sequence', 'invalid')],
      [3, {}, 3],
      [4, {}, 4],
      [9, { status: 'tentative' }, 9],
      [3, { status: 'tentative' }, 4],
      [2, { status: 'tentative' }, problemAt('sequence', 'invalid')],
      [null, {}, problemAt('sequence', 'invalid')],
    ])('of 3, patched with %j and %j, gives %j', async (sequence, moreFields, expected) => {
      const outcome = await gateway.patch(await makeEventId({ sequence: 3 }), { sequence, ...moreFields });
      expect(outcome.problems[0] ?? outcome.event.sequence).toBe(expected);
    });

    test('stays at the maximum Int', async () => {
      const id = await makeEventId({ sequence: 2_147_483_647 });
      expect(await gateway.changeEvent(id, halfAnHourLater)).toMatchObject({
        ...halfAnHourLater,
        sequence: 2_147_483_647,
      });
    });
  });
});

describe('a patch', () => {
  const gateway = useEventGateway();

  const listFormats = (timestamp: string): string[] => {
    const utc = new Date(timestamp).toISOString();
    const withOffset = utc.replace('Z', '+00:00').toLowerCase();
    return [utc, utc.replace('.000Z', 'Z'), withOffset, utc.replace('Z', '000-00:00')];
  };
  test.each(writers)(
    'may write the same instants differently, for %s on the calendar of %s',
    async (as, calendarId) => {
      const { id } = await gateway.makeEvent({ ...zonedHour, attendees, sequence: 2 });
      const before = await gateway.readOn(calendarId, id, as);
      for (const [index, dateTime] of listFormats(oneHour.start.dateTime).entries()) {
        const bodies = [
          { start: { dateTime } },
          {
            start: { dateTime, timeZone: berlin },
            end: { dateTime: listFormats(oneHour.end.dateTime)[index] },
          },
          { created: listFormats(before.created)[index], updated: before.updated.replace('Z', '+00:00') },
          { start: { dateTime: '2026-12-01T10:00:00' } },
          { ...before, start: { ...before.start, dateTime } },
        ];
        for (const body of bodies)
          expect(await gateway.changeEvent(id, body, { as, calendarId })).toEqual(before);
      }
    },
  );

  test('with another zone or instant keeps the form of unchanged times', async () => {
    const { id } = await gateway.makeEvent({ ...zonedHour });
    const movedEvent = await gateway.changeEvent(id, {
      start: { dateTime: '2026-12-01T09:00:00Z', timeZone: 'Europe/Paris' },
      end: { dateTime: '2026-12-01T10:00:00.000Z' },
    });
    expect(movedEvent).toMatchObject({
      start: { timeZone: 'Europe/Paris' },
      end: zonedHour.end,
      sequence: 1,
    });
    const end = { dateTime: '2026-12-01T10:30:00.000Z' };
    expect((await gateway.changeEvent(id, { end })).end).toMatchObject(end);
  });

  test('may repeat any stored values', async () => {
    const fullBody = {
      ...oneHour,
      summary: 'Plan',
      colorId: '3',
      attendees: [{ email: 'Bob@example.com', displayName: 'Bob' }],
      sequence: 4,
      extendedProperties: { private: { a: '1' }, shared: { b: '2' } },
      gadget: { height: 5, preferences: { p: 'q' } },
      source: { title: 'T', url: 'https://a.example' },
    };
    const before = await gateway.makeEvent(fullBody);
    const unchangedBodies: object[] = [
      {},
      fullBody,
      before,
      withoutNulls(before) as object,
      { kind: 'calendar#event', locked: false, callLink: null },
      { start: { date: null } },
      { recurrence: null },
      { recurringEventId: null, originalStartTime: null, privateCopy: false, iCalUID: before.iCalUID },
      { extendedProperties: { private: { z: null } } },
      { reminders: { useDefault: true } },
      { reminders: null },
      { gadget: {} },
      { visibility: 'default', transparency: null, guestsCanInviteOthers: true, status: null },
      { attendees: [{ email: bob, responseStatus: 'needsAction', additionalGuests: 0, optional: null }] },
    ];
    const options = { supportsAttachments: true, conferenceDataVersion: 1 };
    for (const body of unchangedBodies)
      expect(await gateway.changeEvent(before.id, body, options)).toEqual(before);
  });

  test('merges objects and maps, replaces lists and scalars, and clears with null at every level', async () => {
    const stringMap = { a: '1', b: '2' };
    const { id } = await gateway.makeEvent({
      ...oneDay,
      description: 'Old',
      source: { title: 'T', url: 'https://a.example' },
      gadget: { height: 5, title: 'G', preferences: stringMap },
      extendedProperties: { private: stringMap, shared: stringMap },
    });
    const event = await gateway.changeEvent(id, {
      description: null,
      source: { title: null },
      gadget: { title: 'New', preferences: { a: null, c: '3' } },
      extendedProperties: { private: { b: 'new' }, shared: null },
      end: { date: '2026-12-03' },
    });
    expect(event).toMatchObject({
      description: null,
      source: { title: null, url: 'https://a.example' },
      start: { date: '2026-12-01' },
      end: { date: '2026-12-03' },
      gadget: { height: 5, title: 'New', preferences: { b: '2', c: '3' } },
      extendedProperties: { private: { a: '1', b: 'new' }, shared: null },
    });
    expect(Object.keys(event.extendedProperties.private)).toEqual(['a', 'b']);
    const nullPatch = { gadget: null, extendedProperties: { private: null }, source: { url: null } };
    const clearedFields = { gadget: null, extendedProperties: null, source: null };
    expect(await gateway.changeEvent(id, nullPatch)).toMatchObject(clearedFields);
    for (const field of ['start', 'end'])
      await gateway.expectPatchRefused(id, { [field]: null }, [`${field} required`]);
  });
});
