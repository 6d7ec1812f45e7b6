// Checks that hidden resources are indistinguishable from missing ones.
import { ask, calendars, fillPath, readMethods, checkInputs } from './rest-client.js';

const hour = { start: { dateTime: '2027-05-01T09:00:00Z' }, end: { dateTime: '2027-05-01T10:00:00Z' } };
/** Valid and invalid bodies of each kind. */
const bodies = {
  event: [{ summary: 'x', ...hour }, { summary: 5 }, {}],
  acl: [
    { scope: { type: 'user', value: 'alice@example.com' }, role: 'owner' },
    { scope: { type: 'domain' } },
    { scope: { type: 'user', value: 'mike@example.com' }, role: 'none' },
  ],
  calendar: [{ summary: 'x' }, { timeZone: 'x' }],
  bucket: [{ billing: { requesterPays: true } }, { name: 5 }],
  notification: [{ topic: 'projects/p/topics/t', payload_format: 'JSON_API_V1' }, { topic: 'x' }],
};
const kindOf = (id) =>
  id.includes('.events.')
    ? 'event'
    : id.includes('.acl.')
      ? 'acl'
      : id.includes('.calendars.')
        ? 'calendar'
        : id.includes('.notifications.')
          ? 'notification'
          : 'bucket';
const queries = [
  '?maxResults=0&timeMin=x',
  '?singleEvents=true&orderBy=startTime',
  '?syncToken=x',
  '?pageToken=x&fields=((',
  '?userProject=x&validateOnly=true&fields=kind',
];
const conditions = [{}, { 'if-match': '"x"' }, { 'if-match': '*', 'if-none-match': '*' }];

/** Serializes a response without request ids and the requested names. */
const comparable = ({ status, headers, body }, ...names) => {
  const { 'x-request-id': _id, date: _date, 'content-length': _length, ...rest } = headers;
  return names.reduce(
    (text, name) => text.replaceAll(encodeURIComponent(name), 'NAME').replaceAll(name, 'NAME'),
    JSON.stringify([status, rest, body]),
  );
};

/** Pairs of a hidden and a missing resource, with the paths of the methods to compare. */
const pairs = [
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

async function checkMethods({ gateway, token }) {
  const methods = await readMethods(gateway);
  const rows = [];
  for (const [resource, hiddenValues, missingValues, pathPattern] of pairs) {
    const inputs = methods
      .filter(({ path }) => pathPattern.test(path))
      .flatMap((method) => {
        const sent = method.body ? bodies[kindOf(method.id)] : [undefined];
        return [
          ...queries.map((query) => [method, query, sent[0], {}]),
          ...sent.flatMap((body) => conditions.map((headers) => [method, '', body, headers])),
        ];
      });
    rows.push(
      await checkInputs(
        `${resource}: all methods, with faults and conditions, hidden and missing`,
        'the same answer',
        inputs,
        async ([{ verb, path }, query, body, headers]) => {
          const answers = [];
          for (const values of [hiddenValues, missingValues])
            answers.push(
              comparable(
                await ask(gateway, token, `${verb} ${fillPath(path, values)}${query}`, { body, headers }),
                ...Object.values(values),
              ),
            );
          return answers[0] === answers[1] && /^\[4/.test(answers[0]) ? undefined : answers.join(' ');
        },
        16,
      ),
    );
  }
  return rows;
}

const freeBusy = (ids) => ({
  timeMin: '2027-01-01T00:00:00Z',
  timeMax: '2027-02-01T00:00:00Z',
  items: ids.map((id) => ({ id })),
});

async function checkOtherRequests({ gateway, token }) {
  const inBatch = (lines) =>
    `${lines.map((line) => `--b\r\nContent-Type: application/http\r\n\r\n${line} HTTP/1.1\r\n\r\n`).join('\r\n')}\r\n--b--`;
  const plain = (text) => text.replaceAll(/batch_[\w-]+/g, 'BOUNDARY');
  const requests = [
    ['freeBusy', (id) => ['POST /calendar/v3/freeBusy', { body: freeBusy([id, 'primary']) }]],
    ['freeBusy of two', (id) => ['POST /calendar/v3/freeBusy', { body: freeBusy([id, id]) }]],
    [
      'batch',
      (id) => [
        'POST /batch/calendar/v3',
        {
          body: inBatch([
            `GET ${calendars}/${id}`,
            `GET ${calendars}/${id}/events/private`,
            `DELETE ${calendars}/${id}`,
            `GET ${calendars}/${id}/acl`,
          ]),
          headers: { 'content-type': 'multipart/mixed; boundary=b' },
        },
      ],
    ],
  ];
  return [
    await checkInputs(
      'a hidden calendar and none, in freeBusy and in a batch',
      'the same answer',
      requests,
      async ([, make]) => {
        const results = [];
        for (const id of ['mike@example.com', 'none@example.com'])
          results.push(plain(comparable(await ask(gateway, token, ...make(id)), id)));
        return results[0] === results[1] && results[0].startsWith('[200') ? undefined : results.join(' ');
      },
    ),
    await checkInputs(
      'lists, for names that are not for the caller',
      'none of them',
      [
        '/calendar/v3/users/me/calendarList',
        '/storage/v1/b?project=hidden-project',
        '/storage/v1/b?project=my-project',
        '/discovery/v1/apis',
        '/discovery/v1/apis/calendar/v3/rest',
      ],
      async (path) => {
        const { body, status } = await ask(gateway, token, `GET ${path}`);
        return status === 200 && !/mike@|hidden-/.test(body) ? undefined : `${status} ${body}`;
      },
    ),
  ];
}

/** Compares the median response times for a hidden and a missing calendar. */
async function checkTiming({ gateway, token }) {
  const rounds = 60;
  const requests = [
    (id) => `GET ${calendars}/${id}`,
    (id) => `GET ${calendars}/${id}/events?singleEvents=true&q=x`,
    (id) => `GET ${calendars}/${id}/acl`,
    (id) => `DELETE ${calendars}/${id}/events/private`,
  ];
  const results = [];
  for (const make of requests) {
    for (let warm = 0; warm < 20; warm += 1) await ask(gateway, token, make('warm@example.com'));
    const times = { mike: [], none: [] };
    for (let round = 0; round < rounds; round += 1) {
      for (const [name, list] of Object.entries(times)) {
        const started = performance.now();
        await ask(gateway, token, make(`${name}@example.com`));
        list.push(performance.now() - started);
      }
    }
    results.push(Object.values(times).map((list) => list.sort((a, b) => a - b)[rounds / 2]));
  }
  const held = results.every(
    ([hiddenMs, missingMs]) => Math.abs(hiddenMs - missingMs) <= Math.max(0.5, 0.5 * missingMs),
  );
  return {
    row: 'rest',
    attack: 'the time that a hidden calendar and none take',
    criterion: 'about equal (half of it, or 0.5 ms)',
    figure: results
      .map((pair) => pair.map((ms) => ms.toFixed(2)).join(' and '))
      .join(', ')
      .concat(' ms'),
    held,
  };
}

export const measuringChecks = [checkTiming];
export const restChecks = [checkMethods, checkOtherRequests, checkTiming];

/** Adds resources that the caller may not see to a seed. */
export const withHiddenResources = (smallSeed) => ({
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
});
