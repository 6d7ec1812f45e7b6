import type { Path } from '../core/errors.ts';
import type { ChangeContext } from '../core/fields/changes.ts';
import { sameJson, withoutNulls } from '../core/patch.ts';
import type { Report } from '../core/report.ts';
import { windowsToIana, zoneWarningMessage } from '../core/time/time-zone.ts';
import { type EventTime, kindOf } from '../core/time/time.ts';
import {
  maxExcludedOccurrences,
  type StoredLine,
  toStoredLines,
  type TimeTools,
  tooManyExcluded,
} from '../recurrence/stored-lines.ts';
import type { ConferenceMaker } from './conference/create.ts';
import type { SupportArgs } from './event.requests.ts';
import type { ChangeState } from './event.store.ts';
import type { EventBody, EventPatch } from './model/fields.ts';
import { type EventCopy, type EventParts, type EventRecord, emptyParts } from './model/record.ts';
import type { EventContext } from './visibility/event-context.ts';
import type { EventView } from './visibility/event-view.ts';

/** Change of an event while it is decided. Each step of `write/` adds its results for the following steps. */
export interface Draft extends ChangeContext {
  readonly context: EventContext;
  readonly mode: 'patch' | 'instance' | 'insert';
  /** Body as the client sent it. */
  readonly sent: EventPatch;
  /** Body in the form in which events are stored. */
  readonly body: EventPatch;
  readonly support: SupportArgs;
  readonly guestCalendars: ChangeState['guests'];
  /** Creates the maker only if conference data is sent. */
  readonly conference: () => ConferenceMaker;
  /** Event as the caller sees it. */
  readonly seen: EventView;
  readonly before: EventParts;
  /** Result of normalize: effective changes to merge, in stored form. */
  change: Record<string, unknown>;
  guests: GuestChange | undefined;
  /** Result of normalize: fields that are replaced as a whole instead of being merged. */
  replacements: Pick<EventBody, 'conferenceData' | 'callLink'> | undefined;
  /** Result of normalize: conference that the rules check, as the client sees it. */
  validatedConference: EventBody['conferenceData'];
  /** Result of normalize: state of the copy after a change of `status`. */
  state: EventCopy['state'];
  /** Result of merge: the parts after the change. */
  after: EventParts;
  /** Index at which the client sent each entry of a list, by the list's name. */
  readonly sentIndexes: Map<string, readonly number[]>;
  /** Exceptions of the series that is changed. */
  readonly exceptions: readonly EventRecord[];
  /** Result of moveLines: cancelled instances of the series become EXDATEs. */
  excludesCancelled: boolean;
}

interface DraftInput extends Pick<
  Draft,
  'context' | 'isCreating' | 'support' | 'guestCalendars' | 'conference' | 'report' | 'sentIndexes'
> {
  readonly body: EventPatch;
  readonly times: TimeTools;
  readonly exceptions?: Draft['exceptions'];
}

/** Opens a draft of a change to an event that the caller sees as `seen`. */
export function openDraft(
  {
    context,
    isCreating,
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
  const before = isCreating ? emptyParts : context.parts;
  // Spreading the rest of the input instead took as long as all checks.
  return {
    context,
    isCreating: isCreating,
    sent: body,
    body: inStoredForm(body, {
      seen: isCreating ? {} : seen,
      zone: context.calendar.timeZone,
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
    mode: isCreating ? 'insert' : 'patch',
    change: {},
    changedFields: [],
    unapplied: [],
    guests: undefined,
    replacements: undefined,
    validatedConference: undefined,
    state: context.copy.state,
    after: before,
    exceptions,
    excludesCancelled: false,
  };
}

export const eventBefore = ({ context, before }: Draft): EventBody => context.model.joinParts(before);
export const eventAfter = ({ context, after }: Draft): EventBody => context.model.joinParts(after);

interface StoredFormContext {
  /** Event as the caller sees it; empty for a new one. */
  readonly seen: EventBody;
  readonly zone: string;
  readonly tools: TimeTools;
  /** Path of the event in the input: `['event']`. */
  readonly path: Path;
  readonly report: Report;
  /** Receives the indexes at which the client sent stored lines. */
  readonly sentIndexes: Map<string, readonly number[]>;
}

export const timeFields = ['start', 'end', 'originalStartTime'] as const;

/** Converts times and lines to their stored form (contract, section 14), with warnings unless only a zone's spelling changes. */
export function inStoredForm(body: EventPatch, context: StoredFormContext): EventPatch {
  let stored = body;
  for (const name of timeFields) {
    const time = normalizeZone(body[name], name, context);
    if (time !== body[name]) stored = { ...stored, [name]: time };
  }
  // Rules refuse lines of an instance.
  const isInstance = typeof (body.recurringEventId ?? context.seen.recurringEventId) === 'string';
  if (!Array.isArray(body.recurrence) || isInstance) return stored;
  const recurrence = normalizeLines(body.recurrence, stored, context);
  return recurrence === body.recurrence ? stored : { ...stored, recurrence };
}

type SentTime = EventPatch['start'];

function normalizeZone(
  time: SentTime,
  name: (typeof timeFields)[number],
  context: StoredFormContext,
): SentTime {
  const sent = time?.timeZone;
  if (typeof sent !== 'string') return time;
  const { seen, tools, path, report } = context;
  const seenZone = seen[name]?.timeZone;
  if (sent === seenZone) return time;
  const zoneForWindows = windowsToIana(sent);
  if (zoneForWindows !== undefined)
    report.warn([...path, name, 'timeZone'], 'normalized', zoneWarningMessage(zoneForWindows));
  const zone = zoneForWindows ?? sent;
  const timeZone = seenZone?.toLowerCase() === zone.toLowerCase() ? seenZone : tools.canonicalZone(zone);
  return timeZone === sent ? time : { ...time, timeZone };
}

type Lines = NonNullable<EventPatch['recurrence']>;

function normalizeLines(sent: Lines, { start: sentStart }: EventPatch, context: StoredFormContext): Lines {
  const { seen, zone, tools, path, report, sentIndexes } = context;
  const start = mergeTime(seen.start, sentStart);
  const seenLines = new Set(kindOf(start) === kindOf(seen.start) ? seen.recurrence : []);
  // Lines that are sent back as shown may move with the start.
  if (sameJson(sent, seen.recurrence) || sent.every((line) => seenLines.has(line))) return sent;
  const texts = sent.filter((line) => typeof line === 'string');
  const stored = toStoredLines(texts, { start, zone, tools }).values();
  const [lines, indexes]: [string[], number[]] = [[], []];
  const warnings: (() => void)[] = [];
  for (const [index, text] of sent.entries()) {
    // Rules refuse values that are not strings.
    const line = typeof text === 'string' ? (stored.next().value as StoredLine) : undefined;
    if (line === undefined || seenLines.has(text) || (line.isUnchanged && !line.tooMany)) {
      lines.push(...(line && !seenLines.has(text) ? line.lines : [text]));
      indexes.push(index);
      continue;
    }
    const linePath = [...path, 'recurrence', index];
    if (line.tooMany) report.issue(linePath, 'tooMany', tooManyExcluded, { max: maxExcludedOccurrences });
    else {
      const message = line.lines.length > 0 ? `Stored as ${line.lines.join(' and ')}` : nothingLeft;
      warnings.push(() => report.warn(linePath, 'normalized', message));
    }
    lines.push(...line.lines);
    // Several lines that replace a sent one count as one.
    indexes.push(...line.lines.map((_line, part) => (part === 0 ? index : -1)));
  }
  // Lines whose stored form is unchanged may move with the start.
  if (sameJson(lines, seen.recurrence)) return lines;
  for (const warn of warnings) warn();
  if (sameJson(lines, sent)) return sent;
  sentIndexes.set('recurrence', indexes);
  return lines;
}

const nothingLeft =
  'No occurrence starts on these days, so there is nothing to exclude: the line was left out.';
function mergeTime(seen: EventTime | undefined, sent: SentTime): EventTime | undefined {
  if (sent === undefined) return seen;
  return sent === null ? undefined : withoutNulls({ ...seen, ...sent });
}

/** Kinds of change to the guest list, since callers may be allowed only some of them. */
export interface GuestChange {
  readonly adds: boolean;
  readonly removes: boolean;
  /** Entries that stay are changed other than by the caller's own answer. */
  readonly changesOthers: boolean;
  /** Answers of guests without a calendar here are changed. */
  readonly answersForOthers: boolean;
  /** A guest is invited whom the caller does not see, new or hidden. */
  readonly invites: boolean;
}
