import { isDeepStrictEqual } from 'node:util';
import { alice, bob, carol, fritz, rita, wanda, type Shown } from '../event/event.harness.ts';
import { differences } from './differences.ts';
import type { Args } from './operation.ts';
import type { Seat } from './references.ts';
import type { Random } from './seed.ts';
import type { World } from './worlds.ts';

/** Instances of series without end are listed up to here; a sync tells of what lies behind as well. */
const timeMax = '2027-01-01T00:00:00Z';

/** A client that lists a calendar once and then follows it by sync tokens. */
export class Follower {
  /** What it knows of each event that is there. */
  readonly known = new Map<string, Shown>();
  readonly name: string;
  readonly seat: Seat;
  /** What was told last of the events that are not there any more. */
  readonly #gone = new Map<string, Shown>();
  readonly #world: World;
  readonly #args: Args;
  readonly #range: Args;
  /** The caller's role when it listed last. */
  #role: string | undefined;
  #isLost = false;
  #syncToken: string | undefined;

  /** `args`: those that a sync token goes with. */
  constructor(world: World, seat: Seat, args: Args) {
    this.#world = world;
    this.seat = seat;
    this.#args = args;
    this.#range = args.singleEvents === true ? { timeMax } : {};
    this.name = `${seat.as} on ${seat.calendarId} with ${JSON.stringify(args)}`;
  }

  /** Lists, or asks what is new; a token that has expired means to list again. Gives back what was told of that was known already. */
  async sync(): Promise<readonly Shown[]> {
    const again: Shown[] = [];
    const role = this.#syncToken === undefined ? await this.#roleNow() : this.#role;
    const pages = await this.#read(
      this.#syncToken === undefined ? this.#range : { syncToken: this.#syncToken },
    );
    // Whoever may see the calendar again goes on as before.
    this.#isLost = pages === 'lost';
    if (pages === 'lost') return again;
    if (pages === 'expired') {
      if (!this.followsInstances && (await this.#roleNow()) === this.#role)
        throw new Error(`${this.name}: the sync token has expired for no reason`);
      this.#syncToken = undefined;
      this.known.clear();
      this.#gone.clear();
      return this.sync();
    }
    for (const event of pages.nodes) {
      if (
        !this.#isAsBefore(event) &&
        isDeepStrictEqual(event, this.known.get(event.id) ?? this.#gone.get(event.id))
      )
        again.push(event);
      const isGone = event.status === 'cancelled' && this.#args.showDeleted !== true;
      const [now, before] = isGone ? [this.#gone, this.known] : [this.known, this.#gone];
      before.delete(event.id);
      now.set(event.id, event);
    }
    [this.#syncToken, this.#role] = [pages.nextSyncToken, role];
    return again;
  }

  /** What a list says that knows nothing of earlier ones. */
  async fresh(): Promise<ReadonlyMap<string, Shown> | 'lost'> {
    const pages = await this.#read({ ...this.#range, first: 1000 });
    if (pages === 'expired') throw new Error(`${this.name}: a list without a sync token has expired`);
    return pages === 'lost' ? pages : new Map(pages.nodes.map((event) => [event.id, event]));
  }

  /** Where what it knows is not what a fresh list says. */
  async errors(): Promise<string[]> {
    const fresh = await this.fresh();
    if (fresh === 'lost' || this.#isLost)
      return fresh === 'lost' && this.#isLost
        ? []
        : [`may ${fresh === 'lost' ? 'not ' : ''}see the calendar`];
    const isFar = ({ start }: Shown): boolean =>
      !start || Date.parse(start.dateTime ?? start.date) > Date.parse(timeMax) - 86_400_000;
    const ids = new Set([...fresh.keys(), ...this.known.keys()]);
    return [...ids].flatMap((id) => {
      const [now, known] = [fresh.get(id), this.known.get(id)];
      // In another zone a day may begin before that.
      return (!now && isFar(known)) || (!known && now?.start?.date && isFar(now))
        ? []
        : differences(now, known, id);
    });
  }

  /** The own entry of a list whose guests are hidden may be again, on others' calendars, what it was when it was told last. */
  #isAsBefore(event: Shown): boolean {
    return (
      event.guestsCanSeeOtherGuests === false &&
      this.seat.as !== this.seat.calendarId &&
      event.attendees?.some(({ email }: Shown) => email === this.seat.as) === true
    );
  }

  get followsInstances(): boolean {
    return this.#args.singleEvents === true;
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  /** Free/busy readers, readers and all others see different things of events. */
  async #roleNow(): Promise<string | undefined> {
    const { data } = await this.#world.ask(this.seat.as, 'calendar', { calendarId: this.seat.calendarId });
    return data.result?.accessRole.replace('owner', 'writer');
  }

  /** All pages, unless the sync token has expired, or the calendar may not be seen. */
  async #read(
    args: Args,
  ): Promise<{ readonly nodes: readonly Shown[]; readonly nextSyncToken: string } | 'expired' | 'lost'> {
    const nodes: Shown[] = [];
    for (let after: string | null = null; ;) {
      const { data, errors } = await this.#world.ask(this.seat.as, 'events', {
        calendarId: this.seat.calendarId,
        ...this.#args,
        ...args,
        after,
      });
      if (errors?.every(({ extensions: { issues } }) => issues[0]?.path[0] === 'syncToken')) return 'expired';
      if (
        errors?.every(
          ({ extensions: { code, issues } }) => code === 'NOT_FOUND' && issues[0]?.path[0] === 'calendarId',
        )
      )
        return 'lost';
      if (errors) throw new Error(`${this.name}: ${JSON.stringify(errors)}`);
      const { nodes: page, pageInfo, nextSyncToken } = data.result;
      nodes.push(...page);
      if (!pageInfo.hasNextPage) return { nodes, nextSyncToken };
      after = pageInfo.endCursor;
    }
  }
}

const seats: readonly Seat[] = [
  ...[alice, bob, carol].map((as) => ({ as, calendarId: as })),
  ...[wanda, rita, rita, fritz].flatMap((as) => [alice, bob].map((calendarId) => ({ as, calendarId }))),
];

/** At any seat, with arguments that go on with a sync token, and pages of some size. */
export const anyFollower = (world: World, random: Random, seat = random.pick(seats)): Follower =>
  new Follower(world, seat, {
    ...(random.chance(0.5) && { showDeleted: true }),
    ...(random.chance(0.4) && { singleEvents: true }),
    first: random.chance(0.7) ? 1 + random.below(9) : 250,
  });
