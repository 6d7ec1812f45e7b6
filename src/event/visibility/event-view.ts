import { includes, isCaller } from '../../access/permissions.ts';
import type { AppError } from '../../core/errors.ts';
import type { FieldNode } from '../../core/fields/table.ts';
import { canonicalJson } from '../../core/json.ts';
import { nodeIdOf } from '../../core/node-id.ts';
import { checksumOf } from '../../core/text/characters.ts';
import type { Presentation } from '../event.requests.ts';
import { asShown, type Removed, removedGuests } from '../instances/instance-guests.ts';
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
  seenGuests,
  seesGuests,
  type EventContext,
} from './event-context.ts';

type Reader<Source> = (source: Source, node: FieldNode) => unknown;

/** A field of a view: absent for levels at which it is not shown. */
interface ViewField<Source> {
  readonly node: FieldNode;
  readonly read: Reader<Source>;
  readonly shown?: ReadonlySet<unknown>;
}

/** A class of views: a field is worked out when it is read, nothing else of its source can be reached, and its JSON is what has a value. */
function viewClass<Source extends { readonly context: EventContext; readonly level?: Visibility }, View>(
  fields: ReadonlyMap<string, ViewField<Source>>,
): new (source: Source) => View {
  class Fields {
    readonly #source: Source;
    constructor(source: Source) {
      this.#source = source;
    }
    /** Made here: nothing else reaches what is private. One call for each read: lists read thousands of fields. */
    static getter({ read, node, shown }: ViewField<Source>): () => unknown {
      if (!shown)
        return function (this: Fields) {
          return read(this.#source, node) ?? node.default;
        };
      return function (this: Fields) {
        return shown.has(this.#source.level) ? (read(this.#source, node) ?? node.default) : undefined;
      };
    }
    toJSON(): object {
      const json: Record<string, unknown> = {};
      for (const name of fields.keys()) {
        // Getters come from the loop below, which the compiler cannot see.
        const value = (this as unknown as Record<string, unknown>)[name];
        if (value !== undefined) json[name] = value;
      }
      return json;
    }
  }
  for (const [name, field] of fields)
    Object.defineProperty(Fields.prototype, name, { get: Fields.getter(field), enumerable: true });
  // The compiler cannot see the getters that the loop defines, hence the cast.
  return Fields as unknown as new (source: Source) => View;
}

interface GuestSource {
  readonly entry: Attendee;
  readonly context: EventContext;
  readonly removed: Removed;
}

/** A guest as one caller sees them. */
type GuestClass = new (source: GuestSource) => Attendee;

const classes = new WeakMap<FieldNode, GuestClass>();

/** The class of guests for the table's node of them, made once. */
function guestClass(node: FieldNode): GuestClass {
  let found = classes.get(node);
  if (!found) classes.set(node, (found = createClass(node)));
  return found;
}

function createClass({ fields }: FieldNode): GuestClass {
  const readers: Readonly<Record<string, Reader<GuestSource>>> = {
    self: ({ entry, context }) => attendeeKey(entry) === context.owner,
    organizer: ({ entry, context }) =>
      context.organizer !== undefined && attendeeKey(entry) === context.organizer,
    responseStatus: ({ entry, removed }) => asShown(entry, removed).responseStatus,
  };
  const stored: Reader<GuestSource> = ({ entry }, { name }) => entry[name as 'email'];
  return viewClass(
    new Map([...fields].map(([name, node]) => [name, { node, read: readers[name] ?? stored }])),
  );
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

/** An event as one caller sees it on one calendar; its JSON is what the caller may see. */
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
  readonly level: Visibility;
}

function createFactory(model: EventModel): ViewFactory {
  const fields = new Map<string, ViewField<ViewSource>>(
    [...model.fields].map(([name, node]) => [
      name,
      { node, read: readerOf(name, node), shown: levelsOf(node) },
    ]),
  );
  // Caches of clients need one name for one thing; the table has none.
  fields.set('nodeId', {
    node: model.field('id'),
    read: ({ context: { calendar, copy } }) => nodeIdOf('event', calendar.id, copy.id),
  });
  const View = viewClass<ViewSource, EventView>(fields);
  return (context, presentation, level) =>
    new View({ context, presentation, level, whole: model.whole(context.parts) });
}

/** Throws for a row that asks for what no reader does. */
function readerOf(name: EventField, { storedIn, seenBy }: FieldNode): Reader<ViewSource> {
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

/** The fields that are more than what is stored under their name. */
const readers: Partial<Record<EventField, Reader<ViewSource>>> = {
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
    if (!whole.attendees) return undefined;
    const guests = seenGuests(context);
    const shown = isTooMany(guests, presentation)
      ? guests.filter((entry) => attendeeKey(entry) === context.owner)
      : guests;
    const [Guest, removed] = [guestClass(node), removedGuests({ record: context.record })];
    return shown.map((entry) => new Guest({ entry, context, removed }));
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

function person(
  { context, presentation }: ViewSource,
  stored: EventBody['organizer'],
  name: string,
): EventBody['organizer'] {
  if (!stored) return undefined;
  const email = stored.email ?? (presentation.alwaysIncludeEmail ? `${name}@${madeUpHost}` : undefined);
  return {
    ...stored,
    ...(email !== undefined && { email }),
    self: stored.email !== undefined && attendeeKey(stored) === context.owner,
  };
}
