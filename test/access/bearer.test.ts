import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, exportSPKI, generateKeyPair, SignJWT, type CryptoKey, type JWTHeaderParameters, type JWTPayload } from 'jose';
import { createTokenVerifier, type TokenSettings } from '../../src/access/token.ts';

const secret = 'a secret for tests that has 32 bytes or more';
const issuer = 'https://id.example.com/';
const audience = 'resource-gateway';
const now = Date.UTC(2031, 2, 4);
const seconds = now / 1000;
const good: JWTPayload = { sub: 'user-1', exp: seconds + 3600, iss: issuer, aud: audience };

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token by the shared secret; undefined leaves a claim out. */
function signed(claims: JWTPayload = {}, header: Partial<JWTHeaderParameters> = {}, key = secret): Promise<string> {
  return new SignJWT({ ...good, ...claims }).setProtectedHeader({ alg: 'HS256', ...header }).sign(Buffer.from(key));
}

const bySecret = (settings: TokenSettings = {}, clock = () => now) =>
  createTokenVerifier({ secret, issuer, audience, ...settings }, clock);

const refusal = { code: 'UNAUTHENTICATED', reason: 'authError' };

describe('a bearer token', () => {
  test('tells who the caller is and what it may do', async () => {
    const token = await signed({ email: 'Ada@Example.COM', scope: 'one two' });
    const viewer = await bySecret()(`Bearer ${token}`);
    expect(viewer).toMatchObject({ sub: 'user-1', identity: 'ada@example.com', scopes: new Set(['one', 'two']) });
  });

  test('without an e-mail address names its subject, in lower case', async () => {
    expect(await bySecret()(`Bearer ${await signed({ sub: 'Robot-7' })}`)).toMatchObject({ sub: 'Robot-7', identity: 'robot-7' });
  });

  test('may be left out: then nobody is named', async () => {
    expect(await bySecret()(undefined)).toBeUndefined();
  });

  test.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])('may follow the word %s', async (word) => {
    expect(await bySecret()(`${word} ${await signed()}`)).toMatchObject({ sub: 'user-1' });
  });

  test('may have several spaces around it', async () => {
    expect(await bySecret()(`Bearer   ${await signed()}  `)).toMatchObject({ sub: 'user-1' });
  });

  test.each([
    ['  one   two ', ['one', 'two']],
    ['', []],
    [undefined, []],
    ['one one', ['one']],
    ['One', ['One']],
    ['one,two', ['one,two']],
  ])('with the scopes %j grants %j', async (scope, scopes) => {
    expect((await bySecret()(`Bearer ${await signed({ scope })}`))?.scopes).toEqual(new Set(scopes));
  });

  test.each([
    ['of the audience among others', { aud: ['another', audience] }],
    ['that is valid since now', { nbf: seconds }],
    ['that expires in a second', { exp: seconds + 1 }],
    ['that expires within a second', { exp: seconds + 0.5 }],
  ])('%s is accepted', async (_what, claims) => {
    expect(await bySecret()(`Bearer ${await signed(claims)}`)).toMatchObject({ sub: 'user-1' });
  });

  test.each<[string, JWTPayload]>([
    ['that expires now', { exp: seconds }],
    ['that expired long ago', { exp: 1 }],
    ['without an expiry', { exp: undefined }],
    ['with an expiry that is no number', { exp: '2050-01-01' as unknown as number }],
    ['without a subject', { sub: undefined }],
    ['with an empty subject', { sub: '' }],
    ['with a subject that is no text', { sub: 7 as unknown as string }],
    ['with an e-mail address that is no text', { email: ['ada@example.com'] }],
    ['with an empty e-mail address', { email: '' }],
    ['with scopes in a list', { scope: ['one'] }],
    ['that is valid later only', { nbf: seconds + 1 }],
    ['of another issuer', { iss: 'https://id.example.com' }],
    ['without an issuer', { iss: undefined }],
    ['for another audience', { aud: 'resource-gateway-2' }],
    ['without an audience', { aud: undefined }],
  ])('%s is refused', async (_what, claims) => {
    await expect(bySecret()(`Bearer ${await signed(claims)}`)).rejects.toMatchObject(refusal);
  });

  test('that has expired is told apart, so that a client knows to sign in again', async () => {
    await expect(bySecret()(`Bearer ${await signed({ exp: seconds })}`)).rejects.toThrow(/expired/);
    await expect(bySecret()(`Bearer ${await signed({ iss: 'x' })}`)).rejects.not.toThrow(/expired/);
  });

  test('needs no issuer and audience where none is configured', async () => {
    const verify = bySecret({ issuer: undefined, audience: undefined });
    expect(await verify(`Bearer ${await signed({ iss: undefined, aud: undefined })}`)).toMatchObject({ sub: 'user-1' });
  });

  test.each<[string, Partial<JWTHeaderParameters>, string]>([
    ['signed with another secret', {}, `${secret}!`],
    ['signed by HS384', { alg: 'HS384' }, secret],
    ['signed by HS512', { alg: 'HS512' }, secret],
    ['that names a key set', { jku: 'https://evil.example/keys' }, secret],
    ['that brings a key', { jwk: { kty: 'oct', k: 'c2VjcmV0' } as object }, secret],
    ['that names a certificate', { x5u: 'https://evil.example/cert' }, secret],
    ['that brings a certificate', { x5c: ['MIIB'] }, secret],
  ])('%s is refused', async (_what, header, key) => {
    await expect(bySecret()(`Bearer ${await signed({}, header, key)}`)).rejects.toMatchObject(refusal);
  });

  test('with an extension that must be understood is refused', async () => {
    const header = { alg: 'HS256', crit: ['https://example.com/must'], 'https://example.com/must': true };
    const crit = { crit: { 'https://example.com/must': true } };
    const token = await new SignJWT({ ...good }).setProtectedHeader(header).sign(Buffer.from(secret), crit);
    await expect(bySecret()(`Bearer ${token}`)).rejects.toMatchObject(refusal);
  });

  test.each(['none', 'None', 'NONE', '', undefined, 7, null])('with the algorithm %j is refused', async (alg) => {
    const [, payload, signature] = (await signed()).split('.');
    await expect(bySecret()(`Bearer ${encode({ alg })}.${payload}.${signature}`)).rejects.toMatchObject(refusal);
    await expect(bySecret()(`Bearer ${encode({ alg })}.${payload}.`)).rejects.toMatchObject(refusal);
  });

  test('with a claim changed after signing is refused', async () => {
    const [header, , signature] = (await signed()).split('.');
    const forged = `${header}.${encode({ ...good, sub: 'somebody-else' })}.${signature}`;
    await expect(bySecret()(`Bearer ${forged}`)).rejects.toMatchObject(refusal);
  });

  test.each([
    ...['', ' ', 'Bearer', 'Bearer ', 'Bearer a', 'Bearer a.b', 'Bearer a.b.c', 'Bearer ..', 'Bearer a.b.c.d.e'],
    ...['Basic dXNlcjpwYXNz', 'Bearer\ta.b.c', 'Bearer a.b.c, Bearer a.b.c', 'Bearer é.b.c'],
    `Bearer ${'a'.repeat(20_000)}`,
    `Bearer ${encode([])}.${encode({})}.c`,
    `Bearer ${encode({ alg: 'HS256' })}.${encode('text')}.c`,
  ])('is not found in the header %j', async (header) => {
    await expect(bySecret()(header)).rejects.toMatchObject(refusal);
  });

  test.each(['%token', 'Token %token', 'Bearer%token', 'Bearer "%token"', 'Bearer %token x', 'Bearer %token\n'])(
    'is refused in the form %j',
    async (form) => {
      await expect(bySecret()(form.replace('%token', await signed()))).rejects.toMatchObject(refusal);
    },
  );

  test('is not repeated in a refusal, nor is the secret', async () => {
    const token = await signed({ exp: 1 });
    const message = await bySecret()(`Bearer ${token}`).catch((error: Error) => `${error.message} ${error.stack}`);
    expect(message).not.toContain(token.split('.')[2]);
    expect(message).not.toContain(secret);
  });

  test('that was accepted is not accepted any more when it expires', async () => {
    let time = now;
    const verify = bySecret({}, () => time);
    const header = `Bearer ${await signed()}`;
    const first = await verify(header);
    time = now + 3_599_999;
    expect(await verify(header)).toBe(first);
    time = now + 3_600_000;
    await expect(verify(header)).rejects.toThrow(/expired/);
  });
});

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
    new SignJWT({ ...good, ...claims }).setProtectedHeader({ alg, kid }).sign(privateKeys.get(alg) as CryptoKey);

  test.each(algorithms)('signed by %s is accepted', async (alg) => {
    expect(await verifier()(`Bearer ${await issued(alg)}`)).toMatchObject({ sub: 'user-1' });
  });

  test('is checked for expiry, issuer and audience as well', async () => {
    for (const claims of [{ exp: seconds }, { iss: 'x' }, { aud: 'x' }, { exp: undefined }, { sub: undefined }]) {
      await expect(verifier()(`Bearer ${await issued('ES256', claims)}`)).rejects.toMatchObject(refusal);
    }
  });

  test('of another provider under a known key id is refused', async () => {
    const { privateKey } = await generateKeyPair('ES256');
    const token = await new SignJWT({ ...good }).setProtectedHeader({ alg: 'ES256', kid: 'ES256' }).sign(privateKey);
    await expect(verifier()(`Bearer ${token}`)).rejects.toMatchObject(refusal);
  });

  test('under an unknown key id is refused, and does not make the key server busy', async () => {
    const verify = verifier();
    for (let index = 0; index < 20; index += 1) {
      await expect(verify(`Bearer ${await issued('ES256', {}, `unknown-${index}`)}`)).rejects.toMatchObject(refusal);
    }
    expect(server.asked()).toBe(1);
  });

  test('that names no key is accepted where one key fits, and refused where several do', async () => {
    const nameless = await new SignJWT({ ...good }).setProtectedHeader({ alg: 'ES256' }).sign(privateKeys.get('ES256') as CryptoKey);
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
    expect(await verify(`Bearer ${await issued('RS256', { sub: 'by key' })}`)).toMatchObject({ sub: 'by key' });
  });

  test('is refused where only a secret is configured', async () => {
    await expect(bySecret()(`Bearer ${await issued('RS256')}`)).rejects.toMatchObject(refusal);
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
