import { AppError, invalidInputError, serviceUnavailableError } from '../../core/errors.ts';
import { etagsIn, requireMatch } from '../../core/if-match.ts';
import type { Fields } from '../../core/patch.ts';
import { maxIssues } from '../../core/report.ts';
import { sendUpdatesOf } from '../../event/attendees/notices.ts';
import type { DeleteEventArgs, PatchEventArgs } from '../../event/event.requests.ts';
import type { EventResult } from '../../event/event.service.ts';
import type { EventPatch } from '../../event/model/fields.ts';
import { toOfficialBody } from '../../google/write.ts';
import type { Call } from '../client/exchange.ts';
import { isOutcomeUnknown } from '../client/responses.ts';
import { type WriteSteps, type WriteRequest, etagOf } from './event-answers.ts';
import { deleteCall, type EventDependencies, getCall, patchCall } from './event-calls.ts';
import { sendableBody, withoutIgnoredReminders } from './event-form.ts';
import { guestListPatch, serviceView } from './event-reads.ts';
import { concernsBody, isRefusal, mayBeOwnWrite, toWriteError, unknownOutcomeError } from './faults.ts';
import type { RuleDecision, GatewayRules } from './own-rules.ts';

type Patch = WriteRequest<PatchEventArgs>;

const maxAttempts = 6;

/** Creates the patch of events: one call if possible, else a read and a conditional write. */
export function createPatch(
  { model, schemas }: EventDependencies,
  rules: GatewayRules,
  { send, fieldsFor, resultOf, preconditionError }: WriteSteps,
) {
  const operation = { schemas, defaultArgument: 'eventId' } as const;

  return async function patchEvent(patch: Patch): Promise<EventResult> {
    const { args } = patch;
    const argumentIssues = rules.argumentFaults(args);
    const bodyIssues = rules.listBodyIssues(args);
    if (argumentIssues.length > 0)
      throw invalidInputError([...argumentIssues, ...bodyIssues].slice(0, maxIssues));
    const body = sendableBody(model, args.event, args, false);
    return dependsOnEvent(args) || bodyIssues.length > 0 || Object.keys(body).length === 0
      ? patchAfterRead(patch)
      : patchDirectly(patch, body, sendUpdatesOf(args) === 'none');
  };

  /** Sends the patch without reading the event. `mayRepeat`: whether to retry once after an unknown outcome. */
  async function patchDirectly(patch: Patch, body: EventPatch, mayRepeat: boolean): Promise<EventResult> {
    const { args } = patch;
    const etags = etagsIn(args.ifMatch);
    if (etags === '') throw await preconditionError(patch);
    let json: Fields;
    try {
      json = await send(patch, createCall(patch, body, etags));
    } catch (error) {
      if (!isOutcomeUnknown(error) && !mayBeOwnWrite(error))
        throw isRefusal(error, 412) ? await preconditionError(patch) : await explainRefusal(patch, error);
      const current = await readCurrent(patch);
      const comparison = current && rules.checkResponse(patch.viewer, args.calendarId, args, current);
      if (current && comparison?.isComplete) return resultOf(patch, current);
      if (!isOutcomeUnknown(error)) throw unknownOutcomeError();
      // A retry with the caller's etag would fail because of the first attempt.
      if (current && mayRepeat && etags === undefined) return patchDirectly(patch, body, false);
      throw error;
    }
    return resultOf(patch, json);
  }

  /** Reads the event, decides the change, and writes with `If-Match`; starts again after a concurrent change. */
  async function patchAfterRead(patch: Patch): Promise<EventResult> {
    const { viewer, args } = patch;
    let mayBeApplied = false;
    for (let attempts = 0; attempts < maxAttempts; attempts += 1) {
      const json = await readEvent(patch);
      if (mayBeApplied) return resultAfterLostResponse(patch, json);
      requireMatch(args.ifMatch, () => etagOf(json) ?? '', 'event');
      const decision = rules.change(viewer, args.calendarId, args, json);
      const { context, warnings, unchanged } = decision;
      if (args.validateOnly || unchanged)
        return {
          event: serviceView(context, json, args),
          warnings,
          guestsNotified: 0,
          ...(unchanged && { unchanged }),
        };
      const body = mergedBody(args, decision, json);
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
  function resultAfterLostResponse(patch: Patch, json: Fields): EventResult {
    const { viewer, args } = patch;
    if (!rules.checkResponse(viewer, args.calendarId, args, json).isComplete) throw unknownOutcomeError();
    return resultOf(patch, json);
  }

  function createCall(patch: Patch, body: EventPatch, ifMatch: string | undefined): Call {
    return patchCall(
      patch.args,
      { body: toOfficialBody(schemas, 'Event', body), fields: fieldsFor(patch) },
      ifMatch,
    );
  }

  /** Builds the body to send, with the resulting guest list. */
  function mergedBody(args: PatchEventArgs, { draft, warnings }: RuleDecision, json: Fields): EventPatch {
    const sendable = sendableBody(model, draft.body, args, false);
    const { attendees: _attendees, attendeesOmitted: _omitted, ...fields } = sendable;
    const guests = guestListPatch(draft);
    if (json.attendeesOmitted === true && guests.attendees !== undefined && !guests.attendeesOmitted)
      throw serviceUnavailableError(
        'The calendar service does not return all guests of this event, so the list cannot be changed safely.',
      );
    const { recurrence } = draft.change as EventPatch;
    // The recurrence lines move with the start.
    const movedLines = recurrence !== undefined && { recurrence };
    return { ...withoutIgnoredReminders(fields, warnings), ...guests, ...movedLines };
  }

  async function readEvent(patch: Patch): Promise<Fields> {
    try {
      return await send(patch, getCall(patch.args));
    } catch (error) {
      throw toWriteError(error, operation);
    }
  }

  async function readCurrent(patch: Patch): Promise<Fields | undefined> {
    return send(patch, getCall(patch.args, fieldsFor(patch), patch.args, patch.args.event)).catch(
      () => undefined,
    );
  }

  /** Explains a refusal of the body by the gateway's rules, else in the service's words. */
  async function explainRefusal(patch: Patch, error: unknown, knownEvent?: Fields): Promise<unknown> {
    const refusal = toWriteError(error, operation);
    const json = concernsBody(error) ? (knownEvent ?? (await readCurrent(patch))) : undefined;
    if (!json) return refusal;
    try {
      rules.change(patch.viewer, patch.args.calendarId, patch.args, json);
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

/** Creates the deletion of events, which succeeds without a change if the event is gone. */
export function createDelete({ schemas }: EventDependencies, { send, preconditionError }: WriteSteps) {
  return async function deleteEvent(write: WriteRequest<DeleteEventArgs>): Promise<DeleteResult> {
    const etags = etagsIn(write.args.ifMatch);
    if (etags === '') throw await preconditionError(write);
    try {
      await send(write, deleteCall(write.args, etags));
    } catch (error) {
      if (isRefusal(error, 410)) return { ...deletedResult, unchanged: true };
      if (isRefusal(error, 412) && !(error.hasEarlierAttempt && (await isDeleted(write))))
        throw await preconditionError(write);
      if (!isRefusal(error, 412) && (!isOutcomeUnknown(error) || !(await isDeleted(write))))
        throw toWriteError(error, { schemas, defaultArgument: 'eventId' });
    }
    return deletedResult;
  };

  async function isDeleted(write: WriteRequest<DeleteEventArgs>): Promise<boolean> {
    try {
      return (await send(write, getCall(write.args, 'status'))).status === 'cancelled';
    } catch (error) {
      return isRefusal(error, 404, 410);
    }
  }
}
