import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Authorize,
  createAuthorize,
  loadGoogleCredentials,
} from '../../../src/adapters/pubsub/credentials.ts';
import { createPubSubPublisher, createPubSubDestination } from '../../../src/adapters/pubsub/publisher.ts';
import { StartError } from '../../../src/core/errors.ts';
import { neverAborted, createMessage } from '../../contracts/publisher.contract.ts';
import { refuse, startPubSubServer } from './pubsub-server.ts';
import { useCloser, useForEach } from '../../use-resource.ts';
import { startLoopbackServer } from '../../loopback-server.ts';

const topic = '//pubsub.test/projects/my-project/topics/photos';
const messageAbout = (objectId: string) =>
  createMessage(topic, { attributes: { bucketId: 'photos', objectId } });

const server = useForEach(() => startPubSubServer());

/** Creates numbered tokens and counts them. */
function createTokenSource(): { authorize: Authorize; countTokens(): number } {
  let count = 0;
  const authorize = createAuthorize(() => {
    const token = `Bearer token-${(count += 1)}`;
    const headers = new Headers({ authorization: token, 'x-goog-user-project': 'payer' });
    return { getRequestHeaders: async () => headers };
  });
  return { authorize, countTokens: () => count };
}

const closeLater = useCloser();
const openPublisher = (authorize: Authorize) =>
  closeLater(createPubSubPublisher({ endpoint: `http://${server.host}`, authorize }));

test('an expired token is renewed once for all concurrent messages, and kept', async () => {
  server.respond = (response, request) =>
    request.headers.authorization === 'Bearer token-1'
      ? refuse(response, 401, 'UNAUTHENTICATED')
      : server.publish(response, request);
  const { authorize, countTokens } = createTokenSource();
  const publisher = openPublisher(authorize);
  const deliveries = await Promise.all(
    ['a', 'b', 'c'].map((object) => publisher.publish(messageAbout(object), neverAborted)),
  );
  expect(deliveries.map(({ outcome }) => outcome)).toEqual(['done', 'done', 'done']);
  expect(await publisher.publish(messageAbout('d'), neverAborted)).toEqual({ outcome: 'done' });
  expect(countTokens()).toBe(2);
});

test('a renewed token that is refused ends the attempt', async () => {
  server.respond = (response) => refuse(response, 401, 'UNAUTHENTICATED');
  expect(
    await openPublisher(createTokenSource().authorize).publish(messageAbout('a'), neverAborted),
  ).toMatchObject({
    outcome: 'again',
    cause: { message: 'Pub/Sub answered 401 UNAUTHENTICATED' },
  });
  const sentTokens = server.requests.map(({ authorization }) => authorization);
  expect(sentTokens).toEqual(['Bearer token-1', 'Bearer token-2']);
});

test('the token is not sent to the target of a redirect', async () => {
  const redirectTarget = await startPubSubServer();
  closeLater(redirectTarget);
  const location = `http://${redirectTarget.host}/v1/projects/my-project/topics/photos:publish`;
  server.respond = (response) => response.writeHead(307, { location }).end();
  const delivery = await openPublisher(createTokenSource().authorize).publish(
    messageAbout('a'),
    neverAborted,
  );
  expect([delivery.outcome, redirectTarget.requests]).toEqual(['again', []]);
});

test('a failure to get a token quotes no contents of credential files', async () => {
  const getRequestHeaders = async () => JSON.parse('private_key') as Headers;
  const authorize = createAuthorize(() => ({ getRequestHeaders }));
  await expect(openPublisher(authorize).publish(messageAbout('a'), neverAborted)).rejects.toThrow(
    'no access token from the application default credentials (SyntaxError)',
  );
  expect(server.requests).toEqual([]);
});

test('without the package google-auth-library, the start fails and says what to install', async () => {
  const importMissing = () =>
    Promise.reject(Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' }));
  await expect(loadGoogleCredentials(importMissing)).rejects.toThrow(StartError);
  await expect(loadGoogleCredentials(importMissing)).rejects.toThrow(
    /google-auth-library.+npm ci --include=optional/,
  );
  expect(await loadGoogleCredentials()).toBeInstanceOf(Function);
});

test('an emulator replaces the host for topics of that host, and gets no token', async () => {
  const settings = { host: 'PubSub.Test', emulatorHost: server.host };
  const { accepts, publisher, ...destinationFields } = await createPubSubDestination(settings);
  const capacity = { whenFull: 'refuse' };
  expect(destinationFields).toMatchObject({
    name: 'pubsub',
    kind: 'pubsub',
    maxConcurrentKeys: 1000,
    capacity,
  });
  expect(accepts(messageAbout('a'))).toBe(true);
  expect(
    accepts({ ...messageAbout('a'), topic: '//pubsub.test:8085/projects/my-project/topics/photos' }),
  ).toBe(false);
  expect(await publisher.publish(messageAbout('a'), neverAborted)).toEqual({ outcome: 'done' });
  expect(server.requests).toEqual([{ topic: 'projects/my-project/topics/photos', authorization: undefined }]);
  await publisher.close();
});

/** Runs a test with credentials of an external workload. Their tokens come from a local issuer. */
async function withCredentials(runTest: (issuedTokens: string[]) => Promise<void>): Promise<void> {
  const issuedTokens: string[] = [];
  const issuer = await startLoopbackServer((_, response) => {
    issuedTokens.push(`Bearer issued-${issuedTokens.length + 1}`);
    const token = {
      access_token: issuedTokens.at(-1)?.slice('Bearer '.length),
      issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      token_type: 'Bearer',
      expires_in: 3600,
    };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(token));
  });
  const folder = mkdtempSync(join(tmpdir(), 'credentials-'));
  const [credentialsPath, subjectPath] = [join(folder, 'credentials.json'), join(folder, 'subject')];
  writeFileSync(subjectPath, 'subject-token');
  const credentials = {
    type: 'external_account',
    audience:
      '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/pool/providers/provider',
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    token_url: `${issuer.url}/token`,
    credential_source: { file: subjectPath },
  };
  writeFileSync(credentialsPath, JSON.stringify(credentials));
  // Without a project, the library would look up the project number of the audience at Google.
  Object.assign(process.env, {
    GOOGLE_APPLICATION_CREDENTIALS: credentialsPath,
    GOOGLE_CLOUD_PROJECT: 'my-project',
  });
  try {
    await runTest(issuedTokens);
  } finally {
    delete process.env.GOOGLE_APPLICATION_CREDENTIALS;
    delete process.env.GOOGLE_CLOUD_PROJECT;
    rmSync(folder, { recursive: true });
    await issuer.close();
  }
}

test('a token of the application default credentials is kept until it is refused', async () => {
  await withCredentials(async (issuedTokens) => {
    const authorize = await loadGoogleCredentials();
    const firstHeaders = await authorize();
    for (const headers of [firstHeaders, await authorize()])
      expect(headers.get('authorization')).toBe('Bearer issued-1');
    expect((await authorize(firstHeaders)).get('authorization')).toBe('Bearer issued-2');
    expect(issuedTokens).toHaveLength(2);
  });
});

test('without an emulator, requests go to the host over TLS', async () => {
  await withCredentials(async (issuedTokens) => {
    const { publisher } = await createPubSubDestination({ host: server.host });
    await expect(publisher.publish(messageAbout('a'), neverAborted)).rejects.toThrow(
      /^no response \(\w*SSL\w*\)$/,
    );
    expect([issuedTokens.length, server.requests]).toEqual([1, []]);
    await publisher.close();
  });
});
