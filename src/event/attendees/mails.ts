import { hash } from 'node:crypto';
import type { Warning } from '../../core/errors.ts';
import { estimateBytes } from '../../core/json.ts';
import { newId } from '../../core/ids.ts';
import { addressKey, isEmail } from '../../core/text/email.ts';
import type { Mail, MailMethod, MailReason } from '../../mail/mail.ts';
import { envelopeBytesOf } from '../../outbox/outbox.store.ts';
import type { SendUpdates } from '../event.requests.ts';
import { type ChangeState, type MailQuota, maxMailsPerDay } from '../event.store.ts';
import type { EventRecord } from '../model/record.ts';
import { linkTo } from '../visibility/event-view.ts';
import {
  type EventChange,
  countVisibleRecipients,
  createNotice,
  findAffectedRecipients,
  isResponse,
  noNotice,
  type Notices,
  type RecipientMap,
  selectExternal,
} from './notices.ts';
import { createSnapshot } from './mail-snapshot.ts';

/** State beside the change that its notice and mails depend on. */
interface NoticeInput extends Pick<ChangeState, 'ownerOf' | 'zoneOf'> {
  /** Quota that the mails of a decision use up; undefined where no mails are sent. */
  readonly quota: OpenMailQuota | undefined;
  /** Returns the request's place in a trace (`traceparent`), which its mails continue. */
  readonly readTraceparent?: (() => string) | undefined;
}

/** Mail quota that decreases as mails are created. */
type OpenMailQuota = { -readonly [Part in keyof MailQuota]: MailQuota[Part] };

/**
 * Creates the notice of a change, and its mails, which are stored with the change. If the organizer is
 * elsewhere (`isOrganizedElsewhere`), only a response of the calendar's owner is sent: nobody may write in
 * another's name.
 */
export function createNotices(sendUpdates: SendUpdates, change: EventChange, input: NoticeInput): Notices {
  const { record, hasOrganizerRights } = change.context;
  const isReply = isResponse(change);
  if (isOrganizedElsewhere(record, input.ownerOf) && !isReply)
    return change.changedFields.length > 0 || change.invitesUnseenGuest
      ? { ...noNotice, warnings: [incompleteWarning('its organizer is elsewhere and notifies them')] }
      : noNotice;
  const affectedRecipients = findAffectedRecipients(change, isReply);
  // The organizer is notified of a response unless sendUpdates is none.
  const intendedRecipients =
    sendUpdates === 'externalOnly' && !isReply
      ? selectExternal(affectedRecipients, record, input.ownerOf)
      : affectedRecipients;
  const { quota } = input;
  // Mails are sent from the organizer's address, and responses to it.
  if (quota && !isEmail(record.core.organizer?.email ?? ''))
    return intendedRecipients.size > 0 || isReply
      ? { ...noNotice, warnings: [incompleteWarning('the organizer of the event has no e-mail address')] }
      : noNotice;
  // Guests must not learn how many others have a calendar here, so the warning counts all affected guests.
  const countedRecipients =
    sendUpdates === 'externalOnly' && !hasOrganizerRights ? affectedRecipients : intendedRecipients;
  const exceedsQuota = quota !== undefined && countedRecipients.size > quota.mails;
  const mails =
    quota && quota.mails >= 1 && intendedRecipients.size > 0
      ? limitToQuota(createMails(change, intendedRecipients, input), quota)
      : [];
  const recipients =
    quota && mails.length < intendedRecipients.size
      ? new Map([...intendedRecipients].slice(0, mails.length))
      : intendedRecipients;
  const problem = exceedsQuota
    ? `one caller may cause ${maxMailsPerDay} mails a day`
    : recipients.size < intendedRecipients.size
      ? 'too many mails are waiting to be sent'
      : undefined;
  return {
    notice: createNotice(change, recipients),
    guestsNotified: countVisibleRecipients(sendUpdates, change, recipients, intendedRecipients),
    mails,
    warnings: problem === undefined ? [] : [incompleteWarning(problem)],
  };
}

/** Whether the organizer of an event is somebody other than the owner of its home calendar, as of an imported event. */
function isOrganizedElsewhere({ homeId, core: { organizer } }: EventRecord, ownerOf: ChangeState['ownerOf']) {
  const owner = ownerOf(homeId);
  return (
    organizer?.email !== undefined && owner !== undefined && addressKey(organizer.email) !== addressKey(owner)
  );
}

const incompleteWarning = (problem: string): Warning => ({
  path: ['sendUpdates'],
  reason: 'incomplete',
  message: `Not all guests are notified of this by mail: ${problem}.`,
});

/** Selects the first mails that fit the quota, and reduces the quota by them. */
function limitToQuota(mails: readonly Mail[], quota: OpenMailQuota): readonly Mail[] {
  let mailCount = 0;
  for (const mail of mails) {
    const bytes = envelopeBytesOf(mail) + (mailCount === 0 ? estimateBytes(mail.data) : 0);
    if (quota.mails < 1 || quota.bytes < bytes) break;
    [mailCount, quota.mails, quota.bytes] = [mailCount + 1, quota.mails - 1, quota.bytes - bytes];
  }
  return mails.slice(0, mailCount);
}

/** Creates a mail for each recipient; all share one snapshot. */
function createMails(change: EventChange, mailRecipients: RecipientMap, input: NoticeInput): readonly Mail[] {
  const { record, links } = change.context;
  const { core, homeId, copies } = record;
  const data = JSON.stringify(createSnapshot(change, mailRecipients, input.zoneOf));
  const trace = input.readTraceparent?.() ?? '';
  const calendarIdByPerson = new Map(
    Object.entries(copies).map(([calendarId, { guest }]) => [
      guest ?? addressKey(input.ownerOf(calendarId) ?? ''),
      calendarId,
    ]),
  );
  const zoneOfEvent = core.start?.timeZone ?? input.zoneOf(homeId) ?? 'UTC';
  return [...mailRecipients].map(([key, { email, reason }]): Mail => {
    const calendarId = calendarIdByPerson.get(key);
    const copy = calendarId === undefined ? undefined : copies[calendarId];
    const zone = calendarId === undefined ? undefined : input.zoneOf(calendarId);
    return {
      id: newId(),
      orderingKey: digestOf(`${(change.series ?? record).key} ${key}`),
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

/** Hashes a key that contains an address, since errors of a database name keys. */
const digestOf = (text: string): string => hash('sha256', text, 'base64url');
