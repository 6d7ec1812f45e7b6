import type { Viewer } from '../../access/permissions.ts';
import { type Issue, type Path, startsWith, type Warning } from '../../core/errors.ts';
import { changeTo, sameValue } from '../../core/fields/changes.ts';
import { isFields } from '../../core/patch.ts';
import { Report } from '../../core/report.ts';
import { addressKey } from '../../core/text/email.ts';
import { withGuestList } from '../../event/attendees/changes.ts';
import type { ConferenceMaker } from '../../event/conference/create.ts';
import { type Draft, inStoredForm, openDraft } from '../../event/draft.ts';
import {
  argumentIssues,
  type GuestArgs,
  type InsertEventArgs,
  type WriteArgs,
} from '../../event/event.requests.ts';
import type { ChangeState } from '../../event/event.store.ts';
import type { PatchArgs } from '../../event/event.writes.ts';
import { type Attendee, attendeeKey, type EventPatch } from '../../event/model/fields.ts';
import { isSeries } from '../../event/model/record.ts';
import type { EventContext } from '../../event/visibility/event-context.ts';
import type { EventView } from '../../event/visibility/event-view.ts';
import { hasChanges } from '../../event/write/authorize.ts';
import { blankRecord, createRecord } from '../../event/write/create.ts';
import { bodyIssues } from '../../event/write/normalize.ts';
import { runSteps, patchRecord } from '../../event/write/patch.ts';
import { missingTimes, putToPatch } from '../../event/write/replace.ts';
import { timeTools } from '../../recurrence/occurrences.ts';
import { type EventParts, type Json, unitsOf } from './event-calls.ts';
import { isEquivalent, sendable } from './event-form.ts';
import { bareCalendar, calendarOf, eventContext, readEvent, shown } from './event-reads.ts';

/** Changes that a service did not apply. */
interface LeftOut {
  readonly paths: readonly Path[];
  /** The guest list is another one than before. */
  readonly movesGuests: boolean;
}

/** These are the service's: it may take another value than the one that was sent. */
const ofTheService: ReadonlySet<unknown> = new Set(['conferenceData', 'callLink', 'sequence']);

/**
 * Where a change, held against what the service answered, is not to be seen. What the service only spells otherwise is
 * there, and so is what became neither what was sent nor what it was before, where that is known. `isCut`: the answer has not all guests.
 */
function unappliedChanges(draft: Draft, before: EventView | undefined, isCut: boolean): LeftOut {
  const { context, body, seen, changedFields, state, report } = draft;
  const fields = changedFields.flatMap(({ node, path }): Path[] => {
    const [sent, now] = [valueAt(body, path), valueAt(seen, path)];
    if (ofTheService.has(path[1]) || (!node.instant && isEquivalent(sent, now))) return [];
    return !before || sameValue(node, valueAt(before, path), now) || isEquivalent(valueAt(before, path), now)
      ? [path]
      : [];
  });
  const onCalendar: Path[] = state === context.copy.state ? [] : [['event', 'status']];
  const seesOwn = isCut || (!context.asOrganizer && context.record.core.guestsCanSeeOtherGuests === false);
  return {
    paths: [...fields, ...onCalendar, ...guestsLeftOut(draft, before, seesOwn)].map((path) =>
      report.pathOf(path),
    ),
    movesGuests:
      before !== undefined && !sameValue(context.model.field('attendees'), before.attendees, seen.attendees),
  };
}

const valueAt = (event: object, [, ...steps]: Path): unknown =>
  steps.reduce<unknown>(
    (value, step) => (isFields(value) && Object.hasOwn(value, step) ? value[step] : undefined),
    event,
  );

const listPath = ['event', 'attendees'] as const;

/** Guests by address. The organizer may be on any list, and of others only they can say what they answer. */
function guestsLeftOut(
  { context, change, seen, sentIndexes }: Draft,
  before: EventView | undefined,
  seesOwn: boolean,
): Path[] {
  if (change.attendees === undefined) return [];
  const wanted = (change.attendees ?? []) as readonly Attendee[];
  const [now, known] = [byKey(seen.attendees), byKey(before?.attendees)];
  const fields = [...context.model.field('attendees').fields.values()].filter(
    ({ name, change: by }) => by !== 'readOnly' && name !== 'email',
  );
  const indexes = sentIndexes.get('attendees') ?? [];
  const entries = wanted.flatMap((entry, position): Path[] => {
    const [key, index = -1] = [attendeeKey(entry), indexes[position]];
    if (index < 0 || (seesOwn && key !== context.owner)) return [];
    const [is, was] = [now.get(key), known.get(key)];
    if (!is) return [[...listPath, index]];
    return fields
      .filter((field) => {
        const name = field.name as 'comment';
        if (
          (field.change === 'own' && key !== context.owner) ||
          sameValue(field, is[name], entry[name]) ||
          isEquivalent(is[name], entry[name])
        )
          return false;
        return !before || sameValue(field, was?.[name], is[name]);
      })
      .map(({ name }) => [...listPath, index, name]);
  });
  const stay = new Set([...wanted.map(attendeeKey), context.organizer, context.owner]);
  const stayed = !seesOwn && [...now.keys()].some((key) => !stay.has(key) && (!before || known.has(key)));
  return stayed ? [...entries, listPath] : entries;
}

const byKey = (list: readonly Attendee[] = []): ReadonlyMap<string | undefined, Attendee> =>
  new Map(list.map((entry) => [attendeeKey(entry), entry]));

/** What the own rules make of a change of an event that was read. */
export interface Decided {
  readonly context: EventContext;
  readonly warnings: readonly Warning[];
  readonly unchanged: boolean;
  readonly draft: Draft;
}

/** What of a change is not to be seen on what came back. */
interface Held {
  readonly isComplete: boolean;
  /** The caller is the organizer, or nobody says who is. */
  readonly isOrganizer: boolean;
  /** Left out since the caller may not change it. */
  readonly refusals: readonly Issue[];
  /** Something of what was sent is there. */
  readonly isPart: boolean;
  /** Left out by the service alone, of a change that the caller may make. */
  readonly leftOut: readonly Path[];
  readonly warnings: readonly Warning[];
}

type Args = WriteArgs & GuestArgs & Pick<PatchArgs, 'replaces'> & Pick<InsertEventArgs, 'requestId'>;

/** Conferences are the service's: it alone knows which signatures are its own. */
const conference = (): ConferenceMaker => ({
  isSigned: ({ signature }) => signature !== undefined,
  sign: () => '',
  create: ({ requestId, type }) => ({
    conference: {
      createRequest: { requestId, conferenceSolutionKey: { type }, status: { statusCode: 'pending' } },
    },
  }),
});

/** Guests who have a calendar with the service, as its organizers do. */
const hosted = (keys: readonly string[]): ChangeState['guests'] =>
  new Map(keys.map((key) => [key, { calendarId: '', holder: undefined, seriesKey: undefined }]));

/** The own rules, run on events of the service. */
export function createOwnRules({ model, schemas, tools, clock }: EventParts) {
  const reading = { model, schemas, tools };

  function draftOn(
    context: EventContext,
    seen: EventView,
    args: Args,
    creating: boolean,
    guestCalendars = hosted([]),
  ): Draft {
    const body = args.replaces
      ? putToPatch(args.event, { context, seen, support: args, guestCalendars })
      : args.event;
    return openDraft(
      {
        context,
        creating,
        support: args,
        guestCalendars,
        times: timeTools,
        conference,
        ...withGuestList(body, args.attendeeChanges, { context, seen }, argumentIssues(args)),
      },
      seen,
    );
  }

  /** Issues of the arguments of a patch, whatever the event is; its body aside, but for an id. */
  function faultsOf(args: PatchArgs): readonly Issue[] {
    const report = new Report();
    changeTo(model.field('id'), args.eventId, args.event.id, ['event', 'id'], {
      report,
      creating: false,
      changedFields: [],
      unapplied: [],
    });
    const isBeside = args.event.attendees !== undefined || args.event.attendeesOmitted === true;
    const ofChanges = isBeside
      ? withGuestList(args.event, args.attendeeChanges, {
          context: { model, owner: '', asOrganizer: true },
          seen: {},
        }).report.issues
      : bodyIssues(model, {}, args.attendeeChanges);
    return [
      ...argumentIssues(args),
      // Of a cancelled event the caller may see no times.
      ...(args.replaces && args.event.status !== 'cancelled' ? missingTimes(args.event, { start: {} }) : []),
      ...report.issues,
      ...ofChanges,
    ];
  }

  /** The issues of a body alone. A list of guests may be as long as the one that was read. */
  function partIssues(body: EventPatch): Issue[] {
    const { attendees } = body;
    const isLong =
      Array.isArray(attendees) && attendees.length > (model.field('attendees').max?.entries ?? Infinity);
    // Of the entries beside the own one nothing is applied.
    return bodyIssues(model, isLong || body.attendeesOmitted === true ? withoutGuests(body) : body);
  }

  return {
    faultsOf,

    /** Rules that a body breaks by itself, unless the event that it changes holds the value already. */
    bodyFaultsOf: (args: PatchArgs): readonly Issue[] => partIssues(sendable(model, args.event, args, false)),

    /** The issues of an insert whose event is an instance, which only the service knows. */
    instanceFaultsOf: (args: InsertEventArgs): readonly Issue[] => [
      ...argumentIssues(args),
      ...partIssues(sendable(model, args.event, args, true)),
    ],

    /** An event in the form in which the own store keeps it, as far as that can be told without its calendar. */
    stored(event: EventPatch): { readonly event: EventPatch; readonly warnings: readonly Warning[] } {
      const report = new Report();
      const facts = { seen: {}, zone: '', tools: timeTools, path: ['event'], report, sentIndexes: new Map() };
      return { event: inStoredForm(event, facts), warnings: report.warnings };
    },

    /** Throws what the own store would, were the calendar empty. */
    create(viewer: Viewer, args: InsertEventArgs, id: string): Omit<Decided, 'unchanged'> {
      const calendar = bareCalendar(calendarOf(args.calendarId, viewer), viewer.identity);
      const blank = eventContext(blankRecord(id, calendar, viewer), calendar, viewer, {
        model,
        links: tools.links,
      });
      const draft = draftOn(blank, shown(blank, {}), args, true);
      const uidHost = new URL(tools.links.event).hostname;
      const record = createRecord(draft, { clock, uidHost, references: new Map() });
      return {
        context: eventContext(record, calendar, viewer, { model, links: tools.links }),
        warnings: draft.report.warnings,
        draft,
      };
    },

    /** Throws what the own store would, had it the event that was read. */
    change(viewer: Viewer, calendarId: string, args: Args, json: Json): Decided {
      const before = readEvent(json, calendarOf(calendarId, viewer), viewer, reading);
      const draft = draftOn(
        before,
        shown(before, json),
        args,
        false,
        hosted(before.organizer === undefined ? [] : [before.organizer]),
      );
      const record = patchRecord(draft, clock, new Map());
      if (isSeries(before.record) && draft.change.start !== undefined)
        draft.report.warn(['event', 'start'], 'incomplete', instancesAreTheirs);
      const after = eventContext(record, before.calendar, viewer, before);
      return { context: after, warnings: draft.report.warnings, unchanged: record === before.record, draft };
    },

    /** Holds what came back against what was sent: what still differs was not applied. `before`: the event as it was, where that is known. */
    heldAgainst(viewer: Viewer, calendarId: string, args: Args, json: Json, before?: EventView): Held {
      const now = readEvent(json, calendarOf(calendarId, viewer), viewer, reading);
      // A list that was cut says nothing of the guests but the own answer.
      const isCut = json.attendeesOmitted === true;
      const isUntold =
        isCut &&
        args.event.attendeesOmitted !== true &&
        (args.event.attendees !== undefined || Boolean(args.attendeeChanges));
      const compared = isUntold ? { ...args, event: withoutGuests(args.event), attendeeChanges: null } : args;
      // An answer that did not come through is one that the guest alone gives.
      const guests = (now.record.core.attendees ?? []).flatMap(({ email }) =>
        email === undefined ? [] : [addressKey(email)],
      );
      const draft = draftOn(now, shown(now, json), compared, false, hosted(guests));
      runSteps(draft);
      const { refusals, warnings, issues } = draft.report;
      // A cancelled event shows little of what it was.
      const isOver = json.status === 'cancelled';
      const refused = isOver ? [] : refusals;
      const left = unappliedChanges(draft, before, isCut);
      const leftHere = isOver
        ? []
        : left.paths.filter(
            (path) =>
              !refused.some((refusal) => startsWith(path, refusal.path) || startsWith(refusal.path, path)),
          );
      const units = [
        ...unitsOf(model, sendable(model, args.event, args, false)),
        ...(args.attendeeChanges ? [['attendeeChanges']] : []),
      ];
      const paths = [...refused.map(({ path }) => path), ...leftHere];
      return {
        isComplete: !isUntold && refused.length === 0 && issues.length === 0 && !hasChanges(draft),
        isOrganizer: now.asOrganizer,
        refusals: refused,
        isPart: left.movesGuests || units.some((unit) => !paths.some((path) => startsWith(path, unit))),
        leftOut: leftHere,
        warnings,
      };
    },
  };
}

const instancesAreTheirs =
  'The lines of the series move with its start. What becomes of instances that were changed by themselves is for the calendar service to decide.';

export type OwnRules = ReturnType<typeof createOwnRules>;

const withoutGuests = ({ attendees: _guests, ...rest }: EventPatch): EventPatch => rest;
