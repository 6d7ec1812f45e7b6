import type { Fields } from '../../../core/json.ts';
import { AppError, type Issue } from '../../../core/errors.ts';
import { mapInTurns } from '../../../core/runtime/event-loop.ts';
import { isDate, parseDateTime } from '../../../core/time/local-time.ts';
import { type EventTime, instantOf } from '../../../core/time/time.ts';
import { writeEvent, parseRfc3339 } from '../../../google/json-writer.ts';
import { parseFields } from '../../../google/partial-response.ts';
import type { MethodResult, MethodCall, RunMethod } from '../method.ts';
import { RestError } from '../errors.ts';
import { createNextPageToken, withEtag, type OperationPage } from '../list-pages.ts';

/** Page of the operations `events` and `instances`, with the calendar whose properties the response repeats. */
interface EventPage extends OperationPage {
  readonly nextSyncToken: string | null;
  readonly calendar: Fields;
}

/** Lists events. All of them have the type `default`, so a list of other types only is empty. */
export const listEvents: RunMethod = async (call) => {
  const { parameters } = call;
  const { showDeleted, ...args } = call.args;
  // A sync always includes cancelled events.
  const isSync = parameters.syncToken !== undefined;
  const issues = isSync && showDeleted === false ? [cancelledEventsRequiredIssue] : [];
  const eventTypes = parameters.eventTypes as readonly string[] | undefined;
  // An empty list still has page and sync tokens, so that clients can continue.
  const isEmpty = eventTypes !== undefined && !eventTypes.includes('default');
  const operationArgs = {
    ...args,
    ...(!isSync && { showDeleted }),
    after: call.after,
  };
  const { value } = await call.callOperation('events', operationArgs, issues);
  const page = value as EventPage;
  return buildListResult(call, page, isEmpty ? [] : undefined);
};

const cancelledEventsRequiredIssue: Issue = {
  path: ['showDeleted'],
  reason: 'invalid',
  message:
    'showDeleted=false cannot be combined with syncToken: cancelled events are listed with their ids. Leave it out.',
};

/** Lists the instances of a series, or with `originalStart` only the one with that original start. */
export const listInstances: RunMethod = async (call) => {
  const { parameters, args } = call;
  if (typeof parameters.originalStart === 'string') return findInstance(call, parameters.originalStart);
  const { value } = await call.callOperation('instances', { ...args, after: call.after });
  return buildListResult(call, value as EventPage);
};

/** Lists the instance with an original start, if it exists. */
async function findInstance(call: MethodCall, originalStart: string): Promise<MethodResult> {
  const instanceSuffix = formatOriginalStart(originalStart);
  const { calendarId, eventId, maxAttendees, alwaysIncludeEmail } = call.args;
  const { value } = await call.callOperation(
    'instances',
    { ...call.args, first: 1 },
    instanceSuffix === undefined ? [invalidOriginalStartIssue] : [],
  );
  const page: EventPage = { ...(value as EventPage), hasNextPage: false };
  try {
    const { value: event } = await call.callOperation('event', {
      calendarId,
      eventId: `${String(eventId)}_${instanceSuffix}`,
      maxAttendees,
      alwaysIncludeEmail,
    });
    const isHidden = (event as Fields).status === 'cancelled' && call.args.showDeleted !== true;
    const isListed = !isHidden && isInRange(event as object, call.args, String(page.calendar.timeZone));
    return await buildListResult(call, page, isListed ? [event as object] : []);
  } catch (error) {
    if (error instanceof AppError && error.code === 'NOT_FOUND') return buildListResult(call, page, []);
    throw error;
  }
}

/** Times of an event that decide whether a range includes it. */
interface EventTimes {
  readonly start?: EventTime;
  readonly end?: EventTime;
  readonly originalStartTime?: EventTime;
}

/** Whether an event ends after `timeMin` and starts before `timeMax`, by the rules of the operation `instances`. */
function isInRange(event: object, { timeMin, timeMax }: Fields, zone: string): boolean {
  const { originalStartTime, start = originalStartTime, end = start } = event as EventTimes;
  const startMs = instantOf(start ?? {}, zone) ?? NaN;
  const endMs = instantOf(end ?? {}, zone) ?? NaN;
  const rangeStart = typeof timeMin === 'string' ? parseRfc3339(timeMin) : -Infinity;
  const rangeEnd = typeof timeMax === 'string' ? parseRfc3339(timeMax) : Infinity;
  return startMs < rangeEnd && (endMs > rangeStart || (endMs === startMs && startMs >= rangeStart));
}

const invalidOriginalStartIssue: Issue = {
  path: ['originalStart'],
  reason: 'invalid',
  message:
    'originalStart must be the original start of an instance: a day, or a time of RFC 3339 with an offset.',
};

/** Formats an original start as in the ids of instances; undefined for malformed text. */
function formatOriginalStart(text: string): string | undefined {
  if (isDate(text)) return text.replaceAll('-', '');
  if (!parseDateTime(text)?.offset) return undefined;
  return `${new Date(parseRfc3339(text)).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
}

/** Builds the response of a list: properties of the calendar, and the events in official names. */
async function buildListResult(
  call: MethodCall,
  page: EventPage,
  events: readonly object[] = page.edges.map(({ node }) => node),
): Promise<MethodResult> {
  const { schemas, parameters } = call;
  const { summary, timeZone, accessRole, defaultReminders = [] } = page.calendar;
  const { nextSyncToken } = page;
  const names = findWrittenNames(parameters.fields);
  return withEtag({
    kind: 'calendar#events',
    summary,
    timeZone: parameters.timeZone ?? timeZone,
    accessRole,
    defaultReminders,
    ...createNextPageToken(page, call),
    ...(!page.hasNextPage && nextSyncToken !== null && { nextSyncToken }),
    items: await mapInTurns(events, (event) => writeEvent(schemas, event, parameters.timeZone, names)),
  });
}

/**
 * Finds the properties of events that the parameter `fields` selects, and the etag; undefined for all. Writing the others of a long
 * list would take most of the time.
 */
function findWrittenNames(fields: unknown): ReadonlySet<string> | undefined {
  const selection = typeof fields === 'string' ? parseFields(fields) : undefined;
  if (!selection || selection.fields.has('*')) return undefined;
  const items = selection.fields.get('items');
  return items?.isWhole || items?.fields.has('*')
    ? undefined
    : new Set(['etag', ...(items?.fields.keys() ?? [])]);
}

/** Deletes an event. Returns 410 for a deleted event, as the official API does. */
export const deleteEvent: RunMethod = async (call) => {
  const { warnings, unchanged: isDeletedAlready } = await call.callOperation(call.row.operation, call.args);
  if (isDeletedAlready) throw new RestError(410, 'deleted', 'The event has been deleted already.');
  return { warnings };
};
