// Attacks on identities: look-alike addresses, times and keys of tokens, reused request ids, and disclosure
// of hidden guests.
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { outcomeOf, signToken, withGateway } from './gateway.js';
import { smallSeed } from './seed.js';

/** Addresses that Unicode normalization, case folding or quoting could turn into `mike@example.com`. */
const lookAlikeAddresses = [
  'mi\u212ae@example.com',
  '\uff4dike@example.com',
  'mi\u00adke@example.com',
  'mike@example\u3002com',
  '"mike"@example.com',
  'mike@ex\u00adample.com',
  'MI\u212aE@EXAMPLE.COM',
];
const privateEventQuery = '{ event(calendarId: "mike@example.com", eventId: "private") { id } }';
const primaryEventQuery = '{ event(calendarId: "primary", eventId: "private") { id } }';

/** The gateway asks the key server at most every 30 s. */
const keyCacheMs = 30_500;

const checkLookAlikes = () =>
  withGateway({ seed: smallSeed }, async (gateway) => {
    const outcomes = [];
    for (const email of lookAlikeAddresses) {
      const token = await signToken(email, { sub: email });
      for (const query of [privateEventQuery, primaryEventQuery])
        outcomes.push(outcomeOf(await gateway.sendGraphql(query, undefined, { token })));
    }
    const ownerOutcome = outcomeOf(
      await gateway.sendGraphql(privateEventQuery, undefined, { token: await signToken('Mike@Example.com') }),
    );
    const unverifiedOutcome = outcomeOf(
      await gateway.sendGraphql(privateEventQuery, undefined, {
        token: await signToken('mike@example.com', { sub: 'eve', email_verified: false }),
      }),
    );
    const distinctOutcomes = [...new Set(outcomes)].join(', ');
    return {
      attack: `${lookAlikeAddresses.length} look-alikes of an address, and one that is not verified`,
      criterion: 'NOT_FOUND; the owner gets OK',
      figure: `${distinctOutcomes}; ${unverifiedOutcome}; owner ${ownerOutcome}`,
      isMet: distinctOutcomes === 'NOT_FOUND' && unverifiedOutcome === 'NOT_FOUND' && ownerOutcome === 'OK',
    };
  });

const checkTokenTimes = () =>
  withGateway({}, async (gateway) => {
    const now = Math.floor(Date.now() / 1000);
    const readStatusWithClaims = async (claims) =>
      (
        await gateway.sendGraphql('{ calendar: __typename }', undefined, {
          token: await signToken('alice@example.com', claims),
        })
      ).status;
    // The gateway tolerates clocks that differ by up to 30 s.
    const statuses = [
      await readStatusWithClaims({ nbf: now + 5 }),
      await readStatusWithClaims({ exp: now - 5 }),
      await readStatusWithClaims({ nbf: now + 120 }),
      await readStatusWithClaims({ exp: now - 120 }),
    ];
    return {
      attack: 'nbf and exp 5 s and 120 s off',
      criterion: '200, 200, 401, 401',
      figure: statuses.join(', '),
      isMet: statuses.join() === '200,200,401,401',
    };
  });

const checkSharedRequestId = () =>
  withGateway({ seed: smallSeed }, async (gateway) => {
    const insertEvent =
      'mutation { insertEvent(calendarId: "primary", requestId: "r", event: { start: { date: "2027-01-01" }, end: { date: "2027-01-02" } }) { id } }';
    const responses = [];
    for (const email of ['alice@example.com', 'bob@example.com'])
      responses.push(
        await gateway.sendGraphql(insertEvent, undefined, {
          token: await signToken(email, { sub: 'same' }),
        }),
      );
    const [aliceEventId, bobEventId] = responses.map(({ json }) => json?.data?.insertEvent?.id);
    return {
      attack: 'one subject with another e-mail and the same requestId',
      criterion: 'two events, no 500',
      figure: responses.map(outcomeOf).join(', '),
      isMet: responses.every((response) => outcomeOf(response) === 'OK') && aliceEventId !== bobEventId,
    };
  });

/** Starts a key server whose response can be replaced. */
async function startKeyServer() {
  let respond = () => undefined;
  const server = createServer((_request, response) => respond(response));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    respondWith: (newRespond) => (respond = newRespond),
    url: `http://127.0.0.1:${server.address().port}/keys`,
    stop: () => (server.closeAllConnections(), server.close()),
  };
}

async function checkKeyServer() {
  const keyServer = await startKeyServer();
  const [oldKey, newKey] = await Promise.all(
    ['old', 'new'].map(async (kid) => ({
      kid,
      ...(await generateKeyPair('ES256', { extractable: true })),
    })),
  );
  const publishKey = async (key) => {
    const body = JSON.stringify({
      keys: [{ ...(await exportJWK(key.publicKey)), kid: key.kid, alg: 'ES256' }],
    });
    keyServer.respondWith((response) => response.setHeader('content-type', 'application/json').end(body));
  };
  const signTokenWith = (key) =>
    new SignJWT({})
      .setProtectedHeader({ alg: 'ES256', kid: key.kid })
      .setSubject('ada')
      .setIssuer('me')
      .setAudience('you')
      .setExpirationTime('1h')
      .sign(key.privateKey);
  const env = { AUTH_JWKS_URL: keyServer.url, AUTH_ISSUER: 'me', AUTH_AUDIENCE: 'you' };
  const [oldToken, newToken] = [await signTokenWith(oldKey), await signTokenWith(newKey)];
  const readStatusWithToken = async (gateway, token) =>
    (await gateway.sendGraphql('{ __typename }', undefined, { token })).status;
  try {
    await publishKey(oldKey);
    const rotationStatuses = await withGateway({ env }, async (gateway) => {
      const statusBefore = await readStatusWithToken(gateway, oldToken);
      await publishKey(newKey);
      await pause(keyCacheMs);
      return [
        statusBefore,
        await readStatusWithToken(gateway, newToken),
        await readStatusWithToken(gateway, oldToken),
      ];
    });
    keyServer.respondWith((response) => {
      const writeMore = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      };
      response.on('drain', writeMore);
      writeMore();
    });
    const endlessResult = await withGateway({ env }, async (gateway) => {
      const { currentMb } = gateway.readMemory();
      gateway.resetPeak();
      const { status, ms } = await gateway.sendGraphql('{ __typename }', undefined, { token: oldToken });
      return { status, ms, growthMb: Math.round(gateway.readMemory().peakMb - currentMb) };
    });
    return [
      {
        attack: 'a cached token whose key was withdrawn',
        criterion: '200, then 200 by the new key, then 401',
        figure: rotationStatuses.join(', '),
        isMet: rotationStatuses.join() === '200,200,401',
      },
      {
        attack: 'a key server whose response never ends',
        criterion: '503 within 6 s, < 50 MB',
        figure: `${endlessResult.status} after ${endlessResult.ms} ms, ${endlessResult.growthMb} MB`,
        isMet: endlessResult.status === 503 && endlessResult.ms < 6000 && endlessResult.growthMb < 50,
      },
    ];
  } finally {
    keyServer.stop();
  }
}

const checkHiddenGuests = () =>
  withGateway({ seed: smallSeed }, async (gateway) => {
    const token = await signToken('bob@example.com');
    const listResponse = await gateway.sendGraphql(
      '{ events(calendarId: "primary") { nodes { id } } }',
      undefined,
      { token },
    );
    const eventIds = listResponse.json?.data?.events?.nodes?.map(({ id }) => id) ?? [];
    const addGuest = (id, email) =>
      gateway.sendGraphql(
        'mutation ($id: String!, $e: EventInput!) { patchEvent(calendarId: "primary", eventId: $id, sendUpdates: all, validateOnly: true, event: $e) { id attendees { email } } }',
        { id, e: { attendees: [{ email: 'bob@example.com' }, { email }] } },
        { token },
      );
    /** Serializes what the response discloses about a guest, without the guest's address. */
    const serializeDisclosure = ({ json }, email) =>
      JSON.stringify(json?.data ?? json?.errors?.map(({ message }) => message)).replaceAll(email, 'X') +
      JSON.stringify(json?.extensions ?? {}).replaceAll(email, 'X');
    const rows = [];
    for (const [index, id] of eventIds.entries()) {
      const hiddenGuestResponse = await addGuest(id, 'hidden@example.com');
      const strangerResponse = await addGuest(id, 'nobody@example.com');
      const isSame =
        serializeDisclosure(hiddenGuestResponse, 'hidden@example.com') ===
        serializeDisclosure(strangerResponse, 'nobody@example.com');
      // The second event of the seed already has the maximum number of guests.
      const isFull = index > 0;
      rows.push({
        attack: `a guest adds a hidden guest${isFull ? ', to a list that is full' : ''}`,
        criterion: 'the same response as for a stranger',
        figure: `${outcomeOf(strangerResponse)}, ${isSame ? 'the same' : 'they differ'}`,
        isMet: eventIds.length === 2 && isSame && (isFull || outcomeOf(strangerResponse) === 'OK'),
      });
    }
    return rows;
  });

/** Checks that wait for half a minute, and therefore run in parallel with others. */
export const slowIdentityChecks = { 'token-keys': checkKeyServer };

export const identityChecks = {
  'look-alikes': checkLookAlikes,
  'token-times': checkTokenTimes,
  'shared-request-id': checkSharedRequestId,
  'hidden-guests': checkHiddenGuests,
};
