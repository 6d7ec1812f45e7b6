import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import type { CalendarRecord } from './calendar.store.ts';

/** URLs of iCalendar feeds. Each is a secret of its calendar's owners. */
export interface CalendarFeeds {
  /** URL of a calendar's feed; undefined if it has none. */
  readonly urlOf: (calendar: CalendarRecord) => string | undefined;
  /** Whether a secret is that of the calendar's feed. Takes the same time for every secret and calendar. */
  readonly isSecretOf: (calendar: CalendarRecord | undefined, secret: string) => boolean;
}

/** Beginning of a feed's path, before the calendar's id. */
export const feedPath = '/calendar/ical/';

/** Bytes of the HMAC's key and of a calendar's random value. */
const keyBytes = 32;
const seedBytes = 32;

/** Random value that a calendar stores for its feed. */
export const createFeedSeed = (): string => randomBytes(seedBytes).toString('base64url');

/**
 * Creates the URLs of feeds. A secret is an HMAC (RFC 2104) of the stored random value, so that it can be shown again, and that
 * neither the database nor the signing secret alone opens a feed. `getOrigin`: scheme and host of URLs.
 */
export function createCalendarFeeds(signingSecret: string, getOrigin: () => string): CalendarFeeds {
  const secretKey = Buffer.from(hkdfSync('sha256', signingSecret, '', 'secrets of calendar feeds', keyBytes));
  const secretOf = (calendarId: string, seed: string): string =>
    createHmac('sha256', secretKey)
      .update(JSON.stringify([calendarId, seed]))
      .digest('base64url');
  /** Seed that is checked for calendars without a feed, so that every check takes the same time. */
  const unknownSeed = createFeedSeed();
  return {
    urlOf: ({ id, feedSeed }) =>
      feedSeed === undefined
        ? undefined
        : `${getOrigin()}${feedPath}${encodeURIComponent(id)}/private-${secretOf(id, feedSeed)}/basic.ics`,
    isSecretOf(calendar, secret) {
      const digest = (text: string): Buffer => createHmac('sha256', secretKey).update(text).digest();
      const expectedSecret = secretOf(calendar?.id ?? '', calendar?.feedSeed ?? unknownSeed);
      return timingSafeEqual(digest(expectedSecret), digest(secret)) && calendar?.feedSeed !== undefined;
    },
  };
}
