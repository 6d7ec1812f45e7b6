import { exportJWK, exportSPKI, generateKeyPair, SignJWT } from 'jose';
import type { CryptoKey, JWK, JWTPayload } from 'jose';
import { createTokenVerifier, type TokenSettings, type TokenVerifier } from '../../src/access/token.ts';
import { startLoopbackServer } from '../loopback-server.ts';
import { useForEach } from '../use-resource.ts';

const secret = 'a secret for tests that has 32 bytes or more';
const minuteMs = 60_000;
const startTime = Date.UTC(2031, 2, 4);
const startSeconds = startTime / 1000;
const [issuer, audience] = ['https://id.example.com', 'gateway'];
const authError = { code: 'UNAUTHENTICATED', reason: 'authError' };
/** Error while the keys cannot be loaded. Its cause says why, and is logged. */
const unavailableError = { code: 'UNAVAILABLE', reason: 'backendError', cause: expect.anything() };

/** A key pair of the identity provider. */
interface ProviderKey {
  readonly publicJwk: JWK;
  readonly signingKey: CryptoKey;
  readonly publicKey: CryptoKey;
}

async function generateKey(kid: string, alg = 'ES256'): Promise<ProviderKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  const publicJwk = { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' };
  return { publicJwk, signingKey: privateKey, publicKey };
}

/** Starts a key server that counts its requests. While `keys` is undefined, it drops connections. */
async function startKeyServer(keys: readonly JWK[] | undefined) {
  /** Contents of the server, changed by tests. `hold`: delays responses until it resolves. */
  const state = { keys, requestCount: 0, hold: undefined as Promise<void> | undefined };
  const server = await startLoopbackServer((_request, response) => {
    state.requestCount += 1;
    const { keys: publishedKeys } = state;
    void Promise.resolve(state.hold).then(() => {
      if (publishedKeys) response.end(JSON.stringify({ keys: publishedKeys }));
      else response.destroy();
    });
  });
  return { state, ...server };
}

let now: number;
let firstKey: ProviderKey;
let secondKey: ProviderKey;
beforeAll(
  async () => void ([firstKey, secondKey] = [await generateKey('first'), await generateKey('second')]),
);
const server = useForEach(() => {
  now = startTime;
  return startKeyServer([firstKey.publicJwk]);
});

const createVerifier = (settings: TokenSettings = {}): TokenVerifier =>
  createTokenVerifier({ jwksUrl: server.url, issuer, audience, ...settings }, () => now);

let tokenCount = 0;
/** Signs a new token, which no cache holds; `kid` null leaves out the id of its key. */
const createHeader = async (
  { publicJwk: { alg = '', kid: name }, signingKey }: ProviderKey,
  kid: string | null | undefined = name,
  claims: JWTPayload = {},
): Promise<string> => {
  const defaults = {
    sub: 'ada',
    iss: issuer,
    aud: audience,
    exp: startSeconds + 86_400,
    jti: `${(tokenCount += 1)}`,
  };
  const token = new SignJWT({ ...defaults, ...claims });
  return `Bearer ${await token.setProtectedHeader({ alg, ...(kid !== null && { kid }) }).sign(signingKey)}`;
};

describe('a token of an identity provider', () => {
  const keys = new Map<string, ProviderKey>();
  const keyOf = (alg: string) => keys.get(alg) as ProviderKey;
  const algorithms = ['RS256', 'PS256', 'ES256', 'EdDSA'];
  beforeAll(async () => {
    for (const alg of algorithms) keys.set(alg, await generateKey(alg, alg));
  });
  beforeEach(() => void (server.state.keys = [...keys.values()].map(({ publicJwk }) => publicJwk)));

  test.each(algorithms)('signed by %s is accepted', async (alg) =>
    expect(await createVerifier()(await createHeader(keyOf(alg)))).toMatchObject({ sub: 'ada' }),
  );

  test.each<[string, JWTPayload]>([
    ['expiry in the past', { exp: startSeconds - 30 }],
    ['missing expiry', { exp: undefined }],
    ['foreign issuer', { iss: 'x' }],
    ['foreign audience', { aud: 'x' }],
    ['missing subject', { sub: undefined }],
  ])('is refused for its %s', async (_case, claims) => {
    const header = await createHeader(keyOf('ES256'), 'ES256', claims);
    await expect(createVerifier()(header)).rejects.toMatchObject(authError);
  });

  test('of another provider with a known key id is refused', async () =>
    expect(createVerifier()(await createHeader(firstKey, 'ES256'))).rejects.toMatchObject(authError));

  test('without a key id is accepted if exactly one key has its algorithm', async () => {
    const headerWithoutKeyId = await createHeader(keyOf('ES256'), null);
    expect(await createVerifier()(headerWithoutKeyId)).toMatchObject({ sub: 'ada' });
    server.state.keys = [...(server.state.keys ?? []), firstKey.publicJwk];
    await expect(createVerifier()(headerWithoutKeyId)).rejects.toMatchObject(authError);
  });

  const signWithSecret = (key: string, kid: string): Promise<string> =>
    new SignJWT({ sub: 'by secret', iss: issuer, aud: audience, exp: startSeconds + 3600 })
      .setProtectedHeader({ alg: 'HS256', kid })
      .sign(Buffer.from(key));

  test('cannot be forged with the public key as a secret', async () => {
    const { publicKey, publicJwk } = keyOf('RS256');
    const pem = await exportSPKI(publicKey);
    for (const key of [pem, pem.trim(), JSON.stringify(publicJwk)]) {
      const forgedHeader = `Bearer ${await signWithSecret(key, 'RS256')}`;
      await expect(createVerifier()(forgedHeader)).rejects.toMatchObject(authError);
      await expect(createVerifier({ secret })(forgedHeader)).rejects.toMatchObject(authError);
    }
  });

  test('signed with a secret is refused if no secret is configured, even if the key server publishes it', async () => {
    const k = Buffer.from(secret).toString('base64url');
    server.state.keys = [{ kty: 'oct', k, kid: 'shared', alg: 'HS256' }];
    const header = `Bearer ${await signWithSecret(secret, 'shared')}`;
    await expect(createVerifier()(header)).rejects.toMatchObject(authError);
  });

  test('is accepted like tokens signed with the secret if both are configured, and refused if only a secret is', async () => {
    const verifyBoth = createVerifier({ secret });
    expect(await verifyBoth(`Bearer ${await signWithSecret(secret, 'x')}`)).toMatchObject({
      sub: 'by secret',
    });
    expect(await verifyBoth(await createHeader(keyOf('RS256')))).toMatchObject({ sub: 'ada' });
    const verifyBySecretOnly = createVerifier({ secret, jwksUrl: undefined });
    await expect(verifyBySecretOnly(await createHeader(keyOf('RS256')))).rejects.toMatchObject(authError);
  });
});

describe('the keys of an identity provider', () => {
  let verify: TokenVerifier;
  beforeEach(() => void (verify = createVerifier()));
  const expectAccepted = async (key: ProviderKey) =>
    expect(await verify(await createHeader(key))).toMatchObject({ sub: 'ada' });
  const expectRefused = async (key: ProviderKey, kid?: string | null) =>
    expect(verify(await createHeader(key, kid))).rejects.toMatchObject(authError);

  test('are not needed for a token that was verified in the last 5 minutes', async () => {
    const knownHeader = await createHeader(firstKey);
    const viewer = await verify(knownHeader);
    server.state.keys = undefined;
    now += 5 * minuteMs - 1;
    expect(await verify(knownHeader)).toBe(viewer);
    expect(server.state.requestCount).toBe(1);
  });

  test('invalidate cached tokens when they are withdrawn', async () => {
    const knownHeader = await createHeader(firstKey);
    await verify(knownHeader);
    now += 30_000;
    server.state.keys = [secondKey.publicJwk];
    await expectAccepted(secondKey); // an unknown key id: the keys are loaded again
    await expect(verify(knownHeader)).rejects.toMatchObject(authError);
    await expectRefused(firstKey);
    expect(server.state.requestCount).toBe(2);
  });

  test('invalidate cached tokens when they are reloaded after 10 minutes', async () => {
    await expectAccepted(firstKey);
    now += 8 * minuteMs;
    const knownHeader = await createHeader(firstKey);
    await verify(knownHeader);
    server.state.keys = [secondKey.publicJwk];
    now += 2 * minuteMs;
    await expect(verify(knownHeader)).rejects.toMatchObject(authError);
  });

  test('are loaded once for many concurrent tokens, and then cached', async () => {
    const headers = await Promise.all(Array.from({ length: 20 }, () => createHeader(firstKey)));
    expect(server.state.requestCount).toBe(0);
    const viewers = await Promise.all(headers.map((token) => verify(token)));
    expect(new Set(viewers.map((viewer) => viewer?.sub))).toEqual(new Set(['ada']));
    await expectAccepted(firstKey);
    expect(server.state.requestCount).toBe(1);
  });

  test('are loaded at most once in 30 seconds, however many unknown key ids tokens have', async () => {
    await expectAccepted(firstKey);
    const requestCounts: number[] = [];
    for (const elapsedMs of [0, 29_999, 30_000, 30_001, 59_999, 60_000]) {
      now = startTime + elapsedMs;
      const unknownIds = [1, 2, 3, 4, 5].map((number) => `unknown-${elapsedMs}-${number}`);
      await Promise.all(unknownIds.map((kid) => expectRefused(firstKey, kid)));
      requestCounts.push(server.state.requestCount);
    }
    expect(requestCounts).toEqual([1, 1, 2, 2, 2, 3]);
    await expectAccepted(firstKey);
  });

  test('are not loaded again for a token that several of them could have signed', async () => {
    server.state.keys = [firstKey.publicJwk, secondKey.publicJwk];
    await expectAccepted(firstKey);
    server.state.keys = [secondKey.publicJwk];
    now += 30_000;
    await expectRefused(firstKey, null);
    await expectAccepted(firstKey); // uses the keys that were loaded before
  });

  test('that were withdrawn are refused 10 minutes after they were loaded', async () => {
    await expectAccepted(firstKey);
    server.state.keys = [secondKey.publicJwk];
    now += 10 * minuteMs - 1;
    await expectAccepted(firstKey);
    now += 1;
    await expectRefused(firstKey);
    await expectAccepted(secondKey);
    expect(server.state.requestCount).toBe(2);
  });

  test('are kept during any outage of the key server, which gets one request in 30 seconds', async () => {
    await expectAccepted(firstKey);
    server.state.keys = undefined;
    for (const elapsedSinceStart of [
      9 * minuteMs,
      10 * minuteMs,
      10 * minuteMs + 29_999,
      10 * minuteMs + 30_000,
      300 * minuteMs,
    ]) {
      now = startTime + elapsedSinceStart;
      await expectAccepted(firstKey);
      await expectAccepted(firstKey);
      await expectRefused(secondKey);
    }
    // Requests: the first, for the unknown key at 9 minutes, and at 10, 10.5 and 300 minutes.
    expect(server.state.requestCount).toBe(5);
    server.state.keys = [secondKey.publicJwk];
    now += 30_000;
    await expectAccepted(secondKey);
  });

  test('that cannot be loaded make the error UNAVAILABLE, not UNAUTHENTICATED', async () => {
    server.state.keys = undefined;
    for (let count = 0; count < 2; count += 1)
      await expect(verify(await createHeader(firstKey))).rejects.toMatchObject(unavailableError);
    server.state.keys = [firstKey.publicJwk];
    await expectAccepted(firstKey);
    await server.close();
    await expect(createVerifier()(await createHeader(firstKey))).rejects.toMatchObject(unavailableError);
  });

  test('that cannot be loaded cause one request at a time, however many tokens arrive', async () => {
    server.state.keys = undefined;
    let release = (): void => undefined;
    server.state.hold = new Promise((resolve) => void (release = resolve));
    const headers = await Promise.all(Array.from({ length: 20 }, () => createHeader(firstKey)));
    const outcomes = headers.map((token) => expect(verify(token)).rejects.toMatchObject(unavailableError));
    while (server.state.requestCount === 0) await new Promise((resolve) => setImmediate(resolve));
    release();
    await Promise.all(outcomes);
    expect(server.state.requestCount).toBe(1);
  });

  test('are not read from an endless body', async () => {
    let sentBytes = 0;
    const endlessServer = await startLoopbackServer((_request, response) => {
      const sendMore = (): void => {
        if (response.destroyed) return;
        do sentBytes += 65_536;
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      };
      response.on('drain', sendMore);
      sendMore();
    });
    const verifyByEndlessServer = createVerifier({ jwksUrl: endlessServer.url });
    await expect(verifyByEndlessServer(await createHeader(firstKey))).rejects.toMatchObject(unavailableError);
    await endlessServer.close();
    expect(sentBytes).toBeLessThan(32 * 1024 * 1024); // the rest was in network buffers
  });

  test.each([
    ...['', '{}', '{"keys":{}}', '[]', 'null', '{"keys":[1]}', 'no JSON'].map((body) => [200, body] as const),
    [500, '{"keys":[]}'] as const,
  ])('are not read from a response with the status %s and the body %j', async (status, body) => {
    const invalidServer = await startLoopbackServer(
      (_request, response) => void response.writeHead(status).end(body),
    );
    const verifyByInvalidServer = createVerifier({ jwksUrl: invalidServer.url });
    await expect(verifyByInvalidServer(await createHeader(firstKey))).rejects.toMatchObject(unavailableError);
    await invalidServer.close();
  });
});
