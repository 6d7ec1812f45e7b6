import { setTimeout as pause } from 'node:timers/promises';
import { createPostgresBucketStore } from '../../../src/adapters/postgres/buckets/bucket-store.ts';
import type { Connection, Database } from '../../../src/adapters/postgres/database.ts';
import { createPostgresMessageLog } from '../../../src/adapters/postgres/notifications/message-log.ts';
import { createPostgresNotificationStore } from '../../../src/adapters/postgres/notifications/notification-store.ts';
import { createPostgresOutbox } from '../../../src/adapters/postgres/outbox/outbox.ts';
import type { OutgoingMessage } from '../../../src/notification/message.store.ts';
import { sampleBucket } from '../../contracts/bucket-store.contract.ts';
import { messageOn } from '../../contracts/publisher.contract.ts';
import { addBucket } from '../../contracts/samples.ts';
import { describeWithPostgres } from '../../postgres-server.ts';
import { logReader } from './log-reader.ts';
import { sharedServer } from './stores.ts';

const topic = '//pubsub.test/projects/my-project/topics/shared';

/** The same database, whose transactions that add to the log go on to their commit when they may; `begun` is called before. */
function heldUp(database: Database, begun: () => void, may: Promise<void>): Database {
  const held = ({ run, ...rest }: Connection): Connection => ({
    ...rest,
    async run(statements) {
      const end = statements.findIndex(({ text }) => text === 'COMMIT');
      if (end < 0 || !statements.some(({ text }) => text.startsWith('INSERT INTO published')))
        return run(statements);
      await run(statements.slice(0, end));
      begun();
      await may;
      return run(statements.slice(end));
    },
  });
  return { ...database, use: (work) => database.use((connection) => work(held(connection))) };
}

describeWithPostgres('the log of a topic, where tables are spread', () => {
  const { empty } = sharedServer('spread');

  test('is in one order for messages of several buckets: nobody who reads on misses what was begun earlier and is visible later', async () => {
    const { database, listener } = await empty();
    const log = createPostgresMessageLog(database, listener, Date.now);
    const store = createPostgresNotificationStore(database, Date.now);
    const add = async (bucket: string): Promise<OutgoingMessage> => {
      await addBucket(createPostgresBucketStore(database, Date.now), sampleBucket(bucket));
      const message = messageOn(topic);
      await store.changeNotifications({ bucket }, () => ({ messages: [message], result: undefined }));
      return message;
    };
    const [slow, fast] = [(await add('music')).id, (await add('photos')).id];
    const { read, readOn } = await logReader(log, topic);
    let release = (): void => undefined;
    const may = new Promise<void>((resolve) => (release = resolve));
    const complete = (on: Database, id: string): Promise<void> =>
      createPostgresOutbox(on, Date.now).complete([{ id, destination: 'broker' }]);
    let first: Promise<void> | undefined;
    await new Promise<void>((begun) => {
      first = complete(heldUp(database, begun, may), slow);
    });
    let isDone = false;
    const second = complete(database, fast).then(() => (isDone = true));
    const waits = async (): Promise<boolean> =>
      (
        await database.query({
          text: `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
        })
      ).length > 0;
    while (!isDone && !(await waits())) await pause(5);
    await readOn();
    release();
    await Promise.all([first, second]);
    await readOn();
    expect(read).toEqual([slow, fast]);
  });
});
