import {
  mostMailsADay,
  type ChangeTarget,
  type EventStore,
  type MailRoom,
} from '../../src/event/event.store.ts';
import type { EventRecord } from '../../src/event/model/record.ts';
import {
  mail,
  settlementOf,
  sizesOf,
  type Dropped,
  type Outbox,
  type OutboxItem,
  type OutboxRules,
} from '../../src/outbox/outbox.store.ts';
import {
  alice,
  bob,
  change,
  decideOn,
  hour,
  put,
  putCalendar,
  sampleCalendar,
  sampleEvent,
  withCopy,
} from './event-samples.ts';
import {
  changeWith,
  claimMails,
  completeMails,
  mailsToMany,
  mailTo,
  type MakeMailStores,
} from './mail-samples.ts';
import { startOfTime } from './samples.ts';

const mebibyte = 1024 * 1024;
const bytesIn = (items: readonly OutboxItem[]): number => sizesOf(items).reduce((sum, size) => sum + size, 0);

/** What every store promises of the mails that changes of events cause. */
export function eventMailsContract(name: string, makeStores: MakeMailStores): void {
  describe(`${name} as a store of events: mails`, () => {
    let now: number;
    let store: EventStore;
    let outbox: Outbox<OutboxItem>;
    let lunch: EventRecord;
    const open = async (rules: Partial<OutboxRules> = {}): Promise<void> => {
      const stores = await makeStores(() => now, { outbox: rules });
      ({ events: store, outbox } = stores);
      for (const id of [alice, bob]) await putCalendar(stores.calendars, sampleCalendar(id));
      lunch = await put(store, sampleEvent('lunch'));
    };
    beforeEach(async () => {
      now = startOfTime + hour / 2;
      await open();
    });

    const claimed = async (): Promise<readonly OutboxItem[]> =>
      (await claimMails(outbox)).map(({ item }) => item);
    const complete = (items: readonly OutboxItem[]) => completeMails(outbox, items);
    const mailsLeft = async (mailsBy = 'alice') => (await roomOf({ mailsBy }))?.mails;
    const roomOf = (target: Partial<ChangeTarget> = {}): Promise<MailRoom | undefined> =>
      decideOn(store, lunch, { mailsBy: 'alice', ...target }, ({ mailRoom }) => ({ result: mailRoom }));

    describe('a change', () => {
      test('has its mails stored as they are, for the mail server alone', async () => {
        const mails = mailsToMany(2, '{"event":"Mittag 🙂"}');
        await changeWith(store, lunch, () => mails);
        expect(await outbox.claim([{ destination: 'broker', limit: 10 }], 0)).toEqual([]);
        expect(await claimMails(outbox)).toEqual(
          mails.map((item) => ({ item, owner: alice, destination: mail, attempt: 1, failures: 0 })),
        );
      });

      test('that makes an event has them, too', async () => {
        const made = sampleEvent('dinner');
        await decideOn(store, made, { mailsBy: 'alice' }, () => ({
          added: { record: made, exceptions: [] },
          mails: [mailTo(bob)],
          result: undefined,
        }));
        expect(await claimed()).toHaveLength(1);
      });

      test('that is refused, or comes to nothing, sends none', async () => {
        const refusal = new Error('refused');
        await expect(
          decideOn(store, lunch, { mailsBy: 'alice' }, () => {
            throw refusal;
          }),
        ).rejects.toBe(refusal);
        const mails = [mailTo(bob)];
        await decideOn(store, lunch, { mailsBy: 'alice' }, ({ event }) => ({
          next: event,
          mails,
          result: 0,
        }));
        expect([await outbox.backlog(), await mailsLeft()]).toEqual([{ count: 0 }, mostMailsADay]);
      });

      test('of many at once sends its own mails once, in the order of the changes', async () => {
        await Promise.all(
          Array.from({ length: 20 }, () =>
            changeWith(store, lunch, ({ event }) => [mailTo(bob, { data: `${event?.version}` })]),
          ),
        );
        expect((await claimed()).map(({ data }) => Number(data))).toEqual(
          Array.from({ length: 20 }, (_, index) => index + 1),
        );
      });

      test('that nobody is counted for sends its mails all the same', async () => {
        await changeWith(store, lunch, () => [mailTo(bob)], { mailsBy: undefined });
        expect([(await claimed()).length, await mailsLeft()]).toEqual([1, mostMailsADay]);
      });

      test('among imported ones is stored like any other', async () => {
        const target = { calendar: { id: alice }, eventId: 'new', guests: [], mailsBy: 'alice' };
        const decide = () => ({ next: sampleEvent('new'), mails: [mailTo(bob)], result: undefined });
        await store.importEvents([{ target, decide }]);
        expect(await claimed()).toHaveLength(1);
      });
    });

    test('mails to one guest about one event go in order, and hold up no others', async () => {
      const [first, second, other] = [mailTo(bob), mailTo(bob), mailTo('carol@example.org')];
      for (const mails of [[first], [second, other]]) await changeWith(store, lunch, () => mails);
      const [failed] = (await claimMails(outbox)).filter(({ item }) => item.id === first.id);
      if (failed) await outbox.settle([settlementOf(failed, { attempt: failed.attempt, delayMs: 40_000 })]);
      now += 30_000;
      expect(await claimed()).toEqual([other]);
      now += 30_000;
      expect((await claimed()).filter(({ id }) => id !== other.id)).toEqual([first, second]);
    });

    describe('the room', () => {
      test('is told who may cause mails, and nobody else, and stays as it is without mails', async () => {
        await changeWith(store, lunch, () => []);
        expect(await roomOf()).toEqual({ bytes: 16 * mebibyte, mails: mostMailsADay });
        expect(await roomOf({ mailsBy: undefined })).toBeUndefined();
      });

      test("is what the event's home and all have left, on whatever calendar it is changed", async () => {
        await open({ roomOf: () => ({ bytes: 100_000, bytesPerOwner: 80_000, whenFull: 'refuse' }) });
        lunch = await change(store, lunch, (stored) => withCopy(stored, bob));
        const [here, there] = [mailsToMany(3, 'x'.repeat(5000)), mailsToMany(1, 'x'.repeat(20_000))];
        await changeWith(store, lunch, () => here);
        const other = await put(store, sampleEvent('bobs', { home: bob }));
        await changeWith(store, other, () => there);
        const left = Math.min(80_000 - bytesIn(here), 100_000 - bytesIn(here) - bytesIn(there));
        for (const calendar of [{ id: alice }, { id: bob }])
          expect((await roomOf({ calendar }))?.bytes).toBe(left);
        expect((await roomOf({ eventId: 'other' }))?.bytes).toBe(left);
        await complete(here);
        await completeMails(outbox, there, bob);
        expect((await roomOf())?.bytes).toBe(80_000);
      });

      test('of a home that is full is none, and mails beyond it are left out, of which is told', async () => {
        const dropped: Dropped[] = [];
        const limit = bytesIn(mailsToMany(2)) + 100;
        await open({
          roomOf: () => ({ bytes: limit, bytesPerOwner: limit, whenFull: 'refuse' }),
          onDropped: (one) => void dropped.push(one),
        });
        await changeWith(store, lunch, () => mailsToMany(2));
        await changeWith(store, lunch, () => [...mailsToMany(2), mailTo(bob, { method: 'CANCEL' })]);
        expect(dropped).toEqual([
          { destination: mail, event: 'lunch', method: 'REQUEST', count: 2 },
          { destination: mail, event: 'lunch', method: 'CANCEL', count: 1 },
        ]);
        expect((await store.events([{ calendarId: alice, eventId: 'lunch' }]))[0]?.record).toMatchObject({
          version: 3,
          core: { summary: '3' },
        });
        expect([(await outbox.backlog()).count, await mailsLeft()]).toEqual([2, mostMailsADay - 2]);
      });
    });

    describe('the count of a caller', () => {
      const send = (count: number, caller = 'alice') =>
        changeWith(store, lunch, () => mailsToMany(count), { mailsBy: caller });

      test('is that of all changes, also once the mails are out, and of nobody else', async () => {
        await send(200);
        await send(30, 'long '.repeat(1000));
        await complete(await claimed());
        await send(10);
        expect(await mailsLeft()).toBe(mostMailsADay - 210);
        expect(await mailsLeft('long '.repeat(1000))).toBe(mostMailsADay - 30);
        expect(await mailsLeft('bob')).toBe(mostMailsADay);
      });

      test('goes over any 24 hours', async () => {
        for (const [hours, mails, expected] of [
          [0, 1000, 1000], // at 0.5 hours
          [3, 600, 1600],
          [3, 400, 2000],
          [20.9, 0, 1000], // at 27.4 hours
          [0.2, 900, 1900],
          [2.9, 0, 1300],
          [0.2, 100, 1400],
          [24.1, 50, 150], // at 54.8 hours
          [1000, 1, 1],
        ] as const) {
          now += hours * hour;
          if (mails > 0) await send(mails);
          expect([hours, mostMailsADay - ((await mailsLeft()) ?? 0)]).toEqual([hours, expected]);
        }
      });

      test('never is above the most of a day, however many changes come at once', async () => {
        const lunches = await Promise.all(
          Array.from({ length: 8 }, (_, index) => put(store, sampleEvent(`event${index}`))),
        );
        await send(1000);
        const sent = await Promise.all(
          Array.from({ length: 16 }, (_, index) =>
            changeWith(store, lunches[index % 8] as EventRecord, ({ mailRoom }) =>
              mailsToMany(Math.min(150, mailRoom?.mails ?? 0)),
            ),
          ),
        );
        expect(sent.flat()).toHaveLength(1000);
        expect([await mailsLeft(), (await outbox.backlog()).count]).toEqual([0, mostMailsADay]);
      });
    });

    test('mails that are given up are told by event and method', async () => {
      await changeWith(store, lunch, () => [
        mailTo(bob),
        mailTo('carol@example.org'),
        mailTo(bob, { method: 'CANCEL' }),
        mailTo(bob, { event: 'dinner' }),
      ]);
      const dropped = await outbox.giveUp({ storedBy: now, limit: 10 });
      const expected = [
        { event: 'lunch', method: 'REQUEST', count: 2 },
        { event: 'lunch', method: 'CANCEL', count: 1 },
        { event: 'dinner', method: 'REQUEST', count: 1 },
      ].map((one) => ({ destination: mail, ...one }));
      expect(new Set(dropped)).toEqual(new Set(expected));
      expect(await outbox.backlog()).toEqual({ count: 0 });
    });
  });
}
