import {
  alice,
  berlin,
  bob,
  carol,
  many,
  people,
  popup,
  rita,
  wanda,
  zoned,
  type EventGateway,
  type Shown,
} from './event.harness.ts';
import { stores } from '../stores.ts';

const daily = { ...zoned, recurrence: ['RRULE:FREQ=DAILY;COUNT=4'] };
const nth = (id: string, day: number): string => `${id}_2026120${day}T090000Z`;
const fields = 'nodes { id status summary start { dateTime } } nextSyncToken';

async function ids(gateway: EventGateway, args: string, as: string = alice): Promise<string[]> {
  const { data, errors } = await gateway.ask(
    `{ events(calendarId: "${as}", ${args}) { ${fields} } }`,
    {},
    { as },
  );
  expect(errors).toBeUndefined();
  return data.events.nodes.map(({ id }: Shown) => id);
}

describe.each(stores)('lists, over $name', ({ useGateways }) => {
  const start = useGateways();

  test('by start are answered while others write, and have every event that nobody touched once and in order', async () => {
    const gateway = await start();
    const at = (day: number, time: string) => ({
      start: { dateTime: `2027-01-${String(day).padStart(2, '0')}T${time}:00Z` },
      end: { dateTime: `2027-01-${String(day).padStart(2, '0')}T${time}:30Z` },
    });
    const still: string[] = [];
    for (const day of many(20, (index) => index + 1)) still.push((await gateway.make(at(day, '09:00'))).id);
    const moving = await Promise.all(
      many(6, async (index) => (await gateway.make(at(index + 1, '12:00'))).id),
    );
    let writing = true;
    const writers = moving.map(async (id, index) => {
      for (let round = 0; writing; round += 1)
        await gateway.change(id, at(21 + ((index + round) % 8), '12:00'));
    });
    try {
      for (let round = 0; round < 8; round += 1) {
        const listed = await ids(
          gateway,
          'singleEvents: true, orderBy: startTime, timeMin: "2027-01-01T00:00:00Z", timeMax: "2027-02-01T00:00:00Z"',
        );
        expect(listed.filter((id) => still.includes(id))).toEqual(still);
      }
    } finally {
      writing = false;
      await Promise.all(writers);
    }
  });

  test.each<[string, object]>([
    ['another colour', { colorId: '5' }],
    ['reminders', { reminders: { useDefault: false, overrides: [popup(3)] } }],
  ])('by update have each instance once for all, also one to which a guest gave %s', async (_name, own) => {
    const gateway = await start();
    const { id } = await gateway.make({ ...daily, attendees: [{ email: bob }, { email: carol }] });
    await gateway.change(nth(id, 2), own, { as: bob });
    for (const as of [alice, bob, carol]) {
      expect((await ids(gateway, 'singleEvents: true, orderBy: updated', as)).sort()).toEqual(
        [1, 2, 3, 4].map((day) => nth(id, day)),
      );
    }
  });

  test('have no instance with a guest list of its own for who is invited to the series later', async () => {
    const gateway = await start();
    const { id } = await gateway.make({ ...daily, attendees: [{ email: bob }] });
    await gateway.change(nth(id, 2), { attendees: [{ email: bob }, { email: wanda }] });
    await gateway.change(id, { attendees: [{ email: bob }, { email: carol }] });
    expect((await gateway.read(nth(id, 2), { as: carol })).problems).toEqual(['NOT_FOUND eventId notFound']);
    for (const args of [
      'singleEvents: true',
      'singleEvents: true, orderBy: startTime',
      'singleEvents: true, orderBy: updated',
      'singleEvents: true, showDeleted: true',
    ]) {
      expect((await ids(gateway, args, carol)).sort()).toEqual([1, 3, 4].map((day) => nth(id, day)));
    }
  });

  test('keep the order that was given to the list of one instance, with the entries of the series', async () => {
    const gateway = await start();
    const { id } = await gateway.make({ ...daily, attendees: [{ email: bob }, { email: carol }] });
    await gateway.change(nth(id, 2), { attendees: [{ email: carol }, { email: bob }, { email: wanda }] });
    await gateway.change(id, { attendees: [{ email: bob, displayName: 'Bob' }, { email: carol }] });
    expect(
      (await gateway.read(nth(id, 2))).event.attendees.map(({ email, displayName }: Shown) => [
        email,
        displayName,
      ]),
    ).toEqual([
      [carol, null],
      [bob, 'Bob'],
      [wanda, null],
    ]);
  });

  test('have an instance that a guest answered also when guests are hidden later', async () => {
    const gateway = await start();
    const { id } = await gateway.make({ ...daily, attendees: [{ email: bob }, { email: carol }] });
    await gateway.change(
      nth(id, 2),
      { attendees: [{ email: carol, responseStatus: 'declined' }], attendeesOmitted: true },
      { as: carol },
    );
    expect(await ids(gateway, 'first: 50', bob)).toEqual([id, nth(id, 2)]);
    await gateway.change(id, { guestsCanSeeOtherGuests: false });
    expect(await ids(gateway, 'first: 50', bob)).toEqual([id, nth(id, 2)]);
  });

  test('have what a guest of one instance was left with, also when the series moves away from it', async () => {
    const gateway = await start();
    const { id } = await gateway.make({ ...daily, attendees: [{ email: carol }] });
    await gateway.change(nth(id, 2), { attendees: [{ email: carol }, { email: bob }] });
    await gateway.change(nth(id, 2), { attendees: [{ email: carol }] });
    expect(await ids(gateway, 'showDeleted: true', bob)).toEqual([nth(id, 2)]);
    await gateway.change(id, {
      start: { dateTime: '2026-12-11T10:00:00+01:00' },
      end: { dateTime: '2026-12-11T11:00:00+01:00' },
    });
    expect(await ids(gateway, 'showDeleted: true', bob)).toEqual([nth(id, 2)]);
    expect(await ids(gateway, 'first: 50', bob)).toEqual([]);
  });

  test('have what is left of an instance whose series stopped being one', async () => {
    const gateway = await start();
    const { id } = await gateway.make(daily);
    await gateway.change(nth(id, 2), { status: 'cancelled' });
    await gateway.change(id, { recurrence: null });
    for (const args of [
      'showDeleted: true',
      'singleEvents: true, showDeleted: true',
      'singleEvents: true, showDeleted: true, orderBy: startTime',
    ]) {
      expect(await ids(gateway, args)).toEqual([id, nth(id, 2)]);
    }
  });

  test('by start have what is left of an instance where it was when the caller was taken off', async () => {
    const gateway = await start();
    const { id } = await gateway.make({ ...daily, attendees: [{ email: bob }, { email: carol }] });
    await gateway.change(nth(id, 3), {
      attendees: [{ email: carol }],
      start: { dateTime: '2026-12-01T12:00:00+01:00' },
      end: { dateTime: '2026-12-01T13:00:00+01:00' },
    });
    expect(await ids(gateway, 'singleEvents: true, showDeleted: true, orderBy: startTime', bob)).toEqual(
      [1, 2, 3, 4].map((day) => nth(id, day)),
    );
    expect(await ids(gateway, 'singleEvents: true, showDeleted: true, orderBy: startTime', carol)).toEqual(
      [1, 3, 2, 4].map((day) => nth(id, day)),
    );
  });

  test('have an instance to which a reader was invited alone, though its guests are hidden', async () => {
    const gateway = await start();
    const { id } = await gateway.make({
      ...daily,
      guestsCanSeeOtherGuests: false,
      attendees: [{ email: bob }],
    });
    await gateway.change(nth(id, 3), { attendees: [{ email: bob }, { email: rita }] });
    const { data } = await gateway.ask(
      `{ events(calendarId: "${alice}") { nodes { id attendees { email } } } }`,
      {},
      { as: rita },
    );
    expect(data.events.nodes).toEqual([
      { id, attendees: [{ email: bob }] },
      { id: nth(id, 3), attendees: [{ email: rita }] },
    ]);
  });

  test('have each imported exception, also one that is stored in the same millisecond as its series', async () => {
    const [calendar, ...others] = people();
    const series = many(40, (index) => ({ id: `series${index}`, ...daily }));
    const exceptions = series.map(({ id }, index) => ({
      id: nth(id, 2),
      recurringEventId: id,
      originalStartTime: { dateTime: '2026-12-02T10:00:00+01:00', timeZone: berlin },
      summary: `changed ${index}`,
      start: { dateTime: '2026-12-02T15:00:00+01:00', timeZone: berlin },
      end: { dateTime: '2026-12-02T16:00:00+01:00', timeZone: berlin },
    }));
    const clock = (): number => Date.UTC(2026, 10, 1);
    const gateway = await start({
      clock,
      seed: { calendars: [{ ...calendar, events: [...series, ...exceptions] }, ...others] },
    });
    expect(await ids(gateway, 'first: 2500')).toEqual([
      ...series.map(({ id }) => id),
      ...exceptions.map(({ id }) => id),
    ]);
    expect(
      (await ids(gateway, 'singleEvents: true, orderBy: updated, q: "changed", first: 2500')).sort(),
    ).toEqual(exceptions.map(({ id }) => id).sort());
    // And the next change has another etag, though the clock stands.
    const before = await gateway.on(alice, 'series0');
    expect((await gateway.change('series0', { summary: 'New' })).etag).not.toBe(before.etag);
  });

  test('with single events tell by sync that a series stopped being one: the token has expired', async () => {
    const gateway = await start();
    const { id } = await gateway.make({ ...daily, attendees: [{ email: bob }] });
    const tokens = await Promise.all(
      [alice, bob].map(
        async (as) =>
          (
            await gateway.ask(
              '{ events(calendarId: "primary", singleEvents: true) { nextSyncToken } }',
              {},
              { as },
            )
          ).data.events.nextSyncToken as string,
      ),
    );
    await gateway.change(id, { recurrence: null });
    await gateway.change(id, { summary: 'Once' });
    for (const [index, as] of [alice, bob].entries()) {
      const { errors, data } = await gateway.ask(
        'query ($syncToken: String) { events(calendarId: "primary", singleEvents: true, syncToken: $syncToken) { nodes { id } } }',
        { syncToken: tokens[index] },
        { as },
      );
      expect([data.events, errors?.[0]?.extensions.issues[0]]).toMatchObject([
        null,
        { path: ['syncToken'], message: expect.stringMatching(/expired/) },
      ]);
    }
  });
});
