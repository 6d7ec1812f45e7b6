import { defaultLimits, openDatabase } from '../../../src/adapters/postgres/database.ts';
import { migrate, steps } from '../../../src/adapters/postgres/migrations/migrations.ts';
import { createPostgresOutbox } from '../../../src/adapters/postgres/outbox/outbox.ts';
import { silentLog } from '../../log-lines.ts';
import { describeWithPostgres, usePostgres } from '../../postgres-server.ts';
import { useForAll } from '../../started.ts';

/** The last step of the release before. */
const before = steps.slice(
  0,
  steps.findIndex(({ name }) => name.endsWith('one outbox')),
);
const [webhook, hour] = ['webhook:https://hooks.test/a', 3_600_000];
const now = Date.UTC(2026, 10, 27);

const queueColumns = 'bucket, destination, ordering_key, last, additions, claims, failing, served';
const itemColumns =
  'bucket, destination, ordering_key, seq, id, topic, attributes, data, bytes, stored_at, attempt, held_until, claimed, logged, failures';
// Of four items one is fresh, one is claimed, one rests after a failure, and one is shown by the log.
const items = (destination: string, topic: string): string => `
  SELECT 'bucket ' || n % 10, '${destination}', 'key ' || n % 70, n / 70, '${destination} ' || n, ${topic}, '{"event":"lunch"}'::jsonb, 'body ' || n, 100 + n % 7,
    ${now} + n, n % 4, CASE n % 4 WHEN 1 THEN ${now + hour} WHEN 2 THEN ${now + 2 * hour} ELSE 0 END, n % 4 = 1, n % 4 = 3, (n % 4 = 2)::integer
  FROM generate_series(0, 9999) AS n`;
const queues = (destination: string): string => `
  SELECT 'bucket ' || n % 10, '${destination}', 'key ' || n, 142, n, n * 2, n % 4 = 2, n FROM generate_series(0, 69) AS n`;

describeWithPostgres('what waits in a database of the release before', () => {
  const { empty } = usePostgres();
  const database = useForAll(async () => {
    const opened = openDatabase(await empty(), silentLog, { ...defaultLimits, statementMs: 60_000 });
    await migrate(opened, before);
    return opened;
  });

  const rows = (text: string) => database.query({ text });

  test('goes on waiting as it was, in order: 10,000 messages, webhooks and mails in every state', async () => {
    await rows(`INSERT INTO queues (${queueColumns}) ${queues('broker')}`);
    await rows(`INSERT INTO outbox (${itemColumns}) ${items('broker', "'topic ' || n % 3")}`);
    for (const [destination, topic] of [
      [webhook, "'topic ' || n % 3"],
      ['mail', 'NULL'],
    ] as const) {
      await rows(`INSERT INTO delivery_queues (${queueColumns}) ${queues(destination)}`);
      await rows(`INSERT INTO deliveries (${itemColumns}) ${items(destination, topic)}`);
    }
    await rows(
      `INSERT INTO delivery_bodies SELECT DISTINCT bucket, 'shared', 'shared body' FROM deliveries WHERE destination = 'mail'`,
    );
    await rows(
      `UPDATE deliveries SET body_id = 'shared', data = '' WHERE destination = 'mail' AND seq % 2 = 0`,
    );
    const kept = itemColumns.replace(' claimed,', ' body_id,');
    const old = kept.replace(' body_id,', ' NULL AS body_id,');
    const [waiting, queued] = [
      await rows(`SELECT ${old} FROM outbox UNION ALL SELECT ${kept} FROM deliveries ORDER BY id`),
      await rows(
        `SELECT ${queueColumns} FROM queues UNION ALL SELECT ${queueColumns} FROM delivery_queues ORDER BY 1, 2, 3`,
      ),
    ];
    expect([waiting.length, queued.length]).toEqual([30_000, 210]);

    await migrate(database);
    expect(await rows(`SELECT ${kept} FROM deliveries ORDER BY id`)).toEqual(waiting);
    expect(await rows(`SELECT ${queueColumns} FROM delivery_queues ORDER BY 1, 2, 3`)).toEqual(queued);

    // When all leases and rests are over, each destination gets all, those of a key in their order.
    const outbox = createPostgresOutbox(database, () => now + 3 * hour);
    const limit = 10_000;
    const claims = await outbox.claim(
      ['broker', webhook, 'mail'].map((destination) => ({ destination, limit })),
      hour,
    );
    expect(claims).toHaveLength(30_000);
    expect(new Set(claims.map(({ item: { id }, destination }) => `${destination} ${id}`)).size).toBe(30_000);
    const last = new Map<string, number>();
    for (const { item, owner, destination } of claims) {
      const key = JSON.stringify([owner, destination, item.orderingKey]);
      const place = Number(item.id.split(' ').at(-1));
      expect(place).toBeGreaterThan(last.get(key) ?? -1);
      last.set(key, place);
    }
    const bodies = claims.filter(({ item }) => item.data === 'shared body');
    expect(bodies.length).toBeGreaterThan(4000);
  });

  test('is not added to by a gateway of that release, which is told to try again', async () => {
    await migrate(database);
    const insert = rows(`INSERT INTO outbox (${itemColumns}) ${items('broker', "'topic'")} LIMIT 1`);
    await expect(insert).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(await rows('SELECT id FROM outbox')).toEqual([]);
    const starting = migrate(database, before);
    await expect(starting).rejects.toThrow('its tables need a gateway of schema 12 or newer');
  });
});
