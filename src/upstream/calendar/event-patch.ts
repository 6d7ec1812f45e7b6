import { AppError, invalidInputError, serviceUnavailableError } from '../../core/errors.ts';
import { ifMatchHeaderOf, requireMatch } from '../../core/if-match.ts';
import type { Fields } from '../../core/json.ts';
import { maxIssues } from '../../core/report.ts';
import { sendUpdatesOf } from '../../event/attendees/notices.ts';
import type { DeleteEventArgs, PatchEventArgs } from '../../event/event.requests.ts';
import type { EventResult } from '../../event/event.service.ts';
import type { EventPatch } from '../../event/model/fields.ts';
import { toOfficialBody } from '../../google/json-writer.ts';
import type { Call } from '../client/http-exchange.ts';
import { isOutcomeUnknown } from '../client/responses.ts';
import { type WriteSteps, type WriteRequest, etagOf } from './event-write-steps.ts';
import { createDeleteCall, type EventDependencies, createGetCall, createPatchCall } from './event-calls.ts';
import { toSendableBody, removeIgnoredReminders } from './event-converter.ts';
import { buildGuestListPatch, toServiceView } from './event-reads.ts';
import {
  concernsBody,
  isRefusal,
  mayBeOwnWrite,
  toWriteError,
  unconfirmedWriteError,
} from './refusal-errors.ts';
import type { RuleDecision, GatewayRules } from './gateway-rules.ts';

type PatchRequest = WriteRequest<PatchEventArgs>;

/** Maximum number of reads and writes of a patch, while other changes come between. */
const maxAttempts = 6;

/** Creates the operation that patches events: by one call if possible, else by a read and a conditional write. */
export function createPatch(
  { model, schemas }: EventDependencies,
  rules: GatewayRules,
  { send, fieldsFor, resultOf, preconditionError }: WriteSteps,
) {
  const operation = { schemas, defaultArgument: 'eventId' } as const;

  return async function patchEvent(patch: PatchRequest): Promise<EventResult> {
    const { args } = patch;
    const argumentIssues = rules.listPatchArgumentIssues(args);
    const bodyIssues = rules.listBodyIssues(args);
    if (argumentIssues.length > 0)
      throw invalidInputError([...argumentIssues, ...bodyIssues].slice(0, maxIssues));
    const body = toSendableBody(model, args.event, args, false);
    return dependsOnEvent(args) || bodyIssues.length > 0 || Object.keys(body).length === 0
      ? patchAfterRead(patch)
      : patchDirectly(patch, body, sendUpdatesOf(args) === 'none');
  };

  /** Sends the patch without reading the event. `mayRepeat`: whether to retry once after an unknown outcome. */
  async function patchDirectly(
    patch: PatchRequest,
    body: EventPatch,
    mayRepeat: boolean,
  ): Promise<EventResult> {
    const { args } = patch;
    const etags = ifMatchHeaderOf(args.ifMatch);
    if (etags === '') throw await preconditionError(patch);
    let json: Fields;
    try {
      json = await send(patch, createCall(patch, body, etags));
    } catch (error) {
      if (!isOutcomeUnknown(error) && !mayBeOwnWrite(error))
        throw isRefusal(error, 412) ? await preconditionError(patch) : await explainRefusal(patch, error);
      const currentEvent = await readEventIfPossible(patch);
      const comparison =
        currentEvent && rules.checkResponse(patch.viewer, args.calendarId, args, currentEvent);
      if (currentEvent && comparison?.isComplete) return resultOf(patch, currentEvent);
      if (!isOutcomeUnknown(error)) throw unconfirmedWriteError();
      // A retry with the caller's etag would fail because of the first attempt.
      if (currentEvent && mayRepeat && etags === undefined) return patchDirectly(patch, body, false);
      throw error;
    }
    return resultOf(patch, json);
  }

  /** Reads the event, decides the change, and writes with `If-Match`; starts again after a concurrent change. */
  async function patchAfterRead(patch: PatchRequest): Promise<EventResult> {
    const { viewer, args } = patch;
    let mayBeApplied = false;
    for (let attempts = 0; attempts < maxAttempts; attempts += 1) {
      const json = await readEvent(patch);
      if (mayBeApplied) return resultAfterLostResponse(patch, json);
      requireMatch(args.ifMatch, () => etagOf(json) ?? '', 'event');
      const decision = rules.decideChange(viewer, args.calendarId, args, json);
      const { context, warnings, unchanged } = decision;
      if (args.validateOnly || unchanged)
        return {
          event: toServiceView(context, json, args),
          warnings,
          guestsNotified: 0,
          ...(unchanged && { unchanged }),
        };
      const body = buildMergedBody(args, decision, json);
      try {
        return resultOf(patch, await send(patch, createCall(patch, body, etagOf(json))), decision);
      } catch (error) {
        if (!isRefusal(error, 412)) throw await explainRefusal(patch, error, json);
        mayBeApplied ||= mayBeOwnWrite(error);
      }
    }
    throw serviceUnavailableError(
      'This event changes too often, so the change could not be made. Try again.',
    );
  }

  /** Checks whether a write without a response was applied. Writing again could notify guests twice. */
  function resultAfterLostResponse(patch: PatchRequest, json: Fields): EventResult {
    const { viewer, args } = patch;
    if (!rules.checkResponse(viewer, args.calendarId, args, json).isComplete) throw unconfirmedWriteError();
    return resultOf(patch, json);
  }

  function createCall(patch: PatchRequest, body: EventPatch, ifMatch: string | undefined): Call {
    return createPatchCall(
      patch.args,
      { body: toOfficialBody(schemas, 'Event', body), fields: fieldsFor(patch) },
      ifMatch,
    );
  }

  /** Builds the body to send, with the resulting guest list. */
  function buildMergedBody(
    args: PatchEventArgs,
    { draft, warnings }: RuleDecision,
    json: Fields,
  ): EventPatch {
    const sendableFields = toSendableBody(model, draft.body, args, false);
    const { attendees: _attendees, attendeesOmitted: _omitted, ...fields } = sendableFields;
    const guests = buildGuestListPatch(draft);
    if (json.attendeesOmitted === true && guests.attendees !== undefined && !guests.attendeesOmitted)
      throw serviceUnavailableError(
        'The calendar service does not return all guests of this event, so the list cannot be changed safely.',
      );
    const { recurrence } = draft.change as EventPatch;
    // The recurrence lines move with the start.
    const movedLines = recurrence !== undefined && { recurrence };
    return { ...removeIgnoredReminders(fields, warnings), ...guests, ...movedLines };
  }

  async function readEvent(patch: PatchRequest): Promise<Fields> {
    try {
      return await send(patch, createGetCall(patch.args));
    } catch (error) {
      throw toWriteError(error, operation);
    }
  }

  /** Reads the event with the fields to compare; undefined if it cannot be read. */
  async function readEventIfPossible(patch: PatchRequest): Promise<Fields | undefined> {
    return send(patch, createGetCall(patch.args, fieldsFor(patch), patch.args, patch.args.event)).catch(
      () => undefined,
    );
  }

  /** Explains a refusal of the body by the gateway's rules, else in the service's words. */
  async function explainRefusal(patch: PatchRequest, error: unknown, knownEvent?: Fields): Promise<unknown> {
    const refusal = toWriteError(error, operation);
    const json = concernsBody(error) ? (knownEvent ?? (await readEventIfPossible(patch))) : undefined;
    if (!json) return refusal;
    try {
      rules.decideChange(patch.viewer, patch.args.calendarId, patch.args, json);
    } catch (ruleError) {
      if (ruleError instanceof AppError && (ruleError.code === 'FORBIDDEN' || isRefusal(error, 400)))
        return ruleError;
    }
    return refusal;
  }
}

/** Whether a patch can only be decided with the current event. */
const dependsOnEvent = ({
  validateOnly,
  replaces,
  attendeeChanges,
  event: { attendees, attendeesOmitted, start, end, recurrence },
}: PatchEventArgs): boolean =>
  Boolean(validateOnly) ||
  Boolean(replaces) ||
  Boolean(attendeeChanges) ||
  (attendees ?? null) !== null ||
  attendeesOmitted === true ||
  // The stored form of recurrence lines depends on start and zone.
  [start, end, recurrence].some((value) => (value ?? null) !== null);

type DeleteResult = Omit<EventResult, 'event'>;

const deletedResult: DeleteResult = { warnings: [], guestsNotified: 0 };

/** Creates the operation that deletes events. It succeeds without a change if the event is gone. */
export function createDelete({ schemas }: EventDependencies, { send, preconditionError }: WriteSteps) {
  return async function deleteEvent(write: WriteRequest<DeleteEventArgs>): Promise<DeleteResult> {
    const etags = ifMatchHeaderOf(write.args.ifMatch);
    if (etags === '') throw await preconditionError(write);
    try {
      await send(write, createDeleteCall(write.args, etags));
    } catch (error) {
      if (isRefusal(error, 410)) return { ...deletedResult, unchanged: true };
      if (isRefusal(error, 412) && !(error.hasEarlierAttempt && (await isDeleted(write))))
        throw await preconditionError(write);
      if (!isRefusal(error, 412) && (!isOutcomeUnknown(error) || !(await isDeleted(write))))
        throw toWriteError(error, { schemas, defaultArgument: 'eventId' });
    }
    return deletedResult;
  };

  /** Whether the event is gone, perhaps by an earlier attempt. */
  async function isDeleted(write: WriteRequest<DeleteEventArgs>): Promise<boolean> {
    try {
      return (await send(write, createGetCall(write.args, 'status'))).status === 'cancelled';
    } catch (error) {
      return isRefusal(error, 404, 410);
    }
  }
}
