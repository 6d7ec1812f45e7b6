import { includesRole, isCaller } from '../../access/permissions.ts';
import type { AppError } from '../../core/errors.ts';
import type { FieldNode } from '../../core/fields/table.ts';
import { canonicalJson } from '../../core/json.ts';
import { nodeIdOf } from '../../core/ids.ts';
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

/** Computes a field of a view from its source. */
type FieldReader<Source> = (source: Source, node: FieldNode) => unknown;

interface ViewField<Source> {
  readonly node: FieldNode;
  readonly read: FieldReader<Source>;
  /** Visibilities that show the field; absent: all. */
  readonly shownVisibilities?: ReadonlySet<unknown>;
}

/** Creates a class of views. Fields are computed when read, the source is private, and JSON omits unset fields. */
function createViewClass<Source extends { context: EventContext; visibility?: Visibility }, View>(
  fields: ReadonlyMap<string, ViewField<Source>>,
): new (source: Source) => View {
  class ViewBase {
    readonly #source: Source;
    constructor(source: Source) {
      this.#source = source;
    }
    /** Creates getters inside the class, since they read a private field. They are lean: lists read thousands of fields. */
    static createGetter({ read, node, shownVisibilities }: ViewField<Source>): () => unknown {
      if (!shownVisibilities)
        return function (this: ViewBase) {
          return read(this.#source, node) ?? node.default;
        };
      return function (this: ViewBase) {
        return shownVisibilities.has(this.#source.visibility)
          ? (read(this.#source, node) ?? node.default)
          : undefined;
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
    Object.defineProperty(ViewBase.prototype, name, { get: ViewBase.createGetter(field), enumerable: true });
  // The loop above has defined the fields of View.
  return ViewBase as unknown as new (source: Source) => View;
}

interface GuestSource {
  readonly entry: Attendee;
  readonly context: EventContext;
  readonly withdrawnGuests: WithdrawnGuests;
}

type GuestClass = new (source: GuestSource) => Attendee;

const guestClasses = new WeakMap<FieldNode, GuestClass>();

function guestClassOf(node: FieldNode): GuestClass {
  let guestClass = guestClasses.get(node);
  if (!guestClass) guestClasses.set(node, (guestClass = createGuestClass(node)));
  return guestClass;
}

function createGuestClass({ fields }: FieldNode): GuestClass {
  const guestFieldReaders: Readonly<Record<string, FieldReader<GuestSource>>> = {
    self: ({ entry, context }) => attendeeKey(entry) === context.owner,
    organizer: ({ entry, context }) =>
      context.organizer !== undefined && attendeeKey(entry) === context.organizer,
    responseStatus: ({ entry, withdrawnGuests }) => entryAsShown(entry, withdrawnGuests).responseStatus,
  };
  const readStored: FieldReader<GuestSource> = ({ entry }, { name }) => entry[name as 'email'];
  return createViewClass(
    new Map([...fields].map(([name, node]) => [name, { node, read: guestFieldReaders[name] ?? readStored }])),
  );
}

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

const factoriesByModel = new WeakMap<EventModel, ViewFactory>();

/**
 * View of an event, with the defaults of its fields. `presentation` limits the guests and adds placeholder
 * addresses.
 */
export const viewOf = (
  context: EventContext,
  presentation: PresentationArgs = {},
  visibility: Visibility = visibilityOf(context),
): EventView => viewFactoryOf(context.model)(context, presentation, visibility);

/** Factory of views for a table of fields. Throws for a row that no reader supports. */
export function viewFactoryOf(model: EventModel): ViewFactory {
  let factory = factoriesByModel.get(model);
  if (!factory) factoriesByModel.set(model, (factory = createViewFactory(model)));
  return factory;
}

interface ViewSource {
  readonly context: EventContext;
  readonly presentation: PresentationArgs;
  readonly event: EventBody;
  readonly visibility: Visibility;
}

function createViewFactory(model: EventModel): ViewFactory {
  const fields = new Map<string, ViewField<ViewSource>>(
    [...model.fields].map(([name, node]) => [
      name,
      { node, read: createFieldReader(name, node), shownVisibilities: visibilitiesOf(node) },
    ]),
  );
  // Clients' caches need one id for an object, which the table of fields does not have.
  fields.set('nodeId', {
    node: model.field('id'),
    read: ({ context: { calendar, copy } }) => nodeIdOf('event', calendar.id, copy.id),
  });
  const View = createViewClass<ViewSource, EventView>(fields);
  return (context, presentation, visibility) =>
    new View({ context, presentation, visibility, event: model.joinParts(context.parts) });
}

function createFieldReader(name: EventField, { storedIn, audience }: FieldNode): FieldReader<ViewSource> {
  const read = eventFieldReaders[name] ?? (({ event }: ViewSource) => event[name]);
  if (storedIn === 'computed' && !eventFieldReaders[name]) throw new Error(`${name}: nothing works it out`);
  if (audience === undefined) return read;
  const isInAudience = (audiences as Readonly<Record<string, (context: EventContext) => boolean>>)[audience];
  if (!isInAudience) throw new Error(`${name}: there is no audience ${audience}`);
  return (source, node) => (isInAudience(source.context) ? read(source, node) : undefined);
}

const audiences: Readonly<Record<Audience, (context: EventContext) => boolean>> = {
  creator: isCreator,
  writers: ({ role }) => includesRole(role, 'writer'),
};

const visibilitiesOf = ({ timeOnly, shownWhenCancelled }: FieldNode): ReadonlySet<Visibility> =>
  new Set<Visibility>([
    'full',
    ...(timeOnly ? (['freeBusy'] as const) : []),
    ...(shownWhenCancelled ? (['none'] as const) : []),
  ]);

/** Readers of fields whose value is not simply the stored one. */
const eventFieldReaders: Partial<Record<EventField, FieldReader<ViewSource>>> = {
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
