import { SignJWT, type JWTHeaderParameters, type JWTPayload } from 'jose';
import { createTokenVerifier, type TokenSettings } from '../../src/access/token.ts';

const secret = 'a secret for tests that has 32 bytes or more';
const issuer = 'https://id.example.com/';
const audience = 'resource-gateway';
const now = Date.UTC(2031, 2, 4);
const seconds = now / 1000;
const good: JWTPayload = { sub: 'user-1', exp: seconds + 3600, iss: issuer, aud: audience };

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

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

const bySecret = (settings: TokenSettings = {}, clock = () => now) =>
  createTokenVerifier({ secret, issuer, audience, ...settings }, clock);

const refusal = { code: 'UNAUTHENTICATED', reason: 'authError' };

describe('a bearer token', () => {
  test('gives the identity and the scopes of the caller', async () => {
    const token = await signed({ email: 'Ada@Example.COM', scope: 'one two' });
    const viewer = await bySecret()(`Bearer ${token}`);
    expect(viewer).toMatchObject({
      sub: 'user-1',
      identity: 'ada@example.com',
      scopes: new Set(['one', 'two']),
    });
  });

  test('without an e-mail address names its subject, in lower case', async () => {
    expect(await bySecret()(`Bearer ${await signed({ sub: 'Robot-7' })}`)).toMatchObject({
      sub: 'Robot-7',
      identity: 'robot-7',
    });
  });

  test.each([true, 'true', undefined])(
    'with email_verified %j names its e-mail address',
    async (verified) => {
      const token = await signed({ email: 'ada@example.com', email_verified: verified });
      expect(await bySecret()(`Bearer ${token}`)).toMatchObject({ identity: 'ada@example.com' });
    },
  );

  test.each([false, 'false', 0, null])(
    'with email_verified %j names its subject: anybody can claim an address',
    async (verified) => {
      const token = await signed({ email: 'ada@example.com', email_verified: verified });
      expect(await bySecret()(`Bearer ${token}`)).toMatchObject({ identity: 'user-1' });
    },
  );

  test('keeps every character that is no ASCII letter as it is', async () => {
    const viewer = await bySecret()(`Bearer ${await signed({ email: 'M\u212aE.\u00c4@Example.com' })}`);
    expect(viewer?.identity).toBe('m\u212ae.\u00c4@example.com');
  });

  test('of the same subject with another address is another caller', async () => {
    const keyOf = async (claims: JWTPayload) => (await bySecret()(`Bearer ${await signed(claims)}`))?.key;
    expect(await keyOf({ email: 'ADA@example.com' })).toBe(await keyOf({ email: 'ada@example.com' }));
    expect(await keyOf({ email: 'ada@example.com' })).not.toBe(await keyOf({ email: 'ada@example.org' }));
    expect(await keyOf({ email: 'ada@example.com' })).not.toBe(
      await keyOf({ email: 'ada@example.com', sub: 'user-2' }),
    );
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
    ['that is valid in 30 seconds, by a clock that runs ahead', { nbf: seconds + 30 }],
    ['that expires in a second', { exp: seconds + 1 }],
    ['that expired 29 seconds ago, by a clock that runs behind', { exp: seconds - 29 }],
  ])('%s is accepted', async (_what, claims) => {
    expect(await bySecret()(`Bearer ${await signed(claims)}`)).toMatchObject({ sub: 'user-1' });
  });

  test.each<[string, JWTPayload]>([
    ['that expired 30 seconds ago', { exp: seconds - 30 }],
    ['that expired long ago', { exp: 1 }],
    ['without an expiry', { exp: undefined }],
    ['with an expiry that is no number', { exp: '2050-01-01' as unknown as number }],
    ['without a subject', { sub: undefined }],
    ['with an empty subject', { sub: '' }],
    ['with a subject that is no text', { sub: 7 as unknown as string }],
    ['with an e-mail address that is no text', { email: ['ada@example.com'] }],
    ['with an empty e-mail address', { email: '' }],
    ['with scopes in a list', { scope: ['one'] }],
    ['that is valid later only', { nbf: seconds + 31 }],
    ['of another issuer', { iss: 'https://id.example.com' }],
    ['without an issuer', { iss: undefined }],
    ['for another audience', { aud: 'resource-gateway-2' }],
    ['without an audience', { aud: undefined }],
  ])('%s is refused', async (_what, claims) => {
    await expect(bySecret()(`Bearer ${await signed(claims)}`)).rejects.toMatchObject(refusal);
  });

  test('that has expired has a message of its own: the client has to sign in again', async () => {
    await expect(bySecret()(`Bearer ${await signed({ exp: seconds - 30 })}`)).rejects.toThrow(/expired/);
    await expect(bySecret()(`Bearer ${await signed({ iss: 'x' })}`)).rejects.not.toThrow(/expired/);
  });

  test('needs no issuer and audience where none is configured', async () => {
    const verify = bySecret({ issuer: undefined, audience: undefined });
    expect(await verify(`Bearer ${await signed({ iss: undefined, aud: undefined })}`)).toMatchObject({
      sub: 'user-1',
    });
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

  test.each(['none', 'None', 'NONE', '', undefined, 7, null])(
    'with the algorithm %j is refused',
    async (alg) => {
      const [, payload, signature] = (await signed()).split('.');
      await expect(bySecret()(`Bearer ${encode({ alg })}.${payload}.${signature}`)).rejects.toMatchObject(
        refusal,
      );
      await expect(bySecret()(`Bearer ${encode({ alg })}.${payload}.`)).rejects.toMatchObject(refusal);
    },
  );

  test('with a claim changed after signing is refused', async () => {
    const [header, , signature] = (await signed()).split('.');
    const forged = `${header}.${encode({ ...good, sub: 'somebody-else' })}.${signature}`;
    await expect(bySecret()(`Bearer ${forged}`)).rejects.toMatchObject(refusal);
  });

  test.each([
    ...[
      '',
      ' ',
      'Bearer',
      'Bearer ',
      'Bearer a',
      'Bearer a.b',
      'Bearer a.b.c',
      'Bearer ..',
      'Bearer a.b.c.d.e',
    ],
    ...['Basic dXNlcjpwYXNz', 'Bearer\ta.b.c', 'Bearer a.b.c, Bearer a.b.c', 'Bearer é.b.c'],
    `Bearer ${'a'.repeat(20_000)}`,
    `Bearer ${encode([])}.${encode({})}.c`,
    `Bearer ${encode({ alg: 'HS256' })}.${encode('text')}.c`,
  ])('is not found in the header %j', async (header) => {
    await expect(bySecret()(header)).rejects.toMatchObject(refusal);
  });

  test.each([
    '%token',
    'Token %token',
    'Bearer%token',
    'Bearer "%token"',
    'Bearer %token x',
    'Bearer %token\n',
  ])('is refused in the form %j', async (form) => {
    await expect(bySecret()(form.replace('%token', await signed()))).rejects.toMatchObject(refusal);
  });

  test('is not repeated in a refusal, nor is the secret', async () => {
    const token = await signed({ exp: 1 });
    const message = await bySecret()(`Bearer ${token}`).catch(
      (error: Error) => `${error.message} ${error.stack}`,
    );
    expect(message).not.toContain(token.split('.')[2]);
    expect(message).not.toContain(secret);
  });

  test('that was accepted is not accepted any more when it expires', async () => {
    let time = now;
    const verify = bySecret({}, () => time);
    const header = `Bearer ${await signed()}`;
    const first = await verify(header);
    time = now + 3_629_999;
    expect(await verify(header)).toEqual(first);
    time = now + 3_630_000;
    await expect(verify(header)).rejects.toThrow(/expired/);
  });

  test('that was accepted is believed for 5 minutes, then checked again', async () => {
    let time = now;
    const verify = bySecret({}, () => time);
    const header = `Bearer ${await signed()}`;
    const first = await verify(header);
    time = now + 299_999;
    expect(await verify(header)).toBe(first);
    time = now + 300_000;
    expect(await verify(header)).not.toBe(first);
  });
});
