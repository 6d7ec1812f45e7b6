import { maxMailsPerDay } from '../../src/event/event.store.ts';
import type { ChangeState, ChangeTarget, EventStore, MailQuota } from '../../src/event/event.store.ts';
import type { EventRecord } from '../../src/event/model/record.ts';
import { mailServerName, settlementOf, computeItemBytes } from '../../src/outbox/outbox.store.ts';
import type { DroppedItems, Outbox, OutboxItem, OutboxRules } from '../../src/outbox/outbox.store.ts';
import {
  changeEvent,
  decideOn,
  hourMs,
  putEvent,
  putCalendar,
  sampleCalendar,
  sampleEvent,
  withCopy,
  alice,
  bob,
} from './event-samples.ts';
import { changeWithMails, claimMails, completeMails, mailsToMany, mailTo } from './mail-samples.ts';
import type { MakeMailStores } from './mail-samples.ts';
import { refuse, startOfTime } from './samples.ts';

const mebibyte = 1024 * 1024;
const sumBytes = (items: readonly OutboxItem[]): number =>
  computeItemBytes(items).reduce((sum, size) => sum + size, 0);

/** Tests of the mails of event changes in every event store. */
export function eventMailsContract(name: string, makeStores: MakeMailStores): void {
  describe(`${name} as an event store: mails`, () => {
    let now: number;
    let store: EventStore;
    let outbox: Outbox<OutboxItem>;
    let lunch: EventRecord;
    const openStores = async (rules: Partial<OutboxRules> = {}): Promise<void> => {
      const stores = await makeStores(() => now, { outbox: rules });
      ({ events: store, outbox } = stores);
      for (const id of [alice, bob]) await putCalendar(stores.calendars, sampleCalendar(id));
      lunch = await putEvent(store, sampleEvent('lunch'));
    };
    beforeEach(async () => {
      now = startOfTime + hourMs / 2;
      await openStores();
    });

    const claimItems = async (): Promise<readonly OutboxItem[]> =>
      (await claimMails(outbox)).map(({ item }) => item);
    const completeItems = (items: readonly OutboxItem[]) => completeMails(outbox, items);
    const readMailQuota = async (senderName = 'alice') =>
      (await readQuota({ mailSender: senderName }))?.mails;
    const readQuota = (target: Partial<ChangeTarget> = {}): Promise<MailQuota | undefined> =>
      decideOn(store, lunch, { mailSender: 'alice', ...target }, ({ mailQuota }) => ({ result: mailQuota }));

    describe('a change', () => {
      test('stores its mails unchanged, for the mail server only', async () => {
        const mails = mailsToMany(2, '{"event":"Mittag 🙂"}');
        await changeWithMails(store, lunch, () => mails);
        expect(await outbox.claim([{ destination: 'broker', limit: 10 }], 0)).toEqual([]);
        expect(await claimMails(outbox)).toEqual(
          mails.map((item) => ({ item, owner: alice, destination: mailServerName, attempt: 1, failures: 0 })),
        );
      });

      test('that inserts an event stores its mails', async () => {
        const dinner = sampleEvent('dinner');
        await decideOn(store, dinner, { mailSender: 'alice' }, () => ({
          added: [{ record: dinner, exceptions: [] }],
          mails: [mailTo(bob)],
          result: undefined,
        }));
        expect(await claimItems()).toHaveLength(1);
      });

      test('that throws or changes nothing stores no mails', async () => {
        const mailSenderTarget = { mailSender: 'alice' };
        await expect(decideOn(store, lunch, mailSenderTarget, refuse)).rejects.toThrow('refused');
        const mails = [mailTo(bob)];
        await decideOn(store, lunch, mailSenderTarget, ({ event }) => ({ next: event, mails, result: 0 }));
        expect([await outbox.backlog(), await readMailQuota()]).toEqual([{ count: 0 }, maxMailsPerDay]);
      });

      test('stores its mails once and in the order of concurrent changes', async () => {
        const numbers = Array.from({ length: 20 }, (_, index) => index + 1);
        const createVersionMail = ({ event }: ChangeState) => [mailTo(bob, { data: `${event?.version}` })];
        await Promise.all(numbers.map(() => changeWithMails(store, lunch, createVersionMail)));
        expect((await claimItems()).map(({ data }) => Number(data))).toEqual(numbers);
      });

      test('stores its mails even if they count towards the quota of no caller', async () => {
        await changeWithMails(store, lunch, () => [mailTo(bob)], { mailSender: undefined });
        expect([(await claimItems()).length, await readMailQuota()]).toEqual([1, maxMailsPerDay]);
      });

      test('of an import stores its mails too', async () => {
        const target = { calendar: { id: alice }, eventId: 'new', guests: [], mailSender: 'alice' };
        const decide = () => ({ next: sampleEvent('new'), mails: [mailTo(bob)], result: undefined });
        await store.importEvents([{ target, decide }]);
        expect(await claimItems()).toHaveLength(1);
      });
    });

    test('mails to one guest about one event stay in order and do not delay others', async () => {
      const [first, second, other] = [mailTo(bob), mailTo(bob), mailTo('carol@example.org')];
      for (const mails of [[first], [second, other]]) await changeWithMails(store, lunch, () => mails);
      const [failedClaim] = (await claimMails(outbox)).filter(({ item }) => item.id === first.id);
      if (failedClaim)
        await outbox.settle([settlementOf(failedClaim, { attempt: failedClaim.attempt, delayMs: 40_000 })]);
      now += 30_000;
      expect(await claimItems()).toEqual([other]);
      now += 30_000;
      expect((await claimItems()).filter(({ id }) => id !== other.id)).toEqual([first, second]);
    });

    describe('the quota', () => {
      test('is loaded only for a caller whose mails are counted, and unchanged without mails', async () => {
        await changeWithMails(store, lunch, () => []);
        expect(await readQuota()).toEqual({ bytes: 16 * mebibyte, mails: maxMailsPerDay });
        expect(await readQuota({ mailSender: undefined })).toBeUndefined();
      });

      test("is the lower of the bytes left for the event's home and for the outbox, on any calendar", async () => {
        const capacity = { maxBytes: 100_000, maxBytesPerOwner: 80_000, whenFull: 'refuse' } as const;
        await openStores({ capacityOf: () => capacity });
        lunch = await changeEvent(store, lunch, (stored) => withCopy(stored, bob));
        const [alicesMails, bobsMails] = [
          mailsToMany(3, 'x'.repeat(5000)),
          mailsToMany(1, 'x'.repeat(20_000)),
        ];
        await changeWithMails(store, lunch, () => alicesMails);
        const otherEvent = await putEvent(store, sampleEvent('bobs', { home: bob }));
        await changeWithMails(store, otherEvent, () => bobsMails);
        const remainingBytes = Math.min(
          80_000 - sumBytes(alicesMails),
          100_000 - sumBytes(alicesMails) - sumBytes(bobsMails),
        );
        for (const calendar of [{ id: alice }, { id: bob }])
          expect((await readQuota({ calendar }))?.bytes).toBe(remainingBytes);
        expect((await readQuota({ eventId: 'other' }))?.bytes).toBe(remainingBytes);
        await completeItems(alicesMails);
        await completeMails(outbox, bobsMails, bob);
        expect((await readQuota())?.bytes).toBe(80_000);
      });

      test('drops and reports mails beyond a full home', async () => {
        const dropped: DroppedItems[] = [];
        const capacityBytes = sumBytes(mailsToMany(2)) + 100;
        await openStores({
          capacityOf: () => ({
            maxBytes: capacityBytes,
            maxBytesPerOwner: capacityBytes,
            whenFull: 'refuse',
          }),
          onDropped: (report) => void dropped.push(report),
        });
        await changeWithMails(store, lunch, () => mailsToMany(2));
        await changeWithMails(store, lunch, () => [...mailsToMany(2), mailTo(bob, { method: 'CANCEL' })]);
        expect(dropped).toEqual([
          { destination: mailServerName, event: 'lunch', method: 'REQUEST', count: 2 },
          { destination: mailServerName, event: 'lunch', method: 'CANCEL', count: 1 },
        ]);
        const [stored] = await store.events([{ calendarId: alice, eventId: 'lunch' }]);
        expect(stored?.record).toMatchObject({ version: 3, core: { summary: '3' } });
        expect([(await outbox.backlog()).count, await readMailQuota()]).toEqual([2, maxMailsPerDay - 2]);
      });
    });

    describe('the daily count of a caller', () => {
      const sendMails = (count: number, callerName = 'alice') =>
        changeWithMails(store, lunch, () => mailsToMany(count), { mailSender: callerName });

      test('includes delivered mails of all changes of this caller only', async () => {
        await sendMails(200);
        await sendMails(30, 'long '.repeat(1000));
        await completeItems(await claimItems());
        await sendMails(10);
        expect(await readMailQuota()).toBe(maxMailsPerDay - 210);
        expect(await readMailQuota('long '.repeat(1000))).toBe(maxMailsPerDay - 30);
        expect(await readMailQuota('bob')).toBe(maxMailsPerDay);
      });

      test('is a sliding window of 24 hours', async () => {
        // Hours since the row before, mails sent then, and mails counted for the last 24 hours.
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
          now += hours * hourMs;
          if (mails > 0) await sendMails(mails);
          expect([hours, maxMailsPerDay - ((await readMailQuota()) ?? 0)]).toEqual([hours, expected]);
        }
      });

      test('never exceeds the maximum, also with concurrent changes', async () => {
        const lunches = await Promise.all(
          Array.from({ length: 8 }, (_, index) => putEvent(store, sampleEvent(`event${index}`))),
        );
        await sendMails(1000);
        const sentMails = await Promise.all(
          Array.from({ length: 16 }, (_, index) =>
            changeWithMails(store, lunches[index % 8] as EventRecord, ({ mailQuota }) =>
              mailsToMany(Math.min(150, mailQuota?.mails ?? 0)),
            ),
          ),
        );
        expect(sentMails.flat()).toHaveLength(1000);
        expect([await readMailQuota(), (await outbox.backlog()).count]).toEqual([0, maxMailsPerDay]);
      });
    });

    test('dropped mails are reported by event and method', async () => {
      const requests = [mailTo(bob), mailTo('carol@example.org')];
      const otherMails = [mailTo(bob, { method: 'CANCEL' }), mailTo(bob, { event: 'dinner' })];
      await changeWithMails(store, lunch, () => [...requests, ...otherMails]);
      const dropped = await outbox.dropWaiting({ storedUntil: now, limit: 10 });
      const expected = [
        { event: 'lunch', method: 'REQUEST', count: 2 },
        { event: 'lunch', method: 'CANCEL', count: 1 },
        { event: 'dinner', method: 'REQUEST', count: 1 },
      ].map((report) => ({ destination: mailServerName, ...report }));
      expect(new Set(dropped)).toEqual(new Set(expected));
      expect(await outbox.backlog()).toEqual({ count: 0 });
    });
  });
}
