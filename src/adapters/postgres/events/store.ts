import { type Announcer, changeChannel, type Listener } from '../listen.ts';
import { type Database, batchReads } from '../database.ts';
import { importEvents } from './import.ts';
import { findEventsAfter, findEventsById, findExceptions } from './find-events.ts';
import { createCalendarLister, listPage } from './list.ts';
import { measureEvents } from './measure-events.ts';
import { createBackgroundQueries } from './background-queries.ts';
import { createRevisions } from './revisions.ts';
import { loadOldestUnsettledChange } from './records-at-homes.ts';
import { homeIdOf, loadChange } from './load.ts';
import { lockRecords, type EventWrites, buildChange } from './write.ts';
import { findCalendars } from '../find-calendars.ts';
import { createGroupCommit } from '../group-commit.ts';
import { createKeyedLimit } from '../keyed-limit.ts';
import { countMails, type MailCaller, remainingMails } from '../mail-counts.ts';
import { addToOutbox, type OutboxAddition, type Reservation, waitingBytesOf } from '../outbox/add-items.ts';
import { storeRequest } from '../request-records.ts';
import { parseEvent } from '../stored-json.ts';
import { changeInTransaction } from '../transaction.ts';
import { deepFreeze } from '../../../core/json-values.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import type { Decision, EventStore, PendingChange } from '../../../event/event.store.ts';
import { storedEventOf } from '../../../event/model/record.ts';
import { replaceableRecords } from '../../../event/projection/projection.ts';
import type { Mail } from '../../../mail/mail.ts';
import {
  defaultOutboxRules,
  type DroppedItems,
  mailServerName,
  type OutboxRules,
} from '../../../outbox/outbox.store.ts';

interface EventStoreDependencies {
  readonly database: Database;
  readonly listener: Listener;
  readonly announce: Announcer['announce'];
  readonly clock: Clock;
  /** Prefix of revisions, which differs for each database. */
  readonly epoch: string;
  readonly outbox?: Partial<OutboxRules> | undefined;
}

/** The event store in PostgreSQL. */
export function createPostgresEventStore({
  database,
  listener,
  announce,
  clock,
  epoch: revisionPrefix,
  outbox,
}: EventStoreDependencies): EventStore {
  // Concurrent changes of one event wait here, so that they use one connection.
  const limitByEvent = createKeyedLimit({ maxConcurrent: 1, maxWaitMs: 30_000 });
  const outboxRules: OutboxRules = { ...defaultOutboxRules, ...outbox };

  const revisions = createRevisions(revisionPrefix);
  const storeWrites = createGroupCommit(database);
  const waitingBytes = waitingBytesOf(database);

  async function changeEvent<T>({ target, decide }: PendingChange<T>): Promise<T> {
    const { eventId, seriesId, request, mailSender: caller } = target;
    const now = clock();
    /** Calendars to which the decision copies the event, and which the target did not refer to. */
    const extraCalendarIds = new Set<string>();
    let isRetry = false;
    const storeChange = ({ freeBytes, reserve }: Reservation): Promise<StoredChange<T>> =>
      changeInTransaction(database, {
        store: storeWrites,
        async load(read) {
          const loadedChange = await loadChange(read, target, {
            now,
            extraCalendarIds: [...extraCalendarIds],
          });
          const { state, mailCounts: counts } = loadedChange;
          if (caller === undefined) return { ...loadedChange, mailer: undefined };
          const bytes = freeBytes(mailServerName, homeIdOf(state) ?? '');
          const mailQuota = state.calendar && { bytes, mails: remainingMails(counts, now) };
          return { ...loadedChange, state: { ...state, mailQuota }, mailer: { caller, counts } };
        },
        contentionKey: ({ state }) => homeIdOf(state),
        lock(loadedChange) {
          isRetry = true;
          return lockRecords(loadedChange);
        },
        decide(loadedChange) {
          const decision = decide(loadedChange.state);
          const { next, added = [], outcome, mails = [], result } = decision;
          const hasChanges = next
            ? replaceableRecords(loadedChange.state, target).get(next.key) !== next
            : added.length > 0;
          if (hasChanges && next) deepFreeze(next);
          const unloadedIds = hasChanges
            ? calendarIdsOfCopies(decision).filter((id) => loadedChange.state.zoneOf(id) === undefined)
            : [];
          const newIds = unloadedIds.filter((id) => !extraCalendarIds.has(id));
          if (newIds.length > 0) {
            for (const id of newIds) extraCalendarIds.add(id);
            return undefined;
          }
          const { statements, splitWrites, changedCalendars } = hasChanges
            ? buildChange(decision, loadedChange, target, isRetry)
            : noWrites;
          const mailAddition = writeMails((next ?? added[0]?.record)?.homeId ?? '', hasChanges ? mails : [], {
            freeBytes,
            mailer: loadedChange.mailer,
            capacityOf: outboxRules.capacityOf,
            now,
          });
          reserve(mailAddition.bytes);
          const extraStatements = [
            ...storeRequest(request, { database, outcome, now, kind: 'event' }),
            ...mailAddition.statements,
          ];
          return {
            statements: [...statements, ...extraStatements],
            splitWrites: extraStatements.length === 0 ? splitWrites : undefined,
            result: { result, changed: changedCalendars, droppedMails: mailAddition.dropped },
          };
        },
      });
    const { result, changed, droppedMails } = await limitByEvent(seriesId ?? eventId, () =>
      waitingBytes.runChange(outboxRules.capacityOf, storeChange),
    );
    announce(changed);
    droppedMails.forEach(outboxRules.onDropped);
    return result;
  }

  return {
    calendarStates: async (refs) => (await findCalendars(database, refs)).map(revisions.toCalendarState),

    async events(references) {
      const rows = await findEventsById(database, references);
      return rows.map(({ body, series }) =>
        body === null
          ? undefined
          : storedEventOf(parseEvent(body), series === null ? undefined : parseEvent(series)),
      );
    },

    listEvents: (calendarId, query) => listPage(database, revisions, calendarId, query),

    listCalendar: createCalendarLister(batchReads(database), revisions),

    measureEvents: (calendarId, from, limits) => measureEvents(database, calendarId, from, limits),

    async safeRevision(calendarId, revision, since) {
      const [lastChange, startChange] = [revision, since].map(
        (text) => (text && revisions.parseRevision(text)) || 0,
      );
      const oldestUnsettledChange = await loadOldestUnsettledChange(
        database,
        calendarId,
        startChange ?? 0,
        lastChange ?? 0,
      );
      return revisions.safeRevision(revision, oldestUnsettledChange);
    },

    eventsAfter: (calendarId, eventId, limit) => findEventsAfter(database, calendarId, eventId, limit),

    exceptionsOf: (series) => findExceptions(database, series),

    changeEvent: (target, decide) => changeEvent({ target, decide }),
    importEvents: (changes) => importEvents({ database, announce }, changes, changeEvent),

    ...createBackgroundQueries(database),

    watchCalendars: (onChange) => listener.watch(changeChannel, onChange),
  };
}

/** Result of a change once it is stored. */
interface StoredChange<T> {
  readonly result: T;
  /** Calendars on which the change is visible. */
  readonly changed: readonly string[];
  readonly droppedMails: readonly DroppedItems[];
}

const noWrites: EventWrites = { statements: [], changedCalendars: [] };

/** Ids of the calendars with copies of decided records. */
const calendarIdsOfCopies = ({ next, exceptions = [], added = [] }: Decision<unknown>): string[] =>
  [
    ...(next ? [next] : []),
    ...exceptions,
    ...added.flatMap(({ record, exceptions: others }) => [record, ...others]),
  ].flatMap(({ copies }) => Object.keys(copies));

/** Values that the mails of a change depend on: limits, and the counts of the caller. */
interface MailWriteContext {
  readonly freeBytes: Reservation['freeBytes'];
  /** Caller whose mails are counted; absent if no limit applies. */
  readonly mailer: MailCaller | undefined;
  readonly capacityOf: OutboxRules['capacityOf'];
  readonly now: number;
}

/** Statements that store the mails of a change under its home. Mails beyond the limits are dropped. */
function writeMails(
  home: string,
  mails: readonly Mail[],
  { freeBytes, mailer, capacityOf, now }: MailWriteContext,
): OutboxAddition {
  const rules: OutboxRules = {
    destinationsOf: () => [mailServerName],
    capacityOf: (name) => ({ ...capacityOf(name), whenFull: 'drop' }),
    onDropped: () => undefined,
  };
  const addition = addToOutbox(home, mails, { freeBytes, rules, now });
  if (!mailer || addition.statements.length === 0) return addition;
  return { ...addition, statements: [...addition.statements, countMails(mailer, mails.length, now)] };
}
