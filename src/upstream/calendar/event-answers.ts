import type { Viewer } from '../../access/permissions.ts';
import { errorOf, type Issue, type Warning } from '../../core/errors.ts';
import { requireMatch } from '../../core/if-match.ts';
import type { GetSelection } from '../../core/fields/table.ts';
import type { Fields } from '../../core/patch.ts';
import type { RequestKey } from '../../core/runtime/limits.ts';
import type {
  GuestArgs,
  CalendarIdArgs,
  EventIdArgs,
  PresentationArgs,
  WriteArgs,
} from '../../event/event.requests.ts';
import type { EventResult } from '../../event/event.service.ts';
import type { PatchArgs } from '../../event/event.writes.ts';
import type { EventView } from '../../event/visibility/event-view.ts';
import type { Call } from '../client/exchange.ts';
import { outcomeUnknown } from '../client/responses.ts';
import { bearerOf } from '../identity/verifier.ts';
import { type EventDependencies, getCall } from './event-calls.ts';
import { changedMeanwhileError, toWriteError } from './faults.ts';
import { fieldsParameter } from '../form.ts';
import { createEventForm } from './event-form.ts';
import { canonicalId } from './calendars.ts';
import type { RuleDecision, GatewayRules } from './own-rules.ts';

/** A write as a caller requested it. */
export interface WriteRequest<Args extends CalendarIdArgs = CalendarIdArgs> {
  readonly viewer: Viewer;
  readonly args: Args;
  readonly request: RequestKey;
  readonly selected?: GetSelection | undefined;
}

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

/** Creates the steps shared by writes: sending calls, and turning responses into results. */
export function createWriteSteps({ client, ...dependencies }: EventDependencies, rules: GatewayRules) {
  const eventConverter = createEventForm(dependencies.model, dependencies.schemas);
  async function send({ viewer, request }: WriteRequest, call: Call): Promise<Fields> {
    const { body } = await client.call(call, { token: bearerOf(viewer), request });
    return (body ?? {}) as Fields;
  }

  const fieldsFor = ({
    args: { event },
    selected,
  }: WriteRequest<CalendarIdArgs & Pick<WriteArgs, 'event'>>): string | undefined => {
    const fields = eventConverter.fieldsOf(selected?.(), [...comparedFields, ...Object.keys(event)]);
    return fields && fieldsParameter(fields);
  };

  /** Creates the error for a failed `ifMatch`, with the current etag. */
  async function preconditionError(
    write: WriteRequest<EventIdArgs & { readonly ifMatch?: string | null }>,
  ): Promise<unknown> {
    const operation = { schemas: dependencies.schemas, defaultArgument: 'eventId' } as const;
    const json = await send(write, getCall(write.args, 'etag')).catch((error: unknown) => {
      throw toWriteError(error, operation);
    });
    const etag = etagOf(json);
    requireMatch(write.args.ifMatch, () => etag ?? '', 'event');
    return changedMeanwhileError(etag);
  }

  /** Creates the result, with warnings about unapplied changes. Throws FORBIDDEN if a guest sent only changes that are not allowed. */
  function resultOf(
    { viewer, args }: WriteRequest<WriteArgs & GuestArgs & CalendarIdArgs & Pick<PatchArgs, 'replaces'>>,
    json: Fields,
    decision?: Pick<RuleDecision, 'warnings' | 'draft'>,
  ): EventResult {
    const {
      refusals,
      isPartlyApplied,
      isOrganizer,
      unapplied,
      warnings: responseWarnings,
    } = rules.checkResponse(viewer, args.calendarId, args, json, decision?.draft.view);
    const issues = [
      ...refusals,
      ...unapplied.map((path): Issue => ({
        path,
        reason: 'forbiddenForNonOrganizer',
        message: notAppliedMessage,
      })),
    ];
    if (issues.length > 0 && !isPartlyApplied && (refusals.length > 0 || !isOrganizer))
      throw errorOf('FORBIDDEN', issues);
    const ignoredWarnings = issues.map(({ path, message }): Warning => ({
      path,
      reason: 'ignored',
      message,
    }));
    const event = eventOf(limitAttendees(json, args), args.calendarId, viewer);
    const warnings = decision
      ? mergeWarnings(decision.warnings, responseWarnings)
      : responseWarnings.filter(isRelevant);
    // The service sends the mails and does not report their number.
    return { event, warnings: [...warnings, ...ignoredWarnings], guestsNotified: 0 };
  }

  /** Event of a response, as the calendar shows it. Throws if there is none. */
  function eventOf(json: Fields, calendarId: string, viewer: Viewer): EventView {
    const event = eventConverter.viewOf(json, canonicalId(calendarId, viewer));
    if (event) return event;
    throw outcomeUnknown(
      'The calendar service did not return an event. Read the event before you send the change again.',
    );
  }

  return { send, fieldsFor, preconditionError, resultOf, eventOf };
}

export type WriteSteps = ReturnType<typeof createWriteSteps>;

export const etagOf = ({ etag }: Fields): string | undefined => (typeof etag === 'string' ? etag : undefined);

function limitAttendees(json: Fields, { maxAttendees }: PresentationArgs): Fields {
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

/** Merges warnings from before and after a write. The response decides about conferences, and adds fields that the service ignored. */
function mergeWarnings(earlier: readonly Warning[], later: readonly Warning[]): readonly Warning[] {
  const hasConferenceWarning = later.some(concernsField('conferenceData'));
  // Warnings about fields of a conference need one of the response; those about all of it have a shorter path.
  const keptWarnings = earlier.filter(
    (warning) => hasConferenceWarning || warning.path.length < 3 || !concernsField('conferenceData')(warning),
  );
  const reportedPaths = new Set(keptWarnings.map(({ path }) => JSON.stringify(path)));
  return [
    ...keptWarnings,
    ...later.filter(
      (warning) =>
        warning.reason === 'ignored' &&
        !concernsField('conferenceData')(warning) &&
        !reportedPaths.has(JSON.stringify(warning.path)),
    ),
  ];
}
