import type { GuestNotice } from '../../src/core/runtime/notifier.ts';
import {
  alice,
  bob,
  carol,
  emails,
  entryOf,
  eve,
  rita,
  zoned,
  type EventGateway,
  type Outcome,
  type Shown,
} from './event.harness.ts';
import { at, divisionsOn } from './following.harness.ts';
import { periodsOf } from './free-busy.harness.ts';
import { stores } from '../stores.ts';

const daily = { ...zoned, summary: 'Daily', recurrence: ['RRULE:FREQ=DAILY;COUNT=4'] };
const nth = (id: string, day: number): string => `${id}_2026120${day}T090000Z`;
const guests = (...list: string[]) => ({ attendees: list.map((email) => ({ email })) });
const closed = { guestsCanSeeOtherGuests: false };
const own = (responseStatus: string) => ({
  attendeesOmitted: true,
  attendees: [{ email: bob, responseStatus }],
});

interface List {
  /** Each as `id status`. */
  readonly shown: readonly string[];
  readonly nodes: readonly Shown[];
  readonly token: string;
}

/** A guest with a calendar here who was taken off a series, and is invited to one of its instances. */
describe.each(stores)(
  'who was taken off a series and is invited to an instance, over $name',
  ({ useGateways }) => {
    const start = useGateways();

    let gateway: EventGateway;
    const notices: GuestNotice[] = [];
    beforeEach(async () => {
      notices.length = 0;
      gateway = await start({ notifier: { notify: (notice: GuestNotice) => void notices.push(notice) } });
    });
    const { split, clean } = divisionsOn(() => gateway);

    async function list(args = '', as = bob): Promise<List> {
      const { data, errors } = await gateway.ask(
        `{ events(calendarId: "${bob}", first: 250${args && `, ${args}`}) { nodes { id status summary updated etag } nextSyncToken } }`,
        {},
        { as },
      );
      expect(errors).toBeUndefined();
      const { nodes, nextSyncToken } = data.events;
      return { nodes, token: nextSyncToken, shown: nodes.map(({ id, status }: Shown) => `${id} ${status}`) };
    }
    async function instances(id: string, args = ''): Promise<string[]> {
      const { data, errors } = await gateway.ask(
        `{ instances(calendarId: "${bob}", eventId: "${id}"${args}) { nodes { id status } } }`,
        {},
        { as: bob },
      );
      expect(errors).toBeUndefined();
      return data.instances.nodes.map((node: Shown) => `${node.id} ${node.status}`);
    }
    const sync = async (token: string): Promise<readonly string[]> =>
      (await list(`syncToken: "${token}"`)).shown;
    /** A series that Bob was taken off. */
    async function series(
      body: object = {},
      before: (id: string) => Promise<unknown> = async () => {},
    ): Promise<string> {
      const { id } = await gateway.make({ ...daily, ...guests(bob, carol), ...body });
      await before(id);
      await gateway.change(id, guests(carol));
      return id;
    }
    const invite = (id: string, day = 2, controls = {}): Promise<Outcome> =>
      gateway.patch(nth(id, day), guests(bob, carol), controls);

    test.each<[string, object, (id: string) => Promise<unknown>]>([
      ['nobody had changed', {}, async () => {}],
      ['has a summary of its own', {}, (id) => gateway.change(nth(id, 2), { summary: 'Own' })],
      ['the guest had answered', {}, (id) => gateway.change(nth(id, 2), own('tentative'), { as: bob })],
      ['has a list of its own', {}, (id) => gateway.change(nth(id, 2), guests(bob, carol, eve))],
      ['had a list without the guest', {}, (id) => gateway.change(nth(id, 2), guests(carol))],
      ['the guest had removed', {}, (id) => gateway.change(nth(id, 2), { status: 'cancelled' }, { as: bob })],
      ['has hidden guests', closed, (id) => gateway.change(nth(id, 2), { colorId: '4' }, { as: carol })],
    ])('is a guest of one that %s, and of no other', async (_name, body, before) => {
      const id = await series(body, before);
      const instance = nth(id, 2);
      const { token } = await list();
      const { event, problems, notes } = await invite(id);
      expect({ problems, notes, guests: emails(event) }).toEqual({
        problems: [],
        notes: [],
        guests: [bob, carol],
      });
      const seen = await gateway.on(bob, instance);
      expect(seen).toMatchObject({
        id: instance,
        status: 'confirmed',
        recurringEventId: id,
        start: { dateTime: '2026-12-02T10:00:00+01:00' },
      });
      expect(entryOf(seen, bob)).toMatchObject({ responseStatus: 'needsAction', self: true });
      expect(await gateway.on(bob, id)).toMatchObject({ status: 'cancelled', summary: null });
      for (const args of [
        '',
        'singleEvents: true',
        'singleEvents: true, orderBy: startTime',
        `iCalUID: "${seen.iCalUID}"`,
        'timeMin: "2026-12-02T00:00:00Z", timeMax: "2026-12-03T00:00:00Z", showDeleted: true, singleEvents: true',
      ]) {
        expect([args, (await list(args)).shown]).toEqual([args, [`${instance} confirmed`]]);
      }
      expect((await list('', rita)).shown).toEqual([`${instance} confirmed`]);
      expect((await list('showDeleted: true')).shown.toSorted()).toEqual([
        `${id} cancelled`,
        `${instance} confirmed`,
      ]);
      const all = [1, 2, 3, 4].map((day) => `${nth(id, day)} ${day === 2 ? 'confirmed' : 'cancelled'}`);
      for (const order of ['', ', orderBy: startTime'])
        expect((await list(`singleEvents: true, showDeleted: true${order}`)).shown.toSorted()).toEqual(all);
      expect(await sync(token)).toEqual([`${instance} confirmed`]);
      expect([await instances(id), await instances(id, ', showDeleted: true')]).toEqual([
        [`${instance} confirmed`],
        all,
      ]);
      expect(await periodsOf(gateway, { as: bob, calendarIds: [bob] })).toEqual([
        '2026-12-02T09:00:00Z 2026-12-02T10:00:00Z',
      ]);
      expect((await gateway.read(nth(id, 3))).event.attendees.map((entry: Shown) => entry.email)).toEqual([
        carol,
      ]);
    });

    test('answers, removes and restores it, and is told what becomes of it and not of others', async () => {
      const id = await series();
      const instance = nth(id, 2);
      await invite(id);
      await gateway.change(instance, own('accepted'), { as: bob });
      expect(entryOf(await gateway.on(alice, instance), bob).responseStatus).toBe('accepted');
      const removed = await gateway.change(instance, { status: 'cancelled' }, { as: bob });
      expect([
        removed.status,
        (await list()).shown,
        entryOf(await gateway.on(alice, instance), bob).responseStatus,
      ]).toEqual(['cancelled', [], 'declined']);
      await gateway.change(instance, { status: 'confirmed' }, { as: bob });
      const { token } = await list();
      await gateway.change(nth(id, 3), { summary: 'Third' });
      expect(await sync(token)).toEqual([]);
      await gateway.change(id, { summary: 'New' });
      expect([
        await sync(token),
        (await gateway.on(bob, instance)).summary,
        (await gateway.on(bob, id)).summary,
      ]).toEqual([[`${instance} confirmed`], 'New', null]);
    });

    test('gets mail of it, and of no other', async () => {
      const id = await series();
      const all = { sendUpdates: 'all' };
      const told = [
        await invite(id, 2, all),
        await gateway.patch(nth(id, 2), { location: 'Room 1' }, all),
        await gateway.patch(nth(id, 3), { location: 'Room 1' }, all),
        await gateway.patch(id, { location: 'Room 2' }, all),
        await gateway.patch(nth(id, 2), guests(carol), all),
        await gateway.patch(nth(id, 2), { location: 'Room 3' }, all),
      ];
      expect(notices.map((notice) => [...notice.guests].sort())).toEqual([
        [bob, carol],
        [bob, carol],
        [carol],
        [carol],
        [bob, carol],
        [carol],
      ]);
      expect(told.map((outcome) => outcome.told)).toEqual([2, 2, 1, 1, 2, 1]);
    });

    test('finds it when it is after its time changed, and cancelled when the series has no such occurrence', async () => {
      const id = await series();
      const instance = nth(id, 2);
      await invite(id);
      const { token } = await list();
      await gateway.change(instance, {
        start: at('2026-12-24T15:00:00+01:00'),
        end: at('2026-12-24T16:00:00+01:00'),
      });
      const [then, now] = [
        'timeMin: "2026-12-02T00:00:00Z", timeMax: "2026-12-03T00:00:00Z"',
        'timeMin: "2026-12-24T00:00:00Z", timeMax: "2026-12-25T00:00:00Z"',
      ];
      for (const more of ['', ', singleEvents: true', ', singleEvents: true, orderBy: startTime']) {
        expect([(await list(then + more)).shown, (await list(now + more)).shown]).toEqual([
          [],
          [`${instance} confirmed`],
        ]);
      }
      expect(await sync(token)).toEqual([`${instance} confirmed`]);
      const before = await list();
      await gateway.change(id, {
        start: at('2026-12-01T12:00:00+01:00'),
        end: at('2026-12-01T13:00:00+01:00'),
      });
      expect([(await list()).shown, await sync(before.token)]).toEqual([[], [`${instance} cancelled`]]);
      expect((await gateway.read(instance, { as: bob })).problems).toEqual(['NOT_FOUND eventId notFound']);
      expect(await periodsOf(gateway, { as: bob, calendarIds: [bob] })).toEqual([]);
    });

    test('moves with an end of the series that leaves its start', async () => {
      const id = await series();
      await invite(id);
      await gateway.change(id, { end: at('2026-12-01T13:00:00+01:00') });
      expect((await list('timeMin: "2026-12-02T11:00:00Z", timeMax: "2026-12-02T11:30:00Z"')).shown).toEqual([
        `${nth(id, 2)} confirmed`,
      ]);
      expect(await periodsOf(gateway, { as: bob, calendarIds: [bob] })).toEqual([
        '2026-12-02T09:00:00Z 2026-12-02T12:00:00Z',
      ]);
    });

    test.each([
      ['the same list', {}],
      ['hidden guests', closed],
    ])(
      'is back on the series with it, off all when taken off again, and on one again when invited: %s',
      async (_name, body) => {
        const id = await series(body);
        await invite(id);
        await gateway.change(nth(id, 2), own('accepted'), { as: bob });
        const alone = await list();
        await gateway.change(id, guests(carol, bob));
        const every = [1, 2, 3, 4].map((day) => `${nth(id, day)} confirmed`);
        for (const args of [
          'singleEvents: true',
          'singleEvents: true, showDeleted: true',
          'singleEvents: true, orderBy: startTime',
        ])
          expect((await list(args)).shown.toSorted()).toEqual(every);
        expect([(await list()).shown.toSorted(), await instances(id)]).toEqual([
          [`${id} confirmed`, `${nth(id, 2)} confirmed`],
          every,
        ]);
        expect((await sync(alone.token)).toSorted()).toEqual([`${id} confirmed`, `${nth(id, 2)} confirmed`]);
        expect(entryOf(await gateway.on(alice, nth(id, 2)), bob).responseStatus).toBe('accepted');
        const whole = await list();
        await gateway.change(id, guests(carol));
        expect([(await list()).shown, (await list('singleEvents: true')).shown]).toEqual([[], []]);
        expect((await sync(whole.token)).toSorted()).toEqual([`${id} cancelled`, `${nth(id, 2)} cancelled`]);
        expect(emails(await gateway.on(alice, nth(id, 2)))).toEqual([carol]);
        await gateway.change(nth(id, 2), guests(carol, bob));
        expect([
          (await list()).shown,
          entryOf(await gateway.on(bob, nth(id, 2)), bob).responseStatus,
        ]).toEqual([[`${nth(id, 2)} confirmed`], 'needsAction']);
      },
    );

    test('is back on the series with it though it is none at that moment, and keeps there what was set on it', async () => {
      const id = await series({}, (made) => gateway.change(made, { colorId: '4' }, { as: bob }));
      await invite(id);
      await invite(id, 3);
      expect((await gateway.change(nth(id, 3), { colorId: null }, { as: bob })).colorId).toBe(null);
      const moved = { start: at('2026-12-01T12:00:00+01:00'), end: at('2026-12-01T13:00:00+01:00') };
      const { start: first, end } = zoned;
      await gateway.change(nth(id, 2), {
        start: at('2026-12-02T15:00:00+01:00'),
        end: at('2026-12-02T16:00:00+01:00'),
      });
      await gateway.change(id, {
        recurrence: ['RRULE:FREQ=DAILY;COUNT=4', 'EXDATE;TZID=Europe/Berlin:20261202T100000'],
      });
      expect((await list()).shown).toEqual([`${nth(id, 3)} confirmed`]);
      await gateway.change(id, guests(carol, bob));
      await gateway.change(id, { recurrence: daily.recurrence });
      expect((await list('singleEvents: true')).shown.toSorted()).toEqual(
        [1, 2, 3, 4].map((day) => `${nth(id, day)} confirmed`),
      );
      expect([
        (await gateway.on(bob, nth(id, 2))).colorId,
        (await gateway.on(bob, nth(id, 3))).colorId,
      ]).toEqual(['4', null]);
      // Both at once: it is off, and its guest back on the series.
      await gateway.change(id, guests(carol));
      await invite(id);
      await gateway.change(id, { ...moved, ...guests(carol, bob) });
      await gateway.change(id, guests(carol));
      await gateway.change(id, { start: first, end });
      expect([(await list()).shown, emails(await gateway.on(alice, nth(id, 2)))]).toEqual([[], [carol]]);
    });

    test('is invited by an insert of the instance, too', async () => {
      const id = await series();
      const times = { start: at('2026-12-02T15:00:00+01:00'), end: at('2026-12-02T16:00:00+01:00') };
      await gateway.make({
        recurringEventId: id,
        originalStartTime: at('2026-12-02T10:00:00+01:00'),
        ...times,
        ...guests(bob, carol),
      });
      expect((await list('singleEvents: true')).shown).toEqual([`${nth(id, 2)} confirmed`]);
    });

    test('is taken off it alone, has what it was, and is back on it', async () => {
      const id = await series();
      const instance = nth(id, 2);
      await invite(id);
      const { token } = await list();
      await gateway.change(instance, guests(carol));
      expect([(await list()).shown, await sync(token)]).toEqual([[], [`${instance} cancelled`]]);
      const left = await list('showDeleted: true');
      await gateway.change(instance, { summary: 'Secret' });
      await gateway.change(id, { summary: 'Secret' });
      expect([await sync(left.token), (await list('showDeleted: true')).nodes]).toEqual([[], left.nodes]);
      await gateway.change(id, guests(carol, bob));
      expect((await list('singleEvents: true')).shown).toEqual(
        [1, 3, 4].map((day) => `${nth(id, day)} confirmed`),
      );
      await invite(id);
      expect((await list('singleEvents: true')).shown.toSorted()).toEqual(
        [1, 2, 3, 4].map((day) => `${nth(id, day)} confirmed`),
      );
    });

    test('keeps it where the series is divided before it', async () => {
      const id = await series();
      await invite(id, 3);
      await invite(id, 1);
      const { token } = await list();
      const { following } = await clean(split(nth(id, 2)));
      expect((await list()).shown.toSorted()).toEqual(
        [`${nth(id, 1)} confirmed`, `${nth(following.id, 3)} confirmed`].toSorted(),
      );
      expect(await sync(token)).toContain(`${nth(id, 3)} cancelled`);
      expect(emails(await gateway.on(alice, nth(following.id, 3)))).toEqual([bob, carol]);
      await gateway.change(following.id, guests(carol, bob));
      expect((await list('singleEvents: true')).shown.toSorted()).toEqual(
        [nth(id, 1), ...[2, 3, 4].map((day) => nth(following.id, day))]
          .map((one) => `${one} confirmed`)
          .toSorted(),
      );
    });

    test('is invited by a guest too, by difference, and is seen by the others', async () => {
      const id = await series();
      const { event, notes } = await gateway.run(
        `mutation ($id: String!) { result: patchEvent(calendarId: "${carol}", eventId: $id, attendeeChanges: { add: [{ email: "${bob}" }] }, event: {}) { attendees { email } } }`,
        { id: nth(id, 2) },
        carol,
      );
      expect([notes, emails(event), emails(await gateway.on(alice, nth(id, 2)))]).toEqual([
        [],
        [carol, bob],
        [carol, bob],
      ]);
      expect((await list()).shown).toEqual([`${nth(id, 2)} confirmed`]);
    });
  },
);
