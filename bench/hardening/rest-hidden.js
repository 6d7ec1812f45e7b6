// Checks that hidden resources are indistinguishable from missing ones.
import { sendRest, calendarsPath, fillPath, oneHourTimes, readMethods, checkInputs } from './rest-client.js';
import { smallSeed } from './seed.js';

/** Valid and invalid bodies of each kind of resource. */
const bodiesByKind = {
  event: [{ summary: 'x', ...oneHourTimes }, { summary: 5 }, {}],
  acl: [
    { scope: { type: 'user', value: 'alice@example.com' }, role: 'owner' },
    { scope: { type: 'domain' } },
    { scope: { type: 'user', value: 'mike@example.com' }, role: 'none' },
  ],
  calendar: [{ summary: 'x' }, { timeZone: 'x' }],
  bucket: [{ billing: { requesterPays: true } }, { name: 5 }],
  notification: [{ topic: 'projects/p/topics/t', payload_format: 'JSON_API_V1' }, { topic: 'x' }],
};
/** Returns the kind of the body of a method, such as `calendar.events.insert`. */
const kindOf = (methodId) =>
  methodId.includes('.events.')
    ? 'event'
    : methodId.includes('.acl.')
      ? 'acl'
      : methodId.includes('.calendars.')
        ? 'calendar'
        : methodId.includes('.notifications.')
          ? 'notification'
          : 'bucket';
const queries = [
  '?maxResults=0&timeMin=x',
  '?singleEvents=true&orderBy=startTime',
  '?syncToken=x',
  '?pageToken=x&fields=((',
  '?userProject=x&validateOnly=true&fields=kind',
];
/** Rounds of measured requests, and requests before them, which are not measured. */
const [timedRounds, warmUpRequests] = [60, 20];
const conditionalHeaders = [{}, { 'if-match': '"x"' }, { 'if-match': '*', 'if-none-match': '*' }];

/** Serializes a response without request ids and the requested names. */
const serializeForComparison = ({ status, headers, body }, ...names) => {
  const { 'x-request-id': _id, date: _date, 'content-length': _length, ...stableHeaders } = headers;
  return names.reduce(
    (text, name) => text.replaceAll(encodeURIComponent(name), 'NAME').replaceAll(name, 'NAME'),
    JSON.stringify([status, stableHeaders, body]),
  );
};

/** Title, values of a hidden and of a missing resource, and the pattern of the paths to compare. */
const resourcePairs = [
  [
    'a calendar',
    { calendarId: 'mike@example.com', eventId: 'private', ruleId: 'user:mike@example.com' },
    { calendarId: 'nobody@example.com', eventId: 'private', ruleId: 'user:mike@example.com' },
    /\{calendarId\}/,
  ],
  [
    'an event of a calendar that may not be seen',
    { calendarId: 'mike@example.com', eventId: 'private' },
    { calendarId: 'mike@example.com', eventId: 'nothing' },
    /\{eventId\}/,
  ],
  [
    'a rule of a calendar that may only be read',
    { calendarId: 'readable', ruleId: 'user:secret@example.com' },
    { calendarId: 'readable', ruleId: 'user:nobody@example.com' },
    /\{ruleId\}/,
  ],
  [
    'a bucket',
    { bucket: 'hidden-bucket', notification: '1' },
    { bucket: 'no-such-bucket', notification: '1' },
    /\{bucket\}/,
  ],
  [
    'a notification of a bucket that may not be seen',
    { bucket: 'hidden-bucket', notification: '1' },
    { bucket: 'hidden-bucket', notification: '99' },
    /\{notification\}/,
  ],
];

async function checkHiddenResources({ gateway, token }) {
  const methods = await readMethods(gateway);
  const rows = [];
  for (const [resource, hiddenValues, missingValues, pathPattern] of resourcePairs) {
    const inputs = methods
      .filter(({ path }) => pathPattern.test(path))
      .flatMap((method) => {
        const kindBodies = method.hasBody ? bodiesByKind[kindOf(method.id)] : [undefined];
        return [
          ...queries.map((query) => [method, query, kindBodies[0], {}]),
          ...kindBodies.flatMap((body) => conditionalHeaders.map((headers) => [method, '', body, headers])),
        ];
      });
    rows.push(
      await checkInputs(
        `${resource}: all methods, with faults and conditions, hidden and missing`,
        'the same response',
        inputs,
        async ([{ verb, path }, query, body, headers]) => {
          const responses = [];
          for (const values of [hiddenValues, missingValues])
            responses.push(
              serializeForComparison(
                await sendRest(gateway, token, `${verb} ${fillPath(path, values)}${query}`, {
                  body,
                  headers,
                }),
                ...Object.values(values),
              ),
            );
          // The serialized form begins with the status, which must be 4xx.
          return responses[0] === responses[1] && /^\[4/.test(responses[0]) ? undefined : responses.join(' ');
        },
        /* concurrency */ 16,
      ),
    );
  }
  return rows;
}

const createFreeBusyQuery = (ids) => ({
  timeMin: '2027-01-01T00:00:00Z',
  timeMax: '2027-02-01T00:00:00Z',
  items: ids.map((id) => ({ id })),
});

async function checkHiddenLists({ gateway, token }) {
  const createBatch = (requestLines) =>
    `${requestLines.map((line) => `--b\r\nContent-Type: application/http\r\n\r\n${line} HTTP/1.1\r\n\r\n`).join('\r\n')}\r\n--b--`;
  const maskBoundary = (text) => text.replaceAll(/batch_[\w-]+/g, 'BOUNDARY');
  const requests = [
    ['freeBusy', (id) => ['POST /calendar/v3/freeBusy', { body: createFreeBusyQuery([id, 'primary']) }]],
    ['freeBusy of two', (id) => ['POST /calendar/v3/freeBusy', { body: createFreeBusyQuery([id, id]) }]],
    [
      'batch',
      (id) => [
        'POST /batch/calendar/v3',
        {
          body: createBatch([
            `GET ${calendarsPath}/${id}`,
            `GET ${calendarsPath}/${id}/events/private`,
            `DELETE ${calendarsPath}/${id}`,
            `GET ${calendarsPath}/${id}/acl`,
          ]),
          headers: { 'content-type': 'multipart/mixed; boundary=b' },
        },
      ],
    ],
  ];
  return [
    await checkInputs(
      'a hidden and a missing calendar, in freeBusy and in a batch',
      'the same response',
      requests,
      async ([, createRequest]) => {
        const results = [];
        for (const id of ['mike@example.com', 'none@example.com'])
          results.push(
            maskBoundary(serializeForComparison(await sendRest(gateway, token, ...createRequest(id)), id)),
          );
        return results[0] === results[1] && results[0].startsWith('[200') ? undefined : results.join(' ');
      },
    ),
    await checkInputs(
      'lists, searched for names of hidden resources',
      'no response contains them',
      [
        '/calendar/v3/users/me/calendarList',
        '/storage/v1/b?project=hidden-project',
        '/storage/v1/b?project=my-project',
        '/discovery/v1/apis',
        '/discovery/v1/apis/calendar/v3/rest',
      ],
      async (path) => {
        const { body, status } = await sendRest(gateway, token, `GET ${path}`);
        return status === 200 && !/mike@|hidden-/.test(body) ? undefined : `${status} ${body}`;
      },
    ),
  ];
}

/** Compares the median response times for a hidden calendar (of Mike) and a missing one. */
async function checkHiddenTiming({ gateway, token }) {
  const requests = [
    (id) => `GET ${calendarsPath}/${id}`,
    (id) => `GET ${calendarsPath}/${id}/events?singleEvents=true&q=x`,
    (id) => `GET ${calendarsPath}/${id}/acl`,
    (id) => `DELETE ${calendarsPath}/${id}/events/private`,
  ];
  const medianPairs = [];
  for (const createRequest of requests) {
    for (let warmUp = 0; warmUp < warmUpRequests; warmUp += 1)
      await sendRest(gateway, token, createRequest('warm@example.com'));
    const timesByOwner = { mike: [], none: [] };
    for (let round = 0; round < timedRounds; round += 1) {
      for (const [owner, times] of Object.entries(timesByOwner)) {
        const startedAt = performance.now();
        await sendRest(gateway, token, createRequest(`${owner}@example.com`));
        times.push(performance.now() - startedAt);
      }
    }
    medianPairs.push(
      Object.values(timesByOwner).map((times) => times.sort((a, b) => a - b)[timedRounds / 2]),
    );
  }
  return {
    attack: 'response times for a hidden and a missing calendar',
    criterion: 'differ by at most a half, or 0.5 ms',
    figure: medianPairs
      .map((pair) => pair.map((ms) => ms.toFixed(2)).join(' and '))
      .join(', ')
      .concat(' ms'),
    isMet: medianPairs.every(
      ([hiddenMs, missingMs]) => Math.abs(hiddenMs - missingMs) <= Math.max(0.5, 0.5 * missingMs),
    ),
  };
}

export const hiddenChecks = { 'hidden-resources': checkHiddenResources, 'hidden-lists': checkHiddenLists };
export const timedHiddenChecks = { 'hidden-timing': checkHiddenTiming };

/** Small seed with a bucket that the caller may not see, and a calendar that the caller may only read. */
export const hiddenResourcesSeed = {
  ...smallSeed,
  calendars: [
    ...smallSeed.calendars,
    {
      id: 'readable',
      owner: 'bob@example.com',
      timeZone: 'Europe/Berlin',
      defaultReminders: [],
      acl: [
        { email: 'alice@example.com', role: 'reader' },
        { email: 'secret@example.com', role: 'writer' },
      ],
      events: [],
    },
  ],
  buckets: [
    ...smallSeed.buckets,
    {
      name: 'hidden-bucket',
      project: 'hidden-project',
      requesterPays: false,
      managers: ['mike@example.com'],
      notifications: [{ topic: 'projects/my-project/topics/hidden', payload_format: 'JSON_API_V1' }],
    },
  ],
};
