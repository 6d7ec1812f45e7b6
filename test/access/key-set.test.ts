import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK } from 'jose';
import { createTokenVerifier, type TokenVerifier } from '../../src/access/token.ts';

const minute = 60_000;
const startOfTime = Date.UTC(2031, 2, 4);
const refused = { code: 'UNAUTHENTICATED', reason: 'authError' };
/** The log has why the keys cannot be had. */
const unavailable = { code: 'UNAVAILABLE', reason: 'backendError', cause: expect.anything() };

/** A key of the identity provider: the half it publishes and the half it signs with. */
interface ProviderKey {
  readonly published: JWK;
  readonly signing: CryptoKey;
}

async function newKey(kid: string): Promise<ProviderKey> {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  return {
    published: { ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' },
    signing: privateKey,
  };
}

/** A key server on loopback that counts how often it is asked; it is away while `keys` is undefined. */
async function startKeyServer() {
  const state = {
    keys: undefined as readonly JWK[] | undefined,
    asked: 0,
    hold: undefined as Promise<void> | undefined,
  };
  const server = createServer((_request, response) => {
    state.asked += 1;
    const { keys } = state;
    void Promise.resolve(state.hold).then(() => {
      if (keys) response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys }));
      else response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { state, stop, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys` };
}

describe('the keys of an identity provider', () => {
  let [first, second]: ProviderKey[] = [];
  let server: Awaited<ReturnType<typeof startKeyServer>>;
  let now: number;
  let verify: TokenVerifier;
  let tokens = 0;

  beforeAll(async () => {
    [first, second] = [await newKey('first'), await newKey('second')];
  });
  beforeEach(async () => {
    now = startOfTime;
    server = await startKeyServer();
    server.state.keys = [first!.published];
    verify = createTokenVerifier(
      { jwksUrl: server.url, issuer: 'https://id.example.com', audience: 'gateway' },
      () => now,
    );
  });
  afterEach(() => server.stop());

  /** A token nobody has seen yet, so that it has to be verified. */
  const header = async (
    key: ProviderKey | undefined,
    kid: string | null | undefined = key?.published.kid,
  ): Promise<string> => {
    const token = new SignJWT({ jti: `${(tokens += 1)}` })
      .setProtectedHeader({ alg: 'ES256', ...(kid !== null && { kid }) })
      .setSubject('ada')
      .setIssuer('https://id.example.com')
      .setAudience('gateway')
      .setExpirationTime(startOfTime / 1000 + 86_400);
    return `Bearer ${await token.sign(key!.signing)}`;
  };
  const accepted = async (key: ProviderKey | undefined) =>
    expect(await verify(await header(key))).toMatchObject({ sub: 'ada' });
  const isRefused = async (key: ProviderKey | undefined, kid?: string) =>
    expect(verify(await header(key, kid))).rejects.toMatchObject(refused);

  test('are loaded with the first token, and then cached', async () => {
    expect(server.state.asked).toBe(0);
    for (let count = 0; count < 5; count += 1) await accepted(first);
    expect(server.state.asked).toBe(1);
  });

  test('are not needed for a token that was verified within 5 minutes', async () => {
    const known = await header(first);
    const viewer = await verify(known);
    server.state.keys = undefined;
    now += 5 * minute - 1;
    expect(await verify(known)).toBe(viewer);
    expect(server.state.asked).toBe(1);
  });

  test('end the tokens that were verified by them when they are withdrawn', async () => {
    const known = await header(first);
    await verify(known);
    now += 30_000;
    server.state.keys = [second!.published];
    await accepted(second); // an unknown key: the provider is asked
    await expect(verify(known)).rejects.toMatchObject(refused);
  });

  test('end remembered tokens with their own age', async () => {
    await accepted(first);
    now += 8 * minute;
    const known = await header(first);
    await verify(known);
    server.state.keys = [second!.published];
    now += 2 * minute;
    await expect(verify(known)).rejects.toMatchObject(refused);
  });

  test('are asked for once by many tokens at once', async () => {
    const headers = await Promise.all(Array.from({ length: 20 }, () => header(first)));
    const viewers = await Promise.all(headers.map((one) => verify(one)));
    expect(new Set(viewers.map((viewer) => viewer?.sub))).toEqual(new Set(['ada']));
    expect(server.state.asked).toBe(1);
  });

  test('are asked for again when a token names a new one: its provider has changed keys', async () => {
    await accepted(first);
    now += 30_000;
    server.state.keys = [second!.published];
    await accepted(second);
    expect(server.state.asked).toBe(2);
    await isRefused(first);
  });

  test('are asked for once in 30 seconds at most, however many unknown ones tokens name', async () => {
    await accepted(first);
    const asked: number[] = [];
    for (const later of [0, 29_999, 30_000, 30_001, 59_999, 60_000]) {
      now = startOfTime + later;
      const headers = await Promise.all(
        Array.from({ length: 5 }, (_, index) => header(first, `unknown-${later}-${index}`)),
      );
      const outcomes = await Promise.allSettled(headers.map((one) => verify(one)));
      expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
      asked.push(server.state.asked);
    }
    expect(asked).toEqual([1, 1, 2, 2, 2, 3]);
    await accepted(first);
  });

  test('need no name as long as there is one only', async () => {
    expect(await verify(await header(first, null))).toMatchObject({ sub: 'ada' });
    server.state.keys = [first!.published, second!.published];
    now += 10 * minute;
    await expect(verify(await header(first, null))).rejects.toMatchObject(refused);
    expect(server.state.asked).toBe(2);
  });

  test('that the provider has taken back are no longer believed 10 minutes later', async () => {
    await accepted(first);
    server.state.keys = [second!.published];
    now += 10 * minute - 1;
    await accepted(first);
    now += 1;
    await isRefused(first);
    await accepted(second);
    expect(server.state.asked).toBe(2);
  });

  test('survive an outage of the key server, however long, and it is asked once in 30 seconds', async () => {
    await accepted(first);
    server.state.keys = undefined;
    for (const later of [9 * minute, 10 * minute, 10 * minute + 29_999, 10 * minute + 30_000, 300 * minute]) {
      now = startOfTime + later;
      await accepted(first);
      await accepted(first);
      await isRefused(second);
    }
    // By the unknown key at 9 minutes, then at 10, at 10 and a half, and at 300.
    expect(server.state.asked).toBe(5);
    server.state.keys = [second!.published];
    now += 30_000;
    await accepted(second);
  });

  test('that cannot be loaded refuse no token as invalid: the error is UNAVAILABLE', async () => {
    server.state.keys = undefined;
    for (let count = 0; count < 2; count += 1) {
      await expect(verify(await header(first))).rejects.toMatchObject(unavailable);
    }
    server.state.keys = [first!.published];
    await accepted(first);
  });

  test('that cannot be had are asked for by one request at a time, whatever the flood', async () => {
    server.state.keys = undefined;
    let release = (): void => undefined;
    server.state.hold = new Promise((resolve) => void (release = resolve));
    const headers = await Promise.all(Array.from({ length: 20 }, () => header(first)));
    const outcomes = headers.map((one) => expect(verify(one)).rejects.toMatchObject(unavailable));
    while (server.state.asked === 0) await new Promise((resolve) => setImmediate(resolve));
    release();
    await Promise.all(outcomes);
    expect(server.state.asked).toBe(1);
  });

  test('are not read from a body without end', async () => {
    let sent = 0;
    const flood = createServer((_request, response) => {
      const more = (): void => {
        if (response.destroyed) return;
        do sent += 65_536;
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      };
      response.on('drain', more);
      more();
    });
    await new Promise<void>((resolve) => flood.listen(0, '127.0.0.1', resolve));
    const jwksUrl = `http://127.0.0.1:${(flood.address() as AddressInfo).port}/`;
    const strict = createTokenVerifier(
      { jwksUrl, issuer: 'https://id.example.com', audience: 'gateway' },
      () => now,
    );
    await expect(strict(await header(first))).rejects.toMatchObject(unavailable);
    flood.closeAllConnections();
    await new Promise((resolve) => flood.close(resolve));
    expect(sent).toBeLessThan(32 * 1024 * 1024); // what was under way in buffers of the network
  });

  test.each(['', '{}', '{"keys":{}}', '[]', 'null', '{"keys":[1]}'])('are not read from %j', async (body) => {
    const odd = createServer((_request, response) => void response.end(body));
    await new Promise<void>((resolve) => odd.listen(0, '127.0.0.1', resolve));
    const jwksUrl = `http://127.0.0.1:${(odd.address() as AddressInfo).port}/`;
    const strict = createTokenVerifier(
      { jwksUrl, issuer: 'https://id.example.com', audience: 'gateway' },
      () => now,
    );
    await expect(strict(await header(first))).rejects.toMatchObject(unavailable);
    odd.closeAllConnections();
    await new Promise((resolve) => odd.close(resolve));
  });
});
