import type { GuestNotice } from '../../src/event/event.store.ts';
import type { Replacements } from '../../src/app.ts';
import { startGateway, type Answer, type TestGateway } from '../harness.ts';
import { listenForStreams } from '../http/streams/stream.harness.ts';
import { collectLog } from '../log-lines.ts';
import { memoryWithBackground, postgresBackground, type Background } from './background.ts';
import { hosts, seed } from './cast.ts';
import { documentOf } from './documents.ts';
import { Names } from './names.ts';
import { timeOf, type Args, type Operation } from './operation.ts';
import { Answered, type Seat } from './references.ts';
import { inOrder } from './unordered.ts';

/** Gateways over one store, which begins with the cast's calendars and buckets. Its clock stands at the time of the last operation's step. */
export type World = Awaited<ReturnType<typeof openWorld>>;

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

/** Whether a request leaves something to be done in the background: a calendar comes or goes. */
export const leavesWork = ({ name, as, args }: Operation): boolean =>
  name === 'deleteCalendar' ||
  ((args.calendarId === 'primary' || name === 'calendars') && !(hosts as readonly string[]).includes(as));

async function openWorld(
  name: string,
  time: (step: number) => number,
  open: (
    shared: Shared,
  ) => Promise<{ readonly gateways: readonly TestGateway[]; readonly background: Background }>,
) {
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
  const query = (as: string, document: string, variables: object): Promise<Answer> => {
    turn += 1;
    // By turns, but not so that each kind of operation always meets the same gateway.
    const gateway = gateways[(turn + Math.floor(turn / 7)) % gateways.length] as TestGateway;
    return gateway.ask(document, variables, { as });
  };
  const ask = (as: string, root: string, args: object): Promise<Answer> => query(as, documentOf(root), args);
  return {
    name,
    /** Of the first gateway. */
    stores: (gateways[0] as TestGateway).stores,
    /** Arguments with their references filled in; undefined where one cannot be. */
    resolve: (args: Args, seat: Seat) => answered.resolve(args, seat),
    /** Sends a root field of any caller as it stands. */
    ask,
    query,
    /** Resolves when nothing is left to be done in the background that changes what is shown. */
    settled: () => background.settled(),
    /** Sends an operation, its references filled in from this world's own answers. Undefined where one cannot be. */
    async send(operation: Operation): Promise<Sent | undefined> {
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
    /** The paths of streams, one for each gateway. */
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
