import inject from 'light-my-request';
import type { Replacements } from '../../src/app.ts';
import { readICalendar } from '../mail/mail.harness.ts';
import { alice, type EventJson, startEventGateway } from '../event/event.harness.ts';

/** Options of a request; `address` is the client's IP address. */
interface FeedRequest {
  readonly method?: 'GET' | 'HEAD' | 'POST';
  readonly headers?: Record<string, string>;
  readonly address?: string;
}

/** A response to a request for a feed. */
export interface FeedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

export type FeedGateway = Awaited<ReturnType<typeof startFeedGateway>>;

const resetDocument = `mutation ($calendarId: String!) { result: resetCalendarFeed(calendarId: $calendarId) { id feedUrl etag } }`;
const readDocument = `query ($calendarId: String!) { result: calendar(calendarId: $calendarId) { id feedUrl etag } }`;

/** Starts a gateway that serves feeds. */
export async function startFeedGateway(env: Record<string, string> = {}, replacements: Replacements = {}) {
  const gateway = await startEventGateway(replacements, { CALENDAR_FEEDS: 'on', ...env });
  const get = async (
    url: string,
    { method = 'GET', headers, address }: FeedRequest = {},
  ): Promise<FeedResponse> => {
    const response = await inject(
      (request, reply) => void gateway.app.server.emit('request', request, reply),
      {
        method,
        url: new URL(url, 'https://calendar.example.com').pathname,
        headers: headers ?? {},
        ...(address !== undefined && { remoteAddress: address }),
      },
    );
    return { status: response.statusCode, headers: response.headers, body: response.body };
  };
  const reset = (calendarId = alice, as = alice) => gateway.run(resetDocument, { calendarId }, as);
  return {
    ...gateway,
    /** Sends a request without a token to the path of a URL. */
    get,
    /** Resets the feed URL of a calendar with GraphQL. */
    reset,
    readCalendar: (calendarId = alice, as = alice) => gateway.run(readDocument, { calendarId }, as),
    /** Creates a feed and returns its URL. */
    async makeFeed(calendarId = alice, as = calendarId): Promise<string> {
      const { event, problems } = await reset(calendarId, as);
      expect(problems).toEqual([]);
      return (event as { readonly feedUrl: string }).feedUrl;
    },
    /** Reads all instances of a series as GraphQL lists them. */
    async listInstances(eventId: string, timeMax: string, calendarId = alice): Promise<EventJson[]> {
      const { event, problems } = await gateway.run(
        `query ($calendarId: String!, $eventId: String!, $timeMax: DateTime) {
          result: instances(calendarId: $calendarId, eventId: $eventId, timeMax: $timeMax, first: 2500) {
            nodes { id summary start { date dateTime timeZone } end { date dateTime timeZone } originalStartTime { date dateTime } } } }`,
        { calendarId, eventId, timeMax },
        calendarId,
      );
      expect(problems).toEqual([]);
      return (event as { readonly nodes: EventJson[] }).nodes;
    },
  };
}

/** Unfolded lines of an iCalendar object. */
export const linesOf = (body: string): string[] => body.replaceAll('\r\n ', '').split('\r\n');

/** Lines of each VEVENT. */
export const eventLinesOf = (body: string): string[][] =>
  [
    ...linesOf(body)
      .join('\n')
      .matchAll(/^BEGIN:VEVENT\n([^]*?)\nEND:VEVENT$/gm),
  ].map(([, lines = '']) => lines.split('\n'));

/** Parses a feed as an iCalendar object. */
export const readCalendarObject = (body: string) => readICalendar({ calendar: { content: body } });
