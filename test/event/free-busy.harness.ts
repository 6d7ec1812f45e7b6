import { alice, type EventGateway, type EventJson } from './event.harness.ts';

/** Reads busy periods of several calendars, or an error for each that cannot be read. */
export const freeBusyQuery = `query ($timeMin: DateTime!, $timeMax: DateTime!, $calendarIds: [String!]!, $timeZone: String) {
  result: freeBusy(timeMin: $timeMin, timeMax: $timeMax, calendarIds: $calendarIds, timeZone: $timeZone) {
    calendarId busy { start end } error { code reason message }
  }
}`;

/** Variables of `freeBusyQuery`; `as` is the caller. */
export interface FreeBusyVariables {
  readonly as?: string;
  readonly calendarIds?: readonly string[];
  readonly timeMin?: string;
  readonly timeMax?: string;
  readonly timeZone?: string | null;
}

/** Reads free/busy times, by default of December 2026 on Alice's calendar. */
export async function readBusy(
  gateway: EventGateway,
  { as = alice, ...args }: FreeBusyVariables = {},
): Promise<EventJson[]> {
  const { event, problems } = await gateway.run(
    freeBusyQuery,
    { calendarIds: [alice], timeMin: '2026-12-01T00:00:00Z', timeMax: '2027-01-01T00:00:00Z', ...args },
    as,
  );
  expect(problems).toEqual([]);
  return event;
}

/** Formats busy periods as `start end`, or the error of a calendar. */
export const formatPeriods = ({ busy, error }: EventJson): string[] =>
  error
    ? [`${error.code} ${error.reason}`, ...busy]
    : busy.map(({ start, end }: EventJson) => `${start} ${end}`);

/** Reads and formats the busy periods of a single calendar. */
export const readPeriods = async (gateway: EventGateway, args?: FreeBusyVariables): Promise<string[]> =>
  (await readBusy(gateway, args)).flatMap(formatPeriods);
