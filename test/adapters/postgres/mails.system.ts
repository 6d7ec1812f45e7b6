import { startHousekeeping } from '../../../src/adapters/postgres/housekeeping.ts';
import { dropUnusedBodies } from '../../../src/adapters/postgres/outbox/store.ts';
import { mostMailsADay } from '../../../src/event/event.store.ts';
import type { EventRecord } from '../../../src/event/model/record.ts';
import type { Mail } from '../../../src/mail/mail.ts';
import {
  alice,
  bob,
  decideOn,
  hour,
  put,
  putCalendar,
  sampleCalendar,
  sampleEvent,
} from '../../contracts/event-samples.ts';
import {
  changeWith,
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
import { sharedServer } from './stores.ts';

/** Of ten changes it finds room. */
const large = JSON.stringify({ event: 'x'.repeat(500_000) });

describeWithPostgres('mails in PostgreSQL', () => {
  const { makeEventStores, eventStores, database } = sharedServer();
  let now: number;
  let stores: MailStores;
  let lunch: EventRecord;
  beforeEach(async () => {
    now = startOfTime;
    stores = await makeEventStores(() => now);
    for (const id of [alice, bob]) await putCalendar(stores.calendars, sampleCalendar(id));
    lunch = await put(stores.events, sampleEvent('lunch'));
  });
  const rows = async (text: string): Promise<unknown> => database().query({ text });
  const counts = (table: string) =>
    rows(`SELECT count(*)::int AS count, coalesce(sum(length(data)), 0)::int AS length FROM ${table}`);
  const putMany = (count: number) =>
    Promise.all(
      Array.from({ length: count }, (_, index) => put(stores.events, sampleEvent(`event${index}`))),
    );
  const complete = (mails: readonly Mail[]) => completeMails(stores.outbox, mails);

  test('a body is stored once for all mails of a change, reaches each of them, and is gone once they are', async () => {
    const shared = mailsToMany(200, large);
    const alone = [mailTo(alice), mailTo(bob)];
    await changeWith(stores.events, lunch, () => [...shared, ...alone]);
    expect(await counts('delivery_bodies')).toEqual([{ count: 1, length: large.length }]);
    const length = alone.reduce((sum, { data }) => sum + data.length, 0);
    expect(await counts('deliveries')).toEqual([{ count: 202, length }]);
    const claimed = (await claimMails(stores.outbox, 20)).map(({ item }) => item);
    expect([claimed.length, [...shared, ...alone]]).toEqual([20, expect.arrayContaining(claimed)]);
    await complete(shared.slice(1));
    now += hour;
    await database().query(dropUnusedBodies);
    expect((await claimMails(stores.outbox)).map(({ item }) => item)).toEqual(
      expect.arrayContaining([shared[0], ...alone]),
    );
    await complete([shared[0] as Mail]);
    const stop = startHousekeeping(database(), () => now + 27 * hour, silentLog, 50);
    await eventually(async () =>
      expect(
        await rows('SELECT id AS left FROM delivery_bodies UNION ALL SELECT caller FROM mailed'),
      ).toEqual([]),
    );
    stop();
    expect((await stores.outbox.backlog()).count).toBe(2);
  });

  test("mails of changes that store the same bodies at once do not get in each other's way", async () => {
    const events = await putMany(10);
    const clean = async (): Promise<void> => {
      for (let turn = 0; turn < 20; turn += 1) await database().query(dropUnusedBodies);
    };
    await Promise.all([
      clean(),
      ...events.map((event) => changeWith(stores.events, event, () => mailsToMany(10, large))),
    ]);
    expect((await claimMails(stores.outbox)).filter(({ item }) => item.data === large)).toHaveLength(100);
  });

  test('where a statement fails, neither the change nor a mail nor its count is stored', async () => {
    await expect(
      changeWith(stores.events, lunch, () => [mailTo(bob, { data: 'no such text: \u0000' })]),
    ).rejects.toMatchObject({ code: 'BAD_USER_INPUT' });
    const [stored] = await stores.events.events([{ calendarId: alice, eventId: 'lunch' }]);
    expect([
      stored?.record,
      (await stores.outbox.backlog()).count,
      await rows(
        'SELECT caller FROM mailed UNION ALL SELECT id FROM delivery_bodies UNION ALL SELECT bucket FROM delivery_queues',
      ),
    ]).toEqual([lunch, 0, []]);
  });

  test('parallel changes of two gateways, whose clocks differ by an hour, never come above the mails of a day', async () => {
    const events = await putMany(12);
    const gateways = [stores, eventStores(() => now + hour)] as const;
    for (let day = 0; day < 2; day += 1) {
      now += 26 * hour;
      const sent = await Promise.all(
        Array.from({ length: 36 }, (_, index) =>
          changeWith(
            gateways[index % 2 === 0 ? 0 : 1].events,
            events[index % 12] as EventRecord,
            ({ mailRoom }) => mailsToMany(Math.min(100, mailRoom?.mails ?? 0)),
          ),
        ),
      );
      expect(sent.flat()).toHaveLength(mostMailsADay);
    }
    expect(
      await decideOn(stores.events, lunch, { mailsBy: 'alice' }, ({ mailRoom }) => ({
        result: mailRoom?.mails,
      })),
    ).toBe(0);
  });
});
