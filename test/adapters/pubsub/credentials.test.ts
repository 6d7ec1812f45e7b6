import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Authorize, authorizeBy, googleCredentials } from '../../../src/adapters/pubsub/credentials.ts';
import { createPubSubPublisher, pubsubDestination } from '../../../src/adapters/pubsub/publisher.ts';
import { StartError } from '../../../src/core/errors.ts';
import { noEnd, messageOn } from '../../contracts/publisher.contract.ts';
import { refuse, startPubSubServer } from './pubsub-server.ts';
import { useCloser, useForEach } from '../../started.ts';
import { serve } from '../../loopback.ts';

const topic = '//pubsub.test/projects/my-project/topics/photos';
const about = (objectId: string) => messageOn(topic, { attributes: { bucketId: 'photos', objectId } });

const server = useForEach(() => startPubSubServer());

/** Tokens that are numbered as they are made anew. */
function tokens(): { authorize: Authorize; made(): number } {
  let count = 0;
  const authorize = authorizeBy(() => {
    const token = `Bearer token-${(count += 1)}`;
    const headers = new Headers({ authorization: token, 'x-goog-user-project': 'payer' });
    return { getRequestHeaders: async () => headers };
  });
  return { authorize, made: () => count };
}

const closeLater = useCloser();
const publisherBy = (authorize: Authorize) =>
  closeLater(createPubSubPublisher({ endpoint: `http://${server.host}`, authorize }));

test('an expired token is made anew, once for all who have it, and kept', async () => {
  server.respond = (response, request) =>
    request.headers.authorization === 'Bearer token-1'
      ? refuse(response, 401, 'UNAUTHENTICATED')
      : server.publish(response, request);
  const { authorize, made } = tokens();
  const publisher = publisherBy(authorize);
  const deliveries = await Promise.all(['a', 'b', 'c'].map((one) => publisher.publish(about(one), noEnd)));
  expect(deliveries.map(({ outcome }) => outcome)).toEqual(['done', 'done', 'done']);
  expect(await publisher.publish(about('d'), noEnd)).toEqual({ outcome: 'done' });
  expect(made()).toBe(2);
});

test('a token that is refused anew ends the attempt', async () => {
  server.respond = (response) => refuse(response, 401, 'UNAUTHENTICATED');
  expect(await publisherBy(tokens().authorize).publish(about('a'), noEnd)).toMatchObject({
    outcome: 'again',
    cause: { message: 'Pub/Sub answered 401 UNAUTHENTICATED' },
  });
  const sent = server.requests.map(({ authorization }) => authorization);
  expect(sent).toEqual(['Bearer token-1', 'Bearer token-2']);
});

test('the token goes to the endpoint alone', async () => {
  const elsewhere = await startPubSubServer();
  closeLater(elsewhere);
  const location = `http://${elsewhere.host}/v1/projects/my-project/topics/photos:publish`;
  server.respond = (response) => response.writeHead(307, { location }).end();
  const delivery = await publisherBy(tokens().authorize).publish(about('a'), noEnd);
  expect([delivery.outcome, elsewhere.requests]).toEqual(['again', []]);
});

test('no token: tried again, and the cause tells nothing of what is in files', async () => {
  const getRequestHeaders = async () => JSON.parse('private_key') as Headers;
  const authorize = authorizeBy(() => ({ getRequestHeaders }));
  await expect(publisherBy(authorize).publish(about('a'), noEnd)).rejects.toThrow(
    'no access token from the application default credentials (SyntaxError)',
  );
  expect(server.requests).toEqual([]);
});

test('without its package the start ends, and says what to install', async () => {
  const missing = () =>
    Promise.reject(Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' }));
  await expect(googleCredentials(missing)).rejects.toThrow(StartError);
  await expect(googleCredentials(missing)).rejects.toThrow(/google-auth-library.+npm ci --include=optional/);
  expect(await googleCredentials()).toBeInstanceOf(Function);
});

test('an emulator takes the place of the host, for topics of that host, and is shown no token', async () => {
  const settings = { host: 'PubSub.Test', emulatorHost: server.host };
  const { takes, publisher, ...rest } = await pubsubDestination(settings);
  const room = { whenFull: 'refuse' };
  expect(rest).toMatchObject({ name: 'pubsub', kind: 'pubsub', mostAtOnce: 1000, room });
  expect(takes(about('a'))).toBe(true);
  expect(takes({ ...about('a'), topic: '//pubsub.test:8085/projects/my-project/topics/photos' })).toBe(false);
  expect(await publisher.publish(about('a'), noEnd)).toEqual({ outcome: 'done' });
  expect(server.requests).toEqual([{ topic: 'projects/my-project/topics/photos', authorization: undefined }]);
  await publisher.close();
});

/** Credentials of a workload outside of Google Cloud, whose tokens are given out here. */
async function withCredentials(use: (given: string[]) => Promise<void>): Promise<void> {
  const given: string[] = [];
  const issuer = await serve((_, response) => {
    given.push(`Bearer issued-${given.length + 1}`);
    const token = {
      access_token: given.at(-1)?.slice(7),
      issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      token_type: 'Bearer',
      expires_in: 3600,
    };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(token));
  });
  const folder = mkdtempSync(join(tmpdir(), 'credentials-'));
  const [file, subject] = [join(folder, 'credentials.json'), join(folder, 'subject')];
  writeFileSync(subject, 'subject-token');
  const credentials = {
    type: 'external_account',
    audience:
      '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/pool/providers/provider',
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    token_url: `${issuer.url}/token`,
    credential_source: { file: subject },
  };
  writeFileSync(file, JSON.stringify(credentials));
  // Without a project its number in the audience would be looked up at Google.
  Object.assign(process.env, { GOOGLE_APPLICATION_CREDENTIALS: file, GOOGLE_CLOUD_PROJECT: 'my-project' });
  try {
    await use(given);
  } finally {
    delete process.env.GOOGLE_APPLICATION_CREDENTIALS;
    delete process.env.GOOGLE_CLOUD_PROJECT;
    rmSync(folder, { recursive: true });
    await issuer.close();
  }
}

test('the application default credentials give the token, which is kept until it is refused', async () => {
  await withCredentials(async (given) => {
    const authorize = await googleCredentials();
    const first = await authorize();
    for (const headers of [first, await authorize()])
      expect(headers.get('authorization')).toBe('Bearer issued-1');
    expect((await authorize(first)).get('authorization')).toBe('Bearer issued-2');
    expect(given).toHaveLength(2);
  });
});

test('without an emulator the host itself is asked, over TLS', async () => {
  await withCredentials(async (given) => {
    const { publisher } = await pubsubDestination({ host: server.host });
    await expect(publisher.publish(about('a'), noEnd)).rejects.toThrow(/^no answer \(\w*SSL\w*\)$/);
    expect([given.length, server.requests]).toEqual([1, []]);
    await publisher.close();
  });
});
