import type { Shown } from '../event/event.harness.ts';
import type { Args, Operation } from './operation.ts';
import { plainList, startOf, type Knowledge } from './plain-list.ts';
import type { Seat } from './references.ts';
import type { Random } from './seed.ts';
import type { World } from './worlds.ts';

/** Holds a list against the plain filter, read whole and on pages of a random size; throws where they differ. */
export async function checkList(
  world: World,
  seat: Seat,
  known: Knowledge,
  args: Args,
  random: Random,
): Promise<void> {
  const resolved = world.resolve(args, seat);
  if (!resolved) return;
  const whole = await read(world, seat, { ...resolved, first: 1000 });
  const paged = await read(world, seat, {
    ...resolved,
    first: 1 + random.below(Math.max(1, Math.min(9, whole.length))),
  });
  const context = `${seat.as} on ${seat.calendarId}: ${JSON.stringify(resolved)}`;
  const ids = whole.map(idOf);
  expectSame(`pages of ${context}`, paged.map(idOf), ids);
  // What is left of an event that was taken away has no time that the filter could look at.
  const isRange = resolved.timeMin !== undefined || resolved.timeMax !== undefined;
  const isTold = (event: Shown): boolean =>
    (event.start || !isRange) && (args.singleEvents === true || !isLeftOfSeries(known, event));
  const shown = whole.flatMap((event) => knownOf(known, event)).filter(isTold);
  const expected = plainList(known, resolved).filter(isTold);
  expectSame(context, shown.map(idOf).sort(), expected.map(idOf).sort());
  const keys = shown.map((event) =>
    args.orderBy === 'startTime'
      ? startOf(event, known.zone)
      : args.orderBy === 'updated'
        ? Date.parse(event.updated)
        : 0,
  );
  expectSame(
    `order of ${context}`,
    keys,
    [...keys].sort((a, b) => a - b),
  );
}

function expectSame<T>(context: string, found: readonly T[], expected: readonly T[]): void {
  const [missing, surplus] = [
    expected.filter((one) => !found.includes(one)),
    found.filter((one) => !expected.includes(one)),
  ];
  if (JSON.stringify(found) !== JSON.stringify(expected))
    throw new Error(
      `${context}\nmissing ${JSON.stringify(missing)}, surplus ${JSON.stringify(surplus)} in ${JSON.stringify(found)}`,
    );
}

const idOf = ({ id }: Shown): string => id;

/** The event that an entry of a list shows; none for what is left of a changed instance that is no occurrence any more. */
function knownOf(
  { events, instances }: Knowledge,
  { id, status, recurringEventId }: Shown,
): readonly Shown[] {
  const found = [...events, ...instances].find((event) => event.id === id);
  if (!found && status === 'cancelled' && recurringEventId !== null) return [];
  return [found ?? { id: `${id}, which nobody finds by its id` }];
}

/** What is left of an instance of a series that was taken away: it has the etag of that, changed or not. */
const isLeftOfSeries = ({ events }: Knowledge, { recurringEventId }: Shown): boolean =>
  events.some(({ id, start }) => id === recurringEventId && !start);

export interface AskedList {
  readonly seat: Seat;
  readonly args: Args;
}

/** Reads lists page by page while others write. By `updated` what they change comes to the end: they stop after a while. */
export async function checkWhileWritten(
  world: World,
  lists: readonly AskedList[],
  next: () => Operation,
): Promise<void> {
  const asked = lists.flatMap(({ seat, args }) => {
    const resolved = world.resolve(args, seat);
    return resolved ? [{ seat, args: resolved }] : [];
  });
  const readWhole = (): Promise<Shown[][]> =>
    Promise.all(asked.map(({ seat, args }) => read(world, seat, { ...args, first: 1000 })));
  const before = await readWhole();
  let reading = asked.length;
  const write = async (): Promise<void> => {
    for (let count = 0; reading > 0 && count < changesOfEach; count += 1) {
      await world.send(next());
    }
  };
  const pages = asked.map(async ({ seat, args }) => {
    try {
      return await read(world, seat, args);
    } finally {
      reading -= 1;
    }
  });
  const [during] = await Promise.all([Promise.all(pages), ...Array.from({ length: writers }, write)]);
  const after = await readWhole();
  for (const [index, { seat, args }] of asked.entries()) {
    // By etags: on the calendars of guests an event may have another id than where it is changed.
    const etags = new Map(after[index]?.map(({ id, etag }) => [id, etag]));
    const unchanged = new Set(before[index]?.filter(({ id, etag }) => etags.get(id) === etag).map(idOf));
    const untouched = (entries: readonly Shown[] = []): string[] =>
      entries.map(idOf).filter((id) => unchanged.has(id));
    expectSame(
      `while others write: ${seat.as} on ${seat.calendarId}: ${JSON.stringify(args)}`,
      untouched(during[index]),
      untouched(before[index]),
    );
  }
}

/** So many write at once. */
const writers = 4;
const changesOfEach = 15;

/** All pages of a list. */
export async function read(world: World, { as, calendarId }: Seat, args: Args): Promise<Shown[]> {
  const nodes: Shown[] = [];
  for (let after: string | null = null; ;) {
    const { data, errors } = await world.ask(as, 'events', { calendarId, ...args, after });
    expect(errors).toBeUndefined();
    const { pageInfo, nodes: page } = data.result;
    expect(page.length).toBeLessThanOrEqual(args.first as number);
    nodes.push(...page);
    if (!pageInfo.hasNextPage) return nodes;
    after = pageInfo.endCursor;
  }
}
