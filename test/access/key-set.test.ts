import {
  exportJWK,
  exportSPKI,
  generateKeyPair,
  SignJWT,
  type CryptoKey,
  type JWK,
  type JWTPayload,
} from 'jose';
import { createTokenVerifier, type TokenSettings, type TokenVerifier } from '../../src/access/token.ts';
import { serve } from '../loopback.ts';
import { useForEach } from '../started.ts';

const secret = 'a secret for tests that has 32 bytes or more';
const minute = 60_000;
const startOfTime = Date.UTC(2031, 2, 4);
const seconds = startOfTime / 1000;
const [issuer, audience] = ['https://id.example.com', 'gateway'];
const refused = { code: 'UNAUTHENTICATED', reason: 'authError' };
/** The log has why the keys cannot be had. */
const unavailable = { code: 'UNAVAILABLE', reason: 'backendError', cause: expect.anything() };

/** A key of the identity provider: the half it publishes and the half it signs with. */
interface ProviderKey {
  readonly published: JWK;
  readonly signing: CryptoKey;
  readonly publicKey: CryptoKey;
}

async function newKey(kid: string, alg = 'ES256'): Promise<ProviderKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  const published = { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' };
  return { published, signing: privateKey, publicKey };
}

/** A key server on loopback that counts how often it is asked; it is away while `keys` is undefined. */
async function startKeyServer(keys: readonly JWK[] | undefined) {
  const state = { keys, asked: 0, hold: undefined as Promise<void> | undefined };
  const server = await serve((_request, response) => {
    state.asked += 1;
    const { keys: published } = state;
    void Promise.resolve(state.hold).then(() => {
      if (published) response.end(JSON.stringify({ keys: published }));
      else response.destroy();
    });
  });
  return { state, ...server };
}

let now: number;
let first: ProviderKey;
let second: ProviderKey;
beforeAll(async () => void ([first, second] = [await newKey('first'), await newKey('second')]));
const server = useForEach(() => {
  now = startOfTime;
  return startKeyServer([first.published]);
});

const verifier = (settings: TokenSettings = {}): TokenVerifier =>
  createTokenVerifier({ jwksUrl: server.url, issuer, audience, ...settings }, () => now);

let tokens = 0;
/** A token nobody has seen yet, so that it has to be verified; without the name of its key where `kid` is null. */
const header = async (
  { published: { alg = '', kid: name }, signing }: ProviderKey,
  kid: string | null | undefined = name,
  claims: JWTPayload = {},
): Promise<string> => {
  const usual = { sub: 'ada', iss: issuer, aud: audience, exp: seconds + 86_400, jti: `${(tokens += 1)}` };
  const token = new SignJWT({ ...usual, ...claims });
  return `Bearer ${await token.setProtectedHeader({ alg, ...(kid !== null && { kid }) }).sign(signing)}`;
};

describe('a token of an identity provider', () => {
  const keys = new Map<string, ProviderKey>();
  const keyOf = (alg: string) => keys.get(alg) as ProviderKey;
  const algorithms = ['RS256', 'PS256', 'ES256', 'EdDSA'];
  beforeAll(async () => {
    for (const alg of algorithms) keys.set(alg, await newKey(alg, alg));
  });
  beforeEach(() => void (server.state.keys = [...keys.values()].map(({ published }) => published)));

  test.each(algorithms)('signed by %s is accepted', async (alg) =>
    expect(await verifier()(await header(keyOf(alg)))).toMatchObject({ sub: 'ada' }),
  );

  test.each<[string, JWTPayload]>([
    ['expiry', { exp: seconds - 30 }],
    ['presence of an expiry', { exp: undefined }],
    ['issuer', { iss: 'x' }],
    ['audience', { aud: 'x' }],
    ['subject', { sub: undefined }],
  ])('is checked for its %s as well', async (_what, claims) =>
    expect(verifier()(await header(keyOf('ES256'), 'ES256', claims))).rejects.toMatchObject(refused),
  );

  test('of another provider under a known key id is refused', async () =>
    expect(verifier()(await header(first, 'ES256'))).rejects.toMatchObject(refused));

  test('that names no key is accepted where one key fits, and refused where several do', async () => {
    const nameless = await header(keyOf('ES256'), null);
    expect(await verifier()(nameless)).toMatchObject({ sub: 'ada' });
    server.state.keys = [...(server.state.keys ?? []), first.published];
    await expect(verifier()(nameless)).rejects.toMatchObject(refused);
  });

  const bySecret = (key: string, kid: string): Promise<string> =>
    new SignJWT({ sub: 'by secret', iss: issuer, aud: audience, exp: seconds + 3600 })
      .setProtectedHeader({ alg: 'HS256', kid })
      .sign(Buffer.from(key));

  test('cannot be forged with the public key as a secret', async () => {
    const { publicKey, published } = keyOf('RS256');
    const pem = await exportSPKI(publicKey);
    for (const key of [pem, pem.trim(), JSON.stringify(published)]) {
      const forged = `Bearer ${await bySecret(key, 'RS256')}`;
      await expect(verifier()(forged)).rejects.toMatchObject(refused);
      await expect(verifier({ secret })(forged)).rejects.toMatchObject(refused);
    }
  });

  test('signed with a secret is refused where no secret is configured, although the key server offers one', async () => {
    const k = Buffer.from(secret).toString('base64url');
    server.state.keys = [{ kty: 'oct', k, kid: 'shared', alg: 'HS256' }];
    await expect(verifier()(`Bearer ${await bySecret(secret, 'shared')}`)).rejects.toMatchObject(refused);
  });

  test('and one by the shared secret are both accepted where both are configured, and it is refused where only a secret is', async () => {
    const both = verifier({ secret });
    expect(await both(`Bearer ${await bySecret(secret, 'x')}`)).toMatchObject({ sub: 'by secret' });
    expect(await both(await header(keyOf('RS256')))).toMatchObject({ sub: 'ada' });
    const only = verifier({ secret, jwksUrl: undefined });
    await expect(only(await header(keyOf('RS256')))).rejects.toMatchObject(refused);
  });
});

describe('the keys of an identity provider', () => {
  let verify: TokenVerifier;
  beforeEach(() => void (verify = verifier()));
  const accepted = async (key: ProviderKey) =>
    expect(await verify(await header(key))).toMatchObject({ sub: 'ada' });
  const isRefused = async (key: ProviderKey, kid?: string | null) =>
    expect(verify(await header(key, kid))).rejects.toMatchObject(refused);

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
    server.state.keys = [second.published];
    await accepted(second); // an unknown key: the provider is asked
    await expect(verify(known)).rejects.toMatchObject(refused);
    await isRefused(first);
    expect(server.state.asked).toBe(2);
  });

  test('end remembered tokens with their own age', async () => {
    await accepted(first);
    now += 8 * minute;
    const known = await header(first);
    await verify(known);
    server.state.keys = [second.published];
    now += 2 * minute;
    await expect(verify(known)).rejects.toMatchObject(refused);
  });

  test('are loaded once by many tokens at once, and then cached', async () => {
    const headers = await Promise.all(Array.from({ length: 20 }, () => header(first)));
    expect(server.state.asked).toBe(0);
    const viewers = await Promise.all(headers.map((one) => verify(one)));
    expect(new Set(viewers.map((viewer) => viewer?.sub))).toEqual(new Set(['ada']));
    await accepted(first);
    expect(server.state.asked).toBe(1);
  });

  test('are asked for once in 30 seconds at most, however many unknown ones tokens name', async () => {
    await accepted(first);
    const asked: number[] = [];
    for (const later of [0, 29_999, 30_000, 30_001, 59_999, 60_000]) {
      now = startOfTime + later;
      await Promise.all(
        Array.from({ length: 5 }, (_, index) => isRefused(first, `unknown-${later}-${index}`)),
      );
      asked.push(server.state.asked);
    }
    expect(asked).toEqual([1, 1, 2, 2, 2, 3]);
    await accepted(first);
  });

  test('are not asked for because of a token that several of them fit', async () => {
    server.state.keys = [first.published, second.published];
    await accepted(first);
    server.state.keys = [second.published];
    now += 30_000;
    await isRefused(first, null);
    await accepted(first); // by the keys that were loaded before
  });

  test('that the provider has taken back are no longer believed 10 minutes later', async () => {
    await accepted(first);
    server.state.keys = [second.published];
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
    server.state.keys = [second.published];
    now += 30_000;
    await accepted(second);
  });

  test('that cannot be loaded refuse no token as invalid: the error is UNAVAILABLE', async () => {
    server.state.keys = undefined;
    for (let count = 0; count < 2; count += 1)
      await expect(verify(await header(first))).rejects.toMatchObject(unavailable);
    server.state.keys = [first.published];
    await accepted(first);
    await server.close();
    await expect(verifier()(await header(first))).rejects.toMatchObject(unavailable);
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
    const flood = await serve((_request, response) => {
      const more = (): void => {
        if (response.destroyed) return;
        do sent += 65_536;
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      };
      response.on('drain', more);
      more();
    });
    await expect(verifier({ jwksUrl: flood.url })(await header(first))).rejects.toMatchObject(unavailable);
    await flood.close();
    expect(sent).toBeLessThan(32 * 1024 * 1024); // what was under way in buffers of the network
  });

  test.each([
    ...['', '{}', '{"keys":{}}', '[]', 'null', '{"keys":[1]}', 'no JSON'].map((body) => [200, body] as const),
    [500, '{"keys":[]}'] as const,
  ])('are not read from an answer with the status %s and the body %j', async (status, body) => {
    const odd = await serve((_request, response) => void response.writeHead(status).end(body));
    await expect(verifier({ jwksUrl: odd.url })(await header(first))).rejects.toMatchObject(unavailable);
    await odd.close();
  });
});
