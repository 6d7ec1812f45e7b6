import type { CalendarRecord } from '../../calendar/calendar.store.ts';
import { eventLoop } from '../../core/runtime/event-loop.ts';
import { WorkBudget } from '../../core/runtime/limits.ts';
import { addressKey } from '../../core/text/email.ts';
import type { EventPage, EventStore, ListedEvent, SeriesState } from '../event.store.ts';
import { hasOccurrence } from '../instances/compose.ts';
import { isCancelled, isSeries, originalStartOf, recordAsOnCalendar } from '../model/record.ts';
import { eventContextOf, type EventContext } from '../visibility/event-context.ts';
import { type EventView, viewOf } from '../visibility/event-view.ts';
import {
  collectChangedNodes,
  composeListedRecord,
  visibleExceptions,
  type ExpandInput,
} from './instance-nodes.ts';
import { selectionOf } from './selection.ts';

/** An event as the owner of a calendar sees it, in the parts of which an iCalendar object consists. */
export interface FeedEvent {
  readonly event: EventView;
  /** Instances that differ from the series `event`, by their original starts. */
  readonly changedInstances: readonly { readonly original: string; readonly event: EventView }[];
  /** Original starts at which the series does not take place for the owner. */
  readonly excludedOriginals: readonly string[];
}

/** Input of expansions without the budget, since each series has its own. */
type FeedInput = Omit<ExpandInput, 'budget'>;
type FeedDependencies = Pick<EventContext, 'model' | 'links'>;

/** Events that are read at a time: few enough for the memory of many concurrent feeds. */
const pageSize = 100;

/**
 * Reads the events of a calendar that end after `from` (epoch ms), page by page, and yields to other requests. An instance whose
 * series the owner does not see is an event of its own. Concurrent changes may be missing.
 */
export async function* readFeed(
  store: EventStore,
  calendar: CalendarRecord,
  from: number,
  { model, links }: FeedDependencies,
): AsyncGenerator<FeedEvent> {
  const { id: calendarId, timeZone: zone } = calendar;
  const identity = addressKey(calendar.owner);
  const input: FeedInput = {
    selection: selectionOf({ calendarId }),
    zone,
    calendarId,
    order: 'position',
    eventContext: (record) =>
      eventContextOf(record, { calendar, viewer: { identity }, role: 'owner', model, links }),
  };
  /** Series that were read with their first entry: the series itself or an exception within the range. */
  const readSeriesKeys = new Set<string>();
  for (let after: ListedEvent | undefined; ;) {
    // A page can only be missing for a query with a revision.
    const page = (await store.listEvents(calendarId, {
      identity,
      seesHidden: true,
      includesCancelled: false,
      between: { from, to: Infinity },
      expandsSeries: false,
      order: 'position',
      limit: pageSize,
      accepts: () => true,
      ...(after && { after }),
    })) as EventPage;
    const { entries } = page;
    const newSeries = entries.flatMap((entry) => {
      const series = seriesOnCalendar(entry, calendarId);
      if (!series || readSeriesKeys.has(series.key)) return [];
      readSeriesKeys.add(series.key);
      return series;
    });
    for (const state of newSeries.length === 0 ? [] : await store.exceptionsOf(newSeries)) {
      await eventLoop.enter();
      const feedEvent = await composeSeriesEvent(state, input);
      if (feedEvent) yield feedEvent;
    }
    for (const entry of entries) {
      if (seriesOnCalendar(entry, calendarId)) continue;
      const turn = eventLoop.enter();
      if (turn) await turn;
      const context = contextIfShown(composeListedRecord(entry, calendarId), input);
      if (context) yield { event: feedView(context), changedInstances: [], excludedOriginals: [] };
    }
    if (!page.hasMore) return;
    after = entries.at(-1);
  }
}

/**
 * Series of an entry, if the series takes place on the calendar: the entry itself, or the series whose
 * exception it is.
 */
function seriesOnCalendar({ record, series }: ListedEvent, calendarId: string) {
  const candidate = series ?? record;
  const copy = candidate.copies[calendarId];
  return copy && !isCancelled(candidate, copy) && isSeries(candidate) ? candidate : undefined;
}

async function composeSeriesEvent(
  { record, exceptions }: SeriesState,
  feedInput: FeedInput,
): Promise<FeedEvent | undefined> {
  const input: ExpandInput = { ...feedInput, budget: new WorkBudget() };
  const context = contextIfShown(recordAsOnCalendar(record, input.calendarId), input);
  if (!context || !isSeries(record))
    return context && { event: feedView(context), changedInstances: [], excludedOriginals: [] };
  const differingExceptions = visibleExceptions(record, exceptions, input);
  const nodes = await collectChangedNodes(
    { record, exceptions: differingExceptions, position: 0, at: 0 },
    input,
  );
  const changedInstances = nodes.map(({ context: instance }) => ({
    original: originalStartOf(instance.record),
    event: feedView(instance),
  }));
  const changedStarts = new Set(changedInstances.map(({ original }) => original));
  return {
    event: feedView(context),
    changedInstances,
    excludedOriginals: differingExceptions
      .map(originalStartOf)
      .filter((original) => !changedStarts.has(original) && hasOccurrence(record, original)),
  };
}

function contextIfShown(record: EventContext['record'], input: FeedInput): EventContext | undefined {
  const copy = record.copies[input.calendarId];
  return copy && !isCancelled(record, copy) ? input.eventContext(record) : undefined;
}

/** View of an event for a feed, in which every guest has an address. */
const feedView = (context: EventContext): EventView => viewOf(context, { alwaysIncludeEmail: true });
