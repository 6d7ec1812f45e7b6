import { addToOutbox } from '../../../src/adapters/postgres/outbox/outbox-write.ts';
import { begin, commit } from '../../../src/adapters/postgres/transaction.ts';
import type { HourCounts } from '../../../src/core/kernel/hour-counts.ts';
import { mail, type OutboxItem } from '../../../src/outbox/outbox.store.ts';
import { createPostgresOutbox } from '../../../src/adapters/postgres/outbox/outbox.ts';
import { startOfTime } from '../../contracts/samples.ts';
import { describeWithPostgres } from '../../postgres-server.ts';
import { sharedServer } from './stores.ts';

const room = { bytes: 1_000_000, bytesPerOwner: 1_000_000, whenFull: 'drop' } as const;
const mailsTo = (...guests: string[]): OutboxItem[] =>
  guests.map((guest) => ({
    id: `mail to ${guest}`,
    orderingKey: guest,
    attributes: { to: guest },
    data: 'the body of all',
  }));

describeWithPostgres('mails that are stored one shard at a time', () => {
  const { empty } = sharedServer('spread');

  async function opened() {
    const { database } = await empty();
    const add = (items: readonly OutboxItem[], counts: HourCounts | undefined): Promise<unknown> => {
      const { statements } = addToOutbox('home', items, {
        waiting: new Map(),
        rules: { destinationsOf: () => [mail], roomOf: () => room },
        now: startOfTime,
        mailer: { caller: 'ada', counts },
        isSpread: true,
      });
      return database.use(({ run, discard }) =>
        run([begin, ...statements, commit]).catch((error: unknown) => {
          discard();
          throw error;
        }),
      );
    };
    const rows = (text: string) => database.query({ text });
    const counted = async (): Promise<HourCounts> =>
      JSON.parse(
        (await rows(`SELECT to_jsonb(m) - 'caller' AS counts FROM mailed m`))[0]?.counts as string,
      ) as HourCounts;
    return { database, add, rows, counted };
  }

  test('have their body once, reach their destination with it, and are counted', async () => {
    const { database, add, rows, counted } = await opened();
    await add(mailsTo('bob', 'cy'), undefined);
    expect(await rows('SELECT data FROM delivery_bodies')).toEqual([{ data: 'the body of all' }]);
    expect(await rows(`SELECT DISTINCT data FROM deliveries`)).toEqual([{ data: '' }]);
    const claims = await createPostgresOutbox(database, () => startOfTime).claim(
      [{ destination: mail, limit: 5 }],
      1000,
    );
    expect(claims.map(({ item }) => item).sort((a, b) => (a.id < b.id ? -1 : 1))).toEqual(
      mailsTo('bob', 'cy'),
    );
    expect((await counted()).count).toBe(2);
    await add(mailsTo('dee'), await counted());
    expect((await counted()).count).toBe(3);
  });

  test('fail where others of the caller began another hour meanwhile, and nothing of them is stored', async () => {
    const { add, rows, counted } = await opened();
    await add(mailsTo('bob'), undefined);
    await expect(add(mailsTo('cy'), undefined)).rejects.toMatchObject({ code: '22012' });
    expect(await rows('SELECT ordering_key FROM deliveries')).toEqual([{ ordering_key: 'bob' }]);
    const { count, ...rest } = await counted();
    await expect(add(mailsTo('cy'), { ...rest, count, hour: rest.hour - 1 })).rejects.toMatchObject({
      code: '22012',
    });
  });

  test('fail where others of the caller had so many counted that it is too much', async () => {
    const { add, rows, counted } = await opened();
    await add(mailsTo('bob'), undefined);
    const known = await counted();
    await rows('UPDATE mailed SET count = 1000000');
    await expect(add(mailsTo('cy'), known)).rejects.toMatchObject({ code: '22012' });
  });
});
