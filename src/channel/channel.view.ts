import { hash } from 'node:crypto';
import type { ChannelRecord } from './channel.store.ts';

/** Opaque name of the events of a calendar: the same for all its channels. */
export const resourceIdOf = (calendarId: string): string =>
  // 27 characters of base64url: 162 bits.
  hash('sha256', calendarId, 'base64url').slice(0, 27);

/** URL of the watched list of events. `origin`: scheme and host, as in links to events. */
export const resourceUriOf = (calendarId: string, origin: string): string =>
  `${origin}/calendar/v3/calendars/${encodeURIComponent(calendarId)}/events?alt=json`;

/** Shows a channel to its creator. */
export const channelViewOf = (
  { id, calendarId, address, token, expiration }: ChannelRecord,
  origin: string,
) => ({
  kind: 'api#channel' as const,
  id,
  resourceId: resourceIdOf(calendarId),
  // Part of the REST API only.
  resourceUri: resourceUriOf(calendarId, origin),
  address,
  ...(token !== undefined && { token }),
  expiration: new Date(expiration).toISOString(),
});

/** A channel as its creator sees it. */
export type ChannelView = Readonly<ReturnType<typeof channelViewOf>>;
