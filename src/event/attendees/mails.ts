import { hash, randomUUID } from 'node:crypto';
import type { Warning } from '../../core/errors.ts';
import { bytesOf } from '../../core/json.ts';
import { sameJson } from '../../core/patch.ts';
import { addressKey, isEmail } from '../../core/text/email.ts';
import {
  longestName,
  type Mail,
  type MailEvent,
  type MailGuest,
  type MailInstance,
  type MailMethod,
  type MailReason,
  type MailSnapshot,
  displayedFields,
  writtenFields,
} from '../../mail/mail.ts';
import type { SendUpdates } from '../event.requests.ts';
import { type ChangeState, type MailRoom, mostMailsADay } from '../event.store.ts';
import { composeInstance } from '../instances/compose.ts';
import { type Removed, removedGuests } from '../instances/instance-guests.ts';
import { attendeeKey, type EventBody } from '../model/fields.ts';
import { type EventRecord, isSeries, originalStartOf } from '../model/record.ts';
import { linkTo } from '../visibility/event-view.ts';
import {
  type EventChange,
  countedOf,
  isAnswer,
  nobody,
  noticeOf,
  type Notices,
  type Receivers,
  recipientsOf,
} from './notices.ts';

/** Inputs of a snapshot beside the change. */
interface SnapshotInput {
  /** The series of an instance. */
  readonly series?: EventRecord | undefined;
  /** Exceptions of a series as they are after the change. */
  readonly exceptions: () => readonly EventRecord[];
  readonly zoneOf: (calendarId: string) => string | undefined;
}

/** Characters of JSON that the instances of a series may take: more than any mail holds. */
const maxInstancesLength = 2 * 1024 * 1024;

/** A change as its mails tell of it. The organizer has an address. */
function snapshotOf(change: EventChange, told: Receivers, input: SnapshotInput): MailSnapshot {
  const { context } = change;
  const { record } = context;
  const { core, homeId, instance } = record;
  const reasons = new Set([...told.values()].map(({ reason }) => reason));
  const answered = reasons.has('answered');
  const isInvited = reasons.has('invited') || reasons.has('updated');
  const by = authorOf(change);
  const { series } = input;
  const zone = input.zoneOf(homeId) ?? 'UTC';
  const [ofCore, ofCopy] = [record.coreStamp.at, context.copy.stamp.at];
  const now = ofCore > ofCopy ? ofCore : ofCopy;
  const hidesGuests = core.guestsCanSeeOtherGuests === false;
  const people: People = {
    ...(hidesGuests && {
      only: new Set([...told.keys(), addressKey(core.organizer?.email ?? ''), context.owner]),
    }),
    ...(answered && { answering: context.owner, isOff: context.copy.state !== 'present' }),
  };
  return {
    iCalUID: core.iCalUID ?? '',
    at: now,
    organizer: personOf(named(core.organizer ?? {}, core)),
    ...(by && { by }),
    zone,
    hidesGuests,
    event: {
      ...eventOf(record, people),
      sequence: Math.max(core.sequence ?? 0, series?.core.sequence ?? 0),
    },
    ...(reasons.has('updated') && { before: valuesBefore(change) }),
    ...(instance &&
      series && { instance: { original: instance.original, zone: series.core.start?.timeZone ?? zone } }),
    ...(isInvited && isSeries(record) && instancesOf(input.exceptions(), { series: record, now, people })),
    ...(answered && {
      guest:
        core.attendees?.find((entry) => attendeeKey(entry) === context.owner)?.email ??
        context.calendar.owner,
    }),
  };
}

/** The people a mail is about. */
interface People {
  /** Nobody else is: guests are hidden from each other. */
  readonly only?: ReadonlySet<string>;
  /** The guest whose comment is told. */
  readonly answering?: string;
  /** True if the guest took the event off their calendar. */
  readonly isOff?: boolean;
}

function eventOf(record: EventRecord, people: People): MailEvent {
  const attendees = guestsOf(record, people);
  return { ...fieldsOf(record), ...(attendees && { attendees }) };
}

const fieldsOf = ({
  core: { summary, description, location, status, start, end, recurrence, sequence },
}: EventRecord): MailEvent => ({ summary, description, location, status, start, end, recurrence, sequence });

function guestsOf(record: EventRecord, { only, answering, isOff }: People): readonly MailGuest[] | undefined {
  const removed = removedGuests({ record });
  return record.core.attendees?.flatMap(
    ({ email, displayName, responseStatus, comment, optional, resource }): MailGuest[] => {
      const key = addressKey(email ?? '');
      if (email === undefined || only?.has(key) === false) return [];
      const isDeclined = removed?.has(key) || (isOff && key === answering);
      return [
        {
          email,
          displayName: displayName?.slice(0, longestName),
          responseStatus: isDeclined ? 'declined' : responseStatus,
          optional,
          resource,
          ...(key === answering && { comment }),
        },
      ];
    },
  );
}

/** The series that its instances are compared with. */
interface ComparedSeries {
  readonly series: EventRecord;
  /** The series without its copies, for fields that copies do not have. */
  readonly plain: EventRecord;
  readonly guests: readonly MailGuest[] | undefined;
  readonly removed: Removed;
  /** When the change was made that is told. */
  readonly now: string;
  readonly people: People;
}

/** Finds the instances that a mail shows to differ from the rules of their series. */
function instancesOf(
  exceptions: readonly EventRecord[],
  { series, now, people }: Pick<ComparedSeries, 'series' | 'now' | 'people'>,
): Pick<MailSnapshot, 'instances' | 'seriesAlone'> {
  const compared: ComparedSeries = {
    series,
    plain: { ...series, copies: {} },
    guests: guestsOf(series, people),
    removed: removedGuests({ record: series }),
    now,
    people,
  };
  const all = exceptions.flatMap((exception) => instanceOf(exception, compared) ?? []);
  const isOff = ({ event }: MailInstance): boolean => event.status === 'cancelled';
  let size = 0;
  const fits = all.every(
    (instance) => isOff(instance) || (size += JSON.stringify(instance).length) <= maxInstancesLength,
  );
  const instances = fits ? all : all.filter(isOff);
  return { ...(instances.length > 0 && { instances }), ...(!fits && { seriesAlone: true as const }) };
}

function instanceOf(
  exception: EventRecord,
  { series, plain: plainSeries, guests, removed, now, people }: ComparedSeries,
): MailInstance | undefined {
  const original = originalStartOf(exception);
  if (exception.instance?.emptied) return undefined;
  const composed = composeInstance(series, original, exception);
  if (composed.core.status === 'cancelled') return { original, event: { status: 'cancelled' } };
  const [event, plain] = [fieldsOf(composed), fieldsOf(composeInstance(plainSeries, original))];
  // There may be thousands of instances with hundreds of guests: most have the very list of their series.
  const isSameList =
    composed.core.attendees === series.core.attendees &&
    sameGuests(removedGuests({ record: composed }), removed);
  const attendees = isSameList ? guests : guestsOf(composed, people);
  const hasOwnGuests = attendees !== guests && !sameJson(attendees, guests);
  const onlyGuests = sameJson({ ...event, sequence: 0 }, { ...plain, sequence: 0 });
  if (onlyGuests && !hasOwnGuests) return undefined;
  const written = Object.fromEntries(
    writtenFields.map((name) => [name, event[name] === plain[name] ? undefined : (event[name] ?? null)]),
  );
  const { at } = composed.coreStamp;
  return {
    original,
    event: { ...event, ...written, ...(hasOwnGuests && { attendees: attendees ?? [] }) },
    ...(at > now && { at }),
    ...(onlyGuests && { onlyGuests: true as const }),
  };
}

const sameGuests = (one: Removed, other: Removed): boolean =>
  one?.size === other?.size && [...(one ?? [])].every((guest) => other?.has(guest));

const valuesBefore = ({ before, changed }: EventChange): NonNullable<MailSnapshot['before']> =>
  Object.fromEntries(
    displayedFields.filter((name) => changed.includes(name)).map((name) => [name, before[name] ?? null]),
  );

/** The author of the change. */
const authorOf = ({ context: { identity, record } }: EventChange): MailSnapshot['by'] =>
  isEmail(identity) ? personOf(named({ email: identity }, record.core)) : undefined;

type Person = NonNullable<EventBody['organizer']>;

/** A person by the name that the event has of this address. */
function named(person: Person, { organizer, attendees = [], creator }: EventBody): Person {
  const key = addressKey(person.email ?? '');
  const same = [person, organizer, ...attendees, creator].filter(
    (one) => one?.email !== undefined && addressKey(one.email) === key,
  );
  return { email: (same[1] ?? person).email, displayName: same.find((one) => one?.displayName)?.displayName };
}

const personOf = ({ email = '', displayName }: Person): MailSnapshot['organizer'] => ({
  email,
  ...(displayName !== undefined && { displayName: displayName.slice(0, longestName) }),
});

/** What telling guests needs beside the change. */
interface NoticeInput extends SnapshotInput {
  readonly ownerOf: ChangeState['ownerOf'];
  /** Used up by the mails of a decision; undefined where no mails are sent. */
  readonly room: MailQuota | undefined;
  /** Of the request, for traces. */
  readonly place?: (() => string) | undefined;
}

/** What is left for the mails of one decision. */
export type MailQuota = { -readonly [Part in keyof MailRoom]: MailRoom[Part] };

export const remainingQuota = ({ mailRoom }: ChangeState): MailQuota | undefined =>
  mailRoom && { ...mailRoom };

/** Tells those whom a change concerns: by mails that are stored with it, where mails are sent. */
export function noticesOf(asked: SendUpdates, change: EventChange, input: NoticeInput): Notices {
  const { affected, told } = recipientsOf(asked, change, input.ownerOf);
  const { room } = input;
  if (!room) return reported(asked, change, told, told);
  // The organizer is who mails are from, and who gets the answers.
  const isNamed = isEmail(change.context.record.core.organizer?.email ?? '');
  if (!isNamed)
    return told.size > 0 || isAnswer(change)
      ? { ...nobody, warnings: [notAll('the organizer of the event has no e-mail address')] }
      : nobody;
  // How many have a calendar here is not for guests to find out: a warning goes by all of them.
  const wanted = asked === 'externalOnly' && !change.context.asOrganizer ? affected.size : told.size;
  const isBeyond = wanted > room.mails;
  const mails = told.size === 0 || room.mails < 1 ? [] : fitting(mailsOf(change, told, input), room);
  const problem = isBeyond
    ? `one caller causes ${mostMailsADay} mails a day at most`
    : mails.length < told.size
      ? 'too many mails wait to be sent'
      : undefined;
  const mailed = mails.length < told.size ? new Map([...told].slice(0, mails.length)) : told;
  return {
    ...reported(asked, change, told, mailed),
    mails,
    warnings: problem === undefined ? [] : [notAll(problem)],
  };
}

const reported = (asked: SendUpdates, change: EventChange, told: Receivers, mailed: Receivers): Notices => ({
  ...nobody,
  notice: noticeOf(change, mailed),
  counted: countedOf(asked, change, mailed, new Set([...told.keys()].filter((key) => !mailed.has(key)))),
});

const notAll = (why: string): Warning => ({
  path: ['sendUpdates'],
  reason: 'incomplete',
  message: `Not all guests are told of this by mail: ${why}.`,
});

/** Those for which there is room, which they take. */
function fitting(mails: readonly Mail[], room: MailQuota): readonly Mail[] {
  let count = 0;
  for (const { data, ...rest } of mails) {
    const bytes = bytesOf(rest) + (count === 0 ? bytesOf(data) : 0);
    if (room.mails < 1 || room.bytes < bytes) break;
    [count, room.mails, room.bytes] = [count + 1, room.mails - 1, room.bytes - bytes];
  }
  return mails.slice(0, count);
}

function mailsOf(change: EventChange, told: Receivers, input: NoticeInput): readonly Mail[] {
  const { record, links } = change.context;
  const { core, homeId, copies } = record;
  const data = JSON.stringify(snapshotOf(change, told, input));
  const trace = input.place?.() ?? '';
  const calendars = new Map(
    Object.entries(copies).map(([calendarId, { guest }]) => [
      guest ?? addressKey(input.ownerOf(calendarId) ?? ''),
      calendarId,
    ]),
  );
  const zoneOfEvent = core.start?.timeZone ?? input.zoneOf(homeId) ?? 'UTC';
  return [...told].map(([key, { email, reason }]): Mail => {
    const calendarId = calendars.get(key);
    const copy = calendarId === undefined ? undefined : copies[calendarId];
    const zone = calendarId === undefined ? undefined : input.zoneOf(calendarId);
    return {
      id: randomUUID(),
      orderingKey: digestOf(`${(input.series ?? record).key} ${key}`),
      attributes: {
        method: methods[reason],
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

const methods: Readonly<Record<MailReason, MailMethod>> = {
  invited: 'REQUEST',
  updated: 'REQUEST',
  removed: 'CANCEL',
  cancelled: 'CANCEL',
  answered: 'REPLY',
};

/** No address stands in a key, which errors of a database name. */
const digestOf = (text: string): string => hash('sha256', text, 'base64url');
