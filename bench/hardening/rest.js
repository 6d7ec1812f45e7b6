// All attacks on the REST face. This file has attacks by paths, methods, tokens, `fields` and names of prototypes.
import { isQuick, signToken } from './gateway.js';
import { batchChecks, checkDisconnect } from './rest-batch.js';
import {
  sendRest,
  sendRestBytes,
  calendarsPath,
  eventsPath,
  fillPath,
  oneHourTimes,
  readMethods,
  expectRefusal,
  checkInputs,
  findEnvelopeProblem,
} from './rest-client.js';
import { checkSlowBody, headerChecks } from './rest-headers.js';
import { hiddenChecks, hiddenResourcesSeed, timedHiddenChecks } from './rest-hidden.js';
import { largeSeed } from './seed.js';

const scopeUrl = (name) => `https://www.googleapis.com/auth/${name}`;
const formHeaders = { 'content-type': 'application/x-www-form-urlencoded' };

/** Segments that could leave the path, break its decoding, or name something else. */
const oddSegments = [
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
];
/** Paths of REST. The segment X is replaced by each odd segment. */
const pathTemplates = [
  `${calendarsPath}/X`,
  `${calendarsPath}/X/events`,
  `${eventsPath}/X`,
  `${eventsPath}/X/instances`,
  `${calendarsPath}/primary/acl/X`,
  '/calendar/v3/users/me/calendarList/X',
  '/calendar/X/colors',
  '/calendar/v3/X',
  '/storage/v1/b/X',
  '/storage/v1/b/X/o',
  '/storage/v1/b/photos/notificationConfigs/X',
  '/storage/v1/b/photos/o/X',
  '/batch/X',
  '/batch/calendar/v3/X',
  '/discovery/v1/apis/X/v3/rest',
  '/discovery/v1/apis/calendar/X/rest',
];
const foreignPaths = [
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
  const deletableTemplates = pathTemplates.filter((template) =>
    /\/(b|calendars|events|acl|notificationConfigs)\/X$/.test(template),
  );
  const inputs = [
    ...pathTemplates.map((template) => `GET ${template}`),
    ...deletableTemplates.map((template) => `DELETE ${template}`),
  ].flatMap((requestLine) => oddSegments.map((segment) => requestLine.replace('X', () => segment)));
  return [
    await checkInputs(
      `${oddSegments.length} odd segments in ${pathTemplates.length} paths, by GET and DELETE`,
      '400 or 404 in the envelope',
      inputs,
      async (requestLine) => expectRefusal(400, 404)(await sendRestBytes(gateway, token, requestLine)),
      /* concurrency */ 16,
    ),
    await checkInputs(
      'paths that lead out of the face, or are not served',
      '404 in the envelope',
      foreignPaths,
      async (path) => expectRefusal(404)(await sendRestBytes(gateway, token, `GET ${path}`)),
    ),
    await checkInputs(
      'a target with a scheme and a host',
      'is read as its path, whatever the host',
      [
        'http://evil.example/calendar/v3/nothing',
        'https://evil.example/storage/v1/b/nothing-here',
        'HTTP://user:x@evil.example:1/batch/x',
        'http://evil.example/calendar/%zz',
      ],
      async (path) => expectRefusal(400, 404)(await sendRestBytes(gateway, token, `GET ${path}`)),
    ),
    await checkInputs('the events after these attacks', 'still exist', ['victim', 'crowd'], async (id) =>
      (await sendRest(gateway, token, `GET ${eventsPath}/${id}`)).status === 200 ? undefined : 'it is gone',
    ),
  ];
}

async function checkMethodOverrides({ gateway, token, readerToken }) {
  const victimPath = `${eventsPath}/victim`;
  const createOverrideOptions = (method) => ({ body: {}, headers: { 'x-http-method-override': method } });
  /** Options of a GET that is sent as POST with its query in a form. */
  const createFormOptions = (text) => ({
    body: text,
    headers: { ...formHeaders, 'x-http-method-override': 'GET' },
  });
  /** Sends a request and checks its status. An empty `callerToken` sends none. */
  const checkOverride = async ([requestLine, options, status, callerToken = token]) => {
    const response = await sendRest(gateway, callerToken, requestLine, options);
    return response.status !== status
      ? `${response.status}`
      : status >= 400
        ? findEnvelopeProblem(response)
        : undefined;
  };
  return [
    await checkInputs(
      'odd values of X-HTTP-Method-Override',
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
        ].map((value) => [`POST ${eventsPath}`, createOverrideOptions(value), 400]),
        ...['DELETE', 'PUT', 'PATCH'].map((value) => [
          `GET ${victimPath}`,
          { headers: { 'x-http-method-override': value } },
          200,
        ]),
        [`POST ${eventsPath}`, createOverrideOptions(['GET', 'DELETE']), 400],
        [`POST ${victimPath}`, createOverrideOptions('DELETE'), 403, readerToken],
        [`POST ${victimPath}`, createOverrideOptions('PATCH'), 403, readerToken],
        [`POST ${victimPath}`, createOverrideOptions('DELETE'), 401, ''],
        [`POST ${victimPath}`, createOverrideOptions('GET'), 200, readerToken],
        [`DELETE ${victimPath}`, { headers: { 'x-http-method-override': 'GET' } }, 403, readerToken],
        ['POST /batch/calendar/v3', createOverrideOptions('GET'), 405],
        ['POST /calendar/v3/colors', createOverrideOptions('DELETE'), 405],
      ],
      checkOverride,
    ),
    await checkInputs(
      'GET by POST with an odd form',
      '200, 400 or 413, like a query',
      [
        [`POST ${eventsPath}`, createFormOptions('maxResults=1&maxResults=2&maxResults=x'), 400],
        [`POST ${eventsPath}?maxResults=1`, createFormOptions('maxResults=%zz'), 400],
        [`POST ${eventsPath}`, createFormOptions('%zz=%ff&%=%&&&===&'), 200],
        [`POST ${eventsPath}`, createFormOptions(Buffer.from([0xff, 0xfe, 0x3d, 0xff])), 200],
        [
          `POST ${eventsPath}`,
          createFormOptions('__proto__=x&constructor=y&hasOwnProperty=z&toString=a'),
          200,
        ],
        [`POST ${eventsPath}`, createFormOptions(`q=${'x'.repeat(1_000_000)}`), 400],
        [`POST ${eventsPath}`, createFormOptions('a=b&'.repeat(250_000)), 400],
        [`POST ${eventsPath}`, createFormOptions('privateExtendedProperty=a%3Db&'.repeat(30_000)), 400],
        [`POST ${eventsPath}`, createFormOptions('x'.repeat(1_100_000)), 413],
        [
          `POST ${victimPath}`,
          { body: 'summary=x', headers: { ...formHeaders, 'x-http-method-override': 'PATCH' } },
          415,
        ],
        [`POST ${eventsPath}`, { body: 'maxResults=1', headers: formHeaders }, 415],
      ],
      checkOverride,
    ),
  ];
}

/** Whether each segment of a template is a variable or the same in another template. */
function coversTemplate(template, otherTemplate) {
  const [segments, otherSegments] = [template.split('/'), otherTemplate.split('/')];
  return (
    segments.length === otherSegments.length &&
    segments.every((segment, index) => segment.startsWith('{') || segment === otherSegments[index])
  );
}

/** Checks HTTP methods (verbs) that the paths of the discovery documents do not have, OPTIONS and HEAD. */
async function checkVerbs({ gateway, token }) {
  const methods = await readMethods(gateway);
  const templates = [...new Set(methods.map(({ path }) => path))];
  const allVerbs = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'QUERY', 'TRACE'];
  const inputs = templates.flatMap((template) => {
    // A fixed path may also be that of an entry: events/import is the event with the id import.
    const servedVerbs = methods.filter(({ path }) => coversTemplate(path, template)).map(({ verb }) => verb);
    const expectedAllow = [
      ...servedVerbs.flatMap((verb) => (verb === 'GET' ? ['GET', 'HEAD'] : [verb])),
      'OPTIONS',
    ]
      .sort()
      .join();
    // Storing objects is not offered: 404 instead of 405.
    const missingVerbs = allVerbs.filter(
      (verb) => !servedVerbs.includes(verb) && !(verb === 'POST' && template.endsWith('/o')),
    );
    return [...missingVerbs, 'OPTIONS', 'HEAD'].map((verb) => ({
      verb,
      path: fillPath(template, {}),
      expectedAllow,
      isRead: servedVerbs.includes('GET'),
    }));
  });
  return [
    await checkInputs(
      `methods that ${templates.length} paths do not allow, OPTIONS and HEAD`,
      '405 with Allow; OPTIONS: 204 with Allow; HEAD: GET without a body',
      inputs,
      async ({ verb, path, expectedAllow, isRead }) => {
        const response = await sendRest(gateway, token, `${verb} ${path}`);
        const allowHeader = response.headers.allow?.split(', ').sort().join();
        if (verb === 'OPTIONS')
          return response.status === 204 && allowHeader === expectedAllow
            ? undefined
            : `${response.status} ${allowHeader}`;
        if (verb === 'HEAD')
          return response.body === '' &&
            response.status === (isRead ? (await sendRest(gateway, token, `GET ${path}`)).status : 405)
            ? undefined
            : `${response.status}`;
        return expectRefusal(405)(response) ?? (allowHeader === expectedAllow ? undefined : allowHeader);
      },
    ),
    await checkInputs(
      'unknown methods',
      '400, 404 or 405, or no response',
      ['PROPFIND', 'MKCOL', 'PURGE', 'LINK', 'get', 'FOO', 'CONNECT'],
      async (verb) => {
        const { status } = await sendRestBytes(gateway, token, `${verb} ${eventsPath}`);
        return [0, 400, 404, 405].includes(status) ? undefined : `${status}`;
      },
    ),
  ];
}

/** Checks that authentication and scope errors precede all others. */
async function checkTokens({ gateway, token }) {
  const methods = await readMethods(gateway);
  const narrowToken = await signToken('alice@example.com', { scope: scopeUrl('userinfo.email') });
  const createFaultyTarget = (path) =>
    `${fillPath(path, {})}?alt=xml&maxResults=x&fields=((&timeMin=x&pageToken=x`;
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
      'only authError, only insufficientPermissions',
      inputs,
      async ({ verb, path, options }) => {
        const missingTokenResponse = await sendRest(
          gateway,
          undefined,
          `${verb} ${createFaultyTarget(path)}`,
          options,
        );
        const missingScopeResponse = await sendRest(
          gateway,
          narrowToken,
          `${verb} ${createFaultyTarget(path)}`,
          options,
        );
        if (missingTokenResponse.status !== 401 || reasonOf(missingTokenResponse) !== 'authError')
          return `${missingTokenResponse.status} ${reasonOf(missingTokenResponse)}`;
        return missingScopeResponse.status === 403 &&
          reasonOf(missingScopeResponse) === 'insufficientPermissions'
          ? (findEnvelopeProblem(missingTokenResponse) ?? findEnvelopeProblem(missingScopeResponse))
          : `${missingScopeResponse.status} ${reasonOf(missingScopeResponse)}`;
      },
    ),
    await checkInputs(
      'a token outside of the Authorization header',
      '401',
      ['access_token', 'oauth_token', 'token', 'bearer_token', 'authorization', 'key'],
      async (name) =>
        expectRefusal(401)(await sendRest(gateway, undefined, `GET ${eventsPath}?${name}=${token}`)) ??
        expectRefusal(401)(
          await sendRest(gateway, undefined, `POST ${eventsPath}`, {
            body: `${name}=${token}`,
            headers: { ...formHeaders, 'x-http-method-override': 'GET' },
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
      async (headers) =>
        expectRefusal(401)(await sendRestBytes(gateway, undefined, `GET ${eventsPath}`, { headers })),
    ),
  ];
}

/** Limit for a list with `fields`, as a multiple of the same list without it. */
const maxFieldsRatio = 3;
/** Shorter times count as this one, because they consist of noise. */
const minComparedMs = isQuick ? 500 : 10;

/** Encodes a query value as briefly as possible, because a head is limited to 16 kB. */
const encodeBriefly = (text) =>
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
  const eventIdOf = (index) => `fields${index}`;
  return [
    await checkInputs(
      'invalid or too deep `fields` of writes',
      'invalidParameter for `fields`, and nothing is written',
      brokenFields.map((text, index) => [text, index]),
      async ([text, index]) => {
        const response = await sendRest(gateway, token, `POST ${eventsPath}?fields=${encodeBriefly(text)}`, {
          body: { id: eventIdOf(index), ...oneHourTimes },
        });
        const [{ reason, location } = {}] = response.json?.error?.errors ?? [];
        if (response.status !== 400 || reason !== 'invalidParameter' || location !== 'fields')
          return `${response.status} ${reason} ${location}`;
        return (await sendRest(gateway, token, `GET ${eventsPath}/${eventIdOf(index)}`)).status === 404
          ? undefined
          : 'it was written';
      },
    ),
    await checkInputs(
      'stars, long lists and names of prototypes in `fields`',
      `200, JSON, at most ${maxFieldsRatio} times the time without fields`,
      validFields,
      async (text) => {
        const sendList = (query) => sendRest(gateway, token, `GET ${eventsPath}${query}`);
        let response;
        let maxMs;
        // Tries up to three times, because other load on the machine can only slow it down. The condition
        // also holds before the first attempt, when both values are undefined.
        for (let attempt = 0; attempt < 3 && !(response?.ms <= maxMs); attempt += 1) {
          response = await sendList(`?fields=${encodeBriefly(text)}`);
          maxMs = maxFieldsRatio * Math.max((await sendList('')).ms, minComparedMs);
        }
        return response.status === 200 &&
          response.json !== undefined &&
          response.ms <= maxMs &&
          !/prototype|native code/.test(response.body)
          ? undefined
          : `${response.status} in ${response.ms} ms, at most ${maxMs} ms`;
      },
    ),
  ];
}

/** Start of a JSON object whose names could change `Object.prototype`. */
const pollutingStart = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"summary":"x"';

async function checkPrototypes({ gateway, token }) {
  const requests = [
    [
      'POST',
      eventsPath,
      `${pollutingStart},"start":{"date":"2027-01-01","__proto__":{"a":1}},"end":{"date":"2027-01-02"},"extendedProperties":{"private":{"__proto__":"x","constructor":"y"}},"gadget":{"preferences":{"__proto__":"z"}}}`,
    ],
    ['POST', calendarsPath, `${pollutingStart}}`],
    ['PATCH', `${eventsPath}/victim`, '{"__proto__":{"summary":"x"}}'],
    [
      'PUT',
      `${eventsPath}/victim`,
      `${pollutingStart},"start":{"date":"2027-01-01"},"end":{"date":"2027-01-02"}}`,
    ],
    [
      'POST',
      '/storage/v1/b/photos/notificationConfigs?validateOnly=true',
      `${pollutingStart},"topic":"projects/my-project/topics/x","payload_format":"JSON_API_V1","custom_attributes":{"__proto__":"x"}}`,
    ],
    [
      'POST',
      `${calendarsPath}/primary/acl`,
      `${pollutingStart},"scope":{"type":"user","value":"__proto__"},"role":"reader"}`,
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
      'no 5xx; they do not appear in later responses',
      requests,
      async ([verb, path, body]) => {
        const response = await sendRest(gateway, token, `${verb} ${path}`, { body });
        const laterResponse = await sendRest(gateway, token, 'GET /calendar/v3/users/me/calendarList');
        return response.status > 0 &&
          response.status < 500 &&
          laterResponse.status === 200 &&
          !laterResponse.body.includes('polluted')
          ? undefined
          : `${response.status}`;
      },
    ),
    await checkInputs(
      'free and busy times of calendars named like prototypes',
      'notFound for each calendar',
      [['__proto__', 'constructor', 'hasOwnProperty', 'toString', 'valueOf']],
      async (ids) => {
        const response = await sendRest(gateway, token, 'POST /calendar/v3/freeBusy', {
          body: {
            timeMin: '2027-01-01T00:00:00Z',
            timeMax: '2027-01-02T00:00:00Z',
            items: ids.map((id) => ({ id })),
          },
        });
        const calendarEntries = Object.entries(response.json?.calendars ?? {});
        return calendarEntries
          .map(([id]) => id)
          .sort()
          .join() === [...ids].sort().join() &&
          calendarEntries.every(([, { errors }]) => errors?.[0]?.reason === 'notFound')
          ? undefined
          : response.body;
      },
    ),
    await checkInputs(
      'parameters given twice',
      'no 5xx, a response in JSON',
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
        const response = await sendRest(gateway, token, `GET ${eventsPath}?${query}`);
        return response.status === 200
          ? response.json
            ? undefined
            : 'no JSON'
          : expectRefusal(400)(response);
      },
    ),
  ];
}

const env = { REST: 'on', RATE_LIMIT: 'off' };

/** Prefixes groups with `rest-`, and calls their checks with tokens of a user. `readerToken`: may not write. */
const createGroups = (checks) =>
  Object.fromEntries(
    Object.entries(checks).map(([name, check]) => [
      `rest-${name}`,
      async (gateway) =>
        check({
          gateway,
          token: await signToken('alice@example.com'),
          readerToken: await signToken('alice@example.com', { scope: scopeUrl('calendar.readonly') }),
        }),
    ]),
  );

/** Checks on one gateway. `timedChecks`: checks that measure response times. */
export const rest = {
  settings: { env, seed: hiddenResourcesSeed },
  checks: createGroups({
    paths: checkPaths,
    'method-override': checkMethodOverrides,
    methods: checkVerbs,
    tokens: checkTokens,
    fields: checkFields,
    prototypes: checkPrototypes,
    ...headerChecks,
    ...batchChecks,
    ...hiddenChecks,
  }),
  timedChecks: createGroups(timedHiddenChecks),
};

/** Checks on a gateway with large calendars. */
export const largeRest = {
  settings: { env, seed: largeSeed },
  checks: createGroups({ disconnect: checkDisconnect }),
};

/** Checks that take 15 s or more. */
export const slowRestChecks = createGroups({ 'slow-body': checkSlowBody });
