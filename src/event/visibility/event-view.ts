import { includesRole, isCaller } from '../../access/permissions.ts';
import type { AppError } from '../../core/errors.ts';
import type { FieldNode } from '../../core/fields/table.ts';
import { canonicalJson } from '../../core/json.ts';
import { nodeIdOf } from '../../core/ids.ts';
import { memoizeByObject } from '../../core/memoize.ts';
import { checksumOf } from '../../core/text/characters.ts';
import type { PresentationArgs } from '../event.requests.ts';
import { entryAsShown, type WithdrawnGuests, withdrawnGuestsOf } from '../instances/instance-guests.ts';
import {
  type Attendee,
  attendeeKey,
  type Audience,
  type EventBody,
  type EventField,
  guestsAheadOf,
} from '../model/fields.ts';
import type { EventModel } from '../model/model.ts';
import { showsReadersEntry, updatedAt } from '../model/record.ts';
import {
  isCreator,
  type Visibility,
  visibilityOf,
  type Links,
  visibleGuests,
  seesGuests,
  type EventContext,
} from './event-context.ts';

/** Reads a field of a view from its source; undefined if it is unset or hidden. */
type FieldReader<Source> = (source: Source) => unknown;

/** Creates a class of views. Fields are computed when read, the source is private, and JSON omits unset fields. */
function createViewClass<Source, View>(
  readers: ReadonlyMap<string, FieldReader<Source>>,
): new (source: Source) => View {
  class ViewBase {
    readonly #source: Source;
    constructor(source: Source) {
      this.#source = source;
    }
    /** Creates getters inside the class, since they read a private field. Getters stay small, because lists read thousands of fields. */
    static createGetter(read: FieldReader<Source>): () => unknown {
      return function (this: ViewBase) {
        return read(this.#source);
      };
    }
    toJSON(): object {
      const json: Record<string, unknown> = {};
      for (const name of readers.keys()) {
        // Getters come from the loop below, which the compiler cannot see.
        const value = (this as unknown as Record<string, unknown>)[name];
        if (value !== undefined) json[name] = value;
      }
      return json;
    }
  }
  for (const [name, read] of readers)
    Object.defineProperty(ViewBase.prototype, name, { get: ViewBase.createGetter(read), enumerable: true });
  // The loop above has defined the fields of View.
  return ViewBase as unknown as new (source: Source) => View;
}

interface GuestSource {
  readonly entry: Attendee;
  readonly context: EventContext;
  readonly withdrawnGuests: WithdrawnGuests;
}

// `@__PURE__` lets bundles of the validation package leave views out.
const guestClassOf = /* @__PURE__ */ memoizeByObject(({ fields }: FieldNode) => {
  const guestFieldReaders: Readonly<Record<string, FieldReader<GuestSource>>> = {
    self: ({ entry, context }) => attendeeKey(entry) === context.owner,
    organizer: ({ entry, context }) =>
      context.organizer !== undefined && attendeeKey(entry) === context.organizer,
    responseStatus: ({ entry, withdrawnGuests }) => entryAsShown(entry, withdrawnGuests).responseStatus,
  };
  const createReader = (name: string, defaultValue: unknown): FieldReader<GuestSource> => {
    const read = guestFieldReaders[name] ?? (({ entry }) => entry[name as 'email']);
    return (source) => read(source) ?? defaultValue;
  };
  return createViewClass<GuestSource, Attendee>(
    new Map([...fields].map(([name, node]) => [name, createReader(name, node.default)])),
  );
});

/** Time in which a calendar's owner is busy. */
export interface BusyPeriod {
  /** RFC 3339. */
  readonly start: string;
  readonly end: string;
}

/** Busy times of a calendar's owner, or the error that prevents reading them. */
export interface CalendarBusyView {
  /** Calendar id as the request spells it. */
  readonly calendarId: string;
  readonly busy: readonly BusyPeriod[];
  readonly error: Pick<AppError, 'code' | 'reason' | 'message'> | null;
}

/** Event as one caller sees it on one calendar; its JSON holds only what the caller may see. */
export type EventView = EventBody & { readonly id: string; readonly nodeId: string };

/** Host of placeholder e-mail addresses for people without one (RFC 2606: `.invalid` never resolves). */
export const placeholderHost = 'no-email.invalid';

type ViewFactory = (
  context: EventContext,
  presentation: PresentationArgs,
  visibility: Visibility,
) => EventView;

/**
 * View of an event, with the defaults of its fields. `presentation` limits the guests and adds placeholder
 * addresses.
 */
export const viewOf = (
  context: EventContext,
  presentation: PresentationArgs = {},
  visibility: Visibility = visibilityOf(context),
): EventView => viewFactoryOf(context.model)(context, presentation, visibility);

interface ViewSource {
  readonly context: EventContext;
  readonly presentation: PresentationArgs;
  readonly event: EventBody;
  readonly visibility: Visibility;
}

/** Factory of views for a table of fields. Throws for a row that no reader supports. */
export const viewFactoryOf = /* @__PURE__ */ memoizeByObject((model: EventModel): ViewFactory => {
  const readers = new Map<string, FieldReader<ViewSource>>(
    [...model.fields].map(([name, node]) => [name, createFieldReader(name, node)]),
  );
  // Clients' caches need one id for an object, which the table of fields does not have.
  readers.set('nodeId', ({ context: { calendar, copy } }) => nodeIdOf('event', calendar.id, copy.id));
  const View = createViewClass<ViewSource, EventView>(readers);
  return (context, presentation, visibility) =>
    new View({ context, presentation, visibility, event: model.joinParts(context.parts) });
});

function createFieldReader(name: EventField, node: FieldNode): FieldReader<ViewSource> {
  const { storedIn, audience, timeOnly, shownWhenCancelled, default: defaultValue } = node;
  const computedField = computedFields[name];
  if (storedIn === 'computed' && !computedField) throw new Error(`${name}: nothing works it out`);
  const read: FieldReader<ViewSource> = computedField
    ? (source) => computedField(source, node) ?? defaultValue
    : ({ event }) => event[name] ?? defaultValue;
  if (audience !== undefined && !Object.hasOwn(audiences, audience))
    throw new Error(`${name}: there is no audience ${audience}`);
  const isInAudience = audience === undefined ? undefined : audiences[audience as Audience];
  if (timeOnly && shownWhenCancelled) return read;
  return (source) =>
    (source.visibility === 'full' ||
      (timeOnly && source.visibility === 'freeBusy') ||
      (shownWhenCancelled && source.visibility === 'none')) &&
    (!isInAudience || isInAudience(source.context))
      ? read(source)
      : undefined;
}

const audiences: Readonly<Record<Audience, (context: EventContext) => boolean>> = {
  creator: isCreator,
  writers: ({ role }) => includesRole(role, 'writer'),
};

/** Readers of fields whose value is not simply the stored one. */
const computedFields: Partial<Record<EventField, (source: ViewSource, node: FieldNode) => unknown>> = {
  id: ({ context }) => context.copy.id,
  kind: () => 'calendar#event',
  // The series may have different ids on different calendars.
  recurringEventId: ({ context: { record, copy }, event }) =>
    record.instance ? copy.id.slice(0, -(record.instance.original.length + 1)) : event.recurringEventId,
  etag: ({ context }) => etagOf(context),
  updated: ({ context }) => lastChangeTimeFor(context),
  htmlLink: ({ context }) => linkTo(context.links, context.calendar.id, context.copy.id),
  status: ({ context, event }) => (context.copy.state === 'present' ? event.status : 'cancelled'),
  reminders: ({ event }) => remindersOf(event),
  creator: (source) => personView(source, source.event.creator, 'creator'),
  organizer: (source) => personView(source, source.event.organizer, 'organizer'),
  attendees: ({ context, presentation, event }, node) => {
    if (!event.attendees) return undefined;
    const guests = visibleGuests(context);
    const shownGuests = exceedsMaxAttendees(guests, presentation)
      ? guests.filter((entry) => attendeeKey(entry) === context.owner)
      : guests;
    const [Guest, withdrawnGuests] = [guestClassOf(node), withdrawnGuestsOf({ record: context.record })];
    return shownGuests.map((entry) => new Guest({ entry, context, withdrawnGuests }));
  },
  attendeesOmitted: ({ context, presentation, event }) =>
    event.attendees !== undefined && exceedsMaxAttendees(visibleGuests(context), presentation),
};

/** Link to an event on a calendar (htmlLink). */
export const linkTo = (links: Links, calendarId: string, eventId: string): string =>
  `${links.event}/${Buffer.from(`${eventId} ${calendarId}`).toString('base64url')}`;

/** ETag of an event for one caller: it changes with everything that this caller sees, and with the caller's role. */
export function etagOf(context: EventContext): string {
  const { record, copy, identity } = context;
  const viewerPart = copy.viewers?.[identity];
  const tags = [copy.stamp.tag, ...(viewerPart ? [viewerPart.stamp.tag] : []), ...visibilityTags(context)];
  if (copy.state === 'uninvited') return `"${tags.join('.')}"`;
  if (seesGuests(context)) return `"${record.coreStamp.tag}.${tags.join('.')}"`;
  // A guest's copy has a stamp that changes with the own entry; elsewhere the entry itself is part of the tag.
  return `"${[record.openStamp.tag, ...tags, ...(showsReadersEntry(copy, context.organizer) ? [ownEntryTag(context)] : [])].join('.')}"`;
}

/**
 * Distinguishes the etags of readers (r) and of free/busy readers (f) from those of writers. Tags of stamps
 * are longer.
 */
const visibilityTags = (context: EventContext): readonly string[] =>
  includesRole(context.role, 'writer') ? [] : [visibilityOf(context) === 'full' ? 'r' : 'f'];

/** Digest of the caller's entry and of its order to the organizer's, which the caller sees too. */
function ownEntryTag(context: EventContext): string {
  const { attendees = [] } = context.record.core;
  const entry = attendees.find(({ email }) => isCaller(email, context));
  const shownEntry = entry ? entryAsShown(entry, withdrawnGuestsOf({ record: context.record })) : null;
  const isBeforeOrganizer = entry && guestsAheadOf(context.organizer, attendees).has(attendeeKey(entry));
  return checksumOf(canonicalJson(isBeforeOrganizer ? [shownEntry] : shownEntry));
}

/** RFC 3339 time of the latest change that the caller sees. */
export const lastChangeTimeFor = (context: EventContext): string =>
  updatedAt(context.record, context.copy, !seesGuests(context), context.identity);

/** Reminders of the caller; the calendar's default applies until the caller sets some. */
const remindersOf = ({ reminders }: EventBody): EventBody['reminders'] =>
  reminders ? { useDefault: false, ...reminders } : { useDefault: true };

const exceedsMaxAttendees = (guests: readonly unknown[], { maxAttendees }: PresentationArgs): boolean =>
  typeof maxAttendees === 'number' && guests.length > maxAttendees;

/** Person with `self`, and with a placeholder address if the request includes addresses. */
function personView(
  { context, presentation }: ViewSource,
  storedPerson: EventBody['organizer'],
  name: string,
): EventBody['organizer'] {
  if (!storedPerson) return undefined;
  const email =
    storedPerson.email ?? (presentation.alwaysIncludeEmail ? `${name}@${placeholderHost}` : undefined);
  return {
    ...storedPerson,
    ...(email !== undefined && { email }),
    self: storedPerson.email !== undefined && attendeeKey(storedPerson) === context.owner,
  };
}
