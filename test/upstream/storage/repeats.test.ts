import { topic } from '../../notification/notification.harness.ts';
import { startResource, type Resource } from '../../bucket/bucket.harness.ts';
import { AppError } from '../../../src/core/errors.ts';
import { createRequestOutcomes } from '../../../src/upstream/request-outcomes.ts';
import {
  answer,
  problemsOf,
  refuse,
  startStorageFront,
  type Between,
  type StorageFront,
} from '../calendar/upstream.harness.ts';

const unknown = new AppError('UNAVAILABLE', 'outcomeUnknown', 'The service did not answer.');
const day = 24 * 60 * 60 * 1000;

describe('an insert of a notification', () => {
  let service: Resource, front: StorageFront;
  let now = Date.now();
  beforeEach(async () => {
    service = await startResource({}, { REST: 'on' });
    front = await startStorageFront(service, () => now);
  });
  afterEach(() => Promise.all([service, front].map((gateway) => gateway.close())));

  const count = async (): Promise<number> => (await service.listNotifications()).data.notifications.length;
  const isInsert = ({ method }: { method: string }): boolean => method === 'notifications.insert';
  /** The service carries it out, and nobody hears of it. */
  const loseAnswer: Between = (call, through) =>
    isInsert(call) ? through().then(() => Promise.reject(unknown)) : through();
  const loseCall: Between = (call, through) => (isInsert(call) ? Promise.reject(unknown) : through());
  const loseAll: Between = () => Promise.reject(unknown);

  const isUnknown = ['UNAVAILABLE outcomeUnknown'];
  const small = { topic, payload_format: 'NONE' };
  const insert = (body: object = { topic }, requestId?: string) =>
    front.insertNotification(body, { requestId });
  const problems = async (body?: object, requestId?: string) => problemsOf(await insert(body, requestId));
  const idOf = async (body: object, requestId?: string): Promise<unknown> =>
    (await insert(body, requestId)).data.insertNotification.id;

  test('whose answer was lost is found by what it is', async () => {
    await insert(small);
    for (const body of [
      { topic },
      { topic, event_types: [], custom_attributes: {}, object_name_prefix: '' },
      { topic, event_types: ['OBJECT_DELETE'], etag: 'x', custom_attributes: { a: 'b' } },
    ]) {
      const before = await count();
      front.between(loseAnswer);
      const { data, warnings } = await insert(body);
      expect([data.insertNotification.id, await count()]).toEqual([String(before + 1), before + 1]);
      expect(warnings?.length ?? 0).toBe('etag' in body ? 1 : 0);
    }
    front.asked();
    front.between((call, through) =>
      isInsert(call) ? through().then(() => ({ status: 200, body: {} })) : through(),
    );
    expect([await problems(), front.asked()]).toEqual([[], 'insert list']);
  });

  test('stays unknown where nothing proves that it was carried out', async () => {
    await insert();
    await insert(small);
    for (const between of [loseCall, loseAll]) {
      front.between(between);
      expect(await problems()).toEqual(isUnknown);
    }
    front.between((call, through) => (isInsert(call) ? answer([])(call, through) : through()));
    expect(await problems()).toEqual(isUnknown);
    expect(await count()).toBe(2);
  });

  test('with a request id is carried out once, by whatever comes together', async () => {
    const ids = await Promise.all([1, 2, 3].map(() => idOf({ topic }, 'a')));
    expect(ids).toEqual(['1', '1', '1']);
    const { data } = await front.ask(
      'mutation ($topic: String) { insertNotification(bucket: "photos", requestId: "a", notification: { topic: $topic }) { selfLink payload_format } }',
      { topic },
    );
    const selfLink = expect.stringContaining('/1') as string;
    expect(data.insertNotification).toEqual({ selfLink, payload_format: 'JSON_API_V1' });
    expect(await problems(small, 'a')).toEqual(['CONFLICT requestId requestIdReused']);
    expect([await count(), front.asked()]).toEqual([1, 'insert']);
  });

  test('may be another one a day later', async () => {
    await insert({ topic }, 'a');
    now += day - 1;
    expect(await idOf({ topic }, 'a')).toBe('1');
    now += 1;
    expect(await idOf(small, 'a')).toBe('2');
  });

  test('that failed is carried out by the next one with its id', async () => {
    front.between(refuse(404));
    expect(await problems({ topic }, 'a')).toEqual(['NOT_FOUND bucket notFound']);
    front.between(undefined);
    expect(await idOf(small, 'a')).toBe('1');
  });

  test('that may have been carried out is looked for before the next one with its id', async () => {
    front.between((call, through) => (isInsert(call) ? loseAnswer(call, through) : Promise.reject(unknown)));
    expect(await problems({ topic }, 'a')).toEqual(isUnknown);
    front.between(refuse(403));
    expect(await problems({ topic }, 'a')).toEqual(['NOT_FOUND bucket notFound']);
    front.between(undefined);
    front.asked();
    expect(await idOf({ topic }, 'a')).toBe('1');
    expect([front.asked(), await count()]).toEqual(['list', 1]);
    front.between(loseCall);
    expect(await problems(small, 'b')).toEqual(isUnknown);
    expect(await problems({ topic }, 'b')).toEqual(['CONFLICT requestId requestIdReused']);
    front.between(undefined);
    expect(await idOf(small, 'b')).toBe('2');
  });
});

test('outcomes take as much memory as they may, and the oldest are forgotten', async () => {
  const outcomes = createRequestOutcomes<number>(() => 0, 2000);
  const request = (key: string) => ({ caller: 'c', key, fingerprint: 'f', until: 1 });
  const run = (key: string, count: number) =>
    outcomes.run(request(key), { text: 'x'.repeat(50) }, async () => count);
  for (let count = 0; count < 20; count += 1) await run(`r${count}`, count);
  expect([await outcomes.earlier(request('r0')), await outcomes.earlier(request('r19'))]).toEqual([
    undefined,
    19,
  ]);
  // One that is forgotten while it fails leaves the others alone.
  let fail = (_error: Error): void => undefined;
  const late = outcomes.run(request('late'), {}, () => new Promise((_resolve, reject) => (fail = reject)));
  await Promise.all(Array.from({ length: 20 }, (_, count) => run(`s${count}`, count)));
  fail(new Error('late'));
  await expect(late).rejects.toThrow('late');
  expect(await outcomes.earlier(request('s19'))).toBe(19);
});
