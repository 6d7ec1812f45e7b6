// Runs all attacks on the REST face; this file has those by paths, methods, parameters and headers.
import { checkDisconnect, restAttacks, restChecks as batchChecks } from './rest-batch.js';
import { restChecks as headerChecks, checkSlowBody } from './rest-headers.js';
import { withHiddenResources, measuringChecks, restChecks as hiddenChecks } from './rest-hidden.js';
import { tokenOf } from './gateway.js';
import {
  ask,
  askRaw,
  calendars,
  events,
  fillPath,
  readMethods,
  expectRefusal,
  checkInputs,
  envelopeProblem,
} from './rest-client.js';

const scope = (name) => `https://www.googleapis.com/auth/${name}`;
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const hour = { start: { dateTime: '2027-05-01T09:00:00Z' }, end: { dateTime: '2027-05-01T10:00:00Z' } };

const oddSegments = [
  ...[
    '..',
    '../..',
    '.',
    '%2e%2e',
    '%2e%2e%2f%2e%2e%2fetc%2fpasswd',
    '..%2f..',
    '../../../../etc/passwd',
    '..;',
    '..\\..',
    '%5c..%5c',
    '\\',
    '/',
    '//',
    '',
    '%2F',
    '%2f%2f',
  ],
  ...[
    '%',
    '%z',
    '%zz',
    '%u0041',
    '%ff',
    '%c0%ae',
    '%ed%a0%80',
    '%00',
    'a%00',
    '%0d%0aX-Odd:%201',
    '%0a',
    '\u00e9',
    '\u00ff\u00fe',
    'caf\u00c3\u00a9',
    '%7f',
    '%E2%80%AE',
  ],
  ...[
    '%2523',
    '%252e%252e',
    '%25',
    ';',
    ';a=b',
    '*',
    '{calendarId}',
    '__proto__',
    'constructor',
    'toString',
    '%5f%5fproto%5f%5f',
    'a'.repeat(8000),
    '%41'.repeat(2500),
    'primary%00',
    'primary%20',
    'primary%2F..',
    "'%20OR%201=1--",
    '$ne',
    '<script>',
  ],
];
const oddPlaces = [
  ...[
    `${calendars}/X`,
    `${calendars}/X/events`,
    `${events}/X`,
    `${events}/X/instances`,
    `${calendars}/primary/acl/X`,
    '/calendar/v3/users/me/calendarList/X',
    '/calendar/X/colors',
    '/calendar/v3/X',
  ],
  ...[
    '/storage/v1/b/X',
    '/storage/v1/b/X/o',
    '/storage/v1/b/photos/notificationConfigs/X',
    '/storage/v1/b/photos/o/X',
    '/batch/X',
    '/batch/calendar/v3/X',
    '/discovery/v1/apis/X/v3/rest',
    '/discovery/v1/apis/calendar/X/rest',
  ],
];
const foreign = [
  '/calendar/../graphql',
  '/calendar/v3/../../graphql?query={__typename}',
  '/calendar/v3/../../metrics',
  '/storage/v1/../../health/live',
  '/calendar//v3/colors',
  '/calendar/v3/colors/',
  '/calendar/v3/colors;x',
  '/calendar/V3/colors',
  '/calendar/v3/colors%2f',
  '/calendar/v3%2Fcolors',
  '/calendar/v3/b/photos',
  '/batch/calendar/v3/../v3',
];

async function checkPaths({ gateway, token }) {
  const removable = oddPlaces.filter((place) =>
    /\/(b|calendars|events|acl|notificationConfigs)\/X$/.test(place),
  );
  const inputs = [
    ...oddPlaces.map((place) => `GET ${place}`),
    ...removable.map((place) => `DELETE ${place}`),
  ].flatMap((line) => oddSegments.map((odd) => line.replace('X', () => odd)));
  return [
    await checkInputs(
      `${oddSegments.length} odd segments at ${oddPlaces.length} places, by GET and DELETE`,
      '400 or 404 in the envelope',
      inputs,
      async (line) => expectRefusal(400, 404)(await askRaw(gateway, token, line)),
      16,
    ),
    await checkInputs(
      'paths that lead out of the face, or to what is not offered',
      '404 in the envelope',
      foreign,
      async (path) => expectRefusal(404)(await askRaw(gateway, token, `GET ${path}`)),
    ),
    await checkInputs(
      'a target with a scheme and a host',
      'is its path, whatever the host',
      [
        'http://evil.example/calendar/v3/nothing',
        'https://evil.example/storage/v1/b/nothing-here',
        'HTTP://user:x@evil.example:1/batch/x',
        'http://evil.example/calendar/%zz',
      ],
      async (path) => expectRefusal(400, 404)(await askRaw(gateway, token, `GET ${path}`)),
    ),
    await checkInputs('the events after all that', 'are there', ['victim', 'crowd'], async (id) =>
      (await ask(gateway, token, `GET ${events}/${id}`)).status === 200 ? undefined : 'it is gone',
    ),
  ];
}

async function checkOverrides({ gateway, token, reader }) {
  const victim = `${events}/victim`;
  const as = (value, more) => ({ body: {}, headers: { 'x-http-method-override': value, ...more } });
  const query = (text) => ({ body: text, headers: { ...form, 'x-http-method-override': 'GET' } });
  const check = async ([line, options, status, by = token]) => {
    const answer = await ask(gateway, by, line, options);
    return answer.status !== status
      ? `${answer.status}`
      : status >= 400
        ? envelopeProblem(answer)
        : undefined;
  };
  return [
    await checkInputs(
      'X-HTTP-Method-Override of odd values',
      '400 in the envelope, or no effect',
      [
        ...[
          'HEAD',
          'OPTIONS',
          'TRACE',
          'CONNECT',
          'POST',
          'QUERY',
          '__proto__',
          'DELETE, GET',
          'GET GET',
          'x'.repeat(5000),
        ].map((value) => [`POST ${events}`, as(value), 400]),
        ...['DELETE', 'PUT', 'PATCH'].map((value) => [
          `GET ${victim}`,
          { headers: { 'x-http-method-override': value } },
          200,
        ]),
        [`POST ${events}`, as(['GET', 'DELETE']), 400],
        [`POST ${victim}`, as('DELETE'), 403, reader],
        [`POST ${victim}`, as('PATCH'), 403, reader],
        [`POST ${victim}`, as('DELETE'), 401, ''],
        [`POST ${victim}`, as('GET'), 200, reader],
        [`DELETE ${victim}`, { headers: { 'x-http-method-override': 'GET' } }, 403, reader],
        ['POST /batch/calendar/v3', as('GET'), 405],
        ['POST /calendar/v3/colors', as('DELETE'), 405],
      ],
      check,
    ),
    await checkInputs(
      'GET by POST with a form that is odd',
      '200, 400 or 413, no more than a query could',
      [
        [`POST ${events}`, query('maxResults=1&maxResults=2&maxResults=x'), 400],
        [`POST ${events}?maxResults=1`, query('maxResults=%zz'), 400],
        [`POST ${events}`, query('%zz=%ff&%=%&&&===&'), 200],
        [`POST ${events}`, query(Buffer.from([0xff, 0xfe, 0x3d, 0xff])), 200],
        [`POST ${events}`, query('__proto__=x&constructor=y&hasOwnProperty=z&toString=a'), 200],
        [`POST ${events}`, query(`q=${'x'.repeat(1_000_000)}`), 400],
        [`POST ${events}`, query('a=b&'.repeat(250_000)), 400],
        [`POST ${events}`, query('privateExtendedProperty=a%3Db&'.repeat(30_000)), 400],
        [`POST ${events}`, query('x'.repeat(1_100_000)), 413],
        [
          `POST ${victim}`,
          { body: 'summary=x', headers: { ...form, 'x-http-method-override': 'PATCH' } },
          415,
        ],
        [`POST ${events}`, { body: 'maxResults=1', headers: form }, 415],
      ],
      check,
    ),
  ];
}

async function checkVerbs({ gateway, token }) {
  const methods = await readMethods(gateway);
  const places = [...new Set(methods.map(({ path }) => path))];
  const all = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'QUERY', 'TRACE'];
  const inputs = places.flatMap((place) => {
    const served = methods.filter(({ path }) => path === place).map(({ verb }) => verb);
    const allow = [...served.flatMap((verb) => (verb === 'GET' ? ['GET', 'HEAD'] : [verb])), 'OPTIONS']
      .sort()
      .join();
    // Storing objects is not offered: 404 instead of 405.
    const others = all.filter((verb) => !served.includes(verb) && !(verb === 'POST' && place.endsWith('/o')));
    return [...others, 'OPTIONS', 'HEAD'].map((verb) => ({
      verb,
      path: fillPath(place, {}),
      allow,
      isRead: served.includes('GET'),
    }));
  });
  return [
    await checkInputs(
      `methods that ${places.length} paths do not have, OPTIONS and HEAD`,
      '405 with what is allowed, 204 with it; HEAD is GET without a body',
      inputs,
      async ({ verb, path, allow, isRead }) => {
        const answer = await ask(gateway, token, `${verb} ${path}`);
        const allowed = answer.headers.allow?.split(', ').sort().join();
        if (verb === 'OPTIONS')
          return answer.status === 204 && allowed === allow ? undefined : `${answer.status} ${allowed}`;
        if (verb === 'HEAD')
          return answer.body === '' &&
            answer.status === (isRead ? (await ask(gateway, token, `GET ${path}`)).status : 405)
            ? undefined
            : `${answer.status}`;
        return expectRefusal(405)(answer) ?? (allowed === allow ? undefined : allowed);
      },
    ),
    await checkInputs(
      'methods that nobody has',
      '400, 404 or 405, or no answer',
      ['PROPFIND', 'MKCOL', 'PURGE', 'LINK', 'get', 'FOO', 'CONNECT'],
      async (verb) => {
        const { status } = await askRaw(gateway, token, `${verb} ${events}`);
        return [0, 400, 404, 405].includes(status) ? undefined : `${status}`;
      },
    ),
  ];
}

/** Checks that authentication and scope errors precede all others. */
async function checkTokens({ gateway, token }) {
  const methods = await readMethods(gateway);
  const poorToken = await tokenOf('alice@example.com', { scope: scope('userinfo.email') });
  const faulty = (path, more = '') =>
    `${fillPath(path, {})}?alt=xml&maxResults=x&fields=((&timeMin=x&pageToken=x${more}`;
  const bodies = [
    {},
    { body: '{' },
    { body: '[]' },
    { body: 'x', headers: { 'content-type': 'text/plain' } },
    { body: '{"__proto__":{"a":1}}' },
  ];
  const inputs = methods.flatMap(({ verb, path }) =>
    (verb === 'GET' || verb === 'DELETE' ? [{}] : bodies).map((options) => ({ verb, path, options })),
  );
  const reasonOf = ({ json }) => json?.error?.errors?.map(({ reason }) => reason).join();
  return [
    await checkInputs(
      'no token and too few scopes, with faults of the query and the body',
      'authError, insufficientPermissions alone',
      inputs,
      async ({ verb, path, options }) => {
        const refusedToken = await ask(gateway, undefined, `${verb} ${faulty(path)}`, options);
        const refusedScope = await ask(gateway, poorToken, `${verb} ${faulty(path)}`, options);
        if (refusedToken.status !== 401 || reasonOf(refusedToken) !== 'authError')
          return `${refusedToken.status} ${reasonOf(refusedToken)}`;
        return refusedScope.status === 403 && reasonOf(refusedScope) === 'insufficientPermissions'
          ? (envelopeProblem(refusedToken) ?? envelopeProblem(refusedScope))
          : `${refusedScope.status} ${reasonOf(refusedScope)}`;
      },
    ),
    await checkInputs(
      'a token that is not in the header',
      '401',
      ['access_token', 'oauth_token', 'token', 'bearer_token', 'authorization', 'key'],
      async (name) =>
        expectRefusal(401)(await ask(gateway, undefined, `GET ${events}?${name}=${token}`)) ??
        expectRefusal(401)(
          await ask(gateway, undefined, `POST ${events}`, {
            body: `${name}=${token}`,
            headers: { ...form, 'x-http-method-override': 'GET' },
          }),
        ),
    ),
    await checkInputs(
      'several Authorization headers, other schemes, odd tokens',
      '401',
      [
        ['Authorization: Bearer x'],
        ['Authorization: Basic YTpi'],
        ['Authorization: Bearer'],
        [`Authorization: Bearer ${'x'.repeat(8000)}`],
        ['Authorization: bearer a.b.c'],
        ['Authorization: Bearer eyJhbGciOiJub25lIn0.e30.'],
      ].flatMap((lines) => [lines, [...lines, `Authorization: Bearer ${token}`]]),
      async (headers) => expectRefusal(401)(await askRaw(gateway, undefined, `GET ${events}`, { headers })),
    ),
  ];
}

/** Encodes a query value as briefly as possible, because a head is limited to 16 kB. */
const inQuery = (text) =>
  encodeURIComponent(text).replaceAll('%2C', ',').replaceAll('%2F', '/').replaceAll('%20', '+');

async function checkFields({ gateway, token }) {
  const brokenFields = [
    '(',
    ')',
    '()',
    ',',
    'a,',
    ',a',
    'a//b',
    '/a',
    'a/',
    'a(',
    'a)',
    'a(b',
    'a(b))',
    'a(b)c',
    '**',
    'a*',
    '*a',
    ' ',
    'a(,)',
    '('.repeat(4000),
    'a('.repeat(3000),
    `${'a('.repeat(21)}b${')'.repeat(21)}`,
    'a/'.repeat(3000),
    `${'*'.repeat(8000)}`,
    `${'a,'.repeat(4200)}a`,
    ' '.repeat(8000),
    `${'a '.repeat(4000)}(`,
    `${'*/'.repeat(25)}*`,
  ];
  const validFields = [
    '*',
    '*/*',
    '*(*(*(*)))',
    'items(*(*),start(*),*)',
    '__proto__',
    'constructor/prototype',
    'items/__proto__',
    'toString',
    ...[
      `${'id,'.repeat(2500)}id`,
      `${'*,'.repeat(4000)}*`,
      Array.from({ length: 1300 }, (_, index) => `f${index}`).join(),
    ],
  ];
  const id = (index) => `fields${index}`;
  return [
    await checkInputs(
      'broken or boundless fields, at writes',
      'invalidParameter at fields, and nothing is written',
      brokenFields.map((text, index) => [text, index]),
      async ([text, index]) => {
        const answer = await ask(gateway, token, `POST ${events}?fields=${inQuery(text)}`, {
          body: { id: id(index), ...hour },
        });
        const [{ reason, location } = {}] = answer.json?.error?.errors ?? [];
        if (answer.status !== 400 || reason !== 'invalidParameter' || location !== 'fields')
          return `${answer.status} ${reason} ${location}`;
        return (await ask(gateway, token, `GET ${events}/${id(index)}`)).status === 404
          ? undefined
          : 'it was written';
      },
    ),
    await checkInputs(
      'stars, long lists and names of prototypes in fields',
      '200, JSON, no more than without',
      validFields,
      async (text) => {
        const answer = await ask(gateway, token, `GET ${events}?fields=${inQuery(text)}`);
        return answer.status === 200 &&
          answer.json !== undefined &&
          answer.ms < 400 &&
          !/prototype|native code/.test(answer.body)
          ? undefined
          : `${answer.status} in ${answer.ms} ms`;
      },
    ),
  ];
}

const polluted = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"summary":"x"';

async function checkPrototypes({ gateway, token }) {
  const bodies = [
    [
      'POST',
      events,
      `${polluted},"start":{"date":"2027-01-01","__proto__":{"a":1}},"end":{"date":"2027-01-02"},"extendedProperties":{"private":{"__proto__":"x","constructor":"y"}},"gadget":{"preferences":{"__proto__":"z"}}}`,
    ],
    ['POST', calendars, `${polluted}}`],
    ['PATCH', `${events}/victim`, '{"__proto__":{"summary":"x"}}'],
    ['PUT', `${events}/victim`, `${polluted},"start":{"date":"2027-01-01"},"end":{"date":"2027-01-02"}}`],
    [
      'POST',
      '/storage/v1/b/photos/notificationConfigs?validateOnly=true',
      `${polluted},"topic":"projects/my-project/topics/x","payload_format":"JSON_API_V1","custom_attributes":{"__proto__":"x"}}`,
    ],
    [
      'POST',
      `${calendars}/primary/acl`,
      `${polluted},"scope":{"type":"user","value":"__proto__"},"role":"reader"}`,
    ],
    [
      'POST',
      '/calendar/v3/freeBusy',
      '{"timeMin":"2027-01-01T00:00:00Z","timeMax":"2027-01-02T00:00:00Z","items":[{"id":"__proto__"},{"id":"constructor"},{"id":"toString"}]}',
    ],
  ];
  return [
    await checkInputs(
      'names of prototypes in bodies, maps and ids',
      'no 5xx; later answers have nothing of them',
      bodies,
      async ([verb, path, body]) => {
        const answer = await ask(gateway, token, `${verb} ${path}`, { body });
        const after = await ask(gateway, token, 'GET /calendar/v3/users/me/calendarList');
        return answer.status > 0 &&
          answer.status < 500 &&
          after.status === 200 &&
          !after.body.includes('polluted')
          ? undefined
          : `${answer.status}`;
      },
    ),
    await checkInputs(
      'free and busy times by names of prototypes',
      'each asked for, each notFound',
      [['__proto__', 'constructor', 'hasOwnProperty', 'toString', 'valueOf']],
      async (ids) => {
        const answer = await ask(gateway, token, 'POST /calendar/v3/freeBusy', {
          body: {
            timeMin: '2027-01-01T00:00:00Z',
            timeMax: '2027-01-02T00:00:00Z',
            items: ids.map((id) => ({ id })),
          },
        });
        const found = Object.entries(answer.json?.calendars ?? {});
        return found
          .map(([id]) => id)
          .sort()
          .join() === [...ids].sort().join() &&
          found.every(([, { errors }]) => errors?.[0]?.reason === 'notFound')
          ? undefined
          : answer.body;
      },
    ),
    await checkInputs(
      'parameters given twice',
      'no 5xx, an answer in JSON',
      [
        'maxResults=1&maxResults=2',
        'timeMin=x&timeMin=2027-01-01T00:00:00Z',
        'fields=a&fields=((',
        'alt=json&alt=xml',
        'q=a&q=b',
        'pageToken=&pageToken=',
        'prettyPrint=true&prettyPrint=',
        'timeZone=Europe/Berlin&timeZone=x',
        'maxResults[]=1&maxResults[a]=2',
        'eventTypes=default&eventTypes=default',
      ],
      async (query) => {
        const answer = await ask(gateway, token, `GET ${events}?${query}`);
        return answer.status === 200 ? (answer.json ? undefined : 'no JSON') : expectRefusal(400)(answer);
      },
    ),
  ];
}

const checks = [
  checkPaths,
  checkOverrides,
  checkVerbs,
  checkTokens,
  checkFields,
  checkPrototypes,
  ...headerChecks,
  ...batchChecks,
  ...hiddenChecks,
];

const env = { REST: 'on', RATE_LIMIT: 'off' };
const alice = () => tokenOf('alice@example.com');

/** Runs the checks. `costs`: measures an expensive request; if absent, nothing is measured. */
export async function restChecks({ reportCheck, withGateway, costs, start, seed, smallSeed }) {
  const [token, reader] = [
    await alice(),
    await tokenOf('alice@example.com', { scope: scope('calendar.readonly') }),
  ];
  await withGateway({ env, seed: withHiddenResources(smallSeed) }, async (gateway) => {
    for (const check of costs ? checks : checks.filter((check) => !measuringChecks.includes(check)))
      await reportCheck('rest', check.name, () => check({ gateway, token, reader, start, seed: smallSeed }));
  });
  await withGateway({ env, seed }, async (gateway) => {
    await reportCheck('rest', 'a caller that is gone', () => checkDisconnect({ gateway, token }));
    if (costs)
      for (const attack of restAttacks) await reportCheck('rest', attack[1], () => costs(gateway, attack));
  });
}

export const slowRestChecks = [
  ['rest', 'a body at a byte a second', async (gateway) => checkSlowBody(gateway, await alice())],
];
