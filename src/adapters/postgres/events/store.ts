import { type Announcer, changeChannel, type Listener } from '../listen.ts';
import { type Database, batchReads, createKeyedLimit, isCluster } from '../database.ts';
import { importEvents } from './import.ts';
import { findEventsAfter, findEventsById, findExceptions } from './find-events.ts';
import { measureEvents } from './measure-events.ts';
import { createCalendarLister, listPage, createRevisions } from './list.ts';
import { createBackgroundQueries } from './background-queries.ts';
import { loadOldestUnsettledChange } from './records-at-homes.ts';
import { homeIdOf, loadChange } from './load.ts';
import { lockRecords, type EventWrites, buildChange } from './write.ts';
import { findCalendars } from '../find-calendars.ts';
import { createGroupCommit, changeInTransaction } from '../transaction.ts';
import { mergeShardReads } from '../statements.ts';
import { storeRequest } from '../request-records.ts';
import { countMails, remainingMails } from '../quota-counts.ts';
import { addToOutbox } from '../outbox/add-items.ts';
import { type Reservation, waitingBytesOf } from '../outbox/waiting-bytes.ts';
import { parseEvent } from '../stored-json.ts';
import { deepFreeze } from '../../../core/json.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import type { Decision, EventStore, PendingChange } from '../../../event/event.store.ts';
import { storedEventOf } from '../../../event/model/record.ts';
import { replaceableRecords } from '../../../event/projection/projection.ts';
import {
  defaultOutboxRules,
  mailRulesOf,
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
  const limitByEvent = createKeyedLimit(1, 30_000);
  const outboxRules: OutboxRules = { ...defaultOutboxRules, ...outbox };
  const mailRules = mailRulesOf(outboxRules);
  const revisions = createRevisions(revisionPrefix);
  const storeWrites = createGroupCommit(database);
  const waitingBytes = waitingBytesOf(database);

  async function changeEvent<T>({ target, decide }: PendingChange<T>): Promise<T> {
    const { eventId, seriesId, request, mailSender: caller } = target;
    const now = clock();
    /** Calendars to which the decision copies the event, and which the target did not refer to. */
    const extraCalendarIds = new Set<string>();
    let isRetry = false;
    const isOneServer = !(await isCluster(database));
    const storeChange = (reservation: Reservation) =>
      changeInTransaction(database, {
        store: storeWrites,
        async load(read) {
          const loadedChange = await loadChange(
            isOneServer ? mergeShardReads(read) : read,
            target,
            now,
            extraCalendarIds,
          );
          const { state, mailCounts } = loadedChange;
          if (caller === undefined) return loadedChange;
          const bytes = reservation.freeBytes(mailServerName, homeIdOf(state) ?? '');
          const mailQuota = state.calendar && { bytes, mails: remainingMails(mailCounts, now) };
          return { ...loadedChange, state: { ...state, mailQuota } };
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
          const newIds = (hasChanges ? calendarIdsOfCopies(decision) : []).filter(
            (id) => loadedChange.state.zoneOf(id) === undefined && !extraCalendarIds.has(id),
          );
          if (newIds.length > 0) {
            for (const id of newIds) extraCalendarIds.add(id);
            return undefined;
          }
          const { statements, splitWrites, changedCalendars } = hasChanges
            ? buildChange(decision, loadedChange, target, { isRetry, isOneServer })
            : noWrites;
          const mailAddition = addToOutbox(
            (next ?? added[0]?.record)?.homeId ?? '',
            hasChanges ? mails : [],
            reservation,
            mailRules,
            now,
          );
          const extraStatements = [
            ...(request && outcome ? [storeRequest(request, 'event', outcome, now)] : []),
            ...mailAddition.statements,
            ...(caller !== undefined && mailAddition.statements.length > 0
              ? [countMails(caller, loadedChange.mailCounts, mails.length, now)]
              : []),
          ];
          return {
            statements: [...statements, ...extraStatements],
            splitWrites: extraStatements.length === 0 ? splitWrites : undefined,
            result: { result, changed: changedCalendars, droppedMails: mailAddition.dropped },
          };
        },
      });
    const { result, changed, droppedMails } = await limitByEvent(seriesId ?? eventId, () =>
      waitingBytes.runChange(outboxRules.capacityOf, storeChange, caller !== undefined),
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
      const changeOf = (text = ''): number => revisions.changeOf(text) ?? 0;
      return revisions.safeRevision(
        revision,
        await loadOldestUnsettledChange(database, calendarId, changeOf(since), changeOf(revision)),
      );
    },

    eventsAfter: (calendarId, eventId, limit) => findEventsAfter(database, calendarId, eventId, limit),

    exceptionsOf: (series) => findExceptions(database, series),

    changeEvent: (target, decide) => changeEvent({ target, decide }),
    importEvents: (changes) => importEvents(database, announce, changes, changeEvent),

    ...createBackgroundQueries(database),

    watchCalendars: (onChange) => listener.watch(changeChannel, onChange),
  };
}

const noWrites: EventWrites = { statements: [], changedCalendars: [] };

/** Ids of the calendars with copies of decided records. */
const calendarIdsOfCopies = ({ next, exceptions = [], added = [] }: Decision<unknown>): string[] =>
  [
    ...(next ? [next] : []),
    ...exceptions,
    ...added.flatMap(({ record, exceptions: others }) => [record, ...others]),
  ].flatMap(({ copies }) => Object.keys(copies));
