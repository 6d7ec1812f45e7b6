import { isSameJson } from '../core/json.ts';
import { addressKey } from '../core/text/email.ts';
import { isTimeZone } from '../core/time/time-zone.ts';
import type { EventTime } from '../core/time/time.ts';
import { clockOf } from '../core/time/zone-clock.ts';
import { type CalendarTime, toCalendarTime } from '../icalendar/content-lines.ts';
import {
  type Mail,
  type MailEvent,
  type MailGuest,
  type MailInstance,
  type MailSnapshot,
  textFields,
} from './mail.ts';

const dayMs = 86_400_000;
const weekdayFormat = new Intl.DateTimeFormat('en', { weekday: 'long', timeZone: 'UTC' });

/** Formats a time for people: the date, and for a DATE-TIME hours, minutes and zone. */
export function formatTime(time: EventTime | null | undefined, zone: string, isEnd = false): string {
  const calendarTime = toCalendarTime(time ?? undefined);
  if (!calendarTime) return '';
  const displayedMs = toLocalMs(calendarTime, zone, isEnd);
  return calendarTime.zone === undefined
    ? formatDay(displayedMs)
    : `${formatDay(displayedMs)}, ${formatHours(displayedMs)} (${zone})`;
}

/** Formats a time span. The exclusive end of an all-day event is shown as its last day. */
export function formatTimeSpan(from: EventTime | undefined, to: EventTime | undefined, zone: string): string {
  const [start, end] = [toCalendarTime(from), toCalendarTime(to)];
  if (!start || !end || end.at <= start.at) return formatTime(from, zone);
  const [localStart, localEnd] = [toLocalMs(start, zone, false), toLocalMs(end, zone, true)];
  const [startDay, endDay] = [formatDay(localStart), formatDay(localEnd)];
  if (end.zone === undefined) return localStart === localEnd ? startDay : `${startDay} to ${endDay}`;
  const endText = startDay === endDay ? formatHours(localEnd) : `${endDay}, ${formatHours(localEnd)}`;
  return `${startDay}, ${formatHours(localStart)} to ${endText} (${zone})`;
}

/** Returns the local time in the display zone (ms as if in UTC). The exclusive end of an all-day event becomes its last day. */
const toLocalMs = ({ at, zone }: CalendarTime, displayZone: string, isEnd: boolean): number =>
  zone === undefined ? at - (isEnd ? dayMs : 0) : clockOf(displayZone).toLocalTime(at);

/** Formats weekday and date: the ISO form without `T00:00:00.000Z`. */
const formatDay = (localMs: number): string =>
  `${weekdayFormat.format(localMs)}, ${new Date(localMs).toISOString().slice(0, -14)}`;
/** Formats hours and minutes. The slice counts from the end, since years may have more than four digits. */
const formatHours = (localMs: number): string => new Date(localMs).toISOString().slice(-13, -8);

/** Contents that a mail omits because of its size. */
export interface Omissions {
  readonly instances?: boolean;
  readonly guests?: boolean;
  readonly description?: boolean;
}

/** A change as the recipient of a mail may see it: the input of all parts of the mail. */
export interface RecipientView extends Pick<MailSnapshot, 'iCalUID' | 'organizer' | 'by' | 'instance'> {
  readonly attributes: Mail['attributes'];
  readonly changedAt: Date;
  /** IANA zone of displayed times. */
  readonly zone: string;
  /** The guest who responded, in a reply. */
  readonly guest?: MailGuest;
  readonly event: DisplayedEvent;
  readonly before: NonNullable<MailSnapshot['before']>;
  readonly changedInstances: readonly ChangedInstance[];
  /** Original starts of instances that are cancelled, or hidden from the recipient. */
  readonly excludedStarts: readonly string[];
  /** Contents that the mail omits; its text says so. */
  readonly omitted: Omissions;
}

/** An event as the recipient may see it, with lists that may be empty. */
export interface DisplayedEvent extends MailEvent {
  readonly attendees: readonly MailGuest[];
  readonly recurrence: readonly string[];
}

/** An exception of a series, as the recipient may see it. */
interface ChangedInstance {
  readonly original: string;
  readonly changedAt: Date;
  readonly event: DisplayedEvent;
}

/** Limits for a mail that would be too large otherwise: its excluded starts, and the characters of the description. */
const maxExcludedStarts = 10_000;
const maxDescriptionLength = 500;

/** Reduces the snapshot of a change to the contents that the recipient of a mail may see. */
export function recipientViewOf(
  { attributes }: Mail,
  snapshot: MailSnapshot,
  omissions: Omissions,
): RecipientView {
  const { iCalUID, organizer, by, before = {}, instance, hidesGuests } = snapshot;
  const guestFilter = createGuestFilter(attributes, snapshot, omissions);
  const { attendees = [], recurrence = [] } = snapshot.event;
  const event = { ...snapshot.event, recurrence, attendees: guestFilter.visibleIn(attendees) };
  const { changedInstances, excludedStarts } = classifyExceptions(attributes, snapshot, event, guestFilter);
  return {
    attributes,
    iCalUID,
    organizer,
    instance,
    changedAt: new Date(snapshot.at),
    zone: [attributes.zone, snapshot.zone].find(isTimeZone) ?? 'UTC',
    by: by && (!hidesGuests || guestFilter.isKnown(by)) ? by : undefined,
    guest: attributes.method === 'REPLY' ? event.attendees[0] : undefined,
    event: shortenDescription(event, omissions),
    before: shortenDescription(before, omissions),
    changedInstances: omissions.instances ? [] : changedInstances,
    excludedStarts: omissions.instances ? excludedStarts.slice(0, maxExcludedStarts) : excludedStarts,
    omitted: {
      instances:
        snapshot.seriesAlone === true || (omissions.instances === true && changedInstances.length > 0),
      guests: omissions.guests === true && !hidesGuests && attendees.length > event.attendees.length,
      description:
        omissions.description === true && (hasLongDescription(event) || hasLongDescription(before)),
    },
  };
}

/** Creates the filter of guest lists for the recipient of a mail. */
function createGuestFilter(
  { method, reason, to }: Mail['attributes'],
  { guest = to, hidesGuests, organizer }: MailSnapshot,
  omissions: Omissions,
) {
  const createAddressTest =
    (...addresses: readonly string[]) =>
    ({ email = '' }: { readonly email?: string }): boolean =>
      addresses.some((address) => addressKey(address) === addressKey(email));
  const isKnown = createAddressTest(to, organizer.email, guest);
  const createSingleGuestFilter = (address: string) => (list: readonly MailGuest[]) => [
    list.find(createAddressTest(address)) ?? { email: address },
  ];
  const includeRecipient = (list: readonly MailGuest[]) =>
    createAddressTest(to)(organizer) || list.some(createAddressTest(to)) ? list : [{ email: to }, ...list];
  const filterKnownGuests = (list: readonly MailGuest[]): readonly MailGuest[] =>
    includeRecipient(hidesGuests || omissions.guests ? list.filter(isKnown) : list);
  return {
    /** Whether a person is the organizer, the recipient or the guest who responded: only these are named if guests are hidden. */
    isKnown,
    isRecipient: createAddressTest(to),
    visibleIn:
      method === 'REPLY'
        ? createSingleGuestFilter(guest)
        : reason === 'removed'
          ? createSingleGuestFilter(to)
          : filterKnownGuests,
  };
}

/** Separates the changed exceptions of a series from those that are cancelled or hidden from the recipient. For METHOD REQUEST. */
function classifyExceptions(
  { method }: Mail['attributes'],
  { at, organizer, instance, instances = [] }: MailSnapshot,
  series: DisplayedEvent,
  { visibleIn, isRecipient }: ReturnType<typeof createGuestFilter>,
): Pick<RecipientView, 'changedInstances' | 'excludedStarts'> {
  if (method !== 'REQUEST' || instance) return { changedInstances: [], excludedStarts: [] };
  const isAllDay = series.start?.date !== undefined;
  const exceptions = instances.filter(({ original }) => original.includes('T') !== isAllDay);
  const isExcluded = ({ event: { status, attendees } }: MailInstance): boolean =>
    status === 'cancelled' ||
    (attendees !== undefined && !isRecipient(organizer) && !attendees.some(isRecipient));
  const visibleExceptions = exceptions
    .filter((exception) => !isExcluded(exception))
    .map(({ original, event, onlyGuests, at: changedAt = at }) => ({
      original,
      onlyGuests,
      changedAt: new Date(changedAt),
      event: {
        ...event,
        ...inheritTextFields(event, series),
        recurrence: [],
        attendees: event.attendees ? visibleIn(event.attendees) : series.attendees,
        sequence: Math.max(event.sequence ?? 0, series.sequence ?? 0),
      },
    }));
  return {
    // Guests that differ only in hidden entries are no change.
    changedInstances: visibleExceptions.filter(
      ({ event, onlyGuests }) => !onlyGuests || !isSameJson(event.attendees, series.attendees),
    ),
    excludedStarts: exceptions.filter(isExcluded).map(({ original }) => original),
  };
}

/** Returns the text fields of an instance, inherited from its series if absent. */
function inheritTextFields(
  event: MailInstance['event'],
  series: DisplayedEvent,
): { readonly [Field in (typeof textFields)[number]]: string | undefined } {
  const [summary, description, location] = textFields.map((name) =>
    event[name] === undefined ? series[name] : (event[name] ?? undefined),
  );
  return { summary, description, location };
}

type DescriptionFields = Pick<NonNullable<MailSnapshot['before']>, 'description'>;

const hasLongDescription = ({ description }: DescriptionFields): boolean =>
  (description ?? '').length > maxDescriptionLength;

function shortenDescription<Fields extends DescriptionFields>(fields: Fields, omissions: Omissions): Fields {
  return omissions.description && hasLongDescription(fields)
    ? { ...fields, description: `${fields.description?.slice(0, maxDescriptionLength)}…` }
    : fields;
}
