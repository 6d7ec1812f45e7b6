import { isDeepStrictEqual } from 'node:util';
import { alice, bob, carol, type EventJson, fritz, rita, wanda } from '../event/event.harness.ts';
import { findDifferences } from './differences.ts';
import type { Args } from './operation.ts';
import type { Caller } from './references.ts';
import type { Random } from './seed.ts';
import type { World } from './worlds.ts';

/** End of the first list of instances of endless series. Syncs also report later ones. */
const instancesTimeMax = '2027-01-01T00:00:00Z';

interface AllPages {
  readonly nodes: readonly EventJson[];
  readonly nextSyncToken: string;
}

/** A client that lists a calendar once and then follows it by sync tokens. */
export class Follower {
  /** Known events that are not cancelled. */
  readonly knownEvents = new Map<string, EventJson>();
  readonly name: string;
  readonly caller: Caller;
  /** Last state of cancelled events. */
  readonly #cancelledEvents = new Map<string, EventJson>();
  readonly #world: World;
  readonly #args: Args;
  readonly #range: Args;
  /** Role of the caller at the last list. */
  #role: string | undefined;
  #hasLostAccess = false;
  #syncToken: string | undefined;

  /** `args` are sent with each sync token. */
  constructor(world: World, caller: Caller, args: Args) {
    this.#world = world;
    this.caller = caller;
    this.#args = args;
    this.#range = args.singleEvents === true ? { timeMax: instancesTimeMax } : {};
    this.name = `${caller.as} on ${caller.calendarId} with ${JSON.stringify(args)}`;
  }

  /** Lists, or syncs; lists again after an expired token. Returns events that were reported although unchanged. */
  async sync(): Promise<readonly EventJson[]> {
    const repeatedEvents: EventJson[] = [];
    const role = this.#syncToken === undefined ? await this.#readRole() : this.#role;
    const token = this.#syncToken;
    const pages = await this.#readAllPages(token === undefined ? this.#range : { syncToken: token });
    // The sync token stays valid when access returns.
    this.#hasLostAccess = pages === 'lost';
    if (pages === 'lost') return repeatedEvents;
    if (pages === 'expired') {
      if (!this.followsInstances && (await this.#readRole()) === this.#role)
        throw new Error(`${this.name}: the sync token has expired for no reason`);
      this.#syncToken = undefined;
      this.knownEvents.clear();
      this.#cancelledEvents.clear();
      return this.sync();
    }
    for (const event of pages.nodes) {
      const previousState = this.knownEvents.get(event.id) ?? this.#cancelledEvents.get(event.id);
      if (!this.#mayReturnToLastState(event) && isDeepStrictEqual(event, previousState))
        repeatedEvents.push(event);
      const isDeleted = event.status === 'cancelled' && this.#args.showDeleted !== true;
      const [currentMap, previousMap] = isDeleted
        ? [this.#cancelledEvents, this.knownEvents]
        : [this.knownEvents, this.#cancelledEvents];
      previousMap.delete(event.id);
      currentMap.set(event.id, event);
    }
    [this.#syncToken, this.#role] = [pages.nextSyncToken, role];
    return repeatedEvents;
  }

  /** Lists the calendar without a sync token. */
  async listFresh(): Promise<ReadonlyMap<string, EventJson> | 'lost'> {
    const pages = await this.#readAllPages({ ...this.#range, first: 1000 });
    if (pages === 'expired') throw new Error(`${this.name}: a list without a sync token has expired`);
    return pages === 'lost' ? pages : new Map(pages.nodes.map((event) => [event.id, event]));
  }

  /** Lists the differences between the known events and a fresh list; none if access is lost for both. */
  async findErrors(): Promise<string[]> {
    const freshEvents = await this.listFresh();
    if (freshEvents === 'lost' || this.#hasLostAccess)
      return freshEvents === 'lost' && this.#hasLostAccess
        ? []
        : [`may ${freshEvents === 'lost' ? 'not ' : ''}see the calendar`];
    const isNearRangeEnd = ({ start }: EventJson): boolean =>
      !start || Date.parse(start.dateTime ?? start.date) > Date.parse(instancesTimeMax) - 86_400_000;
    const ids = new Set([...freshEvents.keys(), ...this.knownEvents.keys()]);
    return [...ids].flatMap((id) => {
      const [fresh, known] = [freshEvents.get(id), this.knownEvents.get(id)];
      // An all-day event in another time zone may start before the end.
      return (!fresh && isNearRangeEnd(known)) || (!known && fresh?.start?.date && isNearRangeEnd(fresh))
        ? []
        : findDifferences(fresh, known, id);
    });
  }

  /** A guest of an event with hidden guests sees only their own entry elsewhere, which may return to its last state. */
  #mayReturnToLastState(event: EventJson): boolean {
    return (
      event.guestsCanSeeOtherGuests === false &&
      this.caller.as !== this.caller.calendarId &&
      event.attendees?.some(({ email }: EventJson) => email === this.caller.as) === true
    );
  }

  /** Whether instances of series are listed instead of the series. */
  get followsInstances(): boolean {
    return this.#args.singleEvents === true;
  }

  get hasLostAccess(): boolean {
    return this.#hasLostAccess;
  }

  /** Current role; writers and owners see the same of events. */
  async #readRole(): Promise<string | undefined> {
    const { as, calendarId } = this.caller;
    const { data } = await this.#world.ask(as, 'calendar', { calendarId });
    return data.result?.accessRole.replace('owner', 'writer');
  }

  /** Reads all pages, unless the sync token has expired or access is lost. */
  async #readAllPages(args: Args): Promise<AllPages | 'expired' | 'lost'> {
    const { as, calendarId } = this.caller;
    const nodes: EventJson[] = [];
    for (let after: string | null = null; ;) {
      const listArgs = { calendarId, ...this.#args, ...args, after };
      const { data, errors } = await this.#world.ask(as, 'events', listArgs);
      const problemCodes = errors?.map(({ extensions: { code, issues } }) => `${code} ${issues[0]?.path[0]}`);
      if (problemCodes?.every((problem) => problem.endsWith(' syncToken'))) return 'expired';
      if (problemCodes?.every((problem) => problem === 'NOT_FOUND calendarId')) return 'lost';
      if (errors) throw new Error(`${this.name}: ${JSON.stringify(errors)}`);
      const { nodes: page, pageInfo, nextSyncToken } = data.result;
      nodes.push(...page);
      if (!pageInfo.hasNextPage) return { nodes, nextSyncToken };
      after = pageInfo.endCursor;
    }
  }
}

const readerCallers: readonly Caller[] = [
  ...[alice, bob, carol].map((as) => ({ as, calendarId: as })),
  ...[wanda, rita, rita, fritz].flatMap((as) => [alice, bob].map((calendarId) => ({ as, calendarId }))),
];

/** Creates a follower with random arguments and page size. */
export const randomFollower = (world: World, random: Random, caller = random.pick(readerCallers)): Follower =>
  new Follower(world, caller, {
    ...(random.chance(0.5) && { showDeleted: true }),
    ...(random.chance(0.4) && { singleEvents: true }),
    first: random.chance(0.7) ? 1 + random.integerBelow(9) : 250,
  });
