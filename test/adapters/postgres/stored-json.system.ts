import { startGateway } from '../../harness.ts';
import { describeWithPostgres, queryOnce, usePostgres } from '../../postgres-server.ts';
import { useForAll } from '../../use-resource.ts';

const asAlice = { as: 'alice@example.com' };
const readEventQuery = '{ event(calendarId: "primary", eventId: "teammeeting") { summary } }';

describeWithPostgres('records stored as JSON', () => {
  const { createMigratedUrl } = usePostgres();
  let url: string;
  const gateway = useForAll(async () => {
    url = await createMigratedUrl();
    return startGateway({ DATABASE_URL: url });
  });

  test('have a form number: a record without one has form 1, and a record of a newer form is not changed', async () => {
    const insertMutation =
      'mutation($bucket: String!, $notification: NotificationInput!) { insertNotification(bucket: $bucket, requestId: "r", notification: $notification) { id } }';
    const topic = '//pubsub.googleapis.com/projects/some-project/topics/topic';
    const notification = { topic, payload_format: 'NONE' };
    const inserted = await gateway.ask(insertMutation, { bucket: 'demo-photos', notification }, asAlice);
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
    expect((await gateway.ask(readEventQuery, {}, asAlice)).data).toEqual({
      event: { summary: 'Team meeting' },
    });
    await queryOnce(url, `UPDATE events SET body = body || '{"form": 2}'`);
    const patched = await gateway.ask(
      'mutation { patchEvent(calendarId: "primary", eventId: "teammeeting", event: { summary: "Lost" }) { id } }',
      {},
      asAlice,
    );
    expect(patched.errors?.[0]?.extensions.code).toBe('UNAVAILABLE');
    const changedRows = await queryOnce(
      url,
      `SELECT body FROM events WHERE body ->> 'form' IS DISTINCT FROM '2'`,
    );
    expect(changedRows).toEqual([]);
  });
});
