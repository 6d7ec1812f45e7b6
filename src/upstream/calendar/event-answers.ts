import type { Viewer } from '../../access/permissions.ts';
import { AppError, errorOf, type Issue, type Warning } from '../../core/errors.ts';
import { requireMatch } from '../../core/if-match.ts';
import type { Selected } from '../../core/fields/table.ts';
import type { RequestKey } from '../../core/runtime/limits.ts';
import type { GuestArgs, OnCalendar, OnEvent, Presentation, WriteArgs } from '../../event/event.requests.ts';
import type { EventResult } from '../../event/event.service.ts';
import type { PatchArgs } from '../../event/event.writes.ts';
import type { Call } from '../client/exchange.ts';
import { bearerOf } from '../identity/verifier.ts';
import { type EventParts, getCall, type Json } from './event-calls.ts';
import { changedMeanwhile, refusalAt } from './faults.ts';
import { fieldsParameter } from '../form.ts';
import { createEventForm } from './event-form.ts';
import { calendarNamed } from './calendars.ts';
import type { Decided, OwnRules } from './own-rules.ts';

/** A write as it came. */
export interface Asked<Args extends OnCalendar = OnCalendar> {
  readonly viewer: Viewer;
  readonly args: Args;
  readonly request: RequestKey;
  readonly selected?: Selected | undefined;
}

/** The fields by which an answer is held against what was sent, beside those that were. */
const always = [
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

/** Calls of the service for one write, and what is answered. */
export function createAnswers({ client, ...parts }: EventParts, rules: OwnRules) {
  const form = createEventForm(parts.model, parts.schemas);
  async function send({ viewer, request }: Asked, call: Call): Promise<Json> {
    const { body } = await client.call(call, { token: bearerOf(viewer), request });
    return (body ?? {}) as Json;
  }

  const fieldsFor = ({
    args: { event },
    selected,
  }: Asked<OnCalendar & Pick<WriteArgs, 'event'>>): string | undefined => {
    const fields = form.fieldsOf(selected?.(), [...always, ...Object.keys(event)]);
    return fields && fieldsParameter(fields);
  };

  /** Says which etag the event has, where it is not the one that was given. */
  async function notMet(asked: Asked<OnEvent & { readonly ifMatch?: string | null }>): Promise<unknown> {
    const named = { schemas: parts.schemas, named: 'eventId' } as const;
    const json = await send(asked, getCall(asked.args, 'etag')).catch((error: unknown) => {
      throw refusalAt(error, named);
    });
    const etag = etagOf(json);
    requireMatch(asked.args.ifMatch, () => etag ?? '', 'event');
    return changedMeanwhile(etag);
  }

  /**
   * What the service answered, with what it did not apply. `decided`: what the own rules said before. Throws FORBIDDEN where
   * a guest may change nothing of what was sent.
   */
  function resultOf(
    { viewer, args }: Asked<WriteArgs & GuestArgs & OnCalendar & Pick<PatchArgs, 'replaces'>>,
    json: Json,
    decided?: Pick<Decided, 'warnings' | 'draft'>,
  ): EventResult {
    const {
      refusals,
      isPart,
      isOrganizer,
      leftOut,
      warnings: found,
    } = rules.heldAgainst(viewer, args.calendarId, args, json, decided?.draft.seen);
    const issues = [
      ...refusals,
      ...leftOut.map((path): Issue => ({ path, reason: 'forbiddenForNonOrganizer', message: notApplied })),
    ];
    if (issues.length > 0 && !isPart && (refusals.length > 0 || !isOrganizer))
      throw errorOf('FORBIDDEN', issues);
    const left = issues.map(({ path, message }): Warning => ({ path, reason: 'ignored', message }));
    const event = form.viewOf(cut(json, args), calendarNamed(args.calendarId, viewer));
    if (!event)
      throw new AppError(
        'UNAVAILABLE',
        'outcomeUnknown',
        'The calendar service answered with something that is no event. Read the event before you send the change again.',
      );
    // Mails are the service's, and it does not say how many it sends.
    return {
      event,
      warnings: [...(decided ? both(decided.warnings, found) : found.filter(isNews)), ...left],
      guestsNotified: 0,
    };
  }

  return { send, fieldsFor, notMet, resultOf };
}

export type Answers = ReturnType<typeof createAnswers>;

export const etagOf = ({ etag }: Json): string | undefined => (typeof etag === 'string' ? etag : undefined);

/** With no more guests than are asked for. */
function cut(json: Json, { maxAttendees }: Presentation): Json {
  const { attendees } = json as { readonly attendees?: readonly Json[] };
  if (!attendees || typeof maxAttendees !== 'number' || attendees.length <= maxAttendees) return json;
  return { ...json, attendees: attendees.filter(({ self }) => self), attendeesOmitted: true };
}

const notApplied = 'The calendar service did not apply this.';

const isOf =
  (name: string) =>
  ({ path }: Warning): boolean =>
    path[1] === name;

/** With each write these are others than those that were read: nothing was ignored. */
const isNews = (warning: Warning): boolean => !isOf('etag')(warning) && !isOf('updated')(warning);

/** What was decided before, save of parts of conferences, which the service may have taken, and what it left out by itself. */
function both(decided: readonly Warning[], found: readonly Warning[]): readonly Warning[] {
  const conference = found.some(isOf('conferenceData'));
  const kept = decided.filter(
    (warning) => conference || warning.path.length < 3 || !isOf('conferenceData')(warning),
  );
  const said = new Set(kept.map(({ path }) => JSON.stringify(path)));
  return [
    ...kept,
    ...found.filter(
      (one) =>
        one.reason === 'ignored' && !isOf('conferenceData')(one) && !said.has(JSON.stringify(one.path)),
    ),
  ];
}
