import { alice, type EventGateway, type Shown } from './event.harness.ts';

export const query = `query ($timeMin: DateTime!, $timeMax: DateTime!, $calendarIds: [String!]!, $timeZone: String) {
  result: freeBusy(timeMin: $timeMin, timeMax: $timeMax, calendarIds: $calendarIds, timeZone: $timeZone) {
    calendarId busy { start end } error { code reason message }
  }
}`;

export interface Asked {
  readonly as?: string;
  readonly calendarIds?: readonly string[];
  readonly timeMin?: string;
  readonly timeMax?: string;
  readonly timeZone?: string | null;
}

/** The answer for December 2026 on Alice's calendar, unless told. */
export async function busyOf(gateway: EventGateway, { as = alice, ...asked }: Asked = {}): Promise<Shown[]> {
  const { event, problems } = await gateway.run(
    query,
    { calendarIds: [alice], timeMin: '2026-12-01T00:00:00Z', timeMax: '2027-01-01T00:00:00Z', ...asked },
    as,
  );
  expect(problems).toEqual([]);
  return event;
}

/** Periods as `start end`, or the error of the entry. */
export const shortly = ({ busy, error }: Shown): string[] =>
  error ? [`${error.code} ${error.reason}`, ...busy] : busy.map(({ start, end }: Shown) => `${start} ${end}`);

/** The same of a single calendar. */
export const periodsOf = async (gateway: EventGateway, asked?: Asked): Promise<string[]> =>
  (await busyOf(gateway, asked)).flatMap(shortly);
