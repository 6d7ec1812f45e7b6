import { topic } from '../../notification/notification.harness.ts';
import { startBucketGateway, type BucketGateway } from '../../bucket/bucket.harness.ts';
import { AppError } from '../../../src/core/errors.ts';
import { createRequestOutcomes } from '../../../src/upstream/request-outcomes.ts';
import {
  answerWith,
  problemsOf,
  refuseWith,
  startStorageFront,
  type Interceptor,
  type StorageFront,
} from '../calendar/upstream.harness.ts';

const outcomeUnknownError = new AppError('UNAVAILABLE', 'outcomeUnknown', 'The service did not answer.');
const dayMs = 24 * 60 * 60 * 1000;

describe('an insert of a notification', () => {
  let service: BucketGateway, front: StorageFront;
  let now = Date.now();
  beforeEach(async () => {
    service = await startBucketGateway({}, { REST: 'on' });
    front = await startStorageFront(service, () => now);
  });
  afterEach(() => Promise.all([service, front].map((gateway) => gateway.close())));

  const countNotifications = async (): Promise<number> =>
    (await service.listNotifications()).data.notifications.length;
  const isInsert = ({ apiMethod }: { apiMethod: string }): boolean => apiMethod === 'notifications.insert';
  /** Carries out an insert and loses its response. */
  const loseResponse: Interceptor = (call, through) =>
    isInsert(call) ? through().then(() => Promise.reject(outcomeUnknownError)) : through();
  const loseCall: Interceptor = (call, through) =>
    isInsert(call) ? Promise.reject(outcomeUnknownError) : through();
  const loseAllCalls: Interceptor = () => Promise.reject(outcomeUnknownError);

  const unknownProblems = ['UNAVAILABLE outcomeUnknown'];
  const bodyWithoutPayload = { topic, payload_format: 'NONE' };
  const insert = (body: object = { topic }, requestId?: string) =>
    front.insertNotification(body, { requestId });
  const insertForProblems = async (body?: object, requestId?: string) =>
    problemsOf(await insert(body, requestId));
  const insertForId = async (body: object, requestId?: string): Promise<unknown> =>
    (await insert(body, requestId)).data.insertNotification.id;

  test('whose response was lost is found by its content', async () => {
    await insert(bodyWithoutPayload);
    for (const body of [
      { topic },
      { topic, event_types: [], custom_attributes: {}, object_name_prefix: '' },
      { topic, event_types: ['OBJECT_DELETE'], etag: 'x', custom_attributes: { a: 'b' } },
    ]) {
      const countBefore = await countNotifications();
      front.intercept(loseResponse);
      const { data, warnings } = await insert(body);
      expect([data.insertNotification.id, await countNotifications()]).toEqual([
        String(countBefore + 1),
        countBefore + 1,
      ]);
      expect(warnings?.length ?? 0).toBe('etag' in body ? 1 : 0);
    }
    front.takeMethods();
    front.intercept((call, through) => (isInsert(call) ? through().then(() => ({})) : through()));
    expect([await insertForProblems(), front.takeMethods()]).toEqual([[], 'insert list']);
  });

  test('stays unknown if nothing proves that it was carried out', async () => {
    await insert();
    await insert(bodyWithoutPayload);
    for (const interceptor of [loseCall, loseAllCalls]) {
      front.intercept(interceptor);
      expect(await insertForProblems()).toEqual(unknownProblems);
    }
    front.intercept((call, through) => (isInsert(call) ? answerWith([])(call, through) : through()));
    expect(await insertForProblems()).toEqual(unknownProblems);
    expect(await countNotifications()).toBe(2);
  });

  test('with a request id is carried out once for concurrent requests', async () => {
    const ids = await Promise.all([1, 2, 3].map(() => insertForId({ topic }, 'a')));
    expect(ids).toEqual(['1', '1', '1']);
    const { data } = await front.ask(
      'mutation ($topic: String) { insertNotification(bucket: "photos", requestId: "a", notification: { topic: $topic }) { selfLink payload_format } }',
      { topic },
    );
    const selfLink = expect.stringContaining('/1') as string;
    expect(data.insertNotification).toEqual({ selfLink, payload_format: 'JSON_API_V1' });
    expect(await insertForProblems(bodyWithoutPayload, 'a')).toEqual(['CONFLICT requestId requestIdReused']);
    expect([await countNotifications(), front.takeMethods()]).toEqual([1, 'insert']);
  });

  test('with a used request id makes another one a day later', async () => {
    await insert({ topic }, 'a');
    now += dayMs - 1;
    expect(await insertForId({ topic }, 'a')).toBe('1');
    now += 1;
    expect(await insertForId(bodyWithoutPayload, 'a')).toBe('2');
  });

  test('that failed is carried out when its request id is repeated', async () => {
    front.intercept(refuseWith(404));
    expect(await insertForProblems({ topic }, 'a')).toEqual(['NOT_FOUND bucket notFound']);
    front.intercept(undefined);
    expect(await insertForId(bodyWithoutPayload, 'a')).toBe('1');
  });

  test('with an unknown outcome is looked up when its request id is sent again', async () => {
    front.intercept((call, through) =>
      isInsert(call) ? loseResponse(call, through) : Promise.reject(outcomeUnknownError),
    );
    expect(await insertForProblems({ topic }, 'a')).toEqual(unknownProblems);
    front.intercept(refuseWith(403));
    expect(await insertForProblems({ topic }, 'a')).toEqual(['NOT_FOUND bucket notFound']);
    front.intercept(undefined);
    front.takeMethods();
    expect(await insertForId({ topic }, 'a')).toBe('1');
    expect([front.takeMethods(), await countNotifications()]).toEqual(['list', 1]);
    front.intercept(loseCall);
    expect(await insertForProblems(bodyWithoutPayload, 'b')).toEqual(unknownProblems);
    expect(await insertForProblems({ topic }, 'b')).toEqual(['CONFLICT requestId requestIdReused']);
    front.intercept(undefined);
    expect(await insertForId(bodyWithoutPayload, 'b')).toBe('2');
  });
});

test('outcomes are limited in memory, and the oldest are evicted', async () => {
  const maxBytes = 2000;
  const outcomes = createRequestOutcomes<number>(() => 0, maxBytes);
  const run = (requestId: string, carryOut: () => Promise<number>) =>
    outcomes.run('insert', { key: 'c' }, { requestId }, carryOut);
  const storeOutcome = (requestId: string, outcome: number) => run(requestId, async () => outcome);
  /** Returns the stored outcome; -1 if there is none. */
  const readOutcome = (requestId: string) => storeOutcome(requestId, -1);
  for (let count = 0; count < 20; count += 1) await storeOutcome(`r${count}`, count);
  expect([await readOutcome('r19'), await readOutcome('r0')]).toEqual([19, -1]);
  // An outcome that is evicted before it fails does not affect others.
  let failLateRun = (_error: Error): void => undefined;
  const lateRun = run('late', () => new Promise((_resolve, reject) => (failLateRun = reject)));
  await Promise.all(Array.from({ length: 20 }, (_, count) => storeOutcome(`s${count}`, count)));
  failLateRun(new Error('late'));
  await expect(lateRun).rejects.toThrow('late');
  expect(await readOutcome('s19')).toBe(19);
});
