import type { Path } from '../core/errors.ts';
import type { Changing } from '../core/fields/changes.ts';
import { sameJson, withoutNulls } from '../core/patch.ts';
import type { Report } from '../core/report.ts';
import { zoneOfWindows, zoneWarningMessage } from '../core/time/time-zone.ts';
import { type EventTime, kindOf } from '../core/time/time.ts';
import {
  maxExcludedOccurrences,
  type StoredLine,
  storedLines,
  type TimeTools,
  tooManyExcluded,
} from '../recurrence/stored-lines.ts';
import type { ConferenceMaker } from './conference/create.ts';
import type { Support } from './event.requests.ts';
import type { ChangeState } from './event.store.ts';
import type { EventBody, EventPatch } from './model/fields.ts';
import { type EventCopy, type EventParts, type EventRecord, noParts } from './model/record.ts';
import type { EventContext } from './visibility/event-context.ts';
import type { EventView } from './visibility/event-view.ts';

/** A write on its way: each step reads what the steps before it left, and adds its own. */
export interface Draft extends Changing {
  readonly context: EventContext;
  /** How the rules validate it. */
  readonly mode: 'patch' | 'instance' | 'insert';
  /** Body as the client sent it. */
  readonly sent: EventPatch;
  /** Body in the form in which events are stored. */
  readonly body: EventPatch;
  readonly support: Support;
  readonly guestCalendars: ChangeState['guests'];
  /** Made where conference data is sent. */
  readonly conference: () => ConferenceMaker;
  /** The event as the caller sees it. */
  readonly seen: EventView;
  readonly before: EventParts;
  /** normalize: what is left of the body to be merged, in the form in which it is stored. */
  change: Record<string, unknown>;
  /** normalize: what becomes of the guest list. */
  guests: GuestChange | undefined;
  /** normalize: fields that are replaced as a whole instead of being merged. */
  replacements: Pick<EventBody, 'conferenceData' | 'callLink'> | undefined;
  /** normalize: the conference that the rules are held against, as the client sees it. */
  validatedConference: EventBody['conferenceData'];
  /** normalize: what `status` makes of the copy. */
  state: EventCopy['state'];
  /** merge: the parts with the change in them. */
  after: EventParts;
  /** By name of a list that was put together here: at which index the client sent each entry. */
  readonly sentIndexes: Map<string, readonly number[]>;
  /** Exceptions of the series that is changed. */
  readonly exceptions: readonly EventRecord[];
  /** moveLines: cancelled instances of the series become dates that its lines exclude. */
  excludesCancelled: boolean;
}

interface DraftInput extends Pick<
  Draft,
  'context' | 'creating' | 'support' | 'guestCalendars' | 'conference' | 'report' | 'sentIndexes'
> {
  readonly body: EventPatch;
  readonly times: TimeTools;
  readonly exceptions?: Draft['exceptions'];
}

/** A draft against an event that somebody has seen already. */
export function openDraft(
  {
    context: at,
    creating,
    body,
    support,
    guestCalendars,
    conference,
    report,
    sentIndexes,
    times,
    exceptions = [],
  }: DraftInput,
  seen: EventView,
): Draft {
  const before = creating ? noParts : at.parts;
  // Each by its name: with those given as a rest this took as long as all checks.
  return {
    context: at,
    creating,
    sent: body,
    body: inStoredForm(body, {
      seen: creating ? {} : seen,
      zone: at.calendar.timeZone,
      tools: times,
      path: ['event'],
      report,
      sentIndexes,
    }),
    support,
    guestCalendars,
    conference,
    report,
    sentIndexes,
    before,
    seen,
    mode: creating ? 'insert' : 'patch',
    change: {},
    changedFields: [],
    unapplied: [],
    guests: undefined,
    replacements: undefined,
    validatedConference: undefined,
    state: at.copy.state,
    after: before,
    exceptions,
    excludesCancelled: false,
  };
}

/** The whole event before and after, as rules read it. */
export const wholeBefore = ({ context, before }: Draft): EventBody => context.model.whole(before);
export const wholeAfter = ({ context, after }: Draft): EventBody => context.model.whole(after);

interface StoredFormContext {
  /** The event as the caller sees it; nothing of a new one. */
  readonly seen: EventBody;
  /** The calendar's zone. */
  readonly zone: string;
  readonly tools: TimeTools;
  /** Path of the event in the input: `['event']`. */
  readonly path: Path;
  readonly report: Report;
  /** Gets the indexes at which the client sent what is stored. */
  readonly sentIndexes: Map<string, readonly number[]>;
}

export const timeFields = ['start', 'end', 'originalStartTime'] as const;

/** The stored form of a body's times and lines (contract, section 14), the same body where it has it. Warns of other changes than zones' spelling. */
export function inStoredForm(body: EventPatch, facts: StoredFormContext): EventPatch {
  let stored = body;
  for (const name of timeFields) {
    const time = normalizeZone(body[name], name, facts);
    if (time !== body[name]) stored = { ...stored, [name]: time };
  }
  // Lines of an instance are refused as they are.
  const isInstance = typeof (body.recurringEventId ?? facts.seen.recurringEventId) === 'string';
  if (!Array.isArray(body.recurrence) || isInstance) return stored;
  const recurrence = normalizeLines(body.recurrence, stored, facts);
  return recurrence === body.recurrence ? stored : { ...stored, recurrence };
}

type SentTime = EventPatch['start'];

function normalizeZone(
  time: SentTime,
  name: (typeof timeFields)[number],
  facts: StoredFormContext,
): SentTime {
  const sent = time?.timeZone;
  if (typeof sent !== 'string') return time;
  const { seen, tools, path, report } = facts;
  const known = seen[name]?.timeZone;
  if (sent === known) return time;
  const ofWindows = zoneOfWindows(sent);
  if (ofWindows !== undefined)
    report.warn([...path, name, 'timeZone'], 'normalized', zoneWarningMessage(ofWindows));
  const zone = ofWindows ?? sent;
  const spelled = known?.toLowerCase() === zone.toLowerCase() ? known : tools.spelled(zone);
  return spelled === sent ? time : { ...time, timeZone: spelled };
}

type Lines = NonNullable<EventPatch['recurrence']>;

function normalizeLines(sent: Lines, { start: sentStart }: EventPatch, facts: StoredFormContext): Lines {
  const { seen, zone, tools, path, report, sentIndexes } = facts;
  const start = mergeTime(seen.start, sentStart);
  const known = new Set(kindOf(start) === kindOf(seen.start) ? seen.recurrence : []);
  // Lines that are sent back as they were shown move with the start.
  if (sameJson(sent, seen.recurrence) || sent.every((line) => known.has(line))) return sent;
  const texts = sent.filter((line) => typeof line === 'string');
  const stored = storedLines(texts, { start, zone, tools }).values();
  const [lines, indexes]: [string[], number[]] = [[], []];
  const notes: (() => void)[] = [];
  for (const [index, text] of sent.entries()) {
    // Values that are no text are for the rules to refuse.
    const one = typeof text === 'string' ? (stored.next().value as StoredLine) : undefined;
    if (one === undefined || known.has(text) || (one.isSame && !one.tooMany)) {
      lines.push(...(one && !known.has(text) ? one.lines : [text]));
      indexes.push(index);
      continue;
    }
    const at = [...path, 'recurrence', index];
    if (one.tooMany) report.issue(at, 'tooMany', tooManyExcluded, { max: maxExcludedOccurrences });
    else {
      const message = one.lines.length > 0 ? `Stored as ${one.lines.join(' and ')}` : nothingLeft;
      notes.push(() => report.warn(at, 'normalized', message));
    }
    lines.push(...one.lines);
    // Lines that one line became count as one.
    indexes.push(...one.lines.map((_line, part) => (part === 0 ? index : -1)));
  }
  // Lines that come to what is stored already may move with the start.
  if (sameJson(lines, seen.recurrence)) return lines;
  for (const note of notes) note();
  if (sameJson(lines, sent)) return sent;
  sentIndexes.set('recurrence', indexes);
  return lines;
}

const nothingLeft =
  'Nothing starts on these days, so that there is nothing to exclude: the line was left out.';
function mergeTime(seen: EventTime | undefined, sent: SentTime): EventTime | undefined {
  if (sent === undefined) return seen;
  return sent === null ? undefined : withoutNulls({ ...seen, ...sent });
}

/** The kinds of change that a write makes to the guest list, for callers who may make only some of them. */
export interface GuestChange {
  readonly adds: boolean;
  readonly removes: boolean;
  /** More than the caller's own answer changes of entries that stay. */
  readonly changesOthers: boolean;
  /** An answer of a guest who has no calendar here to answer on. */
  readonly answersForOthers: boolean;
  /** Somebody is invited whom the caller does not see, be it a stranger or a hidden guest. */
  readonly invites: boolean;
}
