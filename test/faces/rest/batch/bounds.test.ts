import type { Caller } from '../../../../src/access/caller.ts';
import { AppError } from '../../../../src/core/kernel/errors.ts';
import { apis } from '../../../../src/faces/rest/apis.ts';
import { batchEndpoints, maxHeld } from '../../../../src/faces/rest/batch/endpoints.ts';
import type { EndpointRequest } from '../../../../src/faces/rest/endpoint.ts';
import type { Handler } from '../../../../src/faces/rest/handler.ts';
import { RawBody } from '../../../../src/http/face.ts';
import { maxLength } from '../../../../src/operations/json-writer.ts';

/** Batches over a handler: each call runs one, with so many parts, and gives the text of its answer. */
function batches(answer: (path: string) => Promise<string>) {
  const handler: Handler = {
    admit: () => undefined,
    refuse: (error) => ({
      status: 400,
      headers: {},
      body: error instanceof AppError ? error.reason : String(error),
    }),
    answer: async ({ path }) => ({ status: 200, headers: {}, body: await answer(path) }),
  };
  const [endpoint] = batchEndpoints(apis, {
    verify: () => Promise.resolve(undefined),
    readJson: () => ({}),
    partAnswered: () => undefined,
    handler: () => handler,
  });
  return async (paths: readonly string[], caller: Pick<Caller, 'isOver'> = {}): Promise<string> => {
    const parts = paths.map(
      (path) => `--b\r\nContent-Type: application/http\r\n\r\nGET ${path} HTTP/1.1\r\n\r\n\r\n`,
    );
    const request = {
      headers: {},
      body: new RawBody('multipart/mixed; boundary=b', Buffer.from(`${parts.join('')}--b--`)),
    };
    const answered = await endpoint?.run(request as unknown as EndpointRequest, {
      ...caller,
      requestId: '1',
      viewer: undefined,
      address: '',
      log: undefined as never,
      report: { codes: [] },
    });
    return answered?.body ?? '';
  };
}

test('what is left of a batch is not run once its caller is gone', async () => {
  const ran: string[] = [];
  const run = batches((path) => Promise.resolve(String(ran.push(path))));
  await run(['/a', '/b', '/c'], { isOver: () => ran.length === 2 });
  expect(ran).toEqual(['/a', '/b']);
});

test('no part is run once the answers before it are as long as an answer may be', async () => {
  const ran: string[] = [];
  const run = batches((path) => Promise.resolve('x'.repeat(ran.push(path) === 1 ? maxLength : 1)));
  const answer = await run(['/a', '/b', '/c', '/d']);
  expect(ran).toEqual(['/a', '/b']);
  expect(answer.match(/tooLong/g)).toHaveLength(2);
});

test('batches wait with their answers up to a bound that is for all of them', async () => {
  const ends: (() => void)[] = [];
  const run = batches((path) =>
    path === '/wait'
      ? new Promise((resolve) => ends.push(() => resolve('end')))
      : Promise.resolve(path === '/long' ? 'x'.repeat(maxLength) : 'x'),
  );
  const refused = async (): Promise<boolean> => (await run(['/long', '/short'])).includes('backendError');
  const waiting = Array.from({ length: maxHeld / maxLength }, () => run(['/long', '/wait']));
  await new Promise((resolve) => setImmediate(resolve));
  expect(await refused()).toBe(true);
  for (const end of ends) end();
  await Promise.all(waiting);
  expect(await refused()).toBe(false);
});
