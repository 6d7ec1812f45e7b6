import { hash } from 'node:crypto';
import type { Warning } from '../../core/errors.ts';
import { estimateBytes } from '../../core/json.ts';
import { newId } from '../../core/new-id.ts';
import { isSameJson } from '../../core/patch.ts';
import { addressKey, isEmail, maxNameLength } from '../../core/text/email.ts';
import { toOriginalStart as formatOriginalStart } from '../../recurrence/original-start.ts';
import {
  type Mail,
  type MailEvent,
  type MailGuest,
  type MailInstance,
  type MailMethod,
  type MailReason,
  type MailSnapshot,
  displayedFields,
  textFields,
} from '../../mail/mail.ts';
import { envelopeBytes } from '../../outbox/outbox.store.ts';
import type { SendUpdates } from '../event.requests.ts';
import { type ChangeState, type MailQuota, maxMailsPerDay } from '../event.store.ts';
import { composeInstance } from '../instances/compose.ts';
import { type WithdrawnGuests, withdrawnGuestsOf } from '../instances/instance-guests.ts';
import { attendeeKey, type EventBody } from '../model/fields.ts';
import { type EventRecord, isSeries, originalStartOf } from '../model/record.ts';
import { linkTo } from '../visibility/event-view.ts';
import {
  type EventChange,
  countVisibleRecipients,
  isResponse,
  noNotice,
  createNotice,
  type Notices,
  type RecipientMap,
  selectRecipients,
} from './notices.ts';

interface SnapshotInput {
  readonly series?: EventRecord | undefined;
  /** Exceptions of a series after the change. */
  readonly exceptions: () => readonly EventRecord[];
  readonly zoneOf: (calendarId: string) => string | undefined;
}

/** Limit of the JSON of a series' instances in characters: more than any mail holds. */
const maxInstancesJsonLength = 2 * 1024 * 1024;

/** Creates the snapshot of a change, which all its mails share. Requires an organizer with an address. */
function createSnapshot(change: EventChange, recipients: RecipientMap, input: SnapshotInput): MailSnapshot {
  const { context } = change;
  const { record } = context;
  const { core, homeId } = record;
  const reasons = new Set([...recipients.values()].map(({ reason }) => reason));
  const hasResponse = reasons.has('answered');
  const hasInvitation = reasons.has('invited') || reasons.has('updated');
  const author = authorOf(change);
  const { series } = input;
  const homeZone = input.zoneOf(homeId) ?? 'UTC';
  const instance = namedInstanceOf(record, series, homeZone);
  const [coreChangedAt, copyChangedAt] = [record.coreStamp.at, context.copy.stamp.at];
  const changedAt = coreChangedAt > copyChangedAt ? coreChangedAt : copyChangedAt;
  const hidesGuests = core.guestsCanSeeOtherGuests === false;
  const people: VisiblePeople = {
    ...(hidesGuests && {
      visibleKeys: new Set([...recipients.keys(), addressKey(core.organizer?.email ?? ''), context.owner]),
    }),
    ...(hasResponse && {
      respondingKey: context.owner,
      respondingEmail: context.calendar.owner,
      hasRemovedEvent: context.copy.state !== 'present',
    }),
  };
  return {
    iCalUID: core.iCalUID ?? '',
    at: changedAt,
    organizer: personOf(withDisplayName(core.organizer ?? {}, core)),
    ...(author && { by: author }),
    zone: homeZone,
    hidesGuests,
    event: {
      ...mailEventOf(record, people),
      sequence: Math.max(core.sequence ?? 0, series?.core.sequence ?? 0),
    },
    ...(reasons.has('updated') && { before: valuesBefore(change) }),
    ...(instance && { instance }),
    ...(hasInvitation &&
      isSeries(record) &&
      findDifferingInstances(input.exceptions(), { series: record, changedAt, people })),
    ...(hasResponse && {
      guest:
        core.attendees?.find((entry) => attendeeKey(entry) === context.owner)?.email ??
        context.calendar.owner,
    }),
  };
}

/** Instance that a mail names: one of the series, or one that is stored without its series. */
function namedInstanceOf(
  { core: { recurringEventId, originalStartTime }, instance }: EventRecord,
  series: EventRecord | undefined,
  homeZone: string,
): MailSnapshot['instance'] {
  if (instance && series)
    return { original: instance.original, zone: series.core.start?.timeZone ?? homeZone };
  const original = recurringEventId === undefined ? undefined : formatOriginalStart(originalStartTime);
  return original === undefined ? undefined : { original, zone: originalStartTime?.timeZone ?? homeZone };
}

interface VisiblePeople {
  /** Only these people appear in the mail, since guests are hidden from each other. */
  readonly visibleKeys?: ReadonlySet<string>;
  /** Key of the guest whose response and comment the mail reports. */
  readonly respondingKey?: string;
  /** Address of that guest, who may be on no guest list (an imported event). */
  readonly respondingEmail?: string;
  /** The responding guest removed the event from the own calendar. */
  readonly hasRemovedEvent?: boolean;
}

function mailEventOf(record: EventRecord, people: VisiblePeople): MailEvent {
  const attendees = mailGuestsOf(record, people);
  return { ...mailFieldsOf(record), ...(attendees && { attendees }) };
}

const mailFieldsOf = ({
  core: { summary, description, location, status, start, end, recurrence, sequence },
}: EventRecord): MailEvent => ({ summary, description, location, status, start, end, recurrence, sequence });

function mailGuestsOf(
  record: EventRecord,
  { visibleKeys, respondingKey, respondingEmail, hasRemovedEvent }: VisiblePeople,
): readonly MailGuest[] | undefined {
  const withdrawnKeys = withdrawnGuestsOf({ record });
  const { attendees } = record.core;
  if (
    hasRemovedEvent &&
    respondingEmail !== undefined &&
    !attendees?.some((entry) => attendeeKey(entry) === respondingKey)
  )
    return [{ email: respondingEmail, responseStatus: 'declined' }];
  return attendees?.flatMap(
    ({ email, displayName, responseStatus, comment, optional, resource }): MailGuest[] => {
      const key = addressKey(email ?? '');
      if (email === undefined || visibleKeys?.has(key) === false) return [];
      const isDeclined = withdrawnKeys?.has(key) || (hasRemovedEvent && key === respondingKey);
      return [
        {
          email,
          displayName: displayName?.slice(0, maxNameLength),
          responseStatus: isDeclined ? 'declined' : responseStatus,
          optional,
          resource,
          ...(key === respondingKey && { comment }),
        },
      ];
    },
  );
}

interface ComparedSeries {
  readonly series: EventRecord;
  /** Series without copies, which compared fields do not need. */
  readonly seriesWithoutCopies: EventRecord;
  readonly guests: readonly MailGuest[] | undefined;
  readonly withdrawnGuests: WithdrawnGuests;
  /** RFC 3339 time of the change that the mail reports. */
  readonly changedAt: string;
  readonly people: VisiblePeople;
}

/** Finds the instances that a mail shows to differ from the rules of their series. */
function findDifferingInstances(
  exceptions: readonly EventRecord[],
  { series, changedAt, people }: Pick<ComparedSeries, 'series' | 'changedAt' | 'people'>,
): Pick<MailSnapshot, 'instances' | 'seriesAlone'> {
  const comparison: ComparedSeries = {
    series,
    seriesWithoutCopies: { ...series, copies: {} },
    guests: mailGuestsOf(series, people),
    withdrawnGuests: withdrawnGuestsOf({ record: series }),
    changedAt,
    people,
  };
  const allInstances = exceptions.flatMap((exception) => mailInstanceOf(exception, comparison) ?? []);
  const isCancelled = ({ event }: MailInstance): boolean => event.status === 'cancelled';
  let jsonLength = 0;
  const isWithinLimit = allInstances.every(
    (instance) =>
      isCancelled(instance) || (jsonLength += JSON.stringify(instance).length) <= maxInstancesJsonLength,
  );
  const instances = isWithinLimit ? allInstances : allInstances.filter(isCancelled);
  return {
    ...(instances.length > 0 && { instances }),
    ...(!isWithinLimit && { seriesAlone: true as const }),
  };
}

function mailInstanceOf(
  exception: EventRecord,
  {
    series,
    seriesWithoutCopies,
    guests: seriesGuests,
    withdrawnGuests: seriesRemoved,
    changedAt,
    people,
  }: ComparedSeries,
): MailInstance | undefined {
  const original = originalStartOf(exception);
  if (exception.instance?.emptied) return undefined;
  const composed = composeInstance(series, original, exception);
  if (composed.core.status === 'cancelled') return { original, event: { status: 'cancelled' } };
  const [event, inherited] = [
    mailFieldsOf(composed),
    mailFieldsOf(composeInstance(seriesWithoutCopies, original)),
  ];
  // Fast path for thousands of instances with hundreds of guests: most share the list of their series.
  const isSameList =
    composed.core.attendees === series.core.attendees &&
    sameGuests(withdrawnGuestsOf({ record: composed }), seriesRemoved);
  const attendees = isSameList ? seriesGuests : mailGuestsOf(composed, people);
  const hasOwnGuests = attendees !== seriesGuests && !isSameJson(attendees, seriesGuests);
  const differsInGuestsOnly = isSameJson({ ...event, sequence: 0 }, { ...inherited, sequence: 0 });
  if (differsInGuestsOnly && !hasOwnGuests) return undefined;
  const textChanges = Object.fromEntries(
    textFields.map((name) => [name, event[name] === inherited[name] ? undefined : (event[name] ?? null)]),
  );
  const { at: instanceChangedAt } = composed.coreStamp;
  return {
    original,
    event: { ...event, ...textChanges, ...(hasOwnGuests && { attendees: attendees ?? [] }) },
    ...(instanceChangedAt > changedAt && { at: instanceChangedAt }),
    ...(differsInGuestsOnly && { onlyGuests: true as const }),
  };
}

const sameGuests = (guests: WithdrawnGuests, otherGuests: WithdrawnGuests): boolean =>
  guests?.size === otherGuests?.size && [...(guests ?? [])].every((guest) => otherGuests?.has(guest));

const valuesBefore = ({ coreBefore, changedFields }: EventChange): NonNullable<MailSnapshot['before']> =>
  Object.fromEntries(
    displayedFields
      .filter((name) => changedFields.includes(name))
      .map((name) => [name, coreBefore[name] ?? null]),
  );

const authorOf = ({ context: { identity, record } }: EventChange): MailSnapshot['by'] =>
  isEmail(identity) ? personOf(withDisplayName({ email: identity }, record.core)) : undefined;

type Person = NonNullable<EventBody['organizer']>;

function withDisplayName(person: Person, { organizer, attendees = [], creator }: EventBody): Person {
  const key = addressKey(person.email ?? '');
  const matches = [person, organizer, ...attendees, creator].filter(
    (entry) => entry?.email !== undefined && addressKey(entry.email) === key,
  );
  const { displayName } = matches.find((entry) => entry?.displayName) ?? {};
  return { email: (matches[1] ?? person).email, displayName };
}

const personOf = ({ email = '', displayName }: Person): MailSnapshot['organizer'] => ({
  email,
  ...(displayName !== undefined && { displayName: displayName.slice(0, maxNameLength) }),
});

interface NoticeInput extends SnapshotInput {
  readonly ownerOf: ChangeState['ownerOf'];
  /** Quota that the mails of a decision use up; undefined where no mails are sent. */
  readonly quota: OpenMailQuota | undefined;
  /** Returns the request's place in a trace (`traceparent`), which its mails continue. */
  readonly place?: (() => string) | undefined;
}

/** Mail quota that decreases as mails are created. */
export type OpenMailQuota = { -readonly [Part in keyof MailQuota]: MailQuota[Part] };

export const remainingQuota = ({ mailQuota }: ChangeState): OpenMailQuota | undefined =>
  mailQuota && { ...mailQuota };

/**
 * Creates the notice of a change, and its mails, which are stored with the change. If the organizer is
 * elsewhere (`isOrganizedElsewhere`), only a response of the calendar's owner is sent: nobody may write in
 * another's name.
 */
export function createNotices(sendUpdates: SendUpdates, change: EventChange, input: NoticeInput): Notices {
  if (isOrganizedElsewhere(change.context.record, input.ownerOf) && !isResponse(change))
    return change.changedFields.length > 0 || change.invitesUnseenGuest
      ? { ...noNotice, warnings: [incompleteWarning('its organizer is elsewhere and notifies them')] }
      : noNotice;
  const { affectedRecipients, notifiedRecipients } = selectRecipients(sendUpdates, change, input.ownerOf);
  const { quota } = input;
  if (!quota) return noticesWithoutMails(sendUpdates, change, notifiedRecipients, notifiedRecipients);
  // Mails are sent from the organizer's address, and responses to it.
  const hasSender = isEmail(change.context.record.core.organizer?.email ?? '');
  if (!hasSender)
    return notifiedRecipients.size > 0 || isResponse(change)
      ? { ...noNotice, warnings: [incompleteWarning('the organizer of the event has no e-mail address')] }
      : noNotice;
  // Guests must not learn how many others have a calendar here, so the warning counts all affected guests.
  const affectedCount =
    sendUpdates === 'externalOnly' && !change.context.hasOrganizerRights
      ? affectedRecipients.size
      : notifiedRecipients.size;
  const exceedsQuota = affectedCount > quota.mails;
  const mails =
    notifiedRecipients.size === 0 || quota.mails < 1
      ? []
      : limitToQuota(createMails(change, notifiedRecipients, input), quota);
  const problem = exceedsQuota
    ? `one caller may cause ${maxMailsPerDay} mails a day`
    : mails.length < notifiedRecipients.size
      ? 'too many mails are waiting to be sent'
      : undefined;
  const mailedRecipients =
    mails.length < notifiedRecipients.size
      ? new Map([...notifiedRecipients].slice(0, mails.length))
      : notifiedRecipients;
  return {
    ...noticesWithoutMails(sendUpdates, change, notifiedRecipients, mailedRecipients),
    mails,
    warnings: problem === undefined ? [] : [incompleteWarning(problem)],
  };
}

/** Whether the organizer of an event is somebody other than the owner of its home calendar, as of an imported event. */
function isOrganizedElsewhere(
  { homeId, core: { organizer } }: EventRecord,
  ownerOf: ChangeState['ownerOf'],
): boolean {
  const owner = ownerOf(homeId);
  return (
    organizer?.email !== undefined && owner !== undefined && addressKey(organizer.email) !== addressKey(owner)
  );
}

function noticesWithoutMails(
  sendUpdates: SendUpdates,
  change: EventChange,
  notified: RecipientMap,
  mailedRecipients: RecipientMap,
): Notices {
  const unmailedKeys = new Set([...notified.keys()].filter((key) => !mailedRecipients.has(key)));
  const guestsNotified = countVisibleRecipients(sendUpdates, change, mailedRecipients, unmailedKeys);
  return { ...noNotice, notice: createNotice(change, mailedRecipients), guestsNotified };
}

const incompleteWarning = (problem: string): Warning => ({
  path: ['sendUpdates'],
  reason: 'incomplete',
  message: `Not all guests are notified of this by mail: ${problem}.`,
});

/** Selects the first mails that fit the quota, and reduces the quota by them. */
function limitToQuota(mails: readonly Mail[], quota: OpenMailQuota): readonly Mail[] {
  let count = 0;
  for (const mail of mails) {
    const bytes = envelopeBytes(mail) + (count === 0 ? estimateBytes(mail.data) : 0);
    if (quota.mails < 1 || quota.bytes < bytes) break;
    [count, quota.mails, quota.bytes] = [count + 1, quota.mails - 1, quota.bytes - bytes];
  }
  return mails.slice(0, count);
}

function createMails(change: EventChange, mailRecipients: RecipientMap, input: NoticeInput): readonly Mail[] {
  const { record, links } = change.context;
  const { core, homeId, copies } = record;
  const data = JSON.stringify(createSnapshot(change, mailRecipients, input));
  const trace = input.place?.() ?? '';
  const calendars = new Map(
    Object.entries(copies).map(([calendarId, { guest }]) => [
      guest ?? addressKey(input.ownerOf(calendarId) ?? ''),
      calendarId,
    ]),
  );
  const zoneOfEvent = core.start?.timeZone ?? input.zoneOf(homeId) ?? 'UTC';
  return [...mailRecipients].map(([key, { email, reason }]): Mail => {
    const calendarId = calendars.get(key);
    const copy = calendarId === undefined ? undefined : copies[calendarId];
    const zone = calendarId === undefined ? undefined : input.zoneOf(calendarId);
    return {
      id: newId(),
      orderingKey: digestOf(`${(input.series ?? record).key} ${key}`),
      attributes: {
        method: methodByReason[reason],
        reason,
        to: email,
        zone: zone ?? zoneOfEvent,
        event: copies[homeId]?.id ?? '',
        trace,
        link: calendarId !== undefined && copy?.state === 'present' ? linkTo(links, calendarId, copy.id) : '',
      },
      data,
    };
  });
}

const methodByReason: Readonly<Record<MailReason, MailMethod>> = {
  invited: 'REQUEST',
  updated: 'REQUEST',
  removed: 'CANCEL',
  cancelled: 'CANCEL',
  answered: 'REPLY',
};

/** Hashes addresses in keys, since errors of a database name keys. */
const digestOf = (text: string): string => hash('sha256', text, 'base64url');
