import { startGateway } from '../../harness.ts';
import { describeWithPostgres, queryOnce, usePostgres } from '../../postgres-server.ts';
import { useForAll } from '../../started.ts';

const alice = { as: 'alice@example.com' };
const readEvent = '{ event(calendarId: "primary", eventId: "teammeeting") { summary } }';

describeWithPostgres('records stored as JSON', () => {
  const { createMigratedUrl } = usePostgres();
  let url: string;
  const gateway = useForAll(async () => {
    url = await createMigratedUrl();
    return startGateway({ DATABASE_URL: url });
  });

  test('have a form number: none means the first, and records of a newer form are not changed', async () => {
    const insert =
      'mutation($bucket: String!, $notification: NotificationInput!) { insertNotification(bucket: $bucket, requestId: "r", notification: $notification) { id } }';
    const topic = '//pubsub.googleapis.com/projects/some-project/topics/topic';
    const notification = { topic, payload_format: 'NONE' };
    const inserted = await gateway.ask(insert, { bucket: 'demo-photos', notification }, alice);
    expect(inserted.errors).toBeUndefined();
    for (const [table, column] of [
      ['events', 'body'],
      ['calendars', 'body'],
      ['buckets', 'body'],
      ['notifications', 'body'],
      ['requests', 'outcome'],
    ]) {
      const rows = await queryOnce(url, `SELECT DISTINCT ${column} -> 'form' AS form FROM ${table}`);
      expect([table, rows]).toEqual([table, [{ form: 1 }]]);
    }
    await queryOnce(url, `UPDATE events SET body = body - 'form'`);
    expect((await gateway.ask(readEvent, {}, alice)).data).toEqual({ event: { summary: 'Team meeting' } });
    await queryOnce(url, `UPDATE events SET body = body || '{"form": 2}'`);
    const patched = await gateway.ask(
      'mutation { patchEvent(calendarId: "primary", eventId: "teammeeting", event: { summary: "Lost" }) { id } }',
      {},
      alice,
    );
    expect(patched.errors?.[0]?.extensions.code).toBe('UNAVAILABLE');
    const rows = await queryOnce(url, `SELECT body FROM events WHERE body ->> 'form' IS DISTINCT FROM '2'`);
    expect(rows).toEqual([]);
  });
});
