// Attacks by requests that cost more than they seem to.
import { codeOf, graphqlRequest } from './gateway.js';

const maxSingleStallMs = 250;
const maxConcurrentStallMs = 500;
const maxGrowthMb = 200;
/** Growth by ten responses of megabytes on a fresh heap. */
const maxListsGrowthMb = 400;

const aliases = (count, field) =>
  Array.from({ length: count }, (_, index) => `a${index}: ${field}`).join(' ');
const patch = (args = '') => `patchEvent(calendarId: "primary", eventId: "victim", ${args}event: $e) { id }`;
const patches = (count, args) => `mutation ($e: EventInput!) { ${aliases(count, patch(args))} }`;
const object = (text) => ({ eventType: 'OBJECT_FINALIZE', objectId: 'a', object: { text } });
const publish = (count, selection) =>
  `mutation ($c: ObjectChangeInput!) { ${aliases(count, `publishObjectChange(bucket: "photos", change: $c) { messages { ${selection} } }`)} }`;
const keys = (count, from = 0, value = 'x') =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${from + index}`, value]));
/** Creates sixteen different patches with `count` keys each, and reuses them. */
const preferences = (count) => {
  const requests = [];
  return (round) =>
    (requests[round % 16] ??= graphqlRequest(patches(1), {
      e: { gadget: { preferences: keys(count, (round % 16) * count) } },
    }));
};
let requestId = 0;
/** Creates twenty inserts with unique request ids. */
const inserts = (round) =>
  `mutation ($e: EventInput!) { ${Array.from({ length: 20 }, (_, index) => `a${index}: insertEvent(calendarId: "primary", requestId: "${round} ${(requestId += 1)}", event: $e) { id }`).join(' ')} }`;
const overlapping = `{ ${Array.from({ length: 830 }, () => 'x: __typename').join(' ')} }`;

const list = (calendarId, args, selection = '{ nodes { id } }') =>
  `events(calendarId: "${calendarId}", ${args}) ${selection}`;
const expanded = (calendarId) => [
  [
    'lists',
    `${calendarId}, expanded from its start`,
    () => [`{ ${list(calendarId, 'singleEvents: true')} }`],
    10,
  ],
  [
    'lists',
    `${calendarId}, expanded in the order of starts`,
    () => [
      `{ ${list(calendarId, 'singleEvents: true, orderBy: startTime, timeMin: "2030-02-01T00:00:00Z", first: 2500')} }`,
    ],
    3,
  ],
  [
    'lists',
    `${calendarId}, on a day in a far year`,
    () => [`{ ${list(calendarId, 'timeMin: "8999-01-01T00:00:00Z", timeMax: "8999-01-02T00:00:00Z"')} }`],
    10,
  ],
  [
    'lists',
    `${calendarId}, 2,500 instances of one`,
    () => [
      `{ instances(calendarId: "${calendarId}", eventId: "series0", timeMin: "2500-01-01T00:00:00Z", first: 2500) { nodes { id } } }`,
    ],
    10,
  ],
];
const crowd = Array.from({ length: 200 }, (_, index) => ({
  email: index < 50 ? `user${index}@example.com` : `stranger${index}@example.com`,
}));
const properties = JSON.stringify(Array.from({ length: 20 }, (_, index) => `k${index}=v`));
let documents = 0;
/** Creates a unique document of 2,250 fields, which no cache contains. */
const newDocument = (round) =>
  `query Q${round}_${(documents += 1)} { ${aliases(90, `event(calendarId: "primary", eventId: "victim") { ${Array.from({ length: 24 }, (_, index) => `f${index}: id`).join(' ')} }`)} }`;

/** Attacks on the special calendars of `listSeed`. */
export const listAttacks = [
  ...['every second', 'positions among seconds', 'a hundred rules each', 'all excluded'].flatMap(expanded),
  [
    'lists',
    '5 aliases of a search that finds nothing in 20,000 events',
    () => [`{ ${aliases(5, list('large', 'q: "zzzz", first: 1'))} }`],
    10,
  ],
  [
    'lists',
    '5 aliases of 20 properties over 20,000 events',
    () => [`{ ${aliases(5, list('large', `privateExtendedProperty: ${properties}, first: 1`))} }`],
    10,
  ],
  [
    'lists',
    '100 aliases of 160 rules that hardly ever match',
    () => [
      `{ ${Array.from({ length: 100 }, (_, index) => `a${index}: ${list('rare', `singleEvents: true, orderBy: startTime, first: 1, timeMin: "${2100 + index * 70}-01-01T00:00:00Z"`)}`).join(' ')} }`,
    ],
    10,
  ],
  [
    'lists',
    '100 aliases of a search through 6 million letters',
    () => [`{ ${aliases(100, list('much text', 'q: "zzzz", first: 1'))} }`],
    10,
  ],
  [
    'lists',
    '100 aliases of ten of a series with 2,500 changed instances',
    () => [`{ ${aliases(100, list('many changed', 'singleEvents: true, first: 10'))} }`],
    10,
  ],
  [
    'writes',
    '20 patches of a series with 2,500 changed instances',
    (index) => [
      `mutation { ${Array.from({ length: 20 }, (_, count) => `a${count}: patchEvent(calendarId: "many changed", eventId: "each0hour", event: { summary: "${index} ${count}" }) { id }`).join(' ')} }`,
    ],
    10,
  ],
  [
    'lists',
    '100 aliases of a sync token of 5 kB that was made up',
    () => [`query ($t: String) { ${aliases(100, list('large', 'syncToken: $t'))} }`, { t: 'x'.repeat(5000) }],
  ],
  [
    'lists',
    '100 aliases of ids of 9 kB',
    () => [
      `query ($t: String!) { ${aliases(100, 'event(calendarId: $t, eventId: $t) { id }')} }`,
      { t: 'x'.repeat(9000) },
    ],
  ],
  [
    'writes',
    '20 inserts of 200 guests, 50 of them with a calendar',
    () => [
      `mutation ($e: EventInput!) { ${aliases(20, 'insertEvent(calendarId: "primary", sendUpdates: all, event: $e) { id }')} }`,
      { e: { start: { date: '2027-01-01' }, end: { date: '2027-01-02' }, attendees: crowd } },
    ],
    10,
  ],
  ['documents', 'a new document of 2,250 fields each time', (round) => [newDocument(round)]],
];

/** Attacks by mails while the mail server is down. Each needs its own gateway, because of the daily quota of 2,000 mails. */
export const mailAttacks = [
  [
    'mails',
    '20 inserts of 200 guests who are told',
    () => [
      `mutation ($e: EventInput!) { ${aliases(20, 'insertEvent(calendarId: "primary", sendUpdates: all, event: $e) { id }')} }`,
      { e: { start: { date: '2027-01-01' }, end: { date: '2027-01-02' }, attendees: crowd } },
    ],
    10,
  ],
  [
    'mails',
    '20 patches, told to 200 guests, of a series with 2,500 changed instances',
    (index) => [
      `mutation { ${Array.from({ length: 20 }, (_, count) => `a${count}: patchEvent(calendarId: "many told", eventId: "each0hour", sendUpdates: all, event: { location: "${index} ${count}" }) { id }`).join(' ')} }`,
    ],
    5,
  ],
];

/** Creates a selection of nested edges. */
const nested = (levels) =>
  levels === 0
    ? '{ id }'
    : `{ event(eventId: "victim") { calendar ${nested(levels - 1)} } a: event(eventId: "none") { id } }`;

const graphAttacks = (eventFields) => [
  [
    'graph',
    '2,500 events with all fields of each calendar',
    () => [`{ calendars { events(first: 2500) { nodes ${eventFields} } } }`],
  ],
  [
    'graph',
    '500 events with all fields of each calendar',
    () => [`{ calendars { id events(first: 500) { nodes ${eventFields} } } }`],
    10,
    maxListsGrowthMb,
  ],
  [
    'graph',
    '2,500 events, each with its calendar',
    () => ['{ events(calendarId: "full", first: 2500) { nodes { id calendar { id } } } }'],
    10,
  ],
  [
    'graph',
    '250 events, each with the weeks of its calendar',
    () => [
      '{ events(calendarId: "full", first: 250) { nodes { calendar { events { nodes { calendar { events { nodes { id } } } } } } } } }',
    ],
    10,
  ],
  [
    'graph',
    '450 events by edges, which are not there',
    () => [`{ calendar(calendarId: "primary") { ${aliases(450, 'event(eventId: "none") { id }')} } }`],
    10,
  ],
  ['graph', 'edges in edges, 18 levels deep', () => [`{ calendar(calendarId: "primary") ${nested(18)} }`]],
  [
    'graph',
    '2 pages of events with all fields, and once more with an edge that is refused',
    () => [
      `{ calendar(calendarId: "full") { ${aliases(2, `events(first: 450) { nodes ${eventFields} edges { node { calendar { id } } } }`)} } }`,
    ],
    10,
    maxListsGrowthMb,
  ],
];

/**
 * Attacks as `[row, title, request, concurrency = 100, maxMb]`. A request is sent once, then concurrently. A function with
 * a parameter creates a new request for each round.
 */
export const costAttacks = (eventFields) => [
  ...graphAttacks(eventFields),
  [
    'C1',
    '100 aliases of a patch over 100,000 attendees',
    () => [patches(100), { e: { attendeesOmitted: true, attendees: Array(100_000).fill({}) } }],
  ],
  [
    'C1',
    '30 aliases of a patch with 33,000 sms reminders',
    () => [
      patches(30),
      {
        e: { reminders: { useDefault: false, overrides: Array(33_000).fill({ method: 'sms', minutes: 1 }) } },
      },
    ],
  ],
  [
    'C2',
    '100 aliases of 2,500 events with all fields',
    () => [`{ ${aliases(100, `events(calendarId: "full", first: 2500) { nodes ${eventFields} }`)} }`],
  ],
  [
    'C2',
    '30 aliases of 2,500 events with all fields',
    () => [`{ ${aliases(30, `events(calendarId: "full", first: 2500) { nodes ${eventFields} }`)} }`],
  ],
  [
    'C2b',
    '20 aliases of an empty page over 20,000 events',
    () => [
      `{ ${aliases(20, 'events(calendarId: "large", first: 1, updatedMin: "2999-01-01T00:00:00Z") { nodes { id } }')} }`,
    ],
  ],
  [
    'C2b',
    '20 aliases of a page over 600 cancelled events',
    () => [`{ ${aliases(20, 'events(calendarId: "cancelled", first: 1) { nodes { id } }')} }`],
  ],
  [
    'C3',
    '100 aliases of a 510 kB object for 10 topics',
    () => [publish(100, 'messageId'), { c: object('x'.repeat(510_000)) }],
  ],
  [
    'H1',
    '500,000 attendees that are numbers',
    () => [patches(1), { e: { attendees: Array(500_000).fill(1) } }],
  ],
  [
    'H1',
    '500,000 recurrence lines that are numbers',
    () => [patches(1), { e: { recurrence: Array(500_000).fill(1) } }],
  ],
  ['H1', '90,000 unknown fields', () => [patches(1), { e: keys(90_000, 0, 1) }]],
  [
    'H1',
    '200,000 attendees that are null',
    () => [patches(1), { e: { attendees: Array(200_000).fill(null) } }],
  ],
  // Attacks below the limit of values in a body.
  [
    'C1',
    '100 aliases of a patch over 24,000 attendees',
    () => [patches(100), { e: { attendeesOmitted: true, attendees: Array(24_000).fill({}) } }],
  ],
  [
    'C1',
    '30 aliases of a patch with 12,000 sms reminders',
    () => [
      patches(30),
      {
        e: { reminders: { useDefault: false, overrides: Array(12_000).fill({ method: 'sms', minutes: 1 }) } },
      },
    ],
  ],
  [
    'H1',
    '24,000 recurrence lines that are numbers',
    () => [patches(1), { e: { recurrence: Array(24_000).fill(1) } }],
  ],
  ['H1', '24,000 unknown fields', () => [patches(1), { e: keys(24_000, 0, 1) }]],
  ['H2', '16 patches of 24,000 gadget preferences', preferences(24_000)],
  ['H2', '16 patches of 80,000 gadget preferences', preferences(80_000)],
  ['M2', '830 overlapping fields without a token', () => [overlapping, undefined, null]],
  [
    'M2',
    '__typename 4,990 times without a token',
    () => [`{ ${'__typename '.repeat(4990)}}`, undefined, null],
  ],
  [
    'M3',
    '100 uses of one variable of 1 MB',
    () => [patches(100), { e: { description: 'x'.repeat(1_000_000) } }],
  ],
  [
    'M3',
    '200 bad attendees over 200 stored ones',
    () => [
      `mutation ($e: EventInput!) { ${aliases(20, 'patchEvent(calendarId: "primary", eventId: "crowd", event: $e) { id }')} }`,
      { e: { attendees: Array(200).fill({ email: 'x', responseStatus: 'x' }) } },
    ],
  ],
  ['M4', '300,000 empty attendees', () => [patches(1), { e: { attendees: Array(300_000).fill({}) } }]],
  [
    'M7',
    '20 inserts of 10 kB, each with a request id of its own',
    (round) => [
      inserts(round),
      { e: { start: { date: '2027-01-01' }, end: { date: '2027-01-02' }, description: 'x'.repeat(8000) } },
    ],
  ],
  [
    'M5',
    '60 publishes with their data selected',
    () => [publish(60, 'messageId data'), { c: object('x'.repeat(50_000)) }],
  ],
];

const legalPatch =
  'mutation { patchEvent(calendarId: "primary", eventId: "victim", event: { description: "as usual" }) { id } }';

/** Measures the median time of a small patch in ms. */
async function measurePatchMs(gateway, token) {
  const times = [];
  for (let count = 0; count < 15; count += 1)
    times.push((await gateway.ask(legalPatch, undefined, { token })).ms);
  return times.sort((a, b) => a - b)[7];
}

/** Converts `[query, variables, token]` to an HTTP request. REST requests stay as they are. */
const requestOf = (attack) =>
  Array.isArray(attack)
    ? { ...graphqlRequest(attack[0], attack[1]), ...(attack[2] !== undefined && { token: attack[2] }) }
    : attack;

/** Runs an attack on a running gateway and returns rows of the table. `tokens`: of several callers. */
export async function runCostAttack(
  gateway,
  [row, attack, make, concurrency = 100, maxMb = maxGrowthMb],
  tokens,
) {
  const before = await measurePatchMs(gateway, tokens[0]);
  const base = gateway.memory().now;
  gateway.resetPeak();
  const fixedRequest = make.length === 0 ? requestOf(make()) : undefined;
  const round = async (count) => {
    // Created before the first one is sent, or it could time out meanwhile.
    const requests = Array.from({ length: count }, (_, index) => fixedRequest ?? requestOf(make(index)));
    await gateway.stall();
    const answers = await Promise.all(
      requests.map(({ token, headers, ...request }, index) => {
        const usedToken = token === undefined ? tokens[index % tokens.length] : token;
        return gateway.send({
          ...request,
          headers: { ...(usedToken !== null && { authorization: `Bearer ${usedToken}` }), ...headers },
        });
      }),
    );
    const stall = gateway.alive() ? await gateway.stall() : Number.NaN;
    const codes = [...new Set(answers.map(codeOf))].join(', ');
    const isOdd = answers.some(({ status }) => status === 0 || (status >= 500 && status !== 503)); // 503 asks to retry.
    return { stall, codes, isOdd, bytes: Math.max(...answers.map(({ bytes }) => bytes)) };
  };
  const rows = [];
  for (const [count, limit] of [
    [1, maxSingleStallMs],
    [concurrency, maxConcurrentStallMs],
  ]) {
    const { codes, isOdd, bytes, stall: first } = await round(count);
    let stall = first;
    // The best of three counts, because other load on the machine can only slow it down.
    for (let retry = 0; retry < 2 && count === 1 && stall > limit && stall < 4 * limit; retry += 1)
      stall = Math.min(stall, (await round(1)).stall);
    const held = stall <= limit && !isOdd;
    rows.push({
      row,
      attack: `${attack}, ${count === 1 ? 'once' : `${count === 100 ? 'a hundred' : count} side by side`}`,
      criterion: `stall ≤ ${limit} ms, answered`,
      figure: `${stall} ms, ${(bytes / 1000).toFixed(0)} kB, ${codes}`,
      held,
    });
    if (!held) break;
  }
  if (!gateway.alive())
    return [...rows, { row, attack, criterion: 'the process lives', figure: 'it ended', held: false }];
  const growth = Math.round(gateway.memory().peak - base);
  const isAsBefore = (ms) => ms <= Math.max(2 * before, before + 20);
  let after = await measurePatchMs(gateway, tokens[0]);
  // The best of three counts.
  for (let retry = 0; retry < 2 && !isAsBefore(after); retry += 1)
    after = Math.min(after, await measurePatchMs(gateway, tokens[0]));
  rows.push({
    row,
    attack: `${attack}: memory, and a patch afterwards`,
    criterion: `< ${maxMb} MB, as fast as before (2 times or 20 ms)`,
    figure: `${growth} MB, ${before} → ${after} ms`,
    held: growth < maxMb && isAsBefore(after),
  });
  return rows;
}
