import { defaultLimits, openDatabase } from '../../../src/adapters/postgres/database.ts';
import { migrate, steps } from '../../../src/adapters/postgres/migrations/migrations.ts';
import { createPostgresOutbox } from '../../../src/adapters/postgres/outbox/outbox.ts';
import { silentLog } from '../../log-lines.ts';
import { describeWithPostgres, usePostgres } from '../../postgres-server.ts';
import { useForAll } from '../../use-resource.ts';

/** Migration steps of the release with separate tables for messages and deliveries. */
const earlierSteps = steps.slice(
  0,
  steps.findIndex(({ name }) => name.endsWith('one outbox')),
);
const [webhook, hourMs] = ['webhook:https://hooks.test/a', 3_600_000];
const now = Date.UTC(2026, 10, 27);

const queueColumns = 'bucket, destination, ordering_key, last, additions, claims, failing, served';
const itemColumns =
  'bucket, destination, ordering_key, seq, id, topic, attributes, data, bytes, stored_at, attempt, held_until, claimed, logged, failures';
// The items are in four states, a quarter each: new, claimed, waiting after a failure, and in the message log.
const selectItems = (destination: string, topic: string): string => `
  SELECT 'bucket ' || n % 10, '${destination}', 'key ' || n % 70, n / 70, '${destination} ' || n, ${topic}, '{"event":"lunch"}'::jsonb, 'body ' || n, 100 + n % 7,
    ${now} + n, n % 4, CASE n % 4 WHEN 1 THEN ${now + hourMs} WHEN 2 THEN ${now + 2 * hourMs} ELSE 0 END, n % 4 = 1, n % 4 = 3, (n % 4 = 2)::integer
  FROM generate_series(0, 9999) AS n`;
// 142 is the last position in each of the 70 queues of 10,000 items (9999 / 70).
const selectQueues = (destination: string): string => `
  SELECT 'bucket ' || n % 10, '${destination}', 'key ' || n, 142, n, n * 2, n % 4 = 2, n FROM generate_series(0, 69) AS n`;

describeWithPostgres('the outbox of an earlier release', () => {
  const { createEmptyUrl } = usePostgres();
  const database = useForAll(async () => {
    const earlierDatabase = openDatabase(await createEmptyUrl(), silentLog, {
      ...defaultLimits,
      maxStatementMs: 60_000,
    });
    await migrate(earlierDatabase, earlierSteps);
    return earlierDatabase;
  });

  const queryRows = (text: string) => database.query({ text });

  test('is migrated with 10,000 messages, 10,000 webhooks and 10,000 mails, in order and in every state', async () => {
    await queryRows(`INSERT INTO queues (${queueColumns}) ${selectQueues('broker')}`);
    await queryRows(`INSERT INTO outbox (${itemColumns}) ${selectItems('broker', "'topic ' || n % 3")}`);
    for (const [destination, topic] of [
      [webhook, "'topic ' || n % 3"],
      ['mail', 'NULL'],
    ] as const) {
      await queryRows(`INSERT INTO delivery_queues (${queueColumns}) ${selectQueues(destination)}`);
      await queryRows(`INSERT INTO deliveries (${itemColumns}) ${selectItems(destination, topic)}`);
    }
    await queryRows(
      `INSERT INTO delivery_bodies SELECT DISTINCT bucket, 'shared', 'shared body' FROM deliveries WHERE destination = 'mail'`,
    );
    await queryRows(
      `UPDATE deliveries SET body_id = 'shared', data = '' WHERE destination = 'mail' AND seq % 2 = 0`,
    );
    const currentColumns = itemColumns.replace(' claimed,', ' body_id,');
    const earlierColumns = currentColumns.replace(' body_id,', ' NULL AS body_id,');
    const [waitingItems, waitingQueues] = [
      await queryRows(
        `SELECT ${earlierColumns} FROM outbox UNION ALL SELECT ${currentColumns} FROM deliveries ORDER BY id`,
      ),
      await queryRows(
        `SELECT ${queueColumns} FROM queues UNION ALL SELECT ${queueColumns} FROM delivery_queues ORDER BY 1, 2, 3`,
      ),
    ];
    expect([waitingItems.length, waitingQueues.length]).toEqual([30_000, 210]);

    await migrate(database);
    expect(await queryRows(`SELECT ${currentColumns} FROM deliveries ORDER BY id`)).toEqual(waitingItems);
    expect(await queryRows(`SELECT ${queueColumns} FROM delivery_queues ORDER BY 1, 2, 3`)).toEqual(
      waitingQueues,
    );

    // After all leases and pauses, each destination gets all its items, in order by key.
    const outbox = createPostgresOutbox(database, () => now + 3 * hourMs);
    const limit = 10_000;
    const claims = await outbox.claim(
      ['broker', webhook, 'mail'].map((destination) => ({ destination, limit })),
      hourMs,
    );
    expect(claims).toHaveLength(30_000);
    expect(new Set(claims.map(({ item: { id }, destination }) => `${destination} ${id}`)).size).toBe(30_000);
    const lastIndexByKey = new Map<string, number>();
    for (const { item, owner, destination } of claims) {
      const key = JSON.stringify([owner, destination, item.orderingKey]);
      const index = Number(item.id.split(' ').at(-1));
      expect(index).toBeGreaterThan(lastIndexByKey.get(key) ?? -1);
      lastIndexByKey.set(key, index);
    }
    const claimsWithSharedBody = claims.filter(({ item }) => item.data === 'shared body');
    expect(claimsWithSharedBody.length).toBeGreaterThan(4000);
  });

  test('refuses additions by gateways of that release, and their start', async () => {
    await migrate(database);
    const insertion = queryRows(
      `INSERT INTO outbox (${itemColumns}) ${selectItems('broker', "'topic'")} LIMIT 1`,
    );
    await expect(insertion).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(await queryRows('SELECT id FROM outbox')).toEqual([]);
    const earlierGatewayStart = migrate(database, earlierSteps);
    await expect(earlierGatewayStart).rejects.toThrow('its tables need a gateway of schema 12 or newer');
  });
});
