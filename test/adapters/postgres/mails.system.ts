import { startHousekeeping } from '../../../src/adapters/postgres/housekeeping.ts';
import { dropUnusedBodies } from '../../../src/adapters/postgres/outbox/add-items.ts';
import { maxMailsPerDay } from '../../../src/event/event.store.ts';
import type { EventRecord } from '../../../src/event/model/record.ts';
import type { Mail } from '../../../src/mail/mail.ts';
import {
  decideOn,
  hourMs,
  putEvent,
  putCalendar,
  sampleCalendar,
  sampleEvent,
  alice,
  bob,
} from '../../contracts/event-samples.ts';
import {
  changeWithMails,
  claimMails,
  completeMails,
  mailsToMany,
  mailTo,
  type MailStores,
} from '../../contracts/mail-samples.ts';
import { startOfTime } from '../../contracts/samples.ts';
import { eventually } from '../../eventually.ts';
import { silentLog } from '../../log-lines.ts';
import { describeWithPostgres } from '../../postgres-server.ts';
import { useSharedServer } from './stores.ts';

/** Body of mails, of which the outbox can hold ten. */
const largeBody = JSON.stringify({ event: 'x'.repeat(500_000) });

describeWithPostgres('mails in PostgreSQL', () => {
  const { makeEventStores, createEventStores, database } = useSharedServer();
  let now: number;
  let stores: MailStores;
  let lunch: EventRecord;
  beforeEach(async () => {
    now = startOfTime;
    stores = await makeEventStores(() => now);
    for (const id of [alice, bob]) await putCalendar(stores.calendars, sampleCalendar(id));
    lunch = await putEvent(stores.events, sampleEvent('lunch'));
  });
  const queryRows = async (text: string): Promise<unknown> => database().query({ text });
  const countRows = (table: string) =>
    queryRows(`SELECT count(*)::int AS count, coalesce(sum(length(data)), 0)::int AS length FROM ${table}`);
  const putEvents = (count: number) =>
    Promise.all(
      Array.from({ length: count }, (_, index) => putEvent(stores.events, sampleEvent(`event${index}`))),
    );
  const complete = (mails: readonly Mail[]) => completeMails(stores.outbox, mails);

  test('a body is stored once for all mails of a change, and deleted after the last of them', async () => {
    const mailsWithSharedBody = mailsToMany(200, largeBody);
    const singleMails = [mailTo(alice), mailTo(bob)];
    await changeWithMails(stores.events, lunch, () => [...mailsWithSharedBody, ...singleMails]);
    expect(await countRows('delivery_bodies')).toEqual([{ count: 1, length: largeBody.length }]);
    const length = singleMails.reduce((sum, { data }) => sum + data.length, 0);
    expect(await countRows('deliveries')).toEqual([{ count: 202, length }]);
    const claimedMails = (await claimMails(stores.outbox, 20)).map(({ item }) => item);
    expect([claimedMails.length, [...mailsWithSharedBody, ...singleMails]]).toEqual([
      20,
      expect.arrayContaining(claimedMails),
    ]);
    await complete(mailsWithSharedBody.slice(1));
    now += hourMs;
    await database().query(dropUnusedBodies);
    expect((await claimMails(stores.outbox)).map(({ item }) => item)).toEqual(
      expect.arrayContaining([mailsWithSharedBody[0], ...singleMails]),
    );
    await complete([mailsWithSharedBody[0] as Mail]);
    const stop = startHousekeeping(database(), () => now + 27 * hourMs, silentLog, 50);
    await eventually(async () =>
      expect(
        await queryRows('SELECT id AS left FROM delivery_bodies UNION ALL SELECT caller FROM mailed'),
      ).toEqual([]),
    );
    stop();
    expect((await stores.outbox.backlog()).count).toBe(2);
  });

  test('concurrent changes may store mails with the same body', async () => {
    const events = await putEvents(10);
    const dropBodies = async (): Promise<void> => {
      for (let turn = 0; turn < 20; turn += 1) await database().query(dropUnusedBodies);
    };
    await Promise.all([
      dropBodies(),
      ...events.map((event) => changeWithMails(stores.events, event, () => mailsToMany(10, largeBody))),
    ]);
    expect((await claimMails(stores.outbox)).filter(({ item }) => item.data === largeBody)).toHaveLength(100);
  });

  test('a failed statement leaves neither the change nor a mail nor its count stored', async () => {
    await expect(
      changeWithMails(stores.events, lunch, () => [mailTo(bob, { data: 'no such text: \u0000' })]),
    ).rejects.toMatchObject({ code: 'BAD_USER_INPUT' });
    const [storedEvent] = await stores.events.events([{ calendarId: alice, eventId: 'lunch' }]);
    expect([
      storedEvent?.record,
      (await stores.outbox.backlog()).count,
      await queryRows(
        'SELECT caller FROM mailed UNION ALL SELECT id FROM delivery_bodies UNION ALL SELECT bucket FROM delivery_queues',
      ),
    ]).toEqual([lunch, 0, []]);
  });

  test('concurrent changes of two gateways, whose clocks differ by an hour, never exceed the daily mail quota', async () => {
    const events = await putEvents(12);
    const gateways = [stores, createEventStores(() => now + hourMs)] as const;
    for (let day = 0; day < 2; day += 1) {
      now += 26 * hourMs;
      const sentMails = await Promise.all(
        Array.from({ length: 36 }, (_, index) =>
          changeWithMails(
            gateways[index % 2 === 0 ? 0 : 1].events,
            events[index % 12] as EventRecord,
            ({ mailQuota }) => mailsToMany(Math.min(100, mailQuota?.mails ?? 0)),
          ),
        ),
      );
      expect(sentMails.flat()).toHaveLength(maxMailsPerDay);
    }
    expect(
      await decideOn(stores.events, lunch, { mailSender: 'alice' }, ({ mailQuota }) => ({
        result: mailQuota?.mails,
      })),
    ).toBe(0);
  });
});
