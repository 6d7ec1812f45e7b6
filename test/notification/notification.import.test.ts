import { SeedError } from '../../src/seed/import.ts';
import {
  manager,
  readRefusal,
  expectedRefusal,
  startNotificationGateway,
  topic,
} from './notification.harness.ts';
import type { NotificationGateway } from './notification.harness.ts';

/** Starts a gateway with these notifications in its seed. */
const startWithNotifications = (...notifications: unknown[]): Promise<NotificationGateway> =>
  startNotificationGateway({
    seed: { buckets: [{ name: 'photos', project: 'p', managers: [manager], notifications }] },
  });

/** Starts a gateway with these notifications; returns the seed's issues, with paths below `notifications`. */
async function collectIssues(...notifications: unknown[]): Promise<string[]> {
  try {
    await (await startWithNotifications(...notifications)).close();
    return [];
  } catch (error) {
    if (!(error instanceof SeedError)) throw error;
    return error.issues.map(({ path, reason }) => `${path.slice(3).join('.')}: ${reason}`);
  }
}

const listNotifications = async (gateway: NotificationGateway) =>
  (await gateway.listNotifications()).data.notifications;
const repeatBody = (count: number, body: object) => Array.from({ length: count }, () => body);

describe('notifications a gateway starts with', () => {
  test('are stored like inserted ones', async () => {
    const event_types = ['OBJECT_DELETE', 'OBJECT_FINALIZE', 'OBJECT_DELETE'];
    const bodies = [
      { topic: 'projects/my-project/topics/photos', event_types },
      { custom_attributes: { a: 'b' }, object_name_prefix: '', payload_format: 'NONE' },
      {},
    ];
    const seededGateway = await startWithNotifications(...bodies);
    const emptyGateway = await startWithNotifications();
    for (const body of bodies) await emptyGateway.insertNotification(body);
    expect(await listNotifications(seededGateway)).toEqual(await listNotifications(emptyGateway));
    expect(await listNotifications(seededGateway)).toHaveLength(3);
    await Promise.all([seededGateway.close(), emptyGateway.close()]);
  });

  test('keep their ids; new ids follow the highest one', async () => {
    const gateway = await startWithNotifications({ topic, id: '7' }, { topic, id: '3' }, { topic });
    const link = 'https://www.googleapis.com/storage/v1/b/photos/notificationConfigs/';
    expect(await listNotifications(gateway)).toMatchObject(
      ['7', '3', '8'].map((id) => ({ id, selfLink: link + id })),
    );
    expect((await gateway.insertNotification()).data.insertNotification.id).toBe('9');
    expect((await gateway.readNotification('3')).data.notification.topic).toBe(topic);
    await gateway.close();
  });

  test('may be notifications returned by another gateway', async () => {
    const firstGateway = await startWithNotifications({ topic, id: '5', custom_attributes: {} });
    const returnedNotifications = await listNotifications(firstGateway);
    const secondGateway = await startWithNotifications(...returnedNotifications);
    expect(await listNotifications(secondGateway)).toEqual(returnedNotifications);
    await Promise.all([firstGateway.close(), secondGateway.close()]);
  });

  test('count against the limits of the bucket', async () => {
    const gateway = await startWithNotifications(...repeatBody(10, { topic }));
    expect(readRefusal(await gateway.insertNotification())).toEqual(
      expectedRefusal('notification.event_types: tooMany'),
    );
    await gateway.close();
    expect(await collectIssues(...repeatBody(11, { topic }))).toEqual(['10.event_types: tooMany']);
  });
});

describe('a start with invalid notifications is refused', () => {
  test.each(['', '0', '01', '-1', '1.5', 'abc', '1'.repeat(16), 5, {}])('for the id %j', async (id) =>
    expect(await collectIssues({ topic, id })).toEqual(['0.id: invalid']),
  );

  test('but an id of 15 digits is accepted', async () => {
    expect(await collectIssues({ topic, id: '9'.repeat(15) })).toEqual([]);
  });

  test('for a duplicate id', async () => {
    expect(await collectIssues({ topic }, { topic, id: '1' })).toEqual(['1.id: duplicate']);
  });

  test.each([
    ['a text', 'topic', [': invalid']],
    ['an unknown field', { topics: topic }, ['topics: invalid']],
    ['an unknown type', { event_types: ['OBJECT_CREATED'] }, ['event_types.0: invalid']],
    ['a reserved attribute name', { custom_attributes: { goog: 'x' } }, ['custom_attributes.goog: invalid']],
    ['an attribute without a value', { custom_attributes: { a: null } }, ['custom_attributes.a: required']],
  ])('for %s', async (_case, body, issues) => {
    expect(await collectIssues({ topic }, body)).toEqual(
      issues.map((issue) => `1.${issue}`.replace('.:', ':')),
    );
  });

  test('for too many attributes, with at most 101 issues', async () => {
    const names = Array.from({ length: 10_000 }, (_, index) => `goog${index}`);
    const custom_attributes = Object.fromEntries(names.map((name) => [name, 'x']));
    expect((await collectIssues({ custom_attributes })).length).toBeLessThanOrEqual(101);
  });

  test('with all issues of all bodies', async () => {
    expect(await collectIssues({ topic: 'x', id: 'y' }, { topic }, { payload_format: 'z' })).toEqual([
      '0.topic: invalid',
      '0.id: invalid',
      '2.payload_format: invalid',
    ]);
  });
});
