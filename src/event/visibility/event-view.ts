import { includes, isCaller } from '../../access/permissions.ts';
import type { AppError } from '../../core/errors.ts';
import type { FieldNode } from '../../core/fields/table.ts';
import { canonicalJson } from '../../core/json.ts';
import { nodeIdOf } from '../../core/node-id.ts';
import { checksumOf } from '../../core/text/characters.ts';
import type { Presentation } from '../event.requests.ts';
import { asShown, removedGuests } from '../instances/instance-guests.ts';
import {
  type Attendee,
  attendeeKey,
  type Audience,
  type EventBody,
  type EventField,
} from '../model/fields.ts';
import type { EventModel } from '../model/model.ts';
import { showsReadersEntry, updatedAt } from '../model/record.ts';
import {
  isCreator,
  type Visibility,
  visibilityOf,
  type Links,
  personKey,
  seenGuests,
  seesGuests,
  type EventContext,
} from './event-context.ts';

/** The fields of a view by name, in the table's order; those without a value are left out. */
function jsonOf(view: object, names: Iterable<string>): object {
  const json: Record<string, unknown> = {};
  for (const name of names) {
    const value = (view as Record<string, unknown>)[name];
    if (value !== undefined) json[name] = value;
  }
  return json;
}

/** A guest as one caller sees them. As with the event, a field is worked out when it is read. */
type GuestClass = new (
  entry: Attendee,
  context: EventContext,
  removed: ReadonlySet<string | undefined> | undefined,
) => Attendee;

const classes = new WeakMap<FieldNode, GuestClass>();

/** The class of guests for the table's node of them, made once. */
function guestClass(node: FieldNode): GuestClass {
  let found = classes.get(node);
  if (!found) classes.set(node, (found = createClass(node)));
  return found;
}

interface GuestSource {
  readonly entry: Attendee;
  readonly context: EventContext;
  readonly removed: ReadonlySet<string | undefined> | undefined;
}

function createClass(node: FieldNode): GuestClass {
  class Guest {
    readonly #source: GuestSource;
    constructor(entry: Attendee, context: EventContext, removed: GuestSource['removed']) {
      this.#source = { entry, context, removed };
    }
    /** Made here: nothing else reaches what is private. */
    static getter(read: (source: GuestSource) => unknown, standard: unknown): () => unknown {
      return function (this: Guest) {
        return read(this.#source) ?? standard;
      };
    }
    toJSON(): object {
      return jsonOf(this, names);
    }
  }
  const names = [...node.fields.values()].map(({ name }) => name);
  const readers: Readonly<Record<string, (source: GuestSource) => unknown>> = {
    self: ({ entry, context }) => attendeeKey(entry) === context.owner,
    organizer: ({ entry, context }) =>
      context.organizer !== undefined && attendeeKey(entry) === context.organizer,
    // A guest who took the event off their calendar counts as declined.
    responseStatus: ({ entry, removed }) =>
      removed?.has(attendeeKey(entry)) ? 'declined' : entry.responseStatus,
  };
  for (const { name, default: standard } of node.fields.values()) {
    const read = readers[name] ?? (({ entry }: GuestSource) => entry[name as 'email']);
    Object.defineProperty(Guest.prototype, name, { get: Guest.getter(read, standard), enumerable: true });
  }
  // The compiler cannot see the getters that the loop defines, hence the cast.
  return Guest as unknown as GuestClass;
}

export interface BusyPeriod {
  /** RFC 3339. */
  readonly start: string;
  readonly end: string;
}

/** When a calendar's owner is busy, or why that cannot be told. */
export interface CalendarBusyView {
  /** As it was asked for. */
  readonly calendarId: string;
  readonly busy: readonly BusyPeriod[];
  readonly error: Pick<AppError, 'code' | 'reason' | 'message'> | null;
}

/**
 * An event as one caller sees it on one calendar. A field is worked out when it is read; nothing else of it can be reached, and
 * its JSON is what the caller may see.
 */
export type EventView = EventBody & { readonly id: string; readonly nodeId: string };

/** The host of e-mail addresses made up for people who have none (RFC 2606: `.invalid` never works). */
export const madeUpHost = 'no-email.invalid';

type ViewFactory = (context: EventContext, presentation: Presentation, level: Visibility) => EventView;

const factories = new WeakMap<EventModel, ViewFactory>();

/** The event as it goes out: defaults filled in, guests cut and addresses made up as the request asks. */
export const viewOf = (
  context: EventContext,
  presentation: Presentation = {},
  level: Visibility = visibilityOf(context),
): EventView => viewsOf(context.model)(context, presentation, level);

/** How events of a table are shown. Throws for a row that asks for what no reader does. */
export function viewsOf(model: EventModel): ViewFactory {
  let make = factories.get(model);
  if (!make) factories.set(model, (make = createFactory(model)));
  return make;
}

/** Input of the readers below. */
interface ViewSource {
  readonly context: EventContext;
  readonly presentation: Presentation;
  readonly whole: EventBody;
}

function createFactory(model: EventModel): ViewFactory {
  class View {
    readonly #source: ViewSource;
    readonly #level: Visibility;
    constructor(source: ViewSource, level: Visibility) {
      this.#source = source;
      this.#level = level;
    }
    /** Made here: nothing else reaches what is private. */
    static getter(read: Reader, node: FieldNode, shown: ReadonlySet<Visibility>): () => unknown {
      return function (this: View) {
        return shown.has(this.#level) ? (read(this.#source, node) ?? node.default) : undefined;
      };
    }
    get nodeId(): string {
      // Beside the event's own parameters: for the caches of clients, which need one name for one thing.
      const { calendar, copy } = this.#source.context;
      return nodeIdOf('event', calendar.id, copy.id);
    }
    toJSON(): object {
      return jsonOf(this, names);
    }
  }
  const names = [...model.fields.keys(), 'nodeId'];
  for (const [name, node] of model.fields) {
    Object.defineProperty(View.prototype, name, {
      get: View.getter(readerOf(name, node), node, levelsOf(node)),
      enumerable: true,
    });
  }
  // The compiler cannot see the getters that the loop defines, hence the cast.
  return (context, presentation, level) =>
    new View({ context, presentation, whole: model.whole(context.parts) }, level) as unknown as EventView;
}

/** Throws for a row that asks for what no reader does. */
function readerOf(name: EventField, { storedIn, seenBy }: FieldNode): Reader {
  const read = readers[name] ?? (({ whole }: ViewSource) => whole[name]);
  if (storedIn === 'computed' && !readers[name]) throw new Error(`${name}: nothing works it out`);
  if (seenBy === undefined) return read;
  const isSeen = (audiences as Readonly<Record<string, (context: EventContext) => boolean>>)[seenBy];
  if (!isSeen) throw new Error(`${name}: there is no audience ${seenBy}`);
  return (source, node) => (isSeen(source.context) ? read(source, node) : undefined);
}

const audiences: Readonly<Record<Audience, (context: EventContext) => boolean>> = {
  creator: isCreator,
  writers: ({ role }) => includes(role, 'writer'),
};

const levelsOf = ({ timeOnly, whenGone }: FieldNode): ReadonlySet<Visibility> =>
  new Set<Visibility>([
    'full',
    ...(timeOnly ? (['time'] as const) : []),
    ...(whenGone ? (['gone'] as const) : []),
  ]);

type Reader = (source: ViewSource, node: FieldNode) => unknown;

/** The fields that are more than what is stored under their name. */
const readers: Partial<Record<EventField, Reader>> = {
  id: ({ context }) => context.copy.id,
  kind: () => 'calendar#event',
  // On this calendar the series has another id than on others.
  recurringEventId: ({ context: { record, copy }, whole }) =>
    record.instance ? copy.id.slice(0, -(record.instance.original.length + 1)) : whole.recurringEventId,
  etag: ({ context }) => etagOf(context),
  updated: ({ context }) => updatedFor(context),
  htmlLink: ({ context }) => linkTo(context.links, context.calendar.id, context.copy.id),
  status: ({ context, whole }) => (context.copy.state === 'present' ? whole.status : 'cancelled'),
  reminders: ({ whole }) => remindersOf(whole),
  creator: (source) => person(source, source.whole.creator, 'creator'),
  organizer: (source) => person(source, source.whole.organizer, 'organizer'),
  attendees: ({ context, presentation, whole }, node) => {
    const guests = whole.attendees && seenGuests(context);
    const shown =
      guests && isTooMany(guests, presentation)
        ? guests.filter((entry) => attendeeKey(entry) === context.owner)
        : guests;
    return shown && attendeesOf(context, shown, node);
  },
  attendeesOmitted: ({ context, presentation, whole }) =>
    whole.attendees !== undefined && isTooMany(seenGuests(context), presentation),
};

/** A link to an event on a calendar. */
export const linkTo = (links: Links, calendarId: string, eventId: string): string =>
  `${links.event}/${Buffer.from(`${eventId} ${calendarId}`).toString('base64url')}`;

/** The entity tag of a copy for one caller: it changes with everything that this caller can see of it, also with the caller's role. */
export function etagOf(context: EventContext): string {
  const { record, copy, identity } = context;
  const own = copy.viewers?.[identity];
  const tags = [copy.stamp.tag, ...(own ? [own.stamp.tag] : []), ...sightTag(context)];
  if (copy.state === 'uninvited') return `"${tags.join('.')}"`;
  if (seesGuests(context)) return `"${record.coreStamp.tag}.${tags.join('.')}"`;
  // On the own copy a stamp changes with the own entry; elsewhere the entry itself is part of the tag.
  return `"${[record.openStamp.tag, ...tags, ...(showsReadersEntry(copy) ? [ownEntryTag(context)] : [])].join('.')}"`;
}

/** Tags the etag of callers who may not write and so see less, some of them the times alone. No stamp has a tag as short. */
const sightTag = (context: EventContext): readonly string[] =>
  includes(context.role, 'writer') ? [] : [visibilityOf(context) === 'full' ? 'r' : 'f'];

function ownEntryTag(context: EventContext): string {
  const entry = context.record.core.attendees?.find(({ email }) => isCaller(email, context));
  return checksumOf(canonicalJson(entry ? asShown(entry, removedGuests({ record: context.record })) : null));
}

/** When the event was last changed as the caller sees it. */
export const updatedFor = (context: EventContext): string =>
  updatedAt(context.record, context.copy, !seesGuests(context), context.identity);

/** Until a user sets some, the calendar's own ring. */
const remindersOf = ({ reminders }: EventBody): EventBody['reminders'] =>
  reminders ? { useDefault: false, ...reminders } : { useDefault: true };

const isTooMany = (guests: readonly unknown[], { maxAttendees }: Presentation): boolean =>
  typeof maxAttendees === 'number' && guests.length > maxAttendees;

function person(source: ViewSource, stored: EventBody['organizer'], name: string): EventBody['organizer'] {
  if (!stored) return undefined;
  const {
    context,
    presentation: { alwaysIncludeEmail },
  } = source;
  const email = stored.email ?? (alwaysIncludeEmail ? `${name}@${madeUpHost}` : undefined);
  return {
    ...stored,
    ...(email !== undefined && { email }),
    self: stored.email !== undefined && personKey(stored) === context.owner,
  };
}

function attendeesOf(
  context: EventContext,
  shown: readonly AttendeeView[],
  node: FieldNode,
): readonly AttendeeView[] {
  const Guest = guestClass(node);
  const removed = removedGuests({ record: context.record });
  return shown.map((entry) => new Guest(entry, context, removed));
}

type AttendeeView = NonNullable<EventBody['attendees']>[number];
