import type { EventJson } from '../event/event.harness.ts';
import type { Args, Operation } from './operation.ts';
import { selectEntries, startMs, type Snapshot } from './plain-list.ts';
import type { Caller } from './references.ts';
import type { Random } from './seed.ts';
import type { World } from './worlds.ts';

/** Compares a list, read in one page and in pages of random size, with `selectEntries`; throws if they differ. */
export async function checkList(
  world: World,
  caller: Caller,
  snapshot: Snapshot,
  args: Args,
  random: Random,
): Promise<void> {
  const resolvedArgs = world.resolve(args, caller);
  if (!resolvedArgs) return;
  const fullList = await readAllPages(world, caller, { ...resolvedArgs, first: 1000 });
  const first = 1 + random.integerBelow(Math.max(1, Math.min(9, fullList.length)));
  const pagedList = await readAllPages(world, caller, { ...resolvedArgs, first });
  const context = `${caller.as} on ${caller.calendarId}: ${JSON.stringify(resolvedArgs)}`;
  const ids = fullList.map(idOf);
  expectSame(`pages of ${context}`, pagedList.map(idOf), ids);
  // Tombstones have no time for the filter.
  const isRange = resolvedArgs.timeMin !== undefined || resolvedArgs.timeMax !== undefined;
  const isComparable = (event: EventJson): boolean =>
    (event.start || !isRange) && (args.singleEvents === true || !hasTombstoneSeries(snapshot, event));
  const visibleEvents = fullList.flatMap((event) => findInSnapshot(snapshot, event)).filter(isComparable);
  const expectedEvents = selectEntries(snapshot, resolvedArgs).filter(isComparable);
  expectSame(context, visibleEvents.map(idOf).sort(), expectedEvents.map(idOf).sort());
  const sortKeyOf = (event: EventJson): number => {
    if (args.orderBy === 'startTime') return startMs(event, snapshot.zone);
    return args.orderBy === 'updated' ? Date.parse(event.updated) : 0;
  };
  const sortKeys = visibleEvents.map(sortKeyOf);
  const sortedKeys = sortKeys.toSorted((a, b) => a - b);
  expectSame(`order of ${context}`, sortKeys, sortedKeys);
}

function expectSame<T>(context: string, actual: readonly T[], expected: readonly T[]): void {
  const [list, expectedList] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (list === expectedList) return;
  const missing = JSON.stringify(expected.filter((entry) => !actual.includes(entry)));
  const surplus = JSON.stringify(actual.filter((entry) => !expected.includes(entry)));
  throw new Error(`${context}\nmissing ${missing}, surplus ${surplus} in ${list}`);
}

const idOf = ({ id }: EventJson): string => id;

/** The event of a list entry; none for a cancelled exception that is no longer an occurrence. */
function findInSnapshot(
  { events, instances }: Snapshot,
  { id, status, recurringEventId }: EventJson,
): readonly EventJson[] {
  const snapshotEvent = [...events, ...instances].find((event) => event.id === id);
  if (!snapshotEvent && status === 'cancelled' && recurringEventId !== null) return [];
  return [snapshotEvent ?? { id: `${id}, which nobody finds by its id` }];
}

/** Whether the event is an instance of a series that is only a tombstone; such instances share its etag. */
const hasTombstoneSeries = ({ events }: Snapshot, { recurringEventId }: EventJson): boolean =>
  events.some(({ id, start }) => id === recurringEventId && !start);

/** A list to read during writes. */
export interface ListRead {
  readonly caller: Caller;
  readonly args: Args;
}

/** Reads lists page by page during writes. The writes are limited, since changed events move to the end of `updated` order. */
export async function checkListsDuringWrites(
  world: World,
  lists: readonly ListRead[],
  nextOperation: () => Operation,
): Promise<void> {
  const resolvedLists = lists.flatMap(({ caller, args }) => {
    const resolved = world.resolve(args, caller);
    return resolved ? [{ caller, args: resolved }] : [];
  });
  const readUnpagedLists = (): Promise<EventJson[][]> =>
    Promise.all(
      resolvedLists.map(({ caller, args }) => readAllPages(world, caller, { ...args, first: 1000 })),
    );
  const listsBefore = await readUnpagedLists();
  let unfinishedReads = resolvedLists.length;
  const write = async (): Promise<void> => {
    for (let count = 0; unfinishedReads > 0 && count < changesPerWriter; count += 1)
      await world.send(nextOperation());
  };
  const pagedReads = resolvedLists.map(async ({ caller, args }) => {
    try {
      return await readAllPages(world, caller, args);
    } finally {
      unfinishedReads -= 1;
    }
  });
  const [listsDuring] = await Promise.all([
    Promise.all(pagedReads),
    ...Array.from({ length: writerCount }, write),
  ]);
  const listsAfter = await readUnpagedLists();
  for (const [index, { caller, args }] of resolvedLists.entries()) {
    // Etags, since an event may have another ID on the calendars of guests.
    const etags = new Map(listsAfter[index]?.map(({ id, etag }) => [id, etag]));
    const unchangedIdSet = new Set(
      listsBefore[index]?.filter(({ id, etag }) => etags.get(id) === etag).map(idOf),
    );
    const filterUnchangedIds = (entries: readonly EventJson[] = []): string[] =>
      entries.map(idOf).filter((id) => unchangedIdSet.has(id));
    const context = `while others write: ${caller.as} on ${caller.calendarId}: ${JSON.stringify(args)}`;
    expectSame(context, filterUnchangedIds(listsDuring[index]), filterUnchangedIds(listsBefore[index]));
  }
}

/** Number of concurrent writers. */
const writerCount = 4;
const changesPerWriter = 15;

/** Reads all pages of a list. */
export async function readAllPages(
  world: World,
  { as, calendarId }: Caller,
  args: Args,
): Promise<EventJson[]> {
  const nodes: EventJson[] = [];
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
