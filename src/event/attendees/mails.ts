import { hash, randomUUID } from 'node:crypto';
import type { Warning } from '../../core/kernel/errors.ts';
import { bytesOf } from '../../core/kernel/size.ts';
import { addressKey, isEmail } from '../../core/text/email.ts';
import type { Mail, MailMethod, MailReason } from '../../mail/mail.ts';
import type { SendUpdates } from '../event.requests.ts';
import { mostMailsADay, type Found, type MailRoom } from '../event.store.ts';
import { linkTo } from '../view/event-view.ts';
import { snapshotOf, type SnapshotParts } from './mail-snapshot.ts';
import {
  countedOf,
  isAnswer,
  nobody,
  noticeOf,
  toldOf,
  type Change,
  type Notices,
  type Receivers,
} from './notices.ts';

/** What telling guests needs beside the change. */
export interface NoticeParts extends SnapshotParts {
  readonly ownerOf: Found['ownerOf'];
  /** Used up by the mails of a decision; undefined where no mails are sent. */
  readonly room: Room | undefined;
  /** Of the request, for traces. */
  readonly place?: (() => string) | undefined;
}

/** What is left for the mails of one decision. */
export type Room = { -readonly [Part in keyof MailRoom]: MailRoom[Part] };

export const openRoom = ({ mailRoom }: Found): Room | undefined => mailRoom && { ...mailRoom };

/** Tells those whom a change concerns: by mails that are stored with it, where mails are sent. */
export function noticesOf(asked: SendUpdates, change: Change, parts: NoticeParts): Notices {
  const { concerned, told } = toldOf(asked, change, parts.ownerOf);
  const { room } = parts;
  if (!room) return reported(asked, change, told, told);
  // The organizer is who mails are from, and who gets the answers.
  const isNamed = isEmail(change.at.record.core.organizer?.email ?? '');
  if (!isNamed)
    return told.size > 0 || isAnswer(change)
      ? { ...nobody, warnings: [notAll('the organizer of the event has no e-mail address')] }
      : nobody;
  // How many have a calendar here is not for guests to find out: a warning goes by all of them.
  const wanted = asked === 'externalOnly' && !change.at.asOrganizer ? concerned.size : told.size;
  const isBeyond = wanted > room.mails;
  const mails = told.size === 0 || room.mails < 1 ? [] : fitting(mailsOf(change, told, parts), room);
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

const reported = (asked: SendUpdates, change: Change, told: Receivers, mailed: Receivers): Notices => ({
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
function fitting(mails: readonly Mail[], room: Room): readonly Mail[] {
  let count = 0;
  for (const { data, ...rest } of mails) {
    const bytes = bytesOf(rest) + (count === 0 ? bytesOf(data) : 0);
    if (room.mails < 1 || room.bytes < bytes) break;
    [count, room.mails, room.bytes] = [count + 1, room.mails - 1, room.bytes - bytes];
  }
  return mails.slice(0, count);
}

function mailsOf(change: Change, told: Receivers, parts: NoticeParts): readonly Mail[] {
  const {
    at: { record, links },
  } = change;
  const { core, homeId, copies } = record;
  const data = JSON.stringify(snapshotOf(change, told, parts));
  const trace = parts.place?.() ?? '';
  const calendars = new Map(
    Object.entries(copies).map(([calendarId, { guest }]) => [
      guest ?? addressKey(parts.ownerOf(calendarId) ?? ''),
      calendarId,
    ]),
  );
  const zoneOfEvent = core.start?.timeZone ?? parts.zoneOf(homeId) ?? 'UTC';
  return [...told].map(([key, { email, reason }]): Mail => {
    const calendarId = calendars.get(key);
    const copy = calendarId === undefined ? undefined : copies[calendarId];
    const zone = calendarId === undefined ? undefined : parts.zoneOf(calendarId);
    return {
      id: randomUUID(),
      orderingKey: digestOf(`${(parts.series ?? record).key} ${key}`),
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
