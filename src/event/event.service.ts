import type { Viewer, ViewerOperation } from '../access/permissions.ts';
import { resolveCalendarRef } from '../calendar/calendar.access.ts';
import type { ReadCalendar, CalendarStore } from '../calendar/calendar.store.ts';
import type { GetSelection } from '../core/fields/table.ts';
import type { AppError, Warning } from '../core/errors.ts';
import { createSeal } from '../core/seal.ts';
import { createLoader, type RequestKey } from '../core/runtime/request-loader.ts';
import type { WorkBudget } from '../core/runtime/limits.ts';
import type { EventStore, GuestNotifier } from './event.store.ts';
import { createWatchHub, type StreamedEvent, type StreamRequest } from '../core/runtime/streams.ts';
import { createRequestRecord, type DryRunArgs } from '../core/request-record.ts';
import { newId } from '../core/ids.ts';
import { type Notices, sendUpdatesOf } from './attendees/notices.ts';
import {
  type DeleteEventArgs,
  type DeleteFollowingEventsArgs,
  type FollowCalendarArgs,
  type FollowCalendarsArgs,
  type FreeBusyArgs,
  type GetEventArgs,
  guestKeysOf,
  type ImportCalendarArgs,
  type ImportEventArgs,
  type InsertEventArgs,
  type ListEventsArgs,
  type ListInstancesArgs,
  type MoveEventArgs,
  type NotifyArgs,
  type EventIdArgs,
  type PatchEventArgs,
  type PatchFollowingEventsArgs,
  type PresentationArgs,
} from './event.requests.ts';
import { createFollowingChanges } from './event.following-events.ts';
import { getEvent } from './event.find.ts';
import type { EventTools } from './event.tools.ts';
import {
  createImportDecider,
  changesTooOftenError,
  maxImportAttempts,
  createNewTarget,
} from './event.import.ts';
import {
  createCalendarImports,
  type CalendarImportView,
  type ImportLimits,
} from './event.calendar-import.ts';
import { createMoves } from './event.move.ts';
import { createWrites, type PatchArgs, type WriteResult } from './event.writes.ts';
import { followCalendar, followCalendars, type CalendarChange } from './list/follow.ts';
import { readFreeBusy } from './list/free-busy.ts';
import { listInstances } from './list/instances.ts';
import { listEvents, type EventList } from './list/list.ts';
import { toOriginalStart } from '../recurrence/original-start.ts';
import { type EventReference, parseInstanceId } from './model/record.ts';
import { type CalendarBusyView, type EventView, viewOf } from './visibility/event-view.ts';

export interface EventResult {
  readonly event: EventView;
  readonly warnings: readonly Warning[];
  readonly guestsNotified: number;
  /** The request changed nothing. */
  readonly unchanged?: true | undefined;
}

/** Parts of a series that was changed from an instance on. */
export interface SplitResult extends Omit<EventResult, 'event' | 'unchanged'> {
  /** Null if the instance is the first. */
  readonly before: EventView | null;
  readonly following: EventView;
}

/** Reads a page. All lists of a request share the work `budget`. */
type ReadList<Args> = (
  viewer: Viewer,
  args: Args,
  request: RequestKey,
  budget: WorkBudget,
  selected?: GetSelection,
) => Promise<EventList>;
type FollowStream<Args, Value> = (
  viewer: Viewer,
  args: Args,
  stream: StreamRequest,
) => Promise<AsyncIterable<StreamedEvent<Value>>>;

/** Operations on events, on behalf of a viewer. They throw AppError with all issues. */
export interface EventService {
  /** Whether the lists of a request must be read one after the other. */
  readonly needsSerialLists: boolean;
  readonly listEvents: ReadList<ListEventsArgs>;
  readonly listInstances: ReadList<ListInstancesArgs>;
  readonly getEvent: ViewerOperation<GetEventArgs, EventView>;
  /** Busy times of the calendars' owners, in the order of the calendars. */
  readonly freeBusy: (
    viewer: Viewer,
    args: FreeBusyArgs,
    request: RequestKey,
    budget: WorkBudget,
  ) => Promise<readonly CalendarBusyView[]>;
  readonly patchEvent: ViewerOperation<PatchEventArgs, EventResult>;
  readonly insertEvent: ViewerOperation<InsertEventArgs, EventResult>;
  /** Cancels an event like a patch of its status. Idempotent. */
  readonly deleteEvent: ViewerOperation<DeleteEventArgs, Omit<EventResult, 'event'>>;
  /** Changes an instance and all later ones: the series ends before it, and a new series continues. */
  readonly patchFollowingEvents: (viewer: Viewer, args: PatchFollowingEventsArgs) => Promise<SplitResult>;
  readonly deleteFollowingEvents: (viewer: Viewer, args: DeleteFollowingEventsArgs) => Promise<EventResult>;
  /** Imports an event of another calendar system, or replaces the event that an earlier import stored. */
  readonly importEvent: ViewerOperation<ImportEventArgs, EventResult>;
  /** Imports the events of an iCalendar text. */
  readonly importCalendar: (
    viewer: Viewer,
    args: ImportCalendarArgs,
    request: RequestKey,
    limits: ImportLimits,
  ) => Promise<CalendarImportView>;
  /** Moves an event to another calendar, whose owner becomes the organizer. Safe to repeat. */
  readonly moveEvent: ViewerOperation<MoveEventArgs, EventResult>;
  readonly followCalendar: FollowStream<FollowCalendarArgs, CalendarChange>;
  /** Streams changes of several calendars; a calendar that becomes unreadable is reported as an error. */
  readonly followCalendars: FollowStream<FollowCalendarsArgs, CalendarChange | AppError>;
}

export interface EventServiceDependencies {
  readonly store: EventStore;
  readonly calendars: CalendarStore;
  readonly readCalendar: ReadCalendar;
  readonly notifier: GuestNotifier;
  /** Called after mails were stored. */
  readonly onMails?: () => void;
  readonly tools: EventTools;
}

/** Creates the service that reads and changes events for a viewer. Throws AppError with all issues. */
export function createEventService({
  store,
  calendars,
  readCalendar,
  notifier,
  onMails,
  tools,
}: EventServiceDependencies): EventService {
  const writes = createWrites(tools);
  const { patch, insert, eventContext } = writes;
  const { patchFollowing, deleteFollowing } = createFollowingChanges(tools, writes);
  const decideMove = createMoves(tools, writes);
  const decideImport = createImportDecider(tools, writes);
  const seal = createSeal(tools.signingSecret, 'event lists');
  const readEvent = createLoader((references: readonly EventReference[]) => store.events(references), {
    cacheKeyFn: ({ calendarId, eventId }) => JSON.stringify([calendarId, eventId]),
  });
  const listDependencies = { store, seal, eventContext, readCalendar, readEvent, clock: tools.clock };
  const watch = createWatchHub((onChange) => store.watchCalendars(onChange));
  const followDependencies = { store, calendars, watch, seal, clock: tools.clock };

  const guestKeysOfPatch = ({ attendeeChanges, event }: PatchArgs): readonly string[] =>
    guestKeysOf({ attendees: attendeeChanges?.add ?? event.attendees }, tools.model);

  /** Identity whose mail quota a change uses; undefined if the change sends no mails. */
  const mailSenderOf = ({ identity }: Viewer, args: NotifyArgs & DryRunArgs): string | undefined =>
    tools.sendsMails && !args.validateOnly && sendUpdatesOf(args) !== 'none' ? identity : undefined;

  const changeTargetOf = (
    viewer: Viewer,
    args: EventIdArgs & NotifyArgs,
    guests: readonly string[] = [],
  ) => ({
    calendar: resolveCalendarRef(args.calendarId, viewer),
    eventId: args.eventId,
    seriesId: parseInstanceId(args.eventId)?.seriesId,
    guests,
    mailSender: mailSenderOf(viewer, args),
  });

  function changeEvent(viewer: Viewer, args: PatchEventArgs): Promise<WriteResult> {
    const target = changeTargetOf(viewer, args, guestKeysOfPatch(args));
    return store.changeEvent(target, (loaded) => patch(viewer, target.calendar, args, loaded));
  }

  const patchEvent = async (viewer: Viewer, args: PatchEventArgs): Promise<EventResult> =>
    resultOf(await changeEvent(viewer, args), args);

  async function insertEvent(viewer: Viewer, args: InsertEventArgs): Promise<EventResult> {
    const calendar = resolveCalendarRef(args.calendarId, viewer);
    const body = args.event;
    const seriesId = body.recurringEventId ?? undefined;
    const original = toOriginalStart(body.originalStartTime);
    const id = seriesId === undefined ? (body.id ?? newId()) : `${seriesId}_${original ?? ''}`;
    const request = createRequestRecord('insertEvent', viewer, args, tools.clock);
    const target = {
      calendar,
      eventId: id,
      seriesId,
      iCalUID: body.iCalUID ?? undefined,
      guests: guestKeysOf(body, tools.model),
      request,
      mailSender: mailSenderOf(viewer, args),
    };
    const writeResult = await store.changeEvent(target, (loaded) =>
      insert(viewer, calendar, args, id, request, loaded),
    );
    return resultOf(writeResult, args);
  }

  const deleteEvent = async (viewer: Viewer, args: DeleteEventArgs): Promise<EventResult> =>
    resultOf(await changeEvent(viewer, { ...args, event: { status: 'cancelled' } }));

  async function patchFollowingEvents(viewer: Viewer, args: PatchFollowingEventsArgs): Promise<SplitResult> {
    const request = createRequestRecord('patchFollowingEvents', viewer, args, tools.clock);
    const target = { ...changeTargetOf(viewer, args, guestKeysOfPatch(args)), dividesSeries: true, request };
    const id = newId();
    const { before, following, warnings, notices } = await store.changeEvent(target, (loaded) =>
      patchFollowing(viewer, target.calendar, args, id, request, loaded),
    );
    const guestCounts = notices.map(sendNotices);
    // Guests of both parts count once.
    const guestAddresses = new Set(notices.flatMap(({ notice }) => notice?.guests ?? []));
    return {
      before: before ? viewOf(before, args) : null,
      following: viewOf(following, args),
      warnings,
      guestsNotified: guestCounts.length > 1 ? guestAddresses.size : (guestCounts[0] ?? 0),
    };
  }

  async function deleteFollowingEvents(viewer: Viewer, args: DeleteFollowingEventsArgs) {
    const target = { ...changeTargetOf(viewer, args), dividesSeries: true };
    return resultOf(
      await store.changeEvent(target, (loaded) => deleteFollowing(viewer, target.calendar, args, loaded)),
    );
  }

  async function importEvent(viewer: Viewer, args: ImportEventArgs): Promise<EventResult> {
    const calendar = resolveCalendarRef(args.calendarId, viewer);
    const requestRecord = createRequestRecord('importEvent', viewer, args, tools.clock);
    const { originalStartTime } = args.event;
    let target = createNewTarget(originalStartTime ? toOriginalStart(originalStartTime) : undefined);
    for (let attempt = 1; attempt <= maxImportAttempts; attempt += 1) {
      const changeTarget = {
        calendar,
        eventId: target.eventId,
        seriesId: target.seriesId,
        iCalUID: target.storedRecord ? undefined : (args.event.iCalUID ?? undefined),
        guests: [...new Set([...guestKeysOf(args.event, tools.model), ...(target.guests ?? [])])],
        request: requestRecord,
      };
      const writeResult = await store.changeEvent(changeTarget, (loaded) =>
        decideImport(viewer, calendar, args, target, requestRecord, loaded),
      );
      if (!('target' in writeResult)) return resultOf(writeResult);
      ({ target } = writeResult);
    }
    throw changesTooOftenError();
  }

  async function moveEvent(viewer: Viewer, args: MoveEventArgs, request: RequestKey): Promise<EventResult> {
    const destinationRef = resolveCalendarRef(args.destination, viewer);
    const sourceRef = resolveCalendarRef(args.calendarId, viewer);
    const [sourceCalendar, destinationCalendar] = await Promise.all([
      readCalendar(request, sourceRef),
      readCalendar(request, destinationRef),
    ]);
    const event =
      sourceCalendar && (await readEvent(request, { calendarId: sourceCalendar.id, eventId: args.eventId }));
    const target = {
      ...changeTargetOf(viewer, args),
      destinationId: destinationCalendar?.id ?? '',
      iCalUID: (event?.series ?? event?.record)?.core.iCalUID,
    };
    const writeResult = await store.changeEvent(target, (loaded) =>
      decideMove(viewer, sourceRef, destinationRef, args, loaded),
    );
    return resultOf(writeResult);
  }

  /** Notifies the guests of a stored change, and returns how many. */
  function sendNotices({ notice, guestsNotified, mails }: Notices): number {
    if (notice) notifier.notify(notice);
    if (mails.length > 0) onMails?.();
    return guestsNotified;
  }

  const resultOf = (
    { context, warnings, notices, unchanged }: WriteResult,
    presentation?: PresentationArgs,
  ): EventResult => ({
    event: viewOf(context, presentation),
    warnings,
    guestsNotified: sendNotices(notices),
    unchanged,
  });

  return {
    needsSerialLists: true,
    getEvent: (viewer, args, request) => getEvent(viewer, args, listDependencies, request),
    patchEvent,
    insertEvent,
    deleteEvent,
    patchFollowingEvents,
    deleteFollowingEvents,
    moveEvent,
    importEvent,
    importCalendar: createCalendarImports({ store, readCalendar, tools, decideImport }),
    freeBusy: (viewer, args, _request, budget) => readFreeBusy(viewer, args, listDependencies, budget),
    listEvents: (viewer, args, _request, budget) => listEvents(viewer, args, listDependencies, budget),
    followCalendar: (viewer, args, stream) => followCalendar(viewer, args, stream, followDependencies),
    followCalendars: (viewer, args, stream) => followCalendars(viewer, args, stream, followDependencies),
    listInstances: (viewer, args, request, budget) =>
      listInstances(viewer, args, listDependencies, request, budget),
  };
}
