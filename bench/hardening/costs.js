// Attacks by requests that cost more than they seem to. A request is sent once, and then `concurrency` times
// at once.
// `query`, `variables`: the GraphQL request. `createRequest`: creates another request instead; with a
// parameter, a new one for each index. `token`: null sends the request without a token. `maxMb`: maximum
// growth of memory.
import { outcomeOf, createGraphqlRequest } from './gateway.js';
import { largeSeed, listSeed, mailSeed, smallSeed } from './seed.js';

const maxSingleStallMs = 250;
const maxConcurrentStallMs = 500;
const defaultConcurrency = 100;
const defaultMaxMb = 200;
/**
 * Limit for the growth by ten responses of several megabytes, or by 200 changes of 2,500 records. V8 lets the
 * heap grow to four times its live data before it collects garbage: to 465 MB with 110 MB of live data, which
 * did not grow.
 */
export const maxLargeMb = 400;
const patchSampleCount = 15;
const patchVariantCount = 16;

/** Settings of the gateway that all list attacks share. */
export const listSettings = { seed: listSeed, env: { RATE_LIMIT: 'off' } };
const mailSettings = {
  seed: mailSeed,
  // A port without a server, so that mails wait.
  env: { RATE_LIMIT: 'off', SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'calendar@example.com' },
};

/** Selects the same field `count` times, under different aliases. */
const repeatField = (count, field) =>
  Array.from({ length: count }, (_, index) => `a${index}: ${field}`).join(' ');
/** Selects `count` fields under different aliases. `createField`: creates a field from its number. */
const createAliasedFields = (count, createField) =>
  Array.from({ length: count }, (_, index) => `a${index}: ${createField(index)}`).join(' ');
const patchVictimField = 'patchEvent(calendarId: "primary", eventId: "victim", event: $e) { id }';
/** Creates a document that patches the same event `count` times. */
const createPatchDocument = (count) =>
  `mutation ($e: EventInput!) { ${repeatField(count, patchVictimField)} }`;
const objectChange = (text) => ({ eventType: 'OBJECT_FINALIZE', objectId: 'a', object: { text } });
/** Creates a document that publishes the same change `count` times. */
const createPublicationDocument = (count, selection) =>
  `mutation ($c: ObjectChangeInput!) { ${repeatField(count, `publishObjectChange(bucket: "photos", change: $c) { messages { ${selection} } }`)} }`;
/** Creates an object with `count` different keys, numbered from `first`. */
const createMap = (count, first = 0, value = 'x') =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${first + index}`, value]));
/** Creates `patchVariantCount` different patches with `count` keys each, and reuses them. */
const createPreferencePatches = (count) => {
  const requests = [];
  return (index) => {
    const variant = index % patchVariantCount;
    return (requests[variant] ??= createGraphqlRequest(createPatchDocument(1), {
      e: { gadget: { preferences: createMap(count, variant * count) } },
    }));
  };
};
let lastRequestId = 0;
/** Creates twenty inserts with unique request ids. */
const createInsertDocument = (index) =>
  `mutation ($e: EventInput!) { ${createAliasedFields(20, () => `insertEvent(calendarId: "primary", requestId: "${index} ${(lastRequestId += 1)}", event: $e) { id }`)} }`;
const overlappingFields = `{ ${Array.from({ length: 830 }, () => 'x: __typename').join(' ')} }`;
const newYearsDay = { start: { date: '2027-01-01' }, end: { date: '2027-01-02' } };

const listEvents = (calendarId, args) => `events(calendarId: "${calendarId}", ${args}) { nodes { id } }`;
const expandSeries = (calendarId) => [
  {
    title: `${calendarId}, expanded from its start`,
    query: `{ ${listEvents(calendarId, 'singleEvents: true')} }`,
    concurrency: 10,
  },
  {
    title: `${calendarId}, expanded in the order of starts`,
    query: `{ ${listEvents(calendarId, 'singleEvents: true, orderBy: startTime, timeMin: "2030-02-01T00:00:00Z", first: 2500')} }`,
    concurrency: 3,
  },
  {
    title: `${calendarId}, on a day in a far year`,
    query: `{ ${listEvents(calendarId, 'timeMin: "8999-01-01T00:00:00Z", timeMax: "8999-01-02T00:00:00Z"')} }`,
    concurrency: 10,
  },
  {
    title: `${calendarId}, 2,500 instances of one series`,
    query: `{ instances(calendarId: "${calendarId}", eventId: "series0", timeMin: "2500-01-01T00:00:00Z", first: 2500) { nodes { id } } }`,
    concurrency: 10,
  },
];
/** 200 guests. `listSeed` has calendars of the first fifty. */
const invitedGuests = Array.from({ length: 200 }, (_, index) => ({
  email: index < 50 ? `user${index}@example.com` : `stranger${index}@example.com`,
}));
const propertyFilters = JSON.stringify(Array.from({ length: 20 }, (_, index) => `k${index}=v`));
let lastDocumentNumber = 0;
/** Creates a unique document of 2,250 fields, which no cache contains. */
const createDocument = (index) =>
  `query Q${index}_${(lastDocumentNumber += 1)} { ${repeatField(90, `event(calendarId: "primary", eventId: "victim") { ${Array.from({ length: 24 }, (_, fieldIndex) => `f${fieldIndex}: id`).join(' ')} }`)} }`;

/** Attacks on the special calendars of `listSeed`. */
const listAttacks = {
  lists: [
    // Ids of calendars in `listSeed`, each with another expensive kind of series.
    ...['every second', 'positions among seconds', 'a hundred rules each', 'all excluded'].flatMap(
      expandSeries,
    ),
    {
      title: '5 aliases of a search that finds nothing in 20,000 events',
      query: `{ ${repeatField(5, listEvents('large', 'q: "zzzz", first: 1'))} }`,
      concurrency: 10,
    },
    {
      title: '5 aliases of 20 properties over 20,000 events',
      query: `{ ${repeatField(5, listEvents('large', `privateExtendedProperty: ${propertyFilters}, first: 1`))} }`,
      concurrency: 10,
    },
    {
      title: '100 aliases of 160 rules that hardly ever match',
      query: `{ ${createAliasedFields(100, (index) => listEvents('rare', `singleEvents: true, orderBy: startTime, first: 1, timeMin: "${2100 + index * 70}-01-01T00:00:00Z"`))} }`,
      concurrency: 10,
    },
    {
      title: '100 aliases of a search through 6 million letters',
      query: `{ ${repeatField(100, listEvents('much text', 'q: "zzzz", first: 1'))} }`,
      concurrency: 10,
    },
    {
      title: '100 aliases of ten of a series with 2,500 changed instances',
      query: `{ ${repeatField(100, listEvents('many changed', 'singleEvents: true, first: 10'))} }`,
      concurrency: 10,
    },
    {
      title: '100 aliases of an invented sync token of 5 kB',
      query: `query ($t: String) { ${repeatField(100, listEvents('large', 'syncToken: $t'))} }`,
      variables: { t: 'x'.repeat(5000) },
    },
    {
      title: '100 aliases of ids of 9 kB',
      query: `query ($t: String!) { ${repeatField(100, 'event(calendarId: $t, eventId: $t) { id }')} }`,
      variables: { t: 'x'.repeat(9000) },
    },
  ],
  writes: [
    {
      title: '20 patches of a series with 2,500 changed instances',
      createRequest: (index) =>
        createGraphqlRequest(
          `mutation { ${createAliasedFields(20, (alias) => `patchEvent(calendarId: "many changed", eventId: "each0hour", event: { summary: "${index} ${alias}" }) { id }`)} }`,
        ),
      concurrency: 10,
      maxMb: maxLargeMb,
    },
    {
      title: '20 inserts of 200 guests, 50 of them with a calendar',
      query: `mutation ($e: EventInput!) { ${repeatField(20, 'insertEvent(calendarId: "primary", sendUpdates: all, event: $e) { id }')} }`,
      variables: { e: { ...newYearsDay, attendees: invitedGuests } },
      concurrency: 10,
    },
    {
      title: '20 imports of 200 guests, 50 of them with a calendar',
      createRequest: (index) =>
        createGraphqlRequest(
          `mutation ($e: EventInput!) { ${repeatField(20, 'importEvent(calendarId: "primary", event: $e) { id }')} }`,
          { e: { ...newYearsDay, iCalUID: `${index}@elsewhere.example`, attendees: invitedGuests } },
        ),
      concurrency: 10,
    },
    {
      title: '20 moves of a series with 2,500 changed instances, there and back',
      createRequest: () => createGraphqlRequest(`mutation { ${createMoves(20)} }`),
      concurrency: 10,
      maxMb: maxLargeMb,
    },
  ],
  documents: [
    {
      title: 'a new document of 2,250 fields in each request',
      createRequest: (index) => createGraphqlRequest(createDocument(index)),
    },
  ],
};

/**
 * Attacks by mails while the mail server is down. Each needs its own gateway, because of the daily quota of
 * 2,000 mails.
 */
const mailAttacks = {
  mails: [
    {
      title: '20 inserts of 200 notified guests',
      query: `mutation ($e: EventInput!) { ${repeatField(20, 'insertEvent(calendarId: "primary", sendUpdates: all, event: $e) { id }')} }`,
      variables: { e: { ...newYearsDay, attendees: invitedGuests } },
      concurrency: 10,
    },
    {
      title: '20 patches, with mails to 200 guests, of a series with 2,500 changed instances',
      createRequest: (index) =>
        createGraphqlRequest(
          `mutation { ${createAliasedFields(20, (alias) => `patchEvent(calendarId: "many notified", eventId: "each0hour", sendUpdates: all, event: { location: "${index} ${alias}" }) { id }`)} }`,
        ),
      concurrency: 5,
      maxMb: maxLargeMb,
    },
  ],
};

/** Creates `count` fields that move one series back and forth between two calendars. */
function createMoves(count) {
  const calendars = ['many changed', 'alice@example.com'];
  return Array.from({ length: count }, (_, index) => {
    const [from, to] = index % 2 === 0 ? calendars : calendars.toReversed();
    return `move${index}: moveEvent(calendarId: "${from}", eventId: "each0hour", destination: "${to}") { id }`;
  }).join(' ');
}

/** Creates a selection of nested edges. */
const nestEdges = (levels) =>
  levels === 0
    ? '{ id }'
    : `{ event(eventId: "victim") { calendar ${nestEdges(levels - 1)} } a: event(eventId: "none") { id } }`;

const createLargeAttacks = (eventFields) => ({
  graph: [
    {
      title: '2,500 events with all fields of each calendar',
      query: `{ calendars { events(first: 2500) { nodes ${eventFields} } } }`,
    },
    {
      title: '500 events with all fields of each calendar',
      query: `{ calendars { id events(first: 500) { nodes ${eventFields} } } }`,
      concurrency: 10,
      maxMb: maxLargeMb,
    },
    {
      title: '2,500 events, each with its calendar',
      query: '{ events(calendarId: "full", first: 2500) { nodes { id calendar { id } } } }',
      concurrency: 10,
    },
    {
      title: '250 events, each with the weeks of its calendar',
      query:
        '{ events(calendarId: "full", first: 250) { nodes { calendar { events { nodes { calendar { events { nodes { id } } } } } } } } }',
      concurrency: 10,
    },
    {
      title: '450 missing events by edges',
      query: `{ calendar(calendarId: "primary") { ${repeatField(450, 'event(eventId: "none") { id }')} } }`,
      concurrency: 10,
    },
    {
      title: 'edges in edges, 18 levels deep',
      query: `{ calendar(calendarId: "primary") ${nestEdges(18)} }`,
    },
    {
      title: '2 pages of events with all fields, and once more with an edge that is refused',
      query: `{ calendar(calendarId: "full") { ${repeatField(2, `events(first: 450) { nodes ${eventFields} edges { node { calendar { id } } } }`)} } }`,
      concurrency: 10,
      maxMb: maxLargeMb,
    },
  ],
  'full-lists': [
    {
      title: '100 aliases of 2,500 events with all fields',
      query: `{ ${repeatField(100, `events(calendarId: "full", first: 2500) { nodes ${eventFields} }`)} }`,
    },
    {
      title: '30 aliases of 2,500 events with all fields',
      query: `{ ${repeatField(30, `events(calendarId: "full", first: 2500) { nodes ${eventFields} }`)} }`,
    },
  ],
  'sparse-lists': [
    {
      title: '20 aliases of an empty page over 20,000 events',
      query: `{ ${repeatField(20, 'events(calendarId: "large", first: 1, updatedMin: "2999-01-01T00:00:00Z") { nodes { id } }')} }`,
    },
    {
      title: '20 aliases of a page over 600 cancelled events',
      query: `{ ${repeatField(20, 'events(calendarId: "cancelled", first: 1) { nodes { id } }')} }`,
    },
  ],
});

const smallAttacks = {
  'aliased-patches': [
    {
      title: '100 aliases of a patch over 100,000 attendees',
      query: createPatchDocument(100),
      variables: { e: { attendeesOmitted: true, attendees: Array(100_000).fill({}) } },
    },
    {
      title: '30 aliases of a patch with 33,000 sms reminders',
      query: createPatchDocument(30),
      variables: {
        e: {
          reminders: { useDefault: false, overrides: Array(33_000).fill({ method: 'sms', minutes: 1 }) },
        },
      },
    },
    {
      title: '100 aliases of a patch over 24,000 attendees',
      query: createPatchDocument(100),
      variables: { e: { attendeesOmitted: true, attendees: Array(24_000).fill({}) } },
    },
    {
      title: '30 aliases of a patch with 12,000 sms reminders',
      query: createPatchDocument(30),
      variables: {
        e: {
          reminders: { useDefault: false, overrides: Array(12_000).fill({ method: 'sms', minutes: 1 }) },
        },
      },
    },
  ],
  'large-inputs': [
    {
      title: '500,000 attendees that are numbers',
      query: createPatchDocument(1),
      variables: { e: { attendees: Array(500_000).fill(1) } },
    },
    {
      title: '500,000 recurrence lines that are numbers',
      query: createPatchDocument(1),
      variables: { e: { recurrence: Array(500_000).fill(1) } },
    },
    {
      title: '90,000 unknown fields',
      query: createPatchDocument(1),
      variables: { e: createMap(90_000, 0, 1) },
    },
    {
      title: '200,000 attendees that are null',
      query: createPatchDocument(1),
      variables: { e: { attendees: Array(200_000).fill(null) } },
    },
    {
      title: '24,000 recurrence lines that are numbers',
      query: createPatchDocument(1),
      variables: { e: { recurrence: Array(24_000).fill(1) } },
    },
    {
      title: '24,000 unknown fields',
      query: createPatchDocument(1),
      variables: { e: createMap(24_000, 0, 1) },
    },
    {
      title: '300,000 empty attendees',
      query: createPatchDocument(1),
      variables: { e: { attendees: Array(300_000).fill({}) } },
    },
  ],
  'large-maps': [
    { title: '16 patches of 24,000 gadget preferences', createRequest: createPreferencePatches(24_000) },
    { title: '16 patches of 80,000 gadget preferences', createRequest: createPreferencePatches(80_000) },
  ],
  unauthenticated: [
    {
      title: '830 overlapping fields without a token',
      query: overlappingFields,
      token: null,
    },
    {
      title: '__typename 4,990 times without a token',
      query: `{ ${'__typename '.repeat(4990)}}`,
      token: null,
    },
  ],
  'repeated-values': [
    {
      title: '100 uses of one variable of 1 MB',
      query: createPatchDocument(100),
      variables: { e: { description: 'x'.repeat(1_000_000) } },
    },
    {
      title: '200 bad attendees over 200 stored ones',
      query: `mutation ($e: EventInput!) { ${repeatField(20, 'patchEvent(calendarId: "primary", eventId: "crowd", event: $e) { id }')} }`,
      variables: { e: { attendees: Array(200).fill({ email: 'x', responseStatus: 'x' }) } },
    },
  ],
  inserts: [
    {
      title: '20 inserts of 10 kB, each with its own request id',
      createRequest: (index) =>
        createGraphqlRequest(createInsertDocument(index), {
          e: { ...newYearsDay, description: 'x'.repeat(8000) },
        }),
    },
  ],
  publishing: [
    {
      title: '100 aliases of a 510 kB object for 10 topics',
      query: createPublicationDocument(100, 'messageId'),
      variables: { c: objectChange('x'.repeat(510_000)) },
    },
    {
      title: '60 publishes with their data selected',
      query: createPublicationDocument(60, 'messageId data'),
      variables: { c: objectChange('x'.repeat(50_000)) },
    },
  ],
};

/** Lists the attacks of all groups, each with its group and the settings of its gateway. */
const flattenAttacks = (settings, attacksByGroup) =>
  Object.entries(attacksByGroup).flatMap(([group, attacks]) =>
    attacks.map((attack) => ({ group, settings, ...attack })),
  );

/** Lists all attacks, each with its group and the settings of its gateway. */
export const createCostAttacks = (eventFields) => [
  ...flattenAttacks({ seed: largeSeed }, createLargeAttacks(eventFields)),
  ...flattenAttacks({ seed: smallSeed }, smallAttacks),
  ...flattenAttacks(listSettings, listAttacks),
  ...flattenAttacks(mailSettings, mailAttacks),
];

const smallPatch =
  'mutation { patchEvent(calendarId: "primary", eventId: "victim", event: { description: "as usual" }) { id } }';

/** Measures the median time of a small patch in ms. */
async function measurePatchMs(gateway, token) {
  const times = [];
  for (let sample = 0; sample < patchSampleCount; sample += 1)
    times.push((await gateway.sendGraphql(smallPatch, undefined, { token })).ms);
  return times.sort((a, b) => a - b)[patchSampleCount >> 1];
}

/** Sends requests at once, each with its own token (null: none) or that of the next caller. */
async function sendConcurrently(gateway, requests, tokens) {
  await gateway.readStallMs();
  const responses = await Promise.all(
    requests.map(({ token, headers, ...request }, index) => {
      const usedToken = token === undefined ? tokens[index % tokens.length] : token;
      return gateway.send({
        ...request,
        headers: { ...(usedToken !== null && { authorization: `Bearer ${usedToken}` }), ...headers },
      });
    }),
  );
  return {
    stallMs: gateway.isAlive() ? await gateway.readStallMs() : Number.NaN,
    outcomes: [...new Set(responses.map(outcomeOf))].join(', '),
    // 503 asks the client to retry.
    hasFailures: responses.some(({ status }) => status === 0 || (status >= 500 && status !== 503)),
    bytes: Math.max(...responses.map(({ bytes }) => bytes)),
  };
}

/** Runs an attack on a running gateway and returns rows of the table. `tokens`: of several callers. */
export async function runCostAttack(
  gateway,
  {
    title,
    query,
    variables,
    token,
    createRequest = () => ({ ...createGraphqlRequest(query, variables), token }),
    concurrency = defaultConcurrency,
    maxMb = defaultMaxMb,
  },
  tokens,
) {
  const patchMsBefore = await measurePatchMs(gateway, tokens[0]);
  const { currentMb } = gateway.readMemory();
  gateway.resetPeak();
  const fixedRequest = createRequest.length === 0 ? createRequest() : undefined;
  // All requests are created before the first one is sent, which could time out otherwise.
  const sendAttack = (count) =>
    sendConcurrently(
      gateway,
      Array.from({ length: count }, (_, index) => fixedRequest ?? createRequest(index)),
      tokens,
    );
  const rows = [];
  for (const [count, maxStallMs] of [
    [1, maxSingleStallMs],
    [concurrency, maxConcurrentStallMs],
  ]) {
    const { outcomes, hasFailures, bytes, ...measurement } = await sendAttack(count);
    let { stallMs } = measurement;
    // Counts the shortest of three stalls, because other load only lengthens it. Repeats no long stalls.
    for (let retry = 0; retry < 2 && count === 1; retry += 1)
      if (stallMs > maxStallMs && stallMs < 4 * maxStallMs)
        stallMs = Math.min(stallMs, (await sendAttack(1)).stallMs);
    const isMet = stallMs <= maxStallMs && !hasFailures;
    rows.push({
      attack: `${title}, ${count === 1 ? 'once' : `${count} at once`}`,
      criterion: `stall ≤ ${maxStallMs} ms, and a response`,
      figure: `${stallMs} ms, ${(bytes / 1000).toFixed(0)} kB, ${outcomes}`,
      isMet,
    });
    if (!isMet) break;
  }
  if (!gateway.isAlive())
    return [...rows, { attack: title, criterion: 'the process lives', figure: 'it ended', isMet: false }];
  const growthMb = Math.round(gateway.readMemory().peakMb - currentMb);
  const isFast = (ms) => ms <= Math.max(2 * patchMsBefore, patchMsBefore + 20);
  let patchMsAfter = await measurePatchMs(gateway, tokens[0]);
  // Counts the shortest of three times.
  for (let retry = 0; retry < 2 && !isFast(patchMsAfter); retry += 1)
    patchMsAfter = Math.min(patchMsAfter, await measurePatchMs(gateway, tokens[0]));
  rows.push({
    attack: `${title}: memory, and a patch afterwards`,
    criterion: `< ${maxMb} MB, as fast as before (2 times or 20 ms)`,
    figure: `${growthMb} MB, ${patchMsBefore} → ${patchMsAfter} ms`,
    isMet: growthMb < maxMb && isFast(patchMsAfter),
  });
  return rows;
}
