import type { Path } from '../core/errors.ts';
import type { ChangeContext } from '../core/fields/reduce-change.ts';
import { isSameJson, withoutNulls } from '../core/json.ts';
import type { Report } from '../core/report.ts';
import { windowsToIana, zoneWarningMessage } from '../core/time/time-zone.ts';
import { type EventTime, kindOf } from '../core/time/time.ts';
import {
  maxExcludedOccurrences,
  type StoredLine,
  toStoredLines,
  type TimeTools,
  tooManyExcludedMessage,
} from '../recurrence/stored-lines.ts';
import type { ConferenceMaker } from './conference/create.ts';
import type { SupportArgs } from './event.requests.ts';
import type { ChangeState } from './event.store.ts';
import type { EventBody, EventPatch, EventField } from './model/fields.ts';
import { type EventCopy, type EventParts, type EventRecord, emptyParts } from './model/record.ts';
import type { EventContext } from './visibility/event-context.ts';
import type { EventView } from './visibility/event-view.ts';
import { maxInt32 } from '../core/fields/table.ts';

/** Change of an event while it is decided. Each step (`runSteps` in `write/patch.ts`) adds its results for the following steps. */
export interface Draft extends ChangeContext {
  readonly context: EventContext;
  /** Kind of write. `instance` inserts an exception of a series. */
  readonly mode: 'patch' | 'instance' | 'insert';
  /** Body as the client sent it. */
  readonly sentBody: EventPatch;
  /** Body in the form in which events are stored. */
  readonly body: EventPatch;
  /** Arguments that state which parts of a body the client supports. */
  readonly support: SupportArgs;
  readonly guestCalendars: ChangeState['guests'];
  /** Returns the maker of conferences, which is created only if conference data is sent. */
  readonly getConferenceMaker: () => ConferenceMaker;
  /** Event as the caller sees it. */
  readonly view: EventView;
  /** Parts of the event before the change. */
  readonly before: EventParts;
  /** Result of normalize: effective changes to merge, in stored form. */
  change: Record<string, unknown>;
  guestChange: GuestChange | undefined;
  /** Result of normalize: fields that are replaced as a whole instead of being merged. */
  replacements: Pick<EventBody, 'conferenceData' | 'callLink'> | undefined;
  /** Result of normalize: conference that the rules check, as the client sees it. */
  validatedConference: EventBody['conferenceData'];
  /** Result of normalize: state of the copy after a change of `status`. */
  copyState: EventCopy['state'];
  /** Result of `mergeChange`: the parts after the change. */
  after: EventParts;
  /** Index at which the client sent each entry of a list, by the list's name. */
  readonly sentIndexes: Map<string, readonly number[]>;
  /** Exceptions of the series that is changed. */
  readonly exceptions: readonly EventRecord[];
  /** The sequence stays unless the body sets it: in a part of a series, or an import. */
  keepsSequence: boolean;
  /** Result of `moveLines`: cancelled instances of the series become EXDATEs. */
  excludesCancelled: boolean;
}

interface DraftInput extends Pick<
  Draft,
  'context' | 'isCreating' | 'support' | 'guestCalendars' | 'getConferenceMaker' | 'report' | 'sentIndexes'
> {
  readonly body: EventPatch;
  readonly tools: TimeTools;
  readonly exceptions?: Draft['exceptions'];
}

/** Opens a draft of a change to an event that the caller sees as `view`. */
export function openDraft(input: DraftInput, view: EventView): Draft {
  const { context, isCreating, body, report, sentIndexes } = input;
  const before = isCreating ? emptyParts : context.parts;
  // All fields are listed, because spreading the rest of the input took as long as all checks.
  return {
    context,
    isCreating,
    sentBody: body,
    body: convertToStoredForm(body, {
      view: isCreating ? {} : view,
      zone: context.calendar.timeZone,
      tools: input.tools,
      path: ['event'],
      report,
      sentIndexes,
    }),
    support: input.support,
    guestCalendars: input.guestCalendars,
    getConferenceMaker: input.getConferenceMaker,
    report,
    sentIndexes,
    before,
    view,
    mode: isCreating ? 'insert' : 'patch',
    change: {},
    changedFields: [],
    unappliedValues: [],
    guestChange: undefined,
    replacements: undefined,
    validatedConference: undefined,
    copyState: context.copy.state,
    after: before,
    exceptions: input.exceptions ?? [],
    keepsSequence: false,
    excludesCancelled: false,
  };
}

/** Event before the change, joined from its parts. */
export const eventBefore = ({ context, before }: Draft): EventBody => context.model.joinParts(before);

interface StoredFormContext {
  /** Event as the caller sees it; empty for a new one. */
  readonly view: EventBody;
  readonly zone: string;
  readonly tools: TimeTools;
  /** Path of the event in the input: `['event']`. */
  readonly path: Path;
  readonly report: Report;
  /** Receives the indexes at which the client sent stored lines. */
  readonly sentIndexes: Map<string, readonly number[]>;
}

/** Fields of an event that are times. */
export const timeFields = ['start', 'end', 'originalStartTime'] as const;

/** Converts times and lines to their stored form, with warnings unless only a zone's spelling changes. */
export function convertToStoredForm(body: EventPatch, context: StoredFormContext): EventPatch {
  let storedBody = body;
  for (const name of timeFields) {
    const time = normalizeZone(body[name], name, context);
    if (time !== body[name]) storedBody = { ...storedBody, [name]: time };
  }
  // Lines of an instance stay as sent, and the rules refuse them.
  const isInstance = typeof (body.recurringEventId ?? context.view.recurringEventId) === 'string';
  if (!Array.isArray(body.recurrence) || isInstance) return storedBody;
  const recurrence = normalizeRecurrence(body.recurrence, storedBody, context);
  return recurrence === body.recurrence ? storedBody : { ...storedBody, recurrence };
}

type SentTime = EventPatch['start'];

function normalizeZone(
  time: SentTime,
  name: (typeof timeFields)[number],
  context: StoredFormContext,
): SentTime {
  const sentZone = time?.timeZone;
  if (typeof sentZone !== 'string') return time;
  const { view, tools, path, report } = context;
  const shownZone = view[name]?.timeZone;
  if (sentZone === shownZone) return time;
  const zoneForWindows = windowsToIana(sentZone);
  if (zoneForWindows !== undefined)
    report.warn([...path, name, 'timeZone'], 'normalized', zoneWarningMessage(zoneForWindows));
  const zone = zoneForWindows ?? sentZone;
  const timeZone = shownZone?.toLowerCase() === zone.toLowerCase() ? shownZone : tools.canonicalZone(zone);
  return timeZone === sentZone ? time : { ...time, timeZone };
}

type RecurrenceLines = NonNullable<EventPatch['recurrence']>;

function normalizeRecurrence(
  sentLines: RecurrenceLines,
  { start: sentStart }: EventPatch,
  context: StoredFormContext,
): RecurrenceLines {
  const { view, zone, tools, path, report, sentIndexes } = context;
  const start = mergeTime(view.start, sentStart);
  const shownLines = new Set(kindOf(start) === kindOf(view.start) ? view.recurrence : []);
  // Lines that are sent back as shown may move with the start.
  if (isSameJson(sentLines, view.recurrence) || sentLines.every((line) => shownLines.has(line)))
    return sentLines;
  const lineTexts = sentLines.filter((line) => typeof line === 'string');
  const storedLines = toStoredLines(lineTexts, { start, zone, tools }).values();
  const [lines, indexes]: [string[], number[]] = [[], []];
  const warnings: (() => void)[] = [];
  for (const [index, sentLine] of sentLines.entries()) {
    // Values that are not strings stay as sent, and the rules refuse them.
    const storedLine = typeof sentLine === 'string' ? (storedLines.next().value as StoredLine) : undefined;
    if (
      storedLine === undefined ||
      shownLines.has(sentLine) ||
      (storedLine.isUnchanged && !storedLine.excludesTooMany)
    ) {
      lines.push(...(storedLine && !shownLines.has(sentLine) ? storedLine.lines : [sentLine]));
      indexes.push(index);
      continue;
    }
    const linePath = [...path, 'recurrence', index];
    if (storedLine.excludesTooMany)
      report.addIssue(linePath, 'tooMany', tooManyExcludedMessage, { max: maxExcludedOccurrences });
    else {
      const message =
        storedLine.lines.length > 0 ? `Stored as ${storedLine.lines.join(' and ')}` : nothingExcludedMessage;
      warnings.push(() => report.warn(linePath, 'normalized', message));
    }
    lines.push(...storedLine.lines);
    // Lines that replace one sent line count as one: the first has its index, the others have -1.
    indexes.push(...storedLine.lines.map((_line, partIndex) => (partIndex === 0 ? index : -1)));
  }
  // Lines whose stored form is unchanged may move with the start.
  if (isSameJson(lines, view.recurrence)) return lines;
  for (const warn of warnings) warn();
  if (isSameJson(lines, sentLines)) return sentLines;
  sentIndexes.set('recurrence', indexes);
  return lines;
}

const nothingExcludedMessage =
  'No occurrence starts on these days, so there is nothing to exclude: the line was left out.';

function mergeTime(shownTime: EventTime | undefined, sentTime: SentTime): EventTime | undefined {
  if (sentTime === undefined) return shownTime;
  return sentTime === null ? undefined : withoutNulls({ ...shownTime, ...sentTime });
}

/** Kinds of change to the guest list, since callers may be allowed only some of them. */
export interface GuestChange {
  addsGuests: boolean;
  removesGuests: boolean;
  /** Remaining entries change in more than the caller's own response. */
  changesOthers: boolean;
  /** Responses of guests without a calendar here change. */
  respondsForOthers: boolean;
  /** A guest is invited whom the caller does not see, new or hidden. */
  invitesUnseenGuest: boolean;
}

/** Merges a draft's normalized change into the parts that store its fields. */
export function mergeChange(draft: Draft): void {
  const { context, before, change, replacements } = draft;
  draft.after = context.model.merge(before, change);
  if (replacements) {
    const core: Record<string, unknown> = { ...draft.after.core, ...replacements };
    for (const name of Object.keys(replacements)) if (core[name] === undefined) delete core[name];
    draft.after = { ...draft.after, core };
  }
  const raisesSequence = Object.keys(change).some(
    (name) => context.model.fields.get(name as EventField)?.raisesSequence,
  );
  if (raisesSequence && !draft.isCreating && !draft.keepsSequence) raiseSequence(draft);
}

/** Increases the sequence after a change of time, recurrence or status (RFC 5546, section 2.1.4). */
function raiseSequence(draft: Draft): void {
  const { model } = draft.context;
  const storedSequence = eventBefore(draft).sequence ?? 0;
  // A sequence that the body sets stays.
  if ((model.joinParts(draft.after).sequence ?? 0) !== storedSequence) return;
  const sequence = Math.min(storedSequence + 1, maxInt32);
  draft.after = model.merge(draft.after, { sequence } satisfies EventBody);
}

/** Path of issues and refusals of a change that depends on the event's status. */
export const statusPath = ['event', 'status'] as const;

/** Whether the organizer cancelled the event or uninvited the calendar's owner, so that the caller cannot change it. */
export const isClosedToCaller = ({ context: { copy, record, hasOrganizerRights } }: Draft): boolean =>
  copy.state === 'uninvited' || (record.core.status === 'cancelled' && !hasOrganizerRights);
