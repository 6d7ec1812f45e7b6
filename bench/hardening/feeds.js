// Attacks on calendar feeds: guessed and leaked secrets, feeds read too often, and the largest feeds.
import { randomBytes } from 'node:crypto';
import { signToken, withGateway } from './gateway.js';
import { smallSeed } from './seed.js';

const feedEnv = { CALENDAR_FEEDS: 'on' };
const owner = 'mike@example.com';

/** Creates the feed of a calendar and returns its path. */
async function createFeed(gateway) {
  const { body } = await gateway.sendGraphql(
    'mutation { resetCalendarFeed(calendarId: "primary") { feedUrl } }',
    undefined,
    { token: await signToken(owner) },
  );
  return new URL(JSON.parse(body).data.resetCalendarFeed.feedUrl).pathname;
}

const checkGuessedSecrets = () =>
  withGateway({ seed: smallSeed, env: { ...feedEnv, RATE_LIMIT: '500' } }, async (gateway) => {
    const path = await createFeed(gateway);
    const [, secret] = /private-([\w-]+)/.exec(path);
    const responses = [];
    for (let guessIndex = 0; guessIndex < 600; guessIndex += 1) {
      const guess = guessIndex % 2 === 0 ? randomBytes(32).toString('base64url') : secret;
      const calendarId = guessIndex % 2 === 0 ? encodeURIComponent(owner) : `nobody${guessIndex}`;
      responses.push(await gateway.send({ path: `/calendar/ical/${calendarId}/private-${guess}/basic.ics` }));
    }
    const statuses = responses.map(({ status }) => status);
    const bodies = new Set(responses.filter(({ status }) => status === 404).map(({ body }) => body));
    const isLogged = gateway.readLog().includes(secret);
    return {
      attack: '600 guesses: a random secret, and the right one for unknown calendars',
      criterion: 'one 404 for all, then 429 for the address; no secret in the log',
      figure: `${statuses.indexOf(429)} guesses, ${bodies.size} kind of 404, ${isLogged ? 'a' : 'no'} secret in the log`,
      isMet:
        bodies.size === 1 &&
        statuses.every((status) => status === 404 || status === 429) &&
        statuses.indexOf(429) > 0 &&
        !isLogged,
    };
  });

/** Checks that a feed gets at most 60 responses within an hour. */
const checkFrequentReads = () =>
  withGateway({ seed: smallSeed, env: { ...feedEnv, RATE_LIMIT: 'off' } }, async (gateway) => {
    const path = await createFeed(gateway);
    const responses = await Promise.all(Array.from({ length: 300 }, () => gateway.send({ path })));
    const servedCount = responses.filter(({ status }) => status === 200).length;
    const refusedCount = responses.filter(
      ({ status, headers }) => status === 429 && Number(headers['retry-after']) > 0,
    ).length;
    return {
      attack: 'a feed that is read 300 times at once',
      criterion: '60 responses, then 429 with Retry-After',
      figure: `${servedCount} and ${refusedCount}`,
      isMet: servedCount === 60 && refusedCount === 240,
    };
  });

const maxGrowthMb = 120;
/** A gateway needs half a second to write an endless series that begins in 2000, in mails too. */
const maxStallMs = 1_500;

/** Creates endless series with excluded days in 400 time zones, whose iCalendar form is expensive. */
const createExpensiveEvents = (count) =>
  Array.from({ length: count }, (_, index) => {
    const timeZone = Intl.supportedValuesOf('timeZone')[index % 400];
    return {
      id: `feed${index}`,
      summary: `Series ${index}`,
      start: { dateTime: '2000-01-01T09:00:00Z', timeZone },
      end: { dateTime: '2000-01-01T10:00:00Z', timeZone },
      recurrence: ['RRULE:FREQ=DAILY', 'EXRULE:FREQ=WEEKLY;BYDAY=SA,SU'],
    };
  });

const checkExpensiveFeed = () =>
  withGateway(
    {
      seed: {
        calendars: [{ id: owner, owner, timeZone: 'UTC', events: createExpensiveEvents(2000) }],
        buckets: [],
      },
      env: { ...feedEnv, RATE_LIMIT: 'off' },
    },
    async (gateway) => {
      const path = await createFeed(gateway);
      await gateway.readStallMs();
      const { currentMb } = gateway.readMemory();
      gateway.resetPeak();
      const responses = await Promise.all(
        Array.from({ length: 4 }, () => gateway.send({ path, timeoutMs: 30_000 })),
      );
      const stallMs = await gateway.readStallMs();
      const growthMb = Math.round(gateway.readMemory().peakMb - currentMb);
      const { status } = await gateway.sendGraphql('{ __typename }', undefined, {
        token: await signToken(owner),
      });
      return {
        attack: 'four readers of 2,000 endless series with EXRULE in 400 zones',
        criterion: `cut, alive, stalls < ${maxStallMs} ms, < ${maxGrowthMb} MB more`,
        figure: `${responses.map((response) => response.fault ?? response.status).join(', ')}; ${stallMs} ms, ${growthMb} MB`,
        isMet:
          // A response that was cut lacks the end of the calendar.
          responses.every(({ body }) => !body.includes('END:VCALENDAR')) &&
          status === 200 &&
          stallMs < maxStallMs &&
          growthMb < maxGrowthMb,
      };
    },
  );

export const feedChecks = { 'feed-guesses': checkGuessedSecrets, 'feed-often': checkFrequentReads };
export const slowFeedChecks = { 'feed-expensive': checkExpensiveFeed };
