import { type Announcer, changeChannel, type Listener } from '../listen.ts';
import { type Database, batchReads } from '../database.ts';
import { importInRuns } from './import.ts';
import { findBehind, findExceptions, createFirstPage, listPage } from './list.ts';
import { createEventWork } from './work.ts';
import { createRevisions } from './revisions.ts';
import { eventsById, oldestUnsettledOn } from './events-by-id.ts';
import { homeOf, loadChange } from './load.ts';
import { lockStatements, type Write, writeOf } from './write.ts';
import { findCalendars } from '../find-calendars.ts';
import { createSharedStoring } from '../group-commit.ts';
import { createKeyedLimit } from '../keyed-limit.ts';
import { countMails, countsFrom, type Mailer, mailsLeft } from '../mailed.ts';
import { addToOutbox, type OutboxAddition, type Reservation, waitingBytesOf } from '../outbox/store.ts';
import { rememberRequest } from '../request-records.ts';
import { recordFrom } from '../stored-json.ts';
import { changeInTransaction } from '../transaction.ts';
import { deepFreeze } from '../../../core/patch.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import type { PendingChange, EventStore, SeriesState } from '../../../event/event.store.ts';
import { storedOf } from '../../../event/model/record.ts';
import { replaceable } from '../../../event/projection/projection.ts';
import type { Mail } from '../../../mail/mail.ts';
import { defaultOutboxRules, type Dropped, mail, type OutboxRules } from '../../../outbox/outbox.store.ts';

interface EventStoreParts {
  readonly database: Database;
  readonly listener: Listener;
  readonly announce: Announcer['announce'];
  readonly clock: Clock;
  /** Sets the revisions of this database apart from those of others. */
  readonly epoch: string;
  /** Other rules than the usual ones, for mails. */
  readonly outbox?: Partial<OutboxRules> | undefined;
}

/** Events in PostgreSQL, shared by all gateways on one database. */
export function createPostgresEventStore({
  database,
  listener,
  announce,
  clock,
  epoch,
  outbox,
}: EventStoreParts): EventStore {
  // A busy event takes one connection.
  const oneByOne = createKeyedLimit({ atOnce: 1, withinMs: 30_000 });
  const outboxRules: OutboxRules = { ...defaultOutboxRules, ...outbox };

  const revisions = createRevisions(epoch);
  const store = createSharedStoring(database);
  const limits = waitingBytesOf(database);

  async function changeEvent<T>({ target, decide }: PendingChange<T>): Promise<T> {
    const { eventId, seriesId, request } = target;
    const now = clock();
    /** Calendars that the decision takes the event to, and that nothing of the target led to. */
    const others = new Set<string>();
    let write: Write = { statements: [], changed: [] };
    let isAgain = false;
    let dropped: readonly Dropped[] = [];
    // On its guests' calendars an event has its own id: those who change it there take turns too.
    const changed = ({ free, reserve }: Reservation): Promise<T> =>
      changeInTransaction(database, {
        store,
        async load(read) {
          const loaded = await loadChange(read, target, { now, calendarIds: [...others] });
          const { mailsBy: caller } = target;
          if (caller === undefined) return { ...loaded, mailer: undefined };
          const { found, mailRows } = loaded;
          const counts = countsFrom(mailRows.find(({ kind }) => kind === 'mailed'));
          const bytes = free(mail, homeOf(found) ?? '');
          const mailRoom = found.calendar && { bytes, mails: mailsLeft(counts, now) };
          return { ...loaded, found: { ...found, mailRoom }, mailer: { caller, counts } };
        },
        waitsFor: ({ found }) => homeOf(found),
        lock(loaded) {
          isAgain = true;
          return lockStatements(loaded);
        },
        decide(loaded) {
          const { next, exception, added, outcome, mails = [], result: decided } = decide(loaded.found);
          const isNew = next ? !replaceable(loaded.found, target).includes(next) : added !== undefined;
          if (isNew) {
            if (next) deepFreeze(next);
            const unknown = [
              ...(next ? [next] : []),
              ...(exception ? [exception] : []),
              ...(added ? [added.record, ...added.exceptions] : []),
            ]
              .flatMap(({ copies }) => Object.keys(copies))
              .filter((id) => !loaded.zones.has(id) && !others.has(id));
            if (unknown.length > 0) {
              for (const id of unknown) others.add(id);
              return undefined;
            }
          }
          write = isNew
            ? writeOf({ next, exception, added }, loaded, target, isAgain)
            : { statements: [], changed: [] };
          const sent = isNew
            ? writeMails((next ?? (added as SeriesState).record).homeId, mails, {
                free,
                mailer: loaded.mailer,
                roomOf: outboxRules.roomOf,
                now,
              })
            : undefined;
          reserve(sent?.bytes ?? new Map());
          dropped = sent?.dropped ?? [];
          const more = [
            ...rememberRequest(request, { database, outcome, now, kind: 'event' }),
            ...(sent?.statements ?? []),
          ];
          return {
            statements: [...write.statements, ...more],
            parts: more.length === 0 ? write.parts : undefined,
            result: decided,
          };
        },
      });
    const result = await oneByOne(seriesId ?? eventId, () => limits.change(outboxRules.roomOf, changed));
    announce(write.changed);
    dropped.forEach(outboxRules.onDropped);
    return result;
  }

  return {
    calendarStates: async (refs) => (await findCalendars(database, refs)).map(revisions.stateOf),

    async events(references) {
      const rows = await eventsById(database, references);
      return rows.map(({ body, series }) =>
        body === null
          ? undefined
          : storedOf(recordFrom(body), series === null ? undefined : recordFrom(series)),
      );
    },

    listEvents: (calendarId, query) => listPage(database, revisions, calendarId, query),

    listCalendar: createFirstPage(batchReads(database), revisions),

    async safeRevision(calendarId, revision, since) {
      const [last, start] = [revision, since].map((one) => (one && revisions.changeOf(one)) || 0);
      const unsettled = await oldestUnsettledOn(database, calendarId, start ?? 0, last ?? 0);
      return revisions.safeRevision(revision, unsettled);
    },

    eventsBehind: (calendarId, eventId, limit) => findBehind(database, calendarId, eventId, limit),

    exceptionsOf: (series) => findExceptions(database, series),

    changeEvent: (target, decide) => changeEvent({ target, decide }),
    importEvents: (changes) => importInRuns({ database, announce }, changes, changeEvent),

    ...createEventWork(database),

    watchCalendars: (onChange) => listener.watch(changeChannel, onChange),
  };
}

interface MailWriting {
  readonly free: Reservation['free'];
  /** By whom mails are counted; absent where they are nobody's. */
  readonly mailer: Mailer | undefined;
  readonly roomOf: OutboxRules['roomOf'];
  readonly now: number;
}

/** Statements that store the mails of a change under its home. What finds no room is not sent. */
function writeMails(
  home: string,
  mails: readonly Mail[],
  { free, mailer, roomOf, now }: MailWriting,
): OutboxAddition {
  const rules: OutboxRules = {
    destinationsOf: () => [mail],
    roomOf: (name) => ({ ...roomOf(name), whenFull: 'drop' }),
    onDropped: () => undefined,
  };
  const added = addToOutbox(home, mails, { free, rules, now });
  if (!mailer || added.statements.length === 0) return added;
  return { ...added, statements: [...added.statements, countMails(mailer, mails.length, now)] };
}
