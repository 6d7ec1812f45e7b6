import { alice, hour } from '../event/event.harness.ts';
import { startFront, type Front } from './services/services.ts';

describe('in front of services as they are documented', () => {
  let front: Front;
  beforeEach(async () => {
    front = await startFront();
  });
  afterEach(() => front.close());

  const ask = (query: string) => front.gateway.run(query, {});
  const list = async (args: string) =>
    (
      await ask(
        `{ result: events(calendarId: "primary", ${args}) { nodes { id } edges { cursor } pageInfo { hasNextPage startCursor endCursor } nextSyncToken } }`,
      )
    ).event;

  test('pages of a list go over those of the service, and each event is there once', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 5; count += 1) ids.push((await front.gateway.make()).id);
    const found: string[] = [];
    for (let after = 'null'; ;) {
      const { nodes, edges, pageInfo, nextSyncToken } = await list(`first: 2, after: ${after}`);
      found.push(...nodes.map(({ id }: { readonly id: string }) => id));
      expect(nextSyncToken === null).toBe(pageInfo.hasNextPage);
      // A cursor is the same wherever a page shows it.
      expect([pageInfo.startCursor, pageInfo.endCursor]).toEqual([edges[0].cursor, edges.at(-1).cursor]);
      if (!pageInfo.hasNextPage) break;
      after = `"${pageInfo.endCursor}"`;
    }
    expect(found).toEqual(ids);
  });

  test('an id that no URL has room for, and a sync token that is empty, are none', async () => {
    expect((await front.gateway.read('x'.repeat(5000))).problems).toEqual(['NOT_FOUND eventId notFound']);
    const empty = await ask('{ events(calendarId: "primary", syncToken: "") { nodes { id } } }');
    expect(empty.problems).toEqual(['BAD_USER_INPUT syncToken invalid']);
    expect(front.services.called).toEqual([]);
  });

  test('beside the own answer nothing of a guest list is applied, whatever it is', async () => {
    const { id } = await front.gateway.make({ attendees: [{ email: alice }, { email: 'bob@example.com' }] });
    const attendees = [{}, { email: alice, responseStatus: 'accepted' }];
    const { problems, notes, event } = await front.gateway.patch(id, { attendeesOmitted: true, attendees });
    expect([problems, notes]).toEqual([[], ['event.attendees.0 ignored']]);
    expect(event.attendees[0].responseStatus).toBe('accepted');
  });

  test('a trial says that its requestId was used for another insert', async () => {
    await front.gateway.insert(hour, { requestId: 'r' });
    const trial = { requestId: 'r', validateOnly: true };
    expect((await front.gateway.insert({ ...hour, summary: 'Other' }, trial)).problems).toEqual([
      'CONFLICT requestId requestIdReused',
    ]);
  });

  test('notifications and buckets are those of the service', async () => {
    const { data } = await ask(
      'mutation { insertNotification(bucket: "photos", notification: { topic: "projects/my-project/topics/photos", payload_format: NONE }) { id topic payload_format event_types } }',
    );
    const topic = '//pubsub.googleapis.com/projects/my-project/topics/photos';
    const made = { id: '1', topic, payload_format: 'NONE', event_types: null };
    expect(data.insertNotification).toEqual(made);
    const read = '{ notifications(bucket: "photos") { id } bucket(bucket: "photos") { name } }';
    expect((await ask(read)).data).toEqual({ notifications: [{ id: '1' }], bucket: { name: 'photos' } });
    const { problems } = await ask('{ notifications(bucket: "none") { id } }');
    expect(problems).toEqual(['NOT_FOUND bucket notFound']);
  });
});
