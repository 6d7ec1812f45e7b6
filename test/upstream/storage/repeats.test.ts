import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { manager, topic } from '../../notification/notification.harness.ts';
import type { Resource } from '../../bucket/bucket.harness.ts';
import { AppError } from '../../../src/core/kernel/errors.ts';
import { createUpstreamClient } from '../../../src/upstream/client/client.ts';
import { createRequestOutcomes } from '../../../src/upstream/request-outcomes.ts';
import type { Between } from '../call-over.ts';
import { problemsOf, refuse, startFront, startService, type Front } from './storage.harness.ts';

const unknown = new AppError('UNAVAILABLE', 'outcomeUnknown', 'The service did not answer.');
const day = 24 * 60 * 60 * 1000;

describe('an insert of a notification', () => {
  let service: Resource, front: Front;
  let now = Date.now();
  beforeEach(async () => {
    service = await startService();
    front = await startFront(service, () => now);
  });
  afterEach(() => Promise.all([service, front].map((gateway) => gateway.close())));

  const count = async (): Promise<number> => (await service.listNotifications()).data.notifications.length;
  const isInsert = ({ method }: { method: string }): boolean => method === 'notifications.insert';
  /** The service carries it out, and nobody hears of it. */
  const loseAnswer: Between = (call, through) =>
    isInsert(call) ? through().then(() => Promise.reject(unknown)) : through();
  const loseCall: Between = (call, through) => (isInsert(call) ? Promise.reject(unknown) : through());
  const loseAll: Between = () => Promise.reject(unknown);

  test('whose answer was lost is found by what it is', async () => {
    await front.insertNotification({ topic, payload_format: 'NONE' });
    for (const body of [
      { topic },
      { topic, event_types: [], custom_attributes: {}, object_name_prefix: '' },
      { topic, event_types: ['OBJECT_DELETE'], etag: 'x', custom_attributes: { a: 'b' } },
    ]) {
      const before = await count();
      front.between(loseAnswer);
      const { data, warnings } = await front.insertNotification(body);
      expect([data.insertNotification.id, await count(), warnings?.length ?? 0]).toEqual([
        String(before + 1),
        before + 1,
        'etag' in body ? 1 : 0,
      ]);
    }
    front.asked();
    front.between((call, through) =>
      isInsert(call) ? through().then(() => ({ status: 200, body: {} })) : through(),
    );
    expect((await front.insertNotification({ topic })).errors).toBeUndefined();
    expect(front.asked()).toEqual(['notifications.insert', 'notifications.list']);
  });

  test('stays unknown where nothing proves that it was carried out', async () => {
    await front.insertNotification({ topic });
    await front.insertNotification({ topic, payload_format: 'NONE' });
    for (const between of [loseCall, loseAll]) {
      front.between(between);
      expect(problemsOf(await front.insertNotification({ topic }))).toEqual(['UNAVAILABLE outcomeUnknown']);
    }
    front.between((call, through) =>
      isInsert(call) ? Promise.resolve({ status: 200, body: [] }) : through(),
    );
    expect(problemsOf(await front.insertNotification({ topic }))).toEqual(['UNAVAILABLE outcomeUnknown']);
    expect(await count()).toBe(2);
  });

  test('with a request id is carried out once, by whatever comes together', async () => {
    const both = await Promise.all(
      [1, 2, 3].map(() => front.insertNotification({ topic }, { requestId: 'a' })),
    );
    expect(new Set(both.map(({ data }) => data.insertNotification.id))).toEqual(new Set(['1']));
    const { data } = await front.ask(
      'mutation ($topic: String) { insertNotification(bucket: "photos", requestId: "a", notification: { topic: $topic }) { selfLink payload_format } }',
      { topic },
    );
    expect(data.insertNotification).toEqual({
      selfLink: expect.stringContaining('/1'),
      payload_format: 'JSON_API_V1',
    });
    expect(
      problemsOf(await front.insertNotification({ topic, payload_format: 'NONE' }, { requestId: 'a' })),
    ).toEqual(['CONFLICT requestId requestIdReused']);
    expect([await count(), front.asked()]).toEqual([1, ['notifications.insert']]);
  });

  test('may be another one a day later', async () => {
    await front.insertNotification({ topic }, { requestId: 'a' });
    now += day - 1;
    expect((await front.insertNotification({ topic }, { requestId: 'a' })).data.insertNotification.id).toBe(
      '1',
    );
    now += 1;
    expect(
      (await front.insertNotification({ topic, payload_format: 'NONE' }, { requestId: 'a' })).data
        .insertNotification.id,
    ).toBe('2');
  });

  test('that failed is carried out by the next one with its id', async () => {
    front.between(refuse(404));
    expect(problemsOf(await front.insertNotification({ topic }, { requestId: 'a' }))).toEqual([
      'NOT_FOUND bucket notFound',
    ]);
    front.between(undefined);
    expect(
      (await front.insertNotification({ topic, payload_format: 'NONE' }, { requestId: 'a' })).data
        .insertNotification.id,
    ).toBe('1');
  });

  test('that may have been carried out is looked for before the next one with its id', async () => {
    front.between((call, through) => (isInsert(call) ? loseAnswer(call, through) : Promise.reject(unknown)));
    expect(problemsOf(await front.insertNotification({ topic }, { requestId: 'a' }))).toEqual([
      'UNAVAILABLE outcomeUnknown',
    ]);
    front.between(refuse(403));
    expect(problemsOf(await front.insertNotification({ topic }, { requestId: 'a' }))).toEqual([
      'NOT_FOUND bucket notFound',
    ]);
    front.between(undefined);
    front.asked();
    expect((await front.insertNotification({ topic }, { requestId: 'a' })).data.insertNotification.id).toBe(
      '1',
    );
    expect([front.asked(), await count()]).toEqual([['notifications.list'], 1]);
    front.between(loseCall);
    expect(
      problemsOf(await front.insertNotification({ topic, payload_format: 'NONE' }, { requestId: 'b' })),
    ).toEqual(['UNAVAILABLE outcomeUnknown']);
    expect(problemsOf(await front.insertNotification({ topic }, { requestId: 'b' }))).toEqual([
      'CONFLICT requestId requestIdReused',
    ]);
    front.between(undefined);
    expect(
      (await front.insertNotification({ topic, payload_format: 'NONE' }, { requestId: 'b' })).data
        .insertNotification.id,
    ).toBe('2');
  });
});

test('outcomes take as much memory as they may, and the oldest are forgotten', async () => {
  const outcomes = createRequestOutcomes<number>(
    () => 0,
    () => false,
    2000,
  );
  const request = (key: string) => ({ caller: 'c', key, fingerprint: 'f', until: 1 });
  for (let count = 0; count < 20; count += 1)
    await outcomes.run(request(`r${count}`), { text: 'x'.repeat(50) }, async () => count);
  expect([await outcomes.earlier(request('r0')), await outcomes.earlier(request('r19'))]).toEqual([
    undefined,
    19,
  ]);
  // One that is forgotten while it fails leaves the others alone.
  const late = outcomes.run(
    request('late'),
    {},
    () => new Promise((_resolve, reject) => setImmediate(() => reject(new Error('late')))),
  );
  const all = Promise.all(
    Array.from({ length: 20 }, (_, count) =>
      outcomes.run(request(`s${count}`), { text: 'x'.repeat(50) }, async () => count),
    ),
  );
  await expect(late).rejects.toThrow('late');
  await all;
  expect(await outcomes.earlier(request('s19'))).toBe(19);
});

describe('a delete', () => {
  const call = {
    method: 'notifications.delete',
    verb: 'DELETE',
    path: ['b', 'photos', 'notificationConfigs', '1'],
    repeatable: true,
  } as const;

  test.each<[string, readonly number[], object]>([
    ['of what an earlier attempt deleted is done', [503, 404], { status: 204 }],
    ['of what is not there is refused', [404], { status: 404 }],
    ['of what was not there before a pause is refused', [429, 404], { status: 404 }],
  ])('%s', async (_name, statuses, expected) => {
    const answers = [...statuses];
    const server = createServer(
      (_request, response) => void response.writeHead(answers.shift() ?? 500).end('{}'),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const nothing = (): undefined => undefined;
    const client = createUpstreamClient({
      service: 'storage',
      base: `http://127.0.0.1:${(server.address() as AddressInfo).port}/storage/v1`,
      clock: Date.now,
      log: { info: nothing, warn: nothing, error: nothing },
      figures: { attempted: nothing, retried: nothing },
      traced: (_name, _system, work) => work(),
      onRefused: nothing,
      waiting: { now: () => 0, pause: async () => undefined, chance: () => 0 },
    });
    const outcome = await client.call(call, { token: manager, request: {} }).catch((error: unknown) => error);
    expect(outcome).toMatchObject(expected);
    client.close();
    await new Promise((resolve) => server.close(resolve));
  });
});
