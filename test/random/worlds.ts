import type { GuestNotice } from '../../src/event/event.store.ts';
import type { Replacements } from '../../src/app.ts';
import { startGateway, type Answer, type TestGateway } from '../harness.ts';
import { listenForStreams } from '../http/streams/stream.harness.ts';
import { collectLog } from '../log-lines.ts';
import { trackMemoryJobs, trackPostgresJobs, type BackgroundJobs } from './background-jobs.ts';
import { calendarOwners, castSeed } from './cast.ts';
import { documentFor } from './documents.ts';
import { Placeholders } from './placeholders.ts';
import { timeOfStep, type Args, type Operation } from './operation.ts';
import { ResultLog, type Caller } from './references.ts';
import { normalizeOrder } from './normalize-order.ts';

/** Gateways on one store with the data of the cast. The clock stands at the time of the last step. */
export type World = Awaited<ReturnType<typeof openWorld>>;

/** Result of an operation in one world. */
export interface OperationOutcome {
  readonly answer: Answer;
  /** Response with placeholders, which are numbered in the order in which responses are read. */
  readonly normalized: unknown;
  /** Notices to guests. */
  readonly notices: unknown;
}

/** Clock and log that the gateways of a world share, and a function that starts one of them. */
interface WorldContext {
  readonly clock: () => number;
  readonly log: ReturnType<typeof collectLog>;
  readonly startWorldGateway: (
    env: Record<string, string>,
    replacements?: Replacements,
  ) => Promise<TestGateway>;
}

/** Whether a request starts a background job, by creating or deleting a calendar. */
export const startsBackgroundJob = ({ name, as, args }: Operation): boolean =>
  name === 'deleteCalendar' ||
  ((args.calendarId === 'primary' || name === 'calendars') &&
    !(calendarOwners as readonly string[]).includes(as));

interface OpenedGateways {
  readonly gateways: readonly TestGateway[];
  readonly background: BackgroundJobs;
}

async function openWorld(
  name: string,
  timeOf: (step: number) => number,
  openGateways: (context: WorldContext) => Promise<OpenedGateways>,
) {
  const placeholders = new Placeholders();
  const results = new ResultLog();
  const notices: GuestNotice[] = [];
  let step = 0;
  const clock = (): number => timeOf(step);
  const log = collectLog();
  const startWorldGateway: WorldContext['startWorldGateway'] = (env, replacements) =>
    startGateway(env, {
      seed: castSeed,
      clock,
      notifier: { notify: (notice) => void notices.push(notice) },
      logTarget: log.logTo,
      logLevel: 'error',
      ...replacements,
    });
  const { gateways, background } = await openGateways({ clock, log, startWorldGateway });
  let requestCount = 0;
  const sendQuery = (as: string, document: string, variables: object): Promise<Answer> => {
    requestCount += 1;
    // Alternates irregularly, so that no kind of operation always gets the same gateway.
    const gateway = gateways[(requestCount + Math.floor(requestCount / 7)) % gateways.length] as TestGateway;
    return gateway.ask(document, variables, { as });
  };
  const ask = (as: string, rootField: string, args: object): Promise<Answer> =>
    sendQuery(as, documentFor(rootField), args);
  return {
    name,
    /** Stores of the first gateway. */
    stores: (gateways[0] as TestGateway).stores,
    /** Resolves the references in arguments; undefined if one cannot be resolved. */
    resolve: (args: Args, caller: Caller) => results.resolve(args, caller),
    /** Sends a root field without references. */
    ask,
    sendDocument: sendQuery,
    /** Waits for background jobs that affect responses. */
    waitUntilSettled: () => background.waitUntilSettled(),
    /** Sends an operation with references resolved in this world; undefined if one cannot be resolved. */
    async send(operation: Operation): Promise<OperationOutcome | undefined> {
      const { step: currentStep, name: root, as, args } = operation;
      step = currentStep;
      const calendar = results.resolve({ calendarId: args.calendarId }, { as, calendarId: '' });
      const caller: Caller = { as, calendarId: String(calendar?.calendarId) };
      const resolvedArgs = results.resolve(args, caller);
      if (!resolvedArgs) return undefined;
      const answer = await ask(as, root, resolvedArgs);
      results.record(currentStep, caller, answer.data?.result);
      if (startsBackgroundJob(operation)) await background.waitUntilSettled();
      const { status, body } = answer;
      const sentNotices = notices.splice(0);
      return {
        answer,
        get normalized() {
          const orderedBody = normalizeOrder(caller, JSON.parse(body) as object, placeholders);
          return placeholders.replaceIn({ status, ...orderedBody });
        },
        get notices() {
          // Events of a deleted calendar are cancelled in any order.
          const isUnordered = root === 'deleteCalendar';
          return placeholders.replaceIn(isUnordered ? placeholders.sortEntries(sentNotices) : sentNotices);
        },
      };
    },
    /** Opens streams at each gateway. */
    listen: () => Promise.all(gateways.map(listenForStreams)),
    async close() {
      await background.close();
      for (const gateway of gateways) await gateway.close();
    },
  };
}

export const openMemoryWorld = (time = timeOfStep): Promise<World> =>
  openWorld('memory', time, async ({ clock, log, startWorldGateway }) => {
    const { stores, background } = trackMemoryJobs(clock, log);
    return { gateways: [await startWorldGateway({}, { stores })], background };
  });

/** Opens a world with a number of gateways on one database. */
export const openPostgresWorld = (url: string, count = 1, time = timeOfStep): Promise<World> =>
  openWorld(
    count === 1 ? 'PostgreSQL' : `PostgreSQL, ${count} gateways`,
    time,
    async ({ log, startWorldGateway }) => ({
      gateways: await Promise.all(
        Array.from({ length: count }, () => startWorldGateway({ DATABASE_URL: url })),
      ),
      background: trackPostgresJobs(url, log),
    }),
  );
