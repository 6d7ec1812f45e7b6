import { sameValue, readOnlyMessage } from '../../core/fields/changes.ts';
import { validateValue, tooMany } from '../../core/fields/validate.ts';
import type { FieldNode } from '../../core/fields/table.ts';
import { type Attendee, attendeeKey } from '../model/fields.ts';
import { madeUpHost } from '../visibility/event-view.ts';
import type { Draft, GuestChange } from '../draft.ts';
import { answerOnly } from './answer.ts';
import {
  aroundHidden,
  guestListContext,
  type GuestListContext,
  inStoredOrder,
  isMadeUp,
  keyOfSent,
  type SentGuest,
  settle,
  storedGuests,
} from './guest-list.ts';

type Entry = Readonly<Record<string, unknown>>;

const path = ['event', 'attendees'];

/**
 * Works the guest list that a client sent into the stored one (contract: patch semantics, who may change what).
 * An entry is recognised by its address; in one that is listed again what is absent keeps the stored value and null
 * clears it. Guests whom the caller does not see stay, and nobody learns of them.
 */
export function mergeGuests(draft: Draft, node: FieldNode): void {
  const { body, creating, report } = draft;
  const onlyOwn = body.attendeesOmitted === true && !creating;
  const known = guestListContext(draft, node);
  const sent = body.attendees;
  if (onlyOwn) return answerOnly(draft, node, known);
  if (sent && sent.length > Math.max(known.maxGuests, known.seenKeys.size))
    return report.issue(path, ...tooMany({ entries: known.maxGuests, called: 'attendees' }, sent.length));

  const merged: SentGuest[] = [];
  const listed = new Map<string | undefined, number>();
  const change: Flags = {
    adds: false,
    removes: false,
    changesOthers: false,
    answersForOthers: false,
    invites: false,
  };
  const indexes = draft.sentIndexes.get(node.name);
  for (const [position, entry] of (sent ?? []).entries()) {
    const index = indexes?.[position] ?? position;
    const key = keyOfSent(entry);
    const occurrence = listed.get(key) ?? 0;
    listed.set(key, occurrence + 1);
    merged.push({ entry: mergeEntry(draft, known, { entry, key, index, occurrence }, change), index });
  }
  change.removes = [...known.seenKeys].some((key) => !listed.has(key));
  // Who may not change the list does not put it in another order.
  const inOrder =
    !draft.context.asOrganizer &&
    !draft.context.record.core.guestsCanModify &&
    !creating &&
    listed.size === merged.length;
  const stored = known.stored;
  const hidden = new Set(
    stored.filter((entry) => !known.seenKeys.has(attendeeKey(entry)) && !listed.has(attendeeKey(entry))),
  );
  if (merged.length + hidden.size > Math.max(node.max?.stored ?? Infinity, stored.length))
    return report.issue(path, 'tooMany', 'This event takes no more guests.');
  draft.guests = change;
  settle(
    draft,
    node,
    aroundHidden(stored, inOrder ? inStoredOrder(stored, merged) : merged, hidden),
    sent === null,
  );
}

interface SentEntry {
  readonly entry: Entry;
  readonly key: string | undefined;
  readonly index: number;
  /** How many entries of this guest were sent before. */
  readonly occurrence: number;
}

const madeUpAddress = `Addresses at ${madeUpHost} are made up for people without one (alwaysIncludeEmail) and receive no mail. Give this guest's own address, or leave the guest out.`;

type Flags = { -readonly [K in keyof GuestChange]: boolean };

/** The entry to store for one that was sent; what it changes is noted. The very stored entry when it changes nothing. */
function mergeEntry(
  draft: Draft,
  known: GuestListContext,
  { entry, key, index, occurrence }: SentEntry,
  flags: Flags,
): Attendee {
  const shown = known.seenEntry(key, occurrence);
  const stored = known.storedEntry(key, occurrence);
  if (!shown) {
    flags.adds = true;
    flags.invites = true;
    if (isMadeUp(entry.email)) draft.report.issue([...path, index, 'email'], 'invalid', madeUpAddress);
  }
  const result: Record<string, unknown> = shown && stored ? { ...stored } : {};
  let changed = !shown;
  for (const field of known.fields) {
    const value = entry[field.name];
    // In another spelling it is the same address, by which the entry was found; the stored spelling stays.
    const isAddress =
      field.name === 'email' && shown !== undefined && (shown.email !== undefined || isMadeUp(value));
    if (value === undefined || isAddress || sameValue(field, shown?.[field.name as 'email'], value)) continue;
    if (!applies(draft, field, { key, index, isNew: !shown, value }, flags)) continue;
    changed = true;
    result[field.name] = value ?? undefined;
  }
  // A hidden guest who is invited once more keeps the entry that is stored.
  if (!shown && stored) return stored;
  return changed || !stored ? (storedGuests([result], known.fields)[0] as Attendee) : stored;
}

interface SentValue {
  readonly key: string | undefined;
  readonly index: number;
  readonly isNew: boolean;
  readonly value: unknown;
}

/** Whether a value that differs is taken over; says so where it is not. */
function applies(
  draft: Draft,
  field: FieldNode,
  { key, index, isNew, value }: SentValue,
  flags: Flags,
): boolean {
  const { context, guestCalendars, report } = draft;
  const { name, change } = field;
  const ignore = (message: string): false => {
    // A value that is not applied is validated all the same, so that a broken one is reported.
    if (change === 'own' && value !== null) validateValue(field.value, value, [...path, index, name], report);
    report.warn([...path, index, name], change === 'readOnly' ? 'readOnly' : 'ignored', message);
    return false;
  };
  if (change === 'readOnly') {
    // A new entry may say of itself what will be true of it.
    const willBe =
      (name === 'self' && key === context.owner) ||
      (name === 'organizer' && key !== undefined && key === context.organizer);
    return isNew && willBe && value === true ? false : ignore(readOnlyMessage(field));
  }
  if (change === 'once' && !isNew)
    return ignore(
      `The ${name} can only be set when the entry is added: the value that was sent was ignored.`,
    );
  if (change === 'own' && key !== context.owner) {
    const isHosted = key !== undefined && guestCalendars.has(key);
    if (isHosted && (context.asOrganizer || !isNew))
      return ignore(
        `The guest has a calendar here and alone answers: the ${name} that was sent was ignored.`,
      );
    if (context.asOrganizer) return true;
    // The same for everybody who is new: who has a calendar here is not for guests to find out.
    if (isNew) return ignore(`A guest answers for nobody else: the ${name} that was sent was ignored.`);
    flags.answersForOthers = true;
    return true;
  }
  if (!isNew && change !== 'own') flags.changesOthers = true;
  return true;
}
