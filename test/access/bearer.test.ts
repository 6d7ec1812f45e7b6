import { SignJWT, type JWTHeaderParameters, type JWTPayload } from 'jose';
import { createTokenVerifier, type TokenSettings } from '../../src/access/token.ts';

const secret = 'a secret for tests that has 32 bytes or more';
const issuer = 'https://id.example.com/';
const audience = 'resource-gateway';
const now = Date.UTC(2031, 2, 4);
const nowSeconds = now / 1000;
const validClaims: JWTPayload = { sub: 'user-1', exp: nowSeconds + 3600, iss: issuer, aud: audience };

const encodePart = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Signs a token with the shared secret; undefined removes a claim. */
const signToken = (
  claims: JWTPayload = {},
  header: Partial<JWTHeaderParameters> = {},
  key = secret,
): Promise<string> =>
  new SignJWT({ ...validClaims, ...claims })
    .setProtectedHeader({ alg: 'HS256', ...header })
    .sign(Buffer.from(key));

const createVerifier = (settings: TokenSettings = {}, clock = () => now) =>
  createTokenVerifier({ secret, issuer, audience, ...settings }, clock);
const verifyToken = async (claims: JWTPayload, settings?: TokenSettings) =>
  createVerifier(settings)(`Bearer ${await signToken(claims)}`);
const expectRefused = (header: string) =>
  expect(createVerifier()(header)).rejects.toMatchObject({ code: 'UNAUTHENTICATED', reason: 'authError' });

describe('a bearer token', () => {
  test('is optional: without one there is no caller', async () =>
    expect(await createVerifier()(undefined)).toBeUndefined());

  test.each<[string, JWTPayload, string]>([
    ['the e-mail address, in lower case', { email: 'Ada@Example.COM' }, 'ada@example.com'],
    ['the subject, in lower case, without an e-mail address', { sub: 'Robot-7' }, 'robot-7'],
    ['the e-mail address as it is beyond ASCII', { email: 'M\u212aE.\u00c4@X.com' }, 'm\u212ae.\u00c4@x.com'],
    ...[true, 'true', undefined].map((email_verified): [string, JWTPayload, string] => [
      `the e-mail address with email_verified ${email_verified}`,
      { email: 'ada@example.com', email_verified },
      'ada@example.com',
    ]),
    // An unverified address can be claimed by any caller.
    ...[false, 'false', 0, null].map((email_verified): [string, JWTPayload, string] => [
      `the subject with email_verified ${email_verified}`,
      { email: 'ada@example.com', email_verified },
      'user-1',
    ]),
  ])('identifies its caller by %s', async (_case, claims, identity) =>
    expect(await verifyToken(claims)).toMatchObject({ sub: claims.sub ?? 'user-1', identity }),
  );

  test('with another address or another subject identifies another caller', async () => {
    const readKey = async (claims: JWTPayload) => (await verifyToken(claims))?.key;
    const key = await readKey({ email: 'ada@example.com' });
    expect(await readKey({ email: 'ADA@example.com' })).toBe(key);
    expect(await readKey({ email: 'ada@example.org' })).not.toBe(key);
    expect(await readKey({ email: 'ada@example.com', sub: 'user-2' })).not.toBe(key);
  });

  test.each(['Bearer %token', 'bearer %token', 'BEARER %token', 'bEaReR %token', 'Bearer   %token  '])(
    'is accepted in the form %j',
    async (headerTemplate) => {
      const header = headerTemplate.replace('%token', await signToken());
      expect(await createVerifier()(header)).toMatchObject({ sub: 'user-1' });
    },
  );

  test.each([
    ['  one   two ', ['one', 'two']],
    ['', []],
    [undefined, []],
    ['one one', ['one']],
    ['One', ['One']],
    ['one,two', ['one,two']],
  ])('with the scopes %j grants %j', async (scope, scopes) =>
    expect((await verifyToken({ scope }))?.scopes).toEqual(new Set(scopes)),
  );

  test.each([
    ['with the audience among several', { aud: ['another', audience] }],
    ['that becomes valid now', { nbf: nowSeconds }],
    ['that is valid in 30 seconds, by a clock that runs ahead', { nbf: nowSeconds + 30 }],
    ['that expires in a second', { exp: nowSeconds + 1 }],
    ['that expired 29 seconds ago, by a clock that runs behind', { exp: nowSeconds - 29 }],
  ])('%s is accepted', async (_case, claims) =>
    expect(await verifyToken(claims)).toMatchObject({ sub: 'user-1' }),
  );

  test('needs no issuer and audience where none is configured', async () => {
    const settings = { issuer: undefined, audience: undefined };
    expect(await verifyToken({ iss: undefined, aud: undefined }, settings)).toMatchObject({ sub: 'user-1' });
  });

  test.each<[string, JWTPayload, Partial<JWTHeaderParameters>?, string?]>([
    ['that expired 30 seconds ago', { exp: nowSeconds - 30 }],
    ['that expired long ago', { exp: 1 }],
    ['without an expiry', { exp: undefined }],
    ['with an expiry that is no number', { exp: '2050-01-01' as unknown as number }],
    ['without a subject', { sub: undefined }],
    ['with an empty subject', { sub: '' }],
    ['with a subject that is no text', { sub: 7 as unknown as string }],
    ['with an e-mail address that is no text', { email: ['ada@example.com'] }],
    ['with an empty e-mail address', { email: '' }],
    ['with scopes in a list', { scope: ['one'] }],
    ['that is not valid yet (nbf)', { nbf: nowSeconds + 31 }],
    ['of another issuer', { iss: 'https://id.example.com' }],
    ['without an issuer', { iss: undefined }],
    ['for another audience', { aud: 'resource-gateway-2' }],
    ['without an audience', { aud: undefined }],
    ['signed with another secret', {}, {}, `${secret}!`],
    ['signed by HS384', {}, { alg: 'HS384' }],
    ['signed by HS512', {}, { alg: 'HS512' }],
    ['with the URL of a key set (jku)', {}, { jku: 'https://evil.example/keys' }],
    ['with an embedded key (jwk)', {}, { jwk: { kty: 'oct', k: 'c2VjcmV0' } as object }],
    ['with the URL of a certificate (x5u)', {}, { x5u: 'https://evil.example/cert' }],
    ['with an embedded certificate (x5c)', {}, { x5c: ['MIIB'] }],
  ])('%s is refused', async (_case, ...signArgs) => expectRefused(`Bearer ${await signToken(...signArgs)}`));

  test('that has expired is refused with a message of its own, so that the client signs in again', async () => {
    await expect(verifyToken({ exp: nowSeconds - 30 })).rejects.toThrow(/expired/);
    await expect(verifyToken({ iss: 'x' })).rejects.not.toThrow(/expired/);
  });

  test('with a critical header extension (crit) is refused', async () => {
    const crit = { 'https://example.com/must': true };
    const header = { alg: 'HS256', crit: Object.keys(crit), ...crit };
    const token = new SignJWT(validClaims).setProtectedHeader(header).sign(Buffer.from(secret), { crit });
    await expectRefused(`Bearer ${await token}`);
  });

  const wrongAlgorithms = ['none', 'None', 'NONE', '', undefined, 7, null];
  test.each(wrongAlgorithms)('with the algorithm %j is refused', async (alg) => {
    const [, payload, signature] = (await signToken()).split('.');
    await expectRefused(`Bearer ${encodePart({ alg })}.${payload}.${signature}`);
    await expectRefused(`Bearer ${encodePart({ alg })}.${payload}.`);
  });

  test('whose claim was changed after signing is refused', async () => {
    const [header, , signature] = (await signToken()).split('.');
    await expectRefused(
      `Bearer ${header}.${encodePart({ ...validClaims, sub: 'somebody-else' })}.${signature}`,
    );
  });

  test.each([
    ...['', ' ', 'Bearer', 'Bearer ', 'Bearer a', 'Bearer a.b', 'Bearer a.b.c', 'Bearer ..'],
    ...['Bearer a.b.c.d.e', 'Basic dXNlcjpwYXNz', 'Bearer\ta.b.c', 'Bearer a.b.c, Bearer a.b.c'],
    ...['Bearer é.b.c', `Bearer ${'a'.repeat(20_000)}`, `Bearer ${encodePart([])}.${encodePart({})}.c`],
    `Bearer ${encodePart({ alg: 'HS256' })}.${encodePart('text')}.c`,
    ...['%token', 'Token %token', 'Bearer%token', 'Bearer "%token"', 'Bearer %token x', 'Bearer %token\n'],
  ])('is refused in the header %j', async (header) =>
    expectRefused(header.replace('%token', await signToken())),
  );

  test('is not repeated in an error, nor is the secret', async () => {
    const token = await signToken({ exp: 1 });
    const printError = (error: Error) => `${error} ${error.stack}`;
    const printedError = await createVerifier()(`Bearer ${token}`).catch(printError);
    expect(printedError).not.toContain(token.split('.')[2]);
    expect(printedError).not.toContain(secret);
  });

  test('that was accepted is refused once it expires', async () => {
    let time = now;
    const verify = createVerifier({}, () => time);
    const header = `Bearer ${await signToken()}`;
    const firstViewer = await verify(header);
    // An hour after signing, and 30 seconds for clocks that differ.
    time = now + 3_629_999;
    expect(await verify(header)).toEqual(firstViewer);
    time = now + 3_630_000;
    await expect(verify(header)).rejects.toThrow(/expired/);
  });

  test('that was accepted is cached for 5 minutes, then verified again', async () => {
    let time = now;
    const verify = createVerifier({}, () => time);
    const header = `Bearer ${await signToken()}`;
    const cachedViewer = await verify(header);
    time = now + 299_999;
    expect(await verify(header)).toBe(cachedViewer);
    time = now + 300_000;
    expect(await verify(header)).not.toBe(cachedViewer);
  });
});
