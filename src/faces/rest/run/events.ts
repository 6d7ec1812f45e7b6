import type { Fields } from '../../../core/patch.ts';
import { AppError, type Issue } from '../../../core/errors.ts';
import { mapInTurns } from '../../../core/runtime/event-loop.ts';
import { isDate, parseDateTime } from '../../../core/time/local-time.ts';
import { partOf, select } from '../../../google/partial.ts';
import { eventWriter, instantOf } from '../../../google/write.ts';
import { listEtag } from '../answer.ts';
import type { Answered, Call, Run } from '../method.ts';
import { RestFault } from '../errors.ts';
import { nextPage, tagged, type GivenPage } from './lists.ts';

/** A page of events, with what it knows of their calendar. */
interface EventPage extends GivenPage {
  readonly nextSyncToken: string | null;
  readonly calendar: Fields;
}

export const listEvents: Run = async (call) => {
  const { given } = call;
  const { showDeleted, ...args } = call.args;
  // What is synced has its cancelled events always, by their ids.
  const syncs = given.syncToken !== undefined;
  const issues = syncs && showDeleted === false ? [cancelledCome] : [];
  const types = given.eventTypes as readonly string[] | undefined;
  // Where the list goes on is told all the same, so that a client in step with it stays so.
  const isEmpty = types !== undefined && !types.includes('default');
  const asked = {
    ...args,
    ...(!syncs && { showDeleted }),
    after: call.after,
  };
  const { value } = await call.operation('events', asked, issues);
  const page = value as EventPage;
  return pageAnswer(call, page, isEmpty ? [] : page.edges);
};

const cancelledCome: Issue = {
  path: ['showDeleted'],
  reason: 'invalid',
  message:
    'showDeleted=false does not go with syncToken: cancelled events are told by their ids. Leave it out.',
};

export const listInstances: Run = async (call) => {
  const { given, args } = call;
  if (typeof given.originalStart === 'string') return oneInstance(call, given.originalStart);
  const { value } = await call.operation('instances', { ...args, after: call.after });
  return pageAnswer(call, value as EventPage);
};

/** The instance with an original start, where there is one. */
async function oneInstance(call: Call, originalStart: string): Promise<Answered> {
  const original = originalOf(originalStart);
  const { calendarId, eventId, maxAttendees, alwaysIncludeEmail } = call.args;
  const { value } = await call.operation(
    'instances',
    { ...call.args, first: 1 },
    original === undefined ? [noTime] : [],
  );
  const { calendar } = value as EventPage;
  try {
    const { value: event } = await call.operation('event', {
      calendarId,
      eventId: `${String(eventId)}_${original}`,
      maxAttendees,
      alwaysIncludeEmail,
    });
    const hidden = (event as Fields).status === 'cancelled' && call.args.showDeleted !== true;
    return await envelope(
      call,
      calendar,
      hidden || !(await isInRange(event as Fields, call)) ? [] : [event as object],
    );
  } catch (error) {
    if (error instanceof AppError && error.code === 'NOT_FOUND') return envelope(call, calendar, []);
    throw error;
  }
}

/** Whether the instances in the range that is asked for have one: they know how long its days are. */
async function isInRange(event: Fields, { args, operation }: Call): Promise<boolean> {
  if (args.timeMin === undefined && args.timeMax === undefined) return true;
  const { timeMin: least, timeMax: most } = args as { readonly timeMin?: string; readonly timeMax?: string };
  const [start, end] = [
    boundOf(event.start ?? event.originalStartTime, -1),
    boundOf(event.end ?? event.originalStartTime, 1),
  ];
  const from = Math.max(start, least === undefined ? start : instantOf(least));
  const to = Math.min(end, most === undefined ? end : instantOf(most));
  if (from >= to) return false;
  const [timeMin, timeMax] = [from, to].map((instant) => new Date(instant).toISOString());
  const { value } = await operation('instances', { ...args, first: 2500, timeMin, timeMax });
  return (value as EventPage).edges.some(({ node }) => (node as Fields).id === event.id);
}

/** A moment beyond a time of an event; for a day one in every zone. */
function boundOf(time: unknown, direction: 1 | -1): number {
  const { date, dateTime } = time as { readonly date?: string; readonly dateTime?: string };
  return dateTime === undefined
    ? Date.parse(`${date}T00:00:00Z`) + direction * 86_400_000
    : instantOf(dateTime) + direction * 1000;
}

const noTime: Issue = {
  path: ['originalStart'],
  reason: 'invalid',
  message:
    'originalStart must be the original start of an instance: a day, or a time of RFC 3339 with an offset.',
};

/** As the ids of instances write it. */
function originalOf(text: string): string | undefined {
  if (isDate(text)) return text.replaceAll('-', '');
  if (!parseDateTime(text)?.offset) return undefined;
  return `${new Date(instantOf(text)).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
}

/** `shown`: the entries of which something is shown. */
async function pageAnswer(call: Call, page: EventPage, shown = page.edges): Promise<Answered> {
  const tokens = page.hasNextPage
    ? nextPage(page, call)
    : page.nextSyncToken === null
      ? {}
      : { nextSyncToken: page.nextSyncToken };
  return envelope(
    call,
    page.calendar,
    shown.map(({ node }) => node),
    tokens,
  );
}

async function envelope(
  { schemas, given, fields }: Call,
  calendar: Fields,
  events: readonly object[],
  tokens: Fields = {},
): Promise<Answered> {
  const { summary, timeZone, accessRole, defaultReminders = [] } = calendar;
  const around = {
    kind: 'calendar#events',
    summary,
    timeZone: given.timeZone ?? timeZone,
    accessRole,
    defaultReminders,
    ...tokens,
  };
  const whole = eventWriter(schemas, given.timeZone);
  if (!fields) return tagged({ ...around, items: await mapInTurns(events, whole) });
  const part = partOf(fields).at('items');
  const items =
    part && (await mapInTurns(events, part.whole ? whole : eventWriter(schemas, given.timeZone, part)));
  const etag = listEtag(
    around,
    events.map((event) => (event as Fields).etag ?? whole(event)),
  );
  return {
    json: { ...(await select(fields, { ...around, etag })), ...(items && { items }) },
    etagOfWhole: etag,
  };
}

/** The official API says when an event is deleted already. */
export const deleteEvent: Run = async (call) => {
  const { warnings, unchanged } = await call.operation(call.row.operation, call.args);
  if (unchanged) throw new RestFault(410, 'deleted', 'The event has been deleted already.');
  return { warnings };
};
