import type { Viewer } from '../../access/permissions.ts';
import { type Issue, type Path, pathStartsWith, valueAt, type Warning } from '../../core/errors.ts';
import type { FieldNode } from '../../core/fields/table.ts';
import { reduceChange, isSameFieldValue } from '../../core/fields/reduce-change.ts';
import { type Fields, isFields } from '../../core/json.ts';
import { Report } from '../../core/report.ts';
import { addressKey } from '../../core/text/email.ts';
import { convertAttendeeChanges } from '../../event/attendees/attendee-changes.ts';
import type { ConferenceMaker } from '../../event/conference/create.ts';
import { type Draft, convertToStoredForm, openDraft } from '../../event/draft.ts';
import {
  argumentIssues,
  type CalendarIdArgs,
  type GuestArgs,
  type InsertEventArgs,
  type WriteArgs,
} from '../../event/event.requests.ts';
import type { ChangeState } from '../../event/event.store.ts';
import type { PatchArgs } from '../../event/event.writes.ts';
import { type Attendee, attendeeKey, type EventField, type EventPatch } from '../../event/model/fields.ts';
import type { EventModel } from '../../event/model/model.ts';
import { isSeries } from '../../event/model/record.ts';
import type { EventContext } from '../../event/visibility/event-context.ts';
import type { EventView } from '../../event/visibility/event-view.ts';
import { hasChanges } from '../../event/write/authorize.ts';
import { createBlankRecord, createRecord } from '../../event/write/create.ts';
import { bodyIssues } from '../../event/write/normalize.ts';
import { runSteps, patchRecord } from '../../event/write/patch.ts';
import { missingTimeIssues, putToPatch } from '../../event/write/put-to-patch.ts';
import { timeTools } from '../../recurrence/occurrences.ts';
import type { CalendarDependencies } from './calendars.ts';
import { isEquivalent, toSendableBody } from './event-converter.ts';
import { createMinimalCalendar, createContext, readServiceEvent, toServiceView } from './service-event.ts';

/** Fields for which the service may choose another value. */
const serviceFields: ReadonlySet<unknown> = new Set(['conferenceData', 'callLink', 'sequence']);

/** Finds changes missing from the response. A value that is neither the sent nor the previous one counts as applied. */
function findUnappliedChanges(draft: Draft, before: EventView | undefined, isTruncated: boolean) {
  const { context, body, view, changedFields, copyState, report } = draft;
  const fieldPaths = changedFields.flatMap(({ node, path }): Path[] => {
    const [sentValue, currentValue, previousValue] = [body, view, before].map((event) =>
      valueAt(event, path.slice(1)),
    );
    if (serviceFields.has(path[1]) || (!node.isInstant && isEquivalent(sentValue, currentValue))) return [];
    return !before ||
      isSameFieldValue(node, previousValue, currentValue) ||
      isEquivalent(previousValue, currentValue)
      ? [path]
      : [];
  });
  const statusPaths: Path[] = copyState === context.copy.state ? [] : [['event', 'status']];
  const seesOnlySelf =
    isTruncated || (!context.hasOrganizerRights && context.record.core.guestsCanSeeOtherGuests === false);
  return {
    paths: [...fieldPaths, ...statusPaths, ...findUnappliedGuests(draft, before, seesOnlySelf)].map((path) =>
      report.pathOf(path),
    ),
    changesGuests:
      before !== undefined &&
      !isSameFieldValue(context.model.field('attendees'), before.attendees, view.attendees),
  };
}

/** Path of issues about the guest list. */
const guestListPath = ['event', 'attendees'] as const;

/** Compares guests by address. Ignores the organizer, whom the service may add, and responses of other guests. */
function findUnappliedGuests(
  { context, change, view, sentIndexes }: Draft,
  before: EventView | undefined,
  seesOnlySelf: boolean,
): Path[] {
  if (change.attendees === undefined) return [];
  const requestedGuests = (change.attendees ?? []) as readonly Attendee[];
  const [current, previous] = [guestsByKey(view.attendees), guestsByKey(before?.attendees)];
  const fields = [...context.model.field('attendees').fields.values()].filter(
    ({ name, change: author }) => author !== 'readOnly' && name !== 'email',
  );
  const guestIndexes = sentIndexes.get('attendees') ?? [];
  const entryPaths = requestedGuests.flatMap((entry, position): Path[] => {
    const [key, index = -1] = [attendeeKey(entry), guestIndexes[position]];
    if (index < 0 || (seesOnlySelf && key !== context.owner)) return [];
    const [currentEntry, previousEntry] = [current.get(key), previous.get(key)];
    if (!currentEntry) return [[...guestListPath, index]];
    return fields
      .filter((field) => {
        const name = field.name as 'comment';
        if (
          (field.change === 'own' && key !== context.owner) ||
          isSameFieldValue(field, currentEntry[name], entry[name]) ||
          isEquivalent(currentEntry[name], entry[name])
        )
          return false;
        return !before || isSameFieldValue(field, previousEntry?.[name], currentEntry[name]);
      })
      .map(({ name }) => [...guestListPath, index, name]);
  });
  const expectedKeys = new Set([...requestedGuests.map(attendeeKey), context.organizer, context.owner]);
  const hasRemainingGuest =
    !seesOnlySelf &&
    [...current.keys()].some((key) => !expectedKeys.has(key) && (!before || previous.has(key)));
  return hasRemainingGuest ? [...entryPaths, guestListPath] : entryPaths;
}

const guestsByKey = (list: readonly Attendee[] = []): ReadonlyMap<string | undefined, Attendee> =>
  new Map(list.map((entry) => [attendeeKey(entry), entry]));

/** Finds the paths of a body whose values are applied or refused as a unit. */
function findChangeUnits({ fields }: EventModel, body: EventPatch): readonly Path[] {
  const unitsIn = (node: FieldNode, value: unknown, path: Path): Path[] => {
    if (node.isUniform || node.kind !== 'object' || !isFields(value)) return [path];
    return Object.keys(value).flatMap((name) => {
      const field = node.fields.get(name);
      return field ? unitsIn(field, value[name], [...path, name]) : [];
    });
  };
  return (Object.keys(body) as EventField[]).flatMap((name) => {
    const node = fields.get(name);
    return node && node.change !== 'request' ? unitsIn(node, body[name], ['event', name]) : [];
  });
}

/** Arguments of a write to which the rules apply. */
type RuleArgs = CalendarIdArgs &
  WriteArgs &
  GuestArgs &
  Pick<PatchArgs, 'replaces'> &
  Pick<InsertEventArgs, 'requestId'>;

/** Accepts any signature of a conference, which only the service can verify. */
const createConferenceMaker = (): ConferenceMaker => ({
  hasValidSignature: ({ signature }) => signature !== undefined,
  sign: () => '',
  create: ({ requestId, type }) => ({
    conference: {
      createRequest: { requestId, conferenceSolutionKey: { type }, status: { statusCode: 'pending' } },
    },
  }),
});

/** Creates the functions that run the gateway's rules on events of the service. */
export function createGatewayRules(dependencies: CalendarDependencies) {
  const { tools } = dependencies;
  const { model, clock } = tools;

  /** Opens the draft of a write on an event of the service; without `json`, of an insert. */
  function openDraftOn(
    context: EventContext,
    json: Fields | undefined,
    args: RuleArgs,
    guestKeys: readonly string[] = [],
  ): Draft {
    const view = toServiceView(context, json ?? {});
    // Guests as if each had a calendar here, for rules that look them up by address.
    const guestCalendars: ChangeState['guests'] = new Map(
      guestKeys.map((key) => [key, { calendarId: '', holder: undefined, seriesKey: undefined }]),
    );
    const body = args.replaces
      ? putToPatch(args.event, { context, view, supportArgs: args, guestCalendars })
      : args.event;
    return openDraft(
      {
        context,
        isCreating: json === undefined,
        support: args,
        guestCalendars,
        tools: timeTools,
        getConferenceMaker: createConferenceMaker,
        ...convertAttendeeChanges(body, args.attendeeChanges, { context, view }, argumentIssues(args)),
      },
      view,
    );
  }

  /** Lists the issues of a patch that do not depend on the event, except those of the body. */
  function listArgumentIssues(args: PatchArgs): readonly Issue[] {
    const report = new Report();
    reduceChange(model.field('id'), args.eventId, args.event.id, ['event', 'id'], {
      report,
      isCreating: false,
      changedFields: [],
      unappliedValues: [],
    });
    const sendsGuestList = args.event.attendees !== undefined || args.event.attendeesOmitted === true;
    const guestIssues = sendsGuestList
      ? convertAttendeeChanges(args.event, args.attendeeChanges, {
          context: { model, owner: '', hasOrganizerRights: true },
          view: {},
        }).report.issues
      : bodyIssues(model, {}, args.attendeeChanges);
    return [
      ...argumentIssues(args),
      // A cancelled event may have no visible times.
      ...(args.replaces && args.event.status !== 'cancelled'
        ? missingTimeIssues(args.event, { start: {} })
        : []),
      ...report.issues,
      ...guestIssues,
    ];
  }

  /** Lists the issues of a body alone, without the limit on guests, which an existing list may exceed. */
  function listBodyOnlyIssues(body: EventPatch): Issue[] {
    const { attendees } = body;
    const isOverLimit =
      Array.isArray(attendees) && attendees.length > (model.field('attendees').max?.entries ?? Infinity);
    // `attendeesOmitted` applies only the caller's entry.
    return bodyIssues(model, isOverLimit || body.attendeesOmitted === true ? removeGuests(body) : body);
  }

  return {
    listPatchArgumentIssues: listArgumentIssues,

    /** Lists rules that a body breaks, unless the event has the value already. */
    listBodyIssues: (args: PatchArgs): readonly Issue[] =>
      listBodyOnlyIssues(toSendableBody(model, args.event, args, false)),

    /** Lists the issues of inserting an instance, whose series only the service knows. */
    listInstanceIssues: (args: InsertEventArgs): readonly Issue[] => [
      ...argumentIssues(args),
      ...listBodyOnlyIssues(toSendableBody(model, args.event, args, true)),
    ],

    /** Normalizes a body as the gateway's own store does, as far as possible without the calendar. */
    toStoredForm(event: EventPatch): { readonly event: EventPatch; readonly warnings: readonly Warning[] } {
      const report = new Report();
      const input = { view: {}, zone: '', tools: timeTools, path: ['event'], report, sentIndexes: new Map() };
      return { event: convertToStoredForm(event, input), warnings: report.warnings };
    },

    /** Decides an insert. `context`: the new event. Throws the errors of the gateway's own store. */
    decideInsert(viewer: Viewer, args: InsertEventArgs, id: string) {
      const calendar = createMinimalCalendar(args.calendarId, viewer);
      const blankContext = createContext(createBlankRecord(id, calendar, viewer), calendar, viewer, tools);
      const draft = openDraftOn(blankContext, undefined, args);
      const record = createRecord(draft, clock, new URL(tools.links.event).hostname);
      return { context: createContext(record, calendar, viewer, tools), draft };
    },

    /** Decides a change of an event. `context`: the event after it. Throws the errors of the gateway's own store. */
    decideChange(viewer: Viewer, args: RuleArgs, json: Fields) {
      const current = readServiceEvent(json, args.calendarId, viewer, dependencies);
      const { organizer } = current;
      const draft = openDraftOn(current, json, args, organizer === undefined ? [] : [organizer]);
      const record = patchRecord(draft, clock, new Map());
      if (isSeries(current.record) && draft.change.start !== undefined)
        draft.report.warn(['event', 'start'], 'incomplete', exceptionsMoveMessage);
      const context = createContext(record, current.calendar, viewer, tools);
      return { context, unchanged: record === current.record, draft };
    },

    /** Applies the change to the response again; remaining differences were not applied. `before`: the previous event, if known. */
    checkResponse(viewer: Viewer, args: RuleArgs, json: Fields, before?: EventView) {
      const current = readServiceEvent(json, args.calendarId, viewer, dependencies);
      // A truncated list proves only the caller's own response.
      const isTruncated = json.attendeesOmitted === true;
      const lacksGuests =
        isTruncated &&
        args.event.attendeesOmitted !== true &&
        (args.event.attendees !== undefined || Boolean(args.attendeeChanges));
      const comparedArgs = lacksGuests
        ? { ...args, event: removeGuests(args.event), attendeeChanges: null }
        : args;
      const guestKeys = (current.record.core.attendees ?? []).flatMap(({ email }) =>
        email === undefined ? [] : [addressKey(email)],
      );
      const draft = openDraftOn(current, json, comparedArgs, guestKeys);
      runSteps(draft);
      const { refusals, warnings, issues } = draft.report;
      // A cancelled event hides most of its fields.
      const isCancelled = json.status === 'cancelled';
      const reportedRefusals = isCancelled ? [] : refusals;
      const unappliedChanges = findUnappliedChanges(draft, before, isTruncated);
      const unappliedPaths = isCancelled
        ? []
        : unappliedChanges.paths.filter(
            (path) =>
              !reportedRefusals.some(
                (refusal) => pathStartsWith(path, refusal.path) || pathStartsWith(refusal.path, path),
              ),
          );
      const changeUnits = [
        ...findChangeUnits(model, toSendableBody(model, args.event, args, false)),
        ...(args.attendeeChanges ? [['attendeeChanges']] : []),
      ];
      const paths = [...reportedRefusals.map(({ path }) => path), ...unappliedPaths];
      return {
        /** Whether the response shows every requested change. */
        isComplete:
          !lacksGuests && reportedRefusals.length === 0 && issues.length === 0 && !hasChanges(draft),
        /** Whether the caller is the organizer, or none is known. */
        isOrganizer: current.hasOrganizerRights,
        /** Changes that the caller may not make. */
        refusals: reportedRefusals,
        /** Whether at least one change was applied. */
        isPartlyApplied:
          unappliedChanges.changesGuests ||
          changeUnits.some((unit) => !paths.some((path) => pathStartsWith(path, unit))),
        /** Allowed changes that the service did not apply. */
        unappliedPaths,
        warnings,
      };
    },
  };
}

const exceptionsMoveMessage =
  'The lines of the series move with its start. The calendar service decides about individually changed instances.';

export type GatewayRules = ReturnType<typeof createGatewayRules>;

const removeGuests = ({ attendees: _guests, ...otherFields }: EventPatch): EventPatch => otherFields;
