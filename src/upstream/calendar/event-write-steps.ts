import { errorOf, type Issue, type Warning } from '../../core/errors.ts';
import { requireMatch } from '../../core/if-match.ts';
import type { GetSelection } from '../../core/fields/table.ts';
import type { Fields } from '../../core/json.ts';
import type { Viewer } from '../../access/permissions.ts';
import { sendUpdatesOf } from '../../event/attendees/notices.ts';
import type {
  GuestArgs,
  CalendarIdArgs,
  EventIdArgs,
  NotifyArgs,
  PresentationArgs,
  SupportArgs,
  WriteArgs,
} from '../../event/event.requests.ts';
import type { Draft } from '../../event/draft.ts';
import type { EventResult } from '../../event/event.service.ts';
import type { PatchArgs } from '../../event/event.writes.ts';
import type { EventView } from '../../event/visibility/event-view.ts';
import type { CallContext, Query } from '../client/http-exchange.ts';
import { outcomeUnknownError } from '../client/responses.ts';
import { changedMeanwhileError, toWriteError } from './refusal-errors.ts';
import { formatFieldsParameter } from '../field-mappings.ts';
import { createEventConverter } from './event-converter.ts';
import { type CalendarDependencies, toCanonicalId, toEventPath } from './calendars.ts';
import type { GatewayRules } from './gateway-rules.ts';

/** A write as a caller requested it. */
export interface WriteRequest<Args extends CalendarIdArgs = CalendarIdArgs> extends CallContext {
  readonly args: Args;
  readonly selected?: GetSelection | undefined;
}

/** Arguments of a write that has a body. */
type BodyArgs = CalendarIdArgs & WriteArgs & PresentationArgs;

/** Fields that are needed to compare a response with the request, besides the sent ones. */
const comparedFields = [
  'id',
  'etag',
  'status',
  'updated',
  'htmlLink',
  'creator',
  'organizer',
  'attendees',
  'attendeesOmitted',
  'guestsCanModify',
  'guestsCanInviteOthers',
  'guestsCanSeeOtherGuests',
  'locked',
  'privateCopy',
  'recurringEventId',
  'start',
  'end',
] as const;

/** Creates the steps shared by writes: reading events, and turning responses into results. */
export function createWriteSteps({ client, schemas, tools }: CalendarDependencies, rules: GatewayRules) {
  const eventConverter = createEventConverter(tools.model, schemas);

  /** Reads an event; all of it without `query.fields`. */
  const readEvent = (
    context: CallContext,
    { calendarId, eventId }: EventIdArgs,
    query: Query = {},
  ): Promise<Fields> =>
    client.call({ apiMethod: 'events.get', path: toEventPath(calendarId, eventId), query }, context);

  /** Reads the event of a write with the fields to compare; undefined if it cannot be read. */
  function readEventIfPossible(write: WriteRequest<BodyArgs>, eventId: string): Promise<Fields | undefined> {
    const { calendarId, alwaysIncludeEmail, event } = write.args;
    const maxAttendees = maxAttendeesOf(write.args, event);
    const query = { maxAttendees, alwaysIncludeEmail, fields: fieldsFor(write) };
    return readEvent(write, { calendarId, eventId }, query).catch(() => undefined);
  }

  /** Returns the parameter `fields` of a write: the selection, and the fields to compare. */
  function fieldsFor({ args: { event }, selected }: WriteRequest<BodyArgs>): string | undefined {
    const neededFields = [...comparedFields, ...Object.keys(event)];
    return formatFieldsParameter(eventConverter.formatFields(selected?.(), neededFields));
  }

  /** Creates the error for a failed `ifMatch`, with the current etag. */
  async function preconditionError(
    write: WriteRequest<EventIdArgs & { readonly ifMatch?: string | null }>,
  ): Promise<unknown> {
    const json = await readEvent(write, write.args, { fields: 'etag' }).catch((error: unknown) => {
      throw toWriteError(error, schemas);
    });
    const etag = etagOf(json);
    requireMatch(write.args.ifMatch, () => etag ?? '', 'event');
    return changedMeanwhileError(etag);
  }

  /** Creates the result, with warnings about unapplied changes. Throws FORBIDDEN if a guest sent only changes that are not allowed. */
  function resultOf(
    { viewer, args }: WriteRequest<WriteArgs & GuestArgs & CalendarIdArgs & Pick<PatchArgs, 'replaces'>>,
    json: Fields,
    draft?: Draft,
  ): EventResult {
    const {
      refusals,
      isPartlyApplied,
      isOrganizer,
      unappliedPaths,
      warnings: responseWarnings,
    } = rules.checkResponse(viewer, args, json, draft?.view);
    const notAppliedIssues = unappliedPaths.map((path): Issue => ({
      path,
      reason: 'forbiddenForNonOrganizer',
      message: notAppliedMessage,
    }));
    const issues = [...refusals, ...notAppliedIssues];
    if (issues.length > 0 && !isPartlyApplied && (refusals.length > 0 || !isOrganizer))
      throw errorOf('FORBIDDEN', issues);
    const ignoredWarnings = issues.map(({ path, message }): Warning => ({
      path,
      reason: 'ignored',
      message,
    }));
    const event = eventOf(limitGuestList(json, args), args.calendarId, viewer);
    const warnings = draft
      ? mergeWarnings(draft.report.warnings, responseWarnings)
      : responseWarnings.filter(isRelevant);
    // The service sends the mails and does not report their number.
    return { event, warnings: [...warnings, ...ignoredWarnings], guestsNotified: 0 };
  }

  /** Converts the event of a response to the view on a calendar. Throws if there is none. */
  function eventOf(json: Fields, calendarId: string, viewer: Viewer): EventView {
    const event = eventConverter.viewOf(json, toCanonicalId(calendarId, viewer));
    if (event) return event;
    throw outcomeUnknownError(
      'The calendar service did not return an event. Read the event before you send the change again.',
    );
  }

  return { readEvent, readEventIfPossible, fieldsFor, preconditionError, resultOf, eventOf };
}

/** Collaborators of a write. */
export interface WriteDependencies extends CalendarDependencies, ReturnType<typeof createWriteSteps> {
  readonly rules: GatewayRules;
}

/** Query parameters of a write with a body. */
export const writeQueryOf = (
  args: PresentationArgs & SupportArgs & NotifyArgs,
  body: object,
  fields: string | undefined,
): Query => ({
  maxAttendees: maxAttendeesOf(args, body),
  conferenceDataVersion: args.conferenceDataVersion,
  supportsAttachments: args.supportsAttachments,
  sendUpdates: sendUpdatesOf(args),
  fields,
});

/** Requests the whole guest list after sending one, so that both can be compared. */
const maxAttendeesOf = (
  { maxAttendees }: PresentationArgs,
  body: object,
): PresentationArgs['maxAttendees'] => (Object.hasOwn(body, 'attendees') ? undefined : maxAttendees);

export const etagOf = ({ etag }: Fields): string | undefined => (typeof etag === 'string' ? etag : undefined);

/** Reduces a guest list that is longer than `maxAttendees` to the caller's entry, as the service does. */
function limitGuestList(json: Fields, { maxAttendees }: PresentationArgs): Fields {
  const { attendees } = json as { readonly attendees?: readonly Fields[] };
  if (!attendees || typeof maxAttendees !== 'number' || attendees.length <= maxAttendees) return json;
  return { ...json, attendees: attendees.filter(({ self }) => self), attendeesOmitted: true };
}

const notAppliedMessage = 'The calendar service did not apply this.';

const concernsField =
  (name: string) =>
  ({ path }: Warning): boolean =>
    path[1] === name;

/** Whether a warning matters after a write, which always changes `etag` and `updated`. */
const isRelevant = (warning: Warning): boolean =>
  !concernsField('etag')(warning) && !concernsField('updated')(warning);

/** Merges warnings of the gateway's rules and of the response, which decides about conferences and adds ignored fields. */
function mergeWarnings(
  ruleWarnings: readonly Warning[],
  serviceWarnings: readonly Warning[],
): readonly Warning[] {
  const hasConferenceWarning = serviceWarnings.some(concernsField('conferenceData'));
  // Warnings about fields of a conference need one of the response; those about all of it have a shorter path.
  const confirmedWarnings = ruleWarnings.filter(
    (warning) => hasConferenceWarning || warning.path.length < 3 || !concernsField('conferenceData')(warning),
  );
  const reportedPaths = new Set(confirmedWarnings.map(({ path }) => JSON.stringify(path)));
  return [
    ...confirmedWarnings,
    ...serviceWarnings.filter(
      (warning) =>
        warning.reason === 'ignored' &&
        !concernsField('conferenceData')(warning) &&
        !reportedPaths.has(JSON.stringify(warning.path)),
    ),
  ];
}
