import type { GuestNotice } from '../../src/core/runtime/notifier.ts';
import type { Replacements } from '../../src/app.ts';
import { startGateway, type Answer, type TestGateway } from '../harness.ts';
import { listenForStreams, type Streams } from '../http/streams/stream.harness.ts';
import { collectLog } from '../log-lines.ts';
import { memoryWithBackground, postgresBackground, type Background } from './background.ts';
import { hosts, seed } from './cast.ts';
import { documentOf } from './documents.ts';
import { Names } from './names.ts';
import { timeOf, type Args, type Operation } from './operation.ts';
import { Answered, type Seat } from './references.ts';
import { inOrder } from './unordered.ts';

/** Gateways over one store, which begins with the cast's calendars and buckets. Its clock stands at the time of the last operation's step. */
export interface World {
  readonly name: string;
  /** Of the first gateway. */
  readonly stores: TestGateway['stores'];
  /** Sends an operation, its references filled in from this world's own answers. Undefined where one cannot be. */
  send(operation: Operation): Promise<Sent | undefined>;
  /** Arguments with their references filled in; undefined where one cannot be. */
  resolve(args: Args, seat: Seat): Args | undefined;
  /** Sends a root field of any caller as it stands. */
  ask(as: string, name: string, args: object): Promise<Answer>;
  /** Sends a document. */
  query(as: string, document: string, variables: object): Promise<Answer>;
  /** The paths of streams, one for each gateway. */
  listen(): Promise<readonly Streams[]>;
  /** Resolves when nothing is left to be done in the background that changes what is shown. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

export interface Sent {
  readonly answer: Answer;
  /** All that was answered, with names for what differs from world to world, in the order in which they are looked at. */
  readonly named: unknown;
  /** Who was told of it. */
  readonly notices: unknown;
}

/** What the gateways of a world share. */
interface Shared {
  readonly clock: () => number;
  readonly log: ReturnType<typeof collectLog>;
  readonly start: (env: Readonly<Record<string, string>>, more?: Replacements) => Promise<TestGateway>;
}

interface Opened {
  readonly gateways: readonly TestGateway[];
  readonly background: Background;
}

/** Whether a request leaves something to be done in the background: a calendar comes or goes. */
export const leavesWork = ({ name, as, args }: Operation): boolean =>
  name === 'deleteCalendar' ||
  ((args.calendarId === 'primary' || name === 'calendars') && !(hosts as readonly string[]).includes(as));

async function openWorld(
  name: string,
  time: (step: number) => number,
  open: (shared: Shared) => Promise<Opened>,
): Promise<World> {
  const names = new Names();
  const answered = new Answered();
  const notices: GuestNotice[] = [];
  let step = 0;
  const clock = (): number => time(step);
  const log = collectLog();
  const start: Shared['start'] = (env, more) =>
    startGateway(env, {
      seed,
      clock,
      notifier: { notify: (notice) => void notices.push(notice) },
      logTo: log.logTo,
      logLevel: 'error',
      ...more,
    });
  const { gateways, background } = await open({ clock, log, start });
  let turn = 0;
  const query: World['query'] = (as, document, variables) => {
    turn += 1;
    // By turns, but not so that each kind of operation always meets the same gateway.
    const gateway = gateways[(turn + Math.floor(turn / 7)) % gateways.length] as TestGateway;
    return gateway.ask(document, variables, { as });
  };
  const ask: World['ask'] = (as, root, args) => query(as, documentOf(root), args);
  return {
    name,
    stores: (gateways[0] as TestGateway).stores,
    resolve: (args, seat) => answered.resolve(args, seat),
    ask,
    query,
    settled: () => background.settled(),
    async send(operation) {
      const { step: now, name: root, as, args } = operation;
      step = now;
      const calendar = answered.resolve({ calendarId: args.calendarId }, { as, calendarId: '' });
      const seat: Seat = { as, calendarId: String(calendar?.calendarId) };
      const resolved = answered.resolve(args, seat);
      if (!resolved) return undefined;
      const answer = await ask(as, root, resolved);
      answered.keep(now, seat, answer.data?.result);
      if (leavesWork(operation)) await background.settled();
      const { status, body } = answer;
      const told = notices.splice(0);
      return {
        answer,
        get named() {
          return names.of({ status, ...inOrder(seat, JSON.parse(body) as object, names) });
        },
        get notices() {
          // Of a calendar that is deleted the events are cancelled in any order.
          return names.of(root === 'deleteCalendar' ? names.sorted(told) : told);
        },
      };
    },
    listen: () => Promise.all(gateways.map(listenForStreams)),
    async close() {
      await background.close();
      for (const gateway of gateways) await gateway.close();
    },
  };
}

export const memoryWorld = (time = timeOf): Promise<World> =>
  openWorld('memory', time, async ({ clock, log, start }) => {
    const { stores, background } = memoryWithBackground(clock, log);
    return { gateways: [await start({}, { stores })], background };
  });

/** So many gateways over one database. */
export const postgresWorld = (url: string, count = 1, time = timeOf): Promise<World> =>
  openWorld(count === 1 ? 'PostgreSQL' : `PostgreSQL, ${count} gateways`, time, async ({ log, start }) => ({
    gateways: await Promise.all(Array.from({ length: count }, () => start({ DATABASE_URL: url }))),
    background: postgresBackground(url, log),
  }));
