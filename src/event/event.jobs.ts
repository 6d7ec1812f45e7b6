import type { Viewer } from '../access/permissions.ts';
import type { CalendarStore, StartedJob } from '../calendar/calendar.store.ts';
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
import { createWakeSignal } from '../core/runtime/watch.ts';
import { addressKey } from '../core/text/email.ts';
import { guestReferencesOf, replicasFor } from './attendees/replicas.ts';
import { type EventTools, findEvent } from './event.find.ts';
import { createWrites, type WriteResult } from './event.writes.ts';
import { homeReference, instanceOf, isCancelled, type StoredEvent } from './model/record.ts';
import { invitedTo, spanOf } from './projection/projection.ts';
import { exceptionOf } from './instances/exception.ts';
import { nextStamp } from './write/stamp.ts';

/** Works off what changes of calendars leave to be done with events. */
export interface CalendarWork {
  /** Does the first turn of a calendar's job, for whoever has just left it; the rest follows in the background. */
  readonly begin: (calendarId: string) => Promise<void>;
  readonly start: () => void;
  readonly stop: () => Promise<void>;
}

interface CalendarWorkDependencies {
  readonly store: EventStore;
  readonly calendars: Pick<CalendarStore, 'claimJob' | 'continueJob' | 'endJob'>;
  readonly notifier: GuestNotifier;
  /** Called when mails were stored that are to be sent. */
  readonly onMails?: () => void;
  readonly tools: EventTools;
  readonly log: Log;
}

/** Events of one turn, and entries that are cleared in one. */
const turnEvents = 100;
const turnEntries = 1_000;
/** For how long (ms) a turn is one gateway's alone, and how often jobs are looked for that other gateways left. */
const leaseMs = 10_000;
const lookMs = 2_500;
/** For how long (ms) a job is left to the gateway that has left it, whose answer waits for the first turn. */
const headStartMs = 1_000;
/** An invitation that was decided on before the calendar was there is stored within this time (ms): behind it the last look is made. */
const settledMs = 60_000;
const clearing = 'clear';
const failed = 'the work that changes of calendars left failed; it is tried again';

/** All gateways on one database share the jobs; one that ends in the middle of a turn leaves it to the others. */
export function createCalendarWork({
  store,
  calendars,
  notifier,
  onMails,
  tools,
  log,
}: CalendarWorkDependencies): CalendarWork {
  const { patch } = createWrites(tools);
  const signal = createWakeSignal();
  let running: Promise<void> | undefined;

  /** Each event by itself: one that cannot be changed does not hold up the others. */
  async function each(items: readonly WorkItem[], work: (item: WorkItem) => Promise<void>): Promise<void> {
    for (const item of items) {
      const turn = eventLoop.enter();
      if (turn) await turn;
      await work(item).catch((err: unknown) => {
        if ((err as { readonly code?: unknown }).code === 'UNAVAILABLE') throw err;
        log.error(
          { err, calendarId: item.calendarId, eventId: item.eventId },
          'an event could not be changed with its calendar',
        );
      });
    }
  }

  async function invite({ job, progress, leftAt }: StartedJob<'invite'>): Promise<void> {
    const isLast = tools.clock() - leftAt > settledMs;
    const items = await store.eventsInviting(addressKey(job.owner), job.calendarId, progress, turnEvents);
    await each(items, (item) => inviteTo(item, job));
    if (items.length === turnEvents) return calendars.continueJob(job, items.at(-1)?.cursor, 0);
    return isLast ? calendars.endJob(job) : calendars.continueJob(job, undefined, settledMs);
  }

  async function inviteTo(
    { calendarId, eventId }: WorkItem,
    job: StartedJob<'invite'>['job'],
  ): Promise<void> {
    const guest = addressKey(job.owner);
    const [event] = await store.events([{ calendarId, eventId }]);
    if (!event || (await hasOther(event, job.calendarId, guest))) return;
    await store.changeEvent(
      { calendar: { id: calendarId }, eventId, seriesId: instanceOf(eventId)?.seriesId, guests: [guest] },
      (found) => invitation(found, eventId, guest, tools),
    );
  }

  /** Whether a calendar has the event as another record, which an import brought there by itself. */
  async function hasOther(
    { record, series }: StoredEvent,
    calendarId: string,
    identity: string,
  ): Promise<boolean> {
    const iCalUID = (series ?? record).core.iCalUID;
    if (iCalUID === undefined) return false;
    const own = [record.key, series?.key];
    const accepts = (other: ListCandidate): boolean =>
      !other.record.core.privateCopy &&
      ![other.record.key, other.series?.key].some((key) => key !== undefined && own.includes(key));
    const page = await store.listEvents(calendarId, {
      identity,
      seesHidden: true,
      cancelled: true,
      iCalUID,
      expand: false,
      order: 'position',
      limit: 1,
      accepts,
    });
    return page !== undefined && page.entries.length > 0;
  }

  async function remove({ job, progress }: StartedJob<'remove'>): Promise<void> {
    if (progress === clearing)
      return (await store.clearCalendar(job.calendarId, turnEntries))
        ? calendars.endJob(job)
        : calendars.continueJob(job, clearing, 0);
    const items = await store.eventsAtHome(job.calendarId, progress, turnEvents);
    await each(items, (item) => cancel(item, job));
    return calendars.continueJob(job, items.length === turnEvents ? items.at(-1)?.cursor : clearing, 0);
  }

  async function cancel(
    { calendarId, eventId }: WorkItem,
    { owner, sendUpdates }: StartedJob<'remove'>['job'],
  ): Promise<void> {
    const ref = { removedId: calendarId };
    const mailsBy = tools.mails && sendUpdates !== 'none' ? addressKey(owner) : undefined;
    const written = await store.changeEvent<WriteResult | undefined>(
      { calendar: ref, eventId, seriesId: instanceOf(eventId)?.seriesId, guests: [], mailsBy },
      (found) => {
        const { calendar, event } = found;
        const copy = event?.copies[calendarId];
        if (!calendar || !event || !copy || isCancelled(event, copy) || isUnseen(found))
          return { result: undefined };
        const isOver = spanOf(event, calendar.timeZone).to <= tools.clock();
        return patch(
          asOwner(owner),
          ref,
          { eventId, event: { status: 'cancelled' }, sendUpdates: isOver ? 'none' : sendUpdates },
          found,
        );
      },
    );
    const { notice, mails = [], warnings = [] } = written?.notices ?? {};
    if (notice) notifier.notify(notice);
    if (mails.length > 0) onMails?.();
    // Nobody else hears of it: whoever deleted the calendar has got the answer by now.
    for (const { message } of warnings) log.warn({ calendarId, eventId }, message);
  }

  const turn = (started: StartedJob): Promise<void> =>
    started.job.kind === 'invite'
      ? invite(started as StartedJob<'invite'>)
      : remove(started as StartedJob<'remove'>);

  /** Of failures in a row the first is logged. */
  async function workOff(ended: () => boolean): Promise<void> {
    for (let failures = 0; !ended();) {
      try {
        await eventLoop.enter();
        const started = await calendars.claimJob(leaseMs, { headStartMs });
        if (started) await turn(started);
        else await signal.wait(lookMs);
        failures = 0;
      } catch (err) {
        if (failures === 0) log.error({ err }, failed);
        failures += 1;
        await signal.wait(lookMs);
      }
    }
  }

  let isEnded = true;
  return {
    async begin(calendarId) {
      try {
        const started = await calendars.claimJob(leaseMs, { calendarId });
        if (started) await turn(started);
      } catch (err) {
        log.error({ err }, failed);
      }
      signal.wake();
    },
    start() {
      isEnded = false;
      running = workOff(() => isEnded);
    },
    async stop() {
      isEnded = true;
      signal.wake();
      await running;
    },
  };
}

/** The event with a copy for a guest who has a calendar here by now. */
function invitation(
  found: ChangeState,
  eventId: string,
  guest: string,
  { clock }: EventTools,
): Decision<void> {
  const { calendar, event, series, guests } = found;
  const record = calendar && findEvent(found, eventId, calendar.id);
  const guestCalendar = guests.get(guest)?.calendarId;
  if (
    !record ||
    guestCalendar === undefined ||
    (event ?? record).copies[guestCalendar] ||
    !invitedTo(record).has(guest)
  )
    return { result: undefined };
  const references = guestReferencesOf(
    guests,
    homeReference(record).eventId || eventId,
    (holder) => holder.key !== record.key,
    series,
  );
  const next = {
    ...record,
    version: record.version + 1,
    copies: replicasFor(record, record.core, references, nextStamp(clock, record)),
  };
  if (!next.copies[guestCalendar]) return { result: undefined };
  return {
    next:
      record.instance && series
        ? exceptionOf(series, event?.instance ? event : undefined, { before: record, next, invites: false })
        : next,
    result: undefined,
  };
}

/** Nobody else has it on a calendar, and nobody is to be told. */
const isUnseen = ({ event }: ChangeState): boolean =>
  event !== undefined && Object.keys(event.copies).length === 1 && (event.core.attendees ?? []).length === 0;

const asOwner = (owner: string): Viewer => ({
  sub: owner,
  identity: addressKey(owner),
  key: owner,
  scopes: new Set(),
});
