import { AppError, invalidInput } from '../../core/errors.ts';
import { etagsIn, requireMatch } from '../../core/if-match.ts';
import { maxIssues } from '../../core/report.ts';
import { updatesAsked } from '../../event/attendees/notices.ts';
import type { DeleteEventArgs, PatchEventArgs } from '../../event/event.requests.ts';
import type { EventResult } from '../../event/event.service.ts';
import type { EventPatch } from '../../event/model/fields.ts';
import { asSent } from '../../google/write.ts';
import type { Call } from '../client/exchange.ts';
import { isUnknown } from '../client/responses.ts';
import { type Answers, type Asked, etagOf } from './event-answers.ts';
import { deleteCall, type EventParts, getCall, type Json, patchCall } from './event-calls.ts';
import { sendable, withoutIgnored } from './event-form.ts';
import { mergedGuests, shown } from './event-reads.ts';
import { concernsBody, isRefusal, mayBeOwn, refusalAt, unknownOutcome } from './faults.ts';
import type { Decided, OwnRules } from './own-rules.ts';

type Patch = Asked<PatchEventArgs>;

/** How often an event that others change meanwhile is read and decided anew. */
const mostTries = 6;

export function createPatch(
  { model, schemas }: EventParts,
  rules: OwnRules,
  { send, fieldsFor, resultOf, notMet }: Answers,
) {
  const named = { schemas, named: 'eventId' } as const;

  return async function patchEvent(patch: Patch): Promise<EventResult> {
    const { args } = patch;
    const faults = rules.faultsOf(args);
    const ofBody = rules.bodyFaultsOf(args);
    if (faults.length > 0) throw invalidInput([...faults, ...ofBody].slice(0, maxIssues));
    const body = sendable(model, args.event, args, false);
    return needsEvent(args) || ofBody.length > 0 || Object.keys(body).length === 0
      ? patchRead(patch)
      : patchUnread(patch, body, updatesAsked(args) === 'none');
  };

  /** One call with what was sent. `mayRepeat`: where its outcome is unknown, once. */
  async function patchUnread(patch: Patch, body: EventPatch, mayRepeat: boolean): Promise<EventResult> {
    const { args } = patch;
    const etags = etagsIn(args.ifMatch);
    if (etags === '') throw await notMet(patch);
    let json: Json;
    try {
      json = await send(patch, callOf(patch, body, etags));
    } catch (error) {
      if (!isUnknown(error) && !mayBeOwn(error))
        throw isRefusal(error, 412) ? await notMet(patch) : await explained(patch, error);
      const found = await asItIs(patch);
      const held = found && rules.heldAgainst(patch.viewer, args.calendarId, args, found);
      if (found && held?.isComplete) return resultOf(patch, found);
      if (!isUnknown(error)) throw unknownOutcome();
      // With an etag of the caller's the second one would be refused for what the first one did.
      if (found && mayRepeat && etags === undefined) return patchUnread(patch, body, false);
      throw error;
    }
    return resultOf(patch, json);
  }

  /** What needs the event: it is read, and written as long as nobody else changed it. */
  async function patchRead(patch: Patch): Promise<EventResult> {
    const { viewer, args } = patch;
    let lost = false;
    for (let tries = 0; tries < mostTries; tries += 1) {
      const json = await read(patch);
      if (lost) return afterLost(patch, json);
      requireMatch(args.ifMatch, () => etagOf(json) ?? '', 'event');
      const decided = rules.change(viewer, args.calendarId, args, json);
      const { context, warnings, unchanged } = decided;
      if (args.validateOnly || unchanged)
        return {
          event: shown(context, json, args),
          warnings,
          guestsNotified: 0,
          ...(unchanged && { unchanged }),
        };
      const body = mergedBody(args, decided, json);
      try {
        return resultOf(patch, await send(patch, callOf(patch, body, etagOf(json))), decided);
      } catch (error) {
        if (!isRefusal(error, 412)) throw await explained(patch, error, json);
        lost ||= mayBeOwn(error);
      }
    }
    throw new AppError(
      'UNAVAILABLE',
      'backendError',
      'Others change this event all the time, so that the change could not be made. Try again.',
    );
  }

  /** Of a write whose answer was lost: the event has another etag than it was to have, maybe by that write. A second one might tell guests twice. */
  function afterLost(patch: Patch, json: Json): EventResult {
    const { viewer, args } = patch;
    if (!rules.heldAgainst(viewer, args.calendarId, args, json).isComplete) throw unknownOutcome();
    return resultOf(patch, json);
  }

  function callOf(patch: Patch, body: EventPatch, ifMatch: string | undefined): Call {
    return patchCall(patch.args, { body: asSent(schemas, 'Event', body), fields: fieldsFor(patch) }, ifMatch);
  }

  /** What the body says, with the guest list that it comes to. */
  function mergedBody(args: PatchEventArgs, { draft, warnings }: Decided, json: Json): EventPatch {
    const { attendees: _sent, attendeesOmitted: _alone, ...said } = sendable(model, draft.body, args, false);
    const guests = mergedGuests(draft);
    if (json.attendeesOmitted === true && guests.attendees !== undefined && !guests.attendeesOmitted)
      throw guestsUntold();
    const { recurrence } = draft.change as EventPatch;
    // Lines of a series move with its start.
    const moved = recurrence !== undefined && { recurrence };
    return { ...withoutIgnored(said, warnings), ...guests, ...moved };
  }

  async function read(patch: Patch): Promise<Json> {
    try {
      return await send(patch, getCall(patch.args));
    } catch (error) {
      throw refusalAt(error, named);
    }
  }

  /** The event, to see what became of a write; undefined where it cannot be read. */
  async function asItIs(patch: Patch): Promise<Json | undefined> {
    return send(patch, getCall(patch.args, fieldsFor(patch), patch.args, patch.args.event)).catch(
      () => undefined,
    );
  }

  /** A refusal of the body, as the own rules say it of the event that is there; else in the service's words. */
  async function explained(patch: Patch, error: unknown, found?: Json): Promise<unknown> {
    const refusal = refusalAt(error, named);
    const json = concernsBody(error) ? (found ?? (await asItIs(patch))) : undefined;
    if (!json) return refusal;
    try {
      rules.change(patch.viewer, patch.args.calendarId, patch.args, json);
    } catch (own) {
      if (own instanceof AppError && (own.code === 'FORBIDDEN' || isRefusal(error, 400))) return own;
    }
    return refusal;
  }
}

/** What cannot be decided by what was sent alone. */
const needsEvent = ({
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
  // The lines of a series are stored by its start and zone.
  [start, end, recurrence].some((value) => (value ?? null) !== null);

const guestsUntold = () =>
  new AppError(
    'UNAVAILABLE',
    'backendError',
    'The calendar service does not tell all guests of this event, so that the list cannot be changed safely.',
  );

type Deleted = Omit<EventResult, 'event'>;

const deleted: Deleted = { warnings: [], guestsNotified: 0 };

export function createDelete({ schemas }: EventParts, { send, notMet }: Answers) {
  return async function deleteEvent(asked: Asked<DeleteEventArgs>): Promise<Deleted> {
    const etags = etagsIn(asked.args.ifMatch);
    if (etags === '') throw await notMet(asked);
    try {
      await send(asked, deleteCall(asked.args, etags));
    } catch (error) {
      if (isRefusal(error, 410)) return { ...deleted, unchanged: true };
      if (isRefusal(error, 412) && !(error.again && (await isGone(asked)))) throw await notMet(asked);
      if (!isRefusal(error, 412) && (!isUnknown(error) || !(await isGone(asked))))
        throw refusalAt(error, { schemas, named: 'eventId' });
    }
    return deleted;
  };

  async function isGone(asked: Asked<DeleteEventArgs>): Promise<boolean> {
    try {
      return (await send(asked, getCall(asked.args, 'status'))).status === 'cancelled';
    } catch (error) {
      return isRefusal(error, 404, 410);
    }
  }
}
