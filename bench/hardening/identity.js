// Attacks on identities: look-alike addresses, times and keys of tokens, reused request ids, disclosure of hidden guests.
import { createServer } from 'node:http';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { codeOf, tokenOf } from './gateway.js';

const lookAlikes = [
  'mi\u212ae@example.com',
  '\uff4dike@example.com',
  'mi\u00adke@example.com',
  'mike@example\u3002com',
  '"mike"@example.com',
  'mike@ex\u00adample.com',
  'MI\u212aE@EXAMPLE.COM',
];
const readPrivate = '{ event(calendarId: "mike@example.com", eventId: "private") { id } }';
const readPrimary = '{ event(calendarId: "primary", eventId: "private") { id } }';

async function withGateway(start, settings, check) {
  const gateway = await start(settings);
  try {
    return await check(gateway);
  } finally {
    await gateway.stop();
  }
}

const checkLookAlikes = ({ start, seed }) =>
  withGateway(start, { seed }, async (gateway) => {
    const codes = [];
    for (const email of lookAlikes) {
      const token = await tokenOf(email, { sub: email });
      for (const query of [readPrivate, readPrimary])
        codes.push(codeOf(await gateway.ask(query, undefined, { token })));
    }
    const ownerCode = codeOf(
      await gateway.ask(readPrivate, undefined, { token: await tokenOf('Mike@Example.com') }),
    );
    const unverified = codeOf(
      await gateway.ask(readPrivate, undefined, {
        token: await tokenOf('mike@example.com', { sub: 'eve', email_verified: false }),
      }),
    );
    const distinctCodes = [...new Set(codes)];
    return {
      row: 'M6',
      attack: `${lookAlikes.length} look-alikes of an address, and one that is not verified`,
      criterion: 'NOT_FOUND; its owner OK',
      figure: `${distinctCodes.join(', ')}; ${unverified}; owner ${ownerCode}`,
      held: distinctCodes.join() === 'NOT_FOUND' && unverified === 'NOT_FOUND' && ownerCode === 'OK',
    };
  });

const checkTokenTimes = ({ start }) =>
  withGateway(start, {}, async (gateway) => {
    const now = Math.floor(Date.now() / 1000);
    const status = async (claims) =>
      (
        await gateway.ask('{ calendar: __typename }', undefined, {
          token: await tokenOf('alice@example.com', claims),
        })
      ).status;
    const figures = [
      await status({ nbf: now + 5 }),
      await status({ exp: now - 5 }),
      await status({ nbf: now + 120 }),
      await status({ exp: now - 120 }),
    ];
    return {
      row: 'L',
      attack: 'nbf and exp 5 s and 120 s off',
      criterion: '200, 200, 401, 401',
      figure: figures.join(', '),
      held: figures.join() === '200,200,401,401',
    };
  });

const checkRequestIds = ({ start, seed }) =>
  withGateway(start, { seed }, async (gateway) => {
    const insert =
      'mutation { insertEvent(calendarId: "primary", requestId: "r", event: { start: { date: "2027-01-01" }, end: { date: "2027-01-02" } }) { id } }';
    const answers = [];
    for (const email of ['alice@example.com', 'bob@example.com'])
      answers.push(await gateway.ask(insert, undefined, { token: await tokenOf(email, { sub: 'same' }) }));
    const [first, second] = answers.map(({ json }) => json?.data?.insertEvent?.id);
    return {
      row: 'L',
      attack: 'one subject with another e-mail and the same requestId',
      criterion: 'two events, no 500',
      figure: answers.map(codeOf).join(', '),
      held: answers.every((answer) => codeOf(answer) === 'OK') && first !== second,
    };
  });

/** Starts a key server whose response can be changed. */
async function startKeyServer() {
  const state = { answer: (_response) => undefined };
  const server = createServer((_request, response) => state.answer(response));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    state,
    url: `http://127.0.0.1:${server.address().port}/keys`,
    stop: () => (server.closeAllConnections(), server.close()),
  };
}

async function checkKeys({ start }) {
  const provider = await startKeyServer();
  const [first, second] = await Promise.all(
    ['first', 'second'].map(async (kid) => ({
      kid,
      ...(await generateKeyPair('ES256', { extractable: true })),
    })),
  );
  const publish = async (key) => {
    const body = JSON.stringify({
      keys: [{ ...(await exportJWK(key.publicKey)), kid: key.kid, alg: 'ES256' }],
    });
    provider.state.answer = (response) => response.setHeader('content-type', 'application/json').end(body);
  };
  const sign = (key) =>
    new SignJWT({})
      .setProtectedHeader({ alg: 'ES256', kid: key.kid })
      .setSubject('ada')
      .setIssuer('me')
      .setAudience('you')
      .setExpirationTime('1h')
      .sign(key.privateKey);
  const env = { AUTH_JWKS_URL: provider.url, AUTH_ISSUER: 'me', AUTH_AUDIENCE: 'you' };
  const tokens = await Promise.all([sign(first), sign(second)]);
  const status = async (gateway, token) => (await gateway.ask('{ __typename }', undefined, { token })).status;
  try {
    await publish(first);
    const rotated = await withGateway(start, { env }, async (gateway) => {
      const before = await status(gateway, tokens[0]);
      await publish(second);
      await new Promise((resolve) => setTimeout(resolve, 30_500)); // The gateway asks the key server at most every 30 s.
      return [before, await status(gateway, tokens[1]), await status(gateway, tokens[0])];
    });
    provider.state.answer = (response) => {
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      };
      response.on('drain', more);
      more();
    };
    const endless = await withGateway(start, { env }, async (gateway) => {
      const base = gateway.memory().now;
      gateway.resetPeak();
      const answer = await gateway.ask('{ __typename }', undefined, { token: tokens[0] });
      return { status: answer.status, ms: answer.ms, growth: Math.round(gateway.memory().peak - base) };
    });
    return [
      {
        row: 'L',
        attack: 'a remembered token whose key was withdrawn',
        criterion: '200, then 200 by the new key, then 401',
        figure: rotated.join(', '),
        held: rotated.join() === '200,200,401',
      },
      {
        row: 'L',
        attack: 'a key server whose answer never ends',
        criterion: '503 within 6 s, < 50 MB',
        figure: `${endless.status} after ${endless.ms} ms, ${endless.growth} MB`,
        held: endless.status === 503 && endless.ms < 6000 && endless.growth < 50,
      },
    ];
  } finally {
    provider.stop();
  }
}

const checkHiddenGuests = ({ start, seed }) =>
  withGateway(start, { seed }, async (gateway) => {
    const token = await tokenOf('bob@example.com');
    const copies = await gateway.ask('{ events(calendarId: "primary") { nodes { id } } }', undefined, {
      token,
    });
    const ids = copies.json?.data?.events?.nodes?.map(({ id }) => id) ?? [];
    const add = (id, email) =>
      gateway.ask(
        'mutation ($id: String!, $e: EventInput!) { patchEvent(calendarId: "primary", eventId: $id, sendUpdates: all, validateOnly: true, event: $e) { id attendees { email } } }',
        { id, e: { attendees: [{ email: 'bob@example.com' }, { email }] } },
        { token },
      );
    const shown = ({ json }, email) =>
      JSON.stringify(json?.data ?? json?.errors?.map(({ message }) => message)).replaceAll(email, 'X') +
      JSON.stringify(json?.extensions ?? {}).replaceAll(email, 'X');
    const rows = [];
    for (const [index, id] of ids.entries()) {
      const [hidden, stranger] = [await add(id, 'hidden@example.com'), await add(id, 'nobody@example.com')];
      const same = shown(hidden, 'hidden@example.com') === shown(stranger, 'nobody@example.com');
      const attack = `a guest adds a hidden guest${index === 0 ? '' : ', to a list that is full'}`;
      rows.push({
        row: 'P',
        attack,
        criterion: 'the answer is that for a stranger',
        figure: `${codeOf(stranger)}, ${same ? 'the same' : 'they differ'}`,
        held: ids.length === 2 && same && (index > 0 || codeOf(stranger) === 'OK'),
      });
    }
    return rows;
  });

/** Checks that wait for half a minute, and therefore run in parallel with others. */
export const slowIdentityChecks = [['L', 'keys', checkKeys]];

export const identityChecks = [
  ['M6', 'look-alikes', checkLookAlikes],
  ['L', 'times', checkTokenTimes],
  ['L', 'request ids', checkRequestIds],
  ['P', 'hidden guests', checkHiddenGuests],
];
