import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  exportJWK,
  exportSPKI,
  generateKeyPair,
  SignJWT,
  type CryptoKey,
  type JWTHeaderParameters,
  type JWTPayload,
} from 'jose';
import { createTokenVerifier, type TokenSettings } from '../../src/access/token.ts';

const secret = 'a secret for tests that has 32 bytes or more';
const issuer = 'https://id.example.com/';
const audience = 'resource-gateway';
const now = Date.UTC(2031, 2, 4);
const seconds = now / 1000;
const good: JWTPayload = { sub: 'user-1', exp: seconds + 3600, iss: issuer, aud: audience };

/** A token by the shared secret; undefined leaves a claim out. */
function signed(
  claims: JWTPayload = {},
  header: Partial<JWTHeaderParameters> = {},
  key = secret,
): Promise<string> {
  return new SignJWT({ ...good, ...claims })
    .setProtectedHeader({ alg: 'HS256', ...header })
    .sign(Buffer.from(key));
}

const refusal = { code: 'UNAUTHENTICATED', reason: 'authError' };

/** An identity provider's key server, on loopback. */
interface KeyServer {
  readonly url: string;
  answer: { status: number; body: string };
  readonly asked: () => number;
  readonly stop: () => Promise<void>;
}

async function startKeyServer(keys: readonly object[]): Promise<KeyServer> {
  let asked = 0;
  const server: Server = createServer((_request, response) => {
    asked += 1;
    response.writeHead(state.answer.status, { 'content-type': 'application/json' }).end(state.answer.body);
  });
  const state = {
    url: '',
    answer: { status: 200, body: JSON.stringify({ keys }) },
    asked: () => asked,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`;
  return state;
}

describe('a token of an identity provider', () => {
  const algorithms = ['RS256', 'PS256', 'ES256', 'EdDSA'];
  const privateKeys = new Map<string, CryptoKey>();
  const publicKeys: object[] = [];
  let rsaPublic = '';
  let server: KeyServer;

  beforeAll(async () => {
    for (const alg of algorithms) {
      const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
      privateKeys.set(alg, privateKey);
      publicKeys.push({ ...(await exportJWK(publicKey)), kid: alg, alg, use: 'sig' });
      if (alg === 'RS256') rsaPublic = await exportSPKI(publicKey);
    }
  });
  beforeEach(async () => {
    server = await startKeyServer(publicKeys);
  });
  afterEach(() => server.stop());

  const verifier = (settings: TokenSettings = {}) =>
    createTokenVerifier({ jwksUrl: server.url, issuer, audience, ...settings }, () => now);
  const issued = (alg: string, claims: JWTPayload = {}, kid = alg): Promise<string> =>
    new SignJWT({ ...good, ...claims })
      .setProtectedHeader({ alg, kid })
      .sign(privateKeys.get(alg) as CryptoKey);

  test.each(algorithms)('signed by %s is accepted', async (alg) => {
    expect(await verifier()(`Bearer ${await issued(alg)}`)).toMatchObject({ sub: 'user-1' });
  });

  test('is checked for expiry, issuer and audience as well', async () => {
    for (const claims of [
      { exp: seconds - 30 },
      { iss: 'x' },
      { aud: 'x' },
      { exp: undefined },
      { sub: undefined },
    ]) {
      await expect(verifier()(`Bearer ${await issued('ES256', claims)}`)).rejects.toMatchObject(refusal);
    }
  });

  test('of another provider under a known key id is refused', async () => {
    const { privateKey } = await generateKeyPair('ES256');
    const token = await new SignJWT({ ...good })
      .setProtectedHeader({ alg: 'ES256', kid: 'ES256' })
      .sign(privateKey);
    await expect(verifier()(`Bearer ${token}`)).rejects.toMatchObject(refusal);
  });

  test('under an unknown key id is refused, and does not make the key server busy', async () => {
    const verify = verifier();
    for (let index = 0; index < 20; index += 1) {
      await expect(verify(`Bearer ${await issued('ES256', {}, `unknown-${index}`)}`)).rejects.toMatchObject(
        refusal,
      );
    }
    expect(server.asked()).toBe(1);
  });

  test('that names no key is accepted where one key fits, and refused where several do', async () => {
    const nameless = await new SignJWT({ ...good })
      .setProtectedHeader({ alg: 'ES256' })
      .sign(privateKeys.get('ES256') as CryptoKey);
    expect(await verifier()(`Bearer ${nameless}`)).toMatchObject({ sub: 'user-1' });
    const another = await exportJWK((await generateKeyPair('ES256')).publicKey);
    server.answer.body = JSON.stringify({ keys: [...publicKeys, { ...another, kid: 'another' }] });
    await expect(verifier()(`Bearer ${nameless}`)).rejects.toMatchObject(refusal);
  });

  test('cannot be forged with the public key as a secret', async () => {
    const jwk = JSON.stringify(publicKeys[0]);
    for (const key of [rsaPublic, rsaPublic.trim(), jwk]) {
      const forged = await signed({}, { kid: 'RS256' }, key);
      await expect(verifier()(`Bearer ${forged}`)).rejects.toMatchObject(refusal);
      await expect(verifier({ secret })(`Bearer ${forged}`)).rejects.toMatchObject(refusal);
    }
  });

  test('signed with a secret is refused where no secret is configured, although the key server offers one', async () => {
    const k = Buffer.from(secret).toString('base64url');
    server.answer.body = JSON.stringify({ keys: [{ kty: 'oct', k, kid: 'shared', alg: 'HS256' }] });
    await expect(verifier()(`Bearer ${await signed({}, { kid: 'shared' })}`)).rejects.toMatchObject(refusal);
  });

  test('and one by the shared secret are both accepted where both are configured', async () => {
    const verify = verifier({ secret });
    expect(await verify(`Bearer ${await signed({ sub: 'by secret' })}`)).toMatchObject({ sub: 'by secret' });
    expect(await verify(`Bearer ${await issued('RS256', { sub: 'by key' })}`)).toMatchObject({
      sub: 'by key',
    });
  });

  test('is refused where only a secret is configured', async () => {
    await expect(
      createTokenVerifier({ secret, issuer, audience }, () => now)(`Bearer ${await issued('RS256')}`),
    ).rejects.toMatchObject(refusal);
  });

  test('is checked with the keys known before, while the key server is away', async () => {
    const verify = verifier();
    await verify(`Bearer ${await issued('RS256')}`);
    await server.stop();
    expect(await verify(`Bearer ${await issued('ES256')}`)).toMatchObject({ sub: 'user-1' });
    expect(server.asked()).toBe(1);
  });

  test('is not called bad when the key server cannot be asked: the client may try again', async () => {
    const verify = verifier();
    const token = await issued('RS256');
    const unavailable = { code: 'UNAVAILABLE', reason: 'backendError' };
    server.answer = { status: 500, body: 'secret details' };
    await expect(verify(`Bearer ${token}`)).rejects.toMatchObject(unavailable);
    server.answer = { status: 200, body: 'no JSON' };
    await expect(verify(`Bearer ${token}`)).rejects.toMatchObject(unavailable);
    server.answer = { status: 200, body: JSON.stringify({ keys: publicKeys }) };
    expect(await verify(`Bearer ${token}`)).toMatchObject({ sub: 'user-1' });
    await server.stop();
    await expect(verifier()(`Bearer ${token}`)).rejects.toMatchObject(unavailable);
  });
});
