import type { Viewer } from '../access/permissions.ts';
import type { CalendarRef, CalendarStore, StartedJob } from '../calendar/calendar.store.ts';
import { eventLoop } from '../core/runtime/event-loop.ts';
import type { Log } from '../core/runtime/log.ts';
import type {
  ChangeState,
  Decision,
  EventStore,
  GuestNotifier,
  ListCandidate,
  WorkItem,
} from './event.store.ts';
import { createWakeSignal } from '../core/runtime/streams.ts';
import { addressKey } from '../core/text/email.ts';
import { guestReferencesOf, updateCopies } from './attendees/copies.ts';
import { findEvent } from './event.find.ts';
import type { EventTools } from './event.tools.ts';
import { createWrites, type WriteResult } from './event.writes.ts';
import {
  type EventRecord,
  homeReference,
  parseInstanceId,
  isCancelled,
  isForeign,
  type StoredEvent,
  nextStamp,
} from './model/record.ts';
import { invitedGuestKeys, spanOf } from './projection/projection.ts';
import { createException } from './instances/exception.ts';

/**
 * Worker for background jobs that changes of calendars leave: it invites a new calendar's owner, and removes
 * a deleted calendar's events.
 */
export type CalendarWorker = ReturnType<typeof createCalendarWorker>;

interface JobDependencies {
  readonly store: EventStore;
  readonly calendars: Pick<CalendarStore, 'claimJob' | 'continueJob' | 'endJob'>;
  readonly notifier: GuestNotifier;
  /** Called after mails were stored. */
  readonly onMails?: () => void;
  readonly tools: EventTools;
  readonly log: Log;
}

/** Limits of one turn: events that are changed, and entries that are deleted. */
const maxTurnEvents = 100;
const maxTurnEntries = 1_000;
/** Lease of a turn for one gateway, and interval in which a gateway looks for jobs that others left. */
const leaseMs = 10_000;
const pollIntervalMs = 2_500;
/** Head start of the gateway that created a job, since its response waits for the first turn. */
const headStartMs = 1_000;
/** Time after which no invitation decided before the calendar existed is still being stored. The last search runs after it. */
const inviteSettleMs = 60_000;
/** Stored progress of a `remove` job whose events are cancelled: it now deletes entries. */
const clearingProgress = 'clear';
const failureMessage = 'background work for changed calendars failed; the gateway tries again';

/** Creates the worker of calendar jobs. Gateways on one database share the jobs, and take over those of stopped ones. */
export function createCalendarWorker({ store, calendars, notifier, onMails, tools, log }: JobDependencies) {
  const { patch } = createWrites(tools);
  const wakeSignal = createWakeSignal();
  let jobLoop: Promise<void> | undefined;

  /** Processes events one after the other. Logs failures other than UNAVAILABLE, which do not stop the others. */
  async function runForEach(items: readonly WorkItem[], processItem: (item: WorkItem) => Promise<void>) {
    for (const item of items) {
      const turn = eventLoop.enter();
      if (turn) await turn;
      await processItem(item).catch((err: unknown) => {
        if ((err as { readonly code?: unknown }).code === 'UNAVAILABLE') throw err;
        log.error(
          { err, calendarId: item.calendarId, eventId: item.eventId },
          'an event could not be changed with its calendar',
        );
      });
    }
  }

  async function runInviteTurn({ job, progress, createdAt }: StartedJob<'invite'>): Promise<void> {
    const isLastSearch = tools.clock() - createdAt > inviteSettleMs;
    const guest = addressKey(job.owner);
    const items = await store.eventsInviting(guest, job.calendarId, progress, maxTurnEvents);
    await runForEach(items, (item) => inviteGuest(item, guest, job.calendarId));
    if (items.length === maxTurnEvents) return calendars.continueJob(job, items.at(-1)?.cursor, 0);
    return isLastSearch ? calendars.endJob(job) : calendars.continueJob(job, undefined, inviteSettleMs);
  }

  async function inviteGuest(item: WorkItem, guest: string, guestCalendarId: string): Promise<void> {
    const { calendarId, eventId } = item;
    const [event] = await store.events([{ calendarId, eventId }]);
    if (!event || (await hasOtherRecord(event, guestCalendarId, guest))) return;
    await store.changeEvent(changeTargetOf(item, { id: calendarId }, [guest]), (loaded) =>
      decideInvitation(loaded, eventId, guest, tools),
    );
  }

  /** Whether an import stored the event on a calendar as a separate record. */
  async function hasOtherRecord({ record, series }: StoredEvent, calendarId: string, identity: string) {
    const iCalUID = (series ?? record).core.iCalUID;
    if (iCalUID === undefined) return false;
    const ownKeys = [record.key, series?.key];
    const isOtherRecord = (candidate: ListCandidate): boolean =>
      !candidate.record.core.privateCopy &&
      ![candidate.record.key, candidate.series?.key].some(
        (key) => key !== undefined && ownKeys.includes(key),
      );
    const page = await store.listEvents(calendarId, {
      identity,
      seesHidden: true,
      includesCancelled: true,
      iCalUID,
      expandsSeries: false,
      order: 'position',
      limit: 1,
      accepts: isOtherRecord,
    });
    return page !== undefined && page.entries.length > 0;
  }

  async function runRemoveTurn({ job, progress }: StartedJob<'remove'>): Promise<void> {
    if (progress === clearingProgress)
      return (await store.clearCalendar(job.calendarId, maxTurnEntries))
        ? calendars.endJob(job)
        : calendars.continueJob(job, clearingProgress, 0);
    const items = await store.eventsAtHome(job.calendarId, progress, maxTurnEvents);
    await runForEach(items, (item) => cancelEvent(item, job));
    return calendars.continueJob(
      job,
      items.length === maxTurnEvents ? items.at(-1)?.cursor : clearingProgress,
      0,
    );
  }

  async function cancelEvent(item: WorkItem, { owner, sendUpdates }: StartedJob<'remove'>['job']) {
    const { calendarId, eventId } = item;
    const ref = { removedId: calendarId };
    const mailSender = tools.sendsMails && sendUpdates !== 'none' ? addressKey(owner) : undefined;
    const target = { ...changeTargetOf(item, ref, []), mailSender };
    const writeResult = await store.changeEvent<WriteResult | undefined>(target, (loaded) => {
      const { calendar, event } = loaded;
      const copy = event?.copies[calendarId];
      if (!calendar || !copy || isCancelled(event, copy) || isOwnersOnly(event) || isForeign(event))
        return { result: undefined };
      const isOver = spanOf(event, calendar.timeZone).to <= tools.clock();
      const args = {
        eventId,
        event: { status: 'cancelled' },
        sendUpdates: isOver ? 'none' : sendUpdates,
      } as const;
      return patch(viewerForOwner(owner), ref, args, loaded);
    });
    if (!writeResult) return;
    const { notice, mails, warnings } = writeResult.notices;
    if (notice) notifier.notify(notice);
    if (mails.length > 0) onMails?.();
    // The response was sent already, so warnings can only be logged.
    for (const { message } of warnings) log.warn({ calendarId, eventId }, message);
  }

  const runTurn = (startedJob: StartedJob): Promise<void> =>
    startedJob.job.kind === 'invite'
      ? runInviteTurn(startedJob as StartedJob<'invite'>)
      : runRemoveTurn(startedJob as StartedJob<'remove'>);

  /** Runs jobs until `hasEnded`. Logs only the first of consecutive failures. */
  async function runJobs(hasEnded: () => boolean): Promise<void> {
    for (let failureCount = 0; !hasEnded();) {
      try {
        await eventLoop.enter();
        const startedJob = await calendars.claimJob(leaseMs, { headStartMs });
        if (startedJob) await runTurn(startedJob);
        else await wakeSignal.wait(pollIntervalMs);
        failureCount = 0;
      } catch (err) {
        if (failureCount === 0) log.error({ err }, failureMessage);
        failureCount += 1;
        await wakeSignal.wait(pollIntervalMs);
      }
    }
  }

  let isEnded = true;
  return {
    /** Does the first turn of a calendar's job while the caller waits; the rest runs in the background. */
    async runFirstTurn(this: void, calendarId: string): Promise<void> {
      try {
        const startedJob = await calendars.claimJob(leaseMs, { calendarId });
        if (startedJob) await runTurn(startedJob);
      } catch (err) {
        log.error({ err }, failureMessage);
      }
      wakeSignal.wake();
    },
    start(): void {
      isEnded = false;
      jobLoop = runJobs(() => isEnded);
    },
    async stop(): Promise<void> {
      isEnded = true;
      wakeSignal.wake();
      await jobLoop;
    },
  };
}

/** Target of a change of a job's event, which may be an instance. */
const changeTargetOf = ({ eventId }: WorkItem, calendar: CalendarRef, guests: readonly string[]) => ({
  calendar,
  eventId,
  seriesId: parseInstanceId(eventId)?.seriesId,
  guests,
});

/** Adds a copy of an event for a guest who has a calendar here by now. */
function decideInvitation(
  loaded: ChangeState,
  eventId: string,
  guest: string,
  { clock }: EventTools,
): Decision<void> {
  const { calendar, event, series, guests } = loaded;
  const before = calendar && findEvent(loaded, eventId, calendar.id);
  const guestCalendar = guests.get(guest)?.calendarId;
  const nothing = { result: undefined };
  if (
    !before ||
    guestCalendar === undefined ||
    (event ?? before).copies[guestCalendar] ||
    !invitedGuestKeys(before).has(guest)
  )
    return nothing;
  const references = guestReferencesOf(
    guests,
    homeReference(before).eventId || eventId,
    (holder) => holder.key !== before.key,
    series,
  );
  const copies = updateCopies(before, before.core, references, nextStamp(clock, before));
  if (!copies[guestCalendar]) return nothing;
  const next = { ...before, version: before.version + 1, copies };
  return before.instance && series
    ? { ...nothing, next: createException(series, event?.instance ? event : undefined, { before, next }) }
    : { ...nothing, next };
}

/** Whether an event has neither guests nor copies on other calendars, so that it needs no cancellation. */
const isOwnersOnly = ({ copies, core }: EventRecord): boolean =>
  Object.keys(copies).length === 1 && (core.attendees ?? []).length === 0;

/** Viewer that stands for the owner of a deleted calendar. */
const viewerForOwner = (owner: string): Viewer => ({
  sub: owner,
  identity: addressKey(owner),
  key: owner,
  scopes: new Set(),
});
