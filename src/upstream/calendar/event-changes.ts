import { AppError, invalidInputError, serviceUnavailableError } from '../../core/errors.ts';
import type { FieldNode } from '../../core/fields/table.ts';
import { ifMatchHeaderOf, requireMatch } from '../../core/if-match.ts';
import type { Fields } from '../../core/json.ts';
import { maxIssues } from '../../core/report.ts';
import { sendUpdatesOf } from '../../event/attendees/notices.ts';
import type { Draft } from '../../event/draft.ts';
import type { DeleteEventArgs, MoveEventArgs, PatchEventArgs } from '../../event/event.requests.ts';
import type { EventResult, EventService } from '../../event/event.service.ts';
import { type Attendee, attendeeKey, type EventPatch } from '../../event/model/fields.ts';
import { toOfficialBody } from '../../google/json-writer.ts';
import { isOutcomeUnknown } from '../client/responses.ts';
import { toCanonicalId, toEventPath } from './calendars.ts';
import { type WriteDependencies, type WriteRequest, etagOf, writeQueryOf } from './event-write-steps.ts';
import { toSendableBody, removeIgnoredReminders } from './event-converter.ts';
import { toServiceView } from './service-event.ts';
import {
  concernsBody,
  isRefusal,
  mayBeOwnWrite,
  toWriteError,
  unconfirmedWriteError,
} from './refusal-errors.ts';

type PatchRequest = WriteRequest<PatchEventArgs>;

/** Maximum number of reads and writes of a patch, while other changes come between. */
const maxAttempts = 6;

/** Creates the operation that patches events: by one call if possible, else by a read and a conditional write. */
export function createPatch({
  client,
  schemas,
  tools: { model },
  rules,
  readEvent,
  readEventIfPossible,
  fieldsFor,
  resultOf,
  preconditionError,
}: WriteDependencies): EventService['patchEvent'] {
  /** Sends a patch. Repeatable with an etag, since a second attempt then fails with 412. */
  function sendPatch(patch: PatchRequest, body: EventPatch, ifMatch: string | undefined): Promise<Fields> {
    const { args } = patch;
    const officialBody = toOfficialBody(schemas, 'Event', body);
    const call = {
      apiMethod: 'events.patch',
      path: toEventPath(args.calendarId, args.eventId),
      query: {
        alwaysIncludeEmail: args.alwaysIncludeEmail,
        ...writeQueryOf(args, officialBody, fieldsFor(patch)),
      },
      body: officialBody,
      ...(ifMatch !== undefined && { ifMatch }),
      repeatable: ifMatch !== undefined,
    } as const;
    return client.call(call, patch);
  }

  const patchEvent: EventService['patchEvent'] = async (viewer, args, request, selected) => {
    const patch = { viewer, args, request, selected };
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
      json = await sendPatch(patch, body, etags);
    } catch (error) {
      if (!isOutcomeUnknown(error) && !mayBeOwnWrite(error))
        throw isRefusal(error, 412) ? await preconditionError(patch) : await explainRefusal(patch, error);
      const currentEvent = await readEventIfPossible(patch, args.eventId);
      if (currentEvent && rules.checkResponse(patch.viewer, args, currentEvent).isComplete)
        return resultOf(patch, currentEvent);
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
      const json = await readEvent(patch, args).catch((error: unknown) => {
        throw toWriteError(error, schemas);
      });
      if (mayBeApplied) {
        // Writing again could notify guests twice.
        if (!rules.checkResponse(viewer, args, json).isComplete) throw unconfirmedWriteError();
        return resultOf(patch, json);
      }
      requireMatch(args.ifMatch, () => etagOf(json) ?? '', 'event');
      const { context, draft, unchanged } = rules.decideChange(viewer, args, json);
      if (args.validateOnly || unchanged)
        return {
          event: toServiceView(context, json, args),
          warnings: draft.report.warnings,
          guestsNotified: 0,
          ...(unchanged && { unchanged }),
        };
      const body = buildMergedBody(args, draft, json);
      try {
        return resultOf(patch, await sendPatch(patch, body, etagOf(json)), draft);
      } catch (error) {
        if (!isRefusal(error, 412)) throw toWriteError(error, schemas);
        mayBeApplied ||= mayBeOwnWrite(error);
      }
    }
    throw serviceUnavailableError(
      'This event changes too often, so the change could not be made. Try again.',
    );
  }

  /** Builds the body to send, with the resulting guest list. */
  function buildMergedBody(args: PatchEventArgs, draft: Draft, json: Fields): EventPatch {
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
    return { ...removeIgnoredReminders(fields, draft.report.warnings), ...guests, ...movedLines };
  }

  /** Explains a refusal of the body by the gateway's rules, else in the service's words. */
  async function explainRefusal(patch: PatchRequest, error: unknown): Promise<unknown> {
    const refusal = toWriteError(error, schemas);
    const json = concernsBody(error) ? await readEventIfPossible(patch, patch.args.eventId) : undefined;
    if (!json) return refusal;
    try {
      rules.decideChange(patch.viewer, patch.args, json);
    } catch (ruleError) {
      if (ruleError instanceof AppError && (ruleError.code === 'FORBIDDEN' || isRefusal(error, 400)))
        return ruleError;
    }
    return refusal;
  }

  return patchEvent;
}

/** Builds the guest list that a change results in, as a patch; empty if the list is unchanged. */
function buildGuestListPatch({
  context,
  before,
  change,
  body,
}: Draft): Pick<EventPatch, 'attendees' | 'attendeesOmitted'> {
  const { attendees } = change as { readonly attendees?: readonly Attendee[] | null };
  if (attendees === undefined) return {};
  if (attendees === null) return { attendees };
  const previousByKey = new Map(
    (before.core.attendees ?? []).map((entry) => [attendeeKey(entry), entry as Fields]),
  );
  const resultingGuests = attendees.map((entry) =>
    clearRemovedFields(entry, previousByKey.get(attendeeKey(entry)), context.model.field('attendees')),
  );
  // Sends only the caller's response, since the list may be longer than the one read.
  if (body.attendeesOmitted === true)
    return {
      attendeesOmitted: true,
      attendees: resultingGuests.filter((entry) => attendeeKey(entry) === context.owner),
    };
  return { attendees: resultingGuests };
}

/** Sets removed fields of an entry to null or their default, since the service may keep absent fields. */
function clearRemovedFields(entry: Attendee, previous: Fields = {}, { fields }: FieldNode): Attendee {
  const removedNames = Object.keys(previous).filter((name) => !Object.hasOwn(entry, name));
  const clearedFields = removedNames.map((name) => [name, fields.get(name)?.default ?? null]);
  return { ...(Object.fromEntries(clearedFields) as Fields), ...entry };
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
  attendeesOmitted === true ||
  // The stored form of recurrence lines depends on start and zone.
  [attendees, start, end, recurrence].some((value) => (value ?? null) !== null);

const noNotices = { warnings: [], guestsNotified: 0 } as const;

/** Creates the operation that deletes events. It succeeds without a change if the event is gone. */
export function createDelete({
  client,
  schemas,
  readEvent,
  preconditionError,
}: WriteDependencies): EventService['deleteEvent'] {
  return async (viewer, args, request) => {
    const deletion: WriteRequest<DeleteEventArgs> = { viewer, args, request };
    const etags = ifMatchHeaderOf(args.ifMatch);
    if (etags === '') throw await preconditionError(deletion);
    const sendUpdates = sendUpdatesOf(args);
    const call = {
      apiMethod: 'events.delete',
      path: toEventPath(args.calendarId, args.eventId),
      query: { sendUpdates },
      ...(etags !== undefined && { ifMatch: etags }),
      // A second attempt would fail with 412, or notifies nobody.
      repeatable: etags !== undefined || sendUpdates === 'none',
    } as const;
    try {
      await client.call(call, deletion);
    } catch (error) {
      if (isRefusal(error, 410)) return { ...noNotices, unchanged: true };
      const mayBeDeleted = isOutcomeUnknown(error) || mayBeOwnWrite(error);
      if (!mayBeDeleted || !(await isDeleted(deletion)))
        throw isRefusal(error, 412) ? await preconditionError(deletion) : toWriteError(error, schemas);
    }
    return noNotices;
  };

  /** Whether the event is gone, perhaps by an earlier attempt. */
  async function isDeleted(deletion: WriteRequest<DeleteEventArgs>): Promise<boolean> {
    try {
      return (await readEvent(deletion, deletion.args, { fields: 'status' })).status === 'cancelled';
    } catch (error) {
      return isRefusal(error, 404, 410);
    }
  }
}

/** Creates the operation that moves events. The service checks permissions. */
export function createMove({
  client,
  schemas,
  readEvent,
  eventOf,
}: WriteDependencies): EventService['moveEvent'] {
  return async (viewer, args, request) => {
    const move: WriteRequest<MoveEventArgs> = { viewer, args, request };
    const { calendarId, eventId, destination, ifMatch, validateOnly } = args;
    const isSameCalendar = toCanonicalId(calendarId, viewer) === toCanonicalId(destination, viewer);
    const resultOf = (json: Fields, shownCalendarId: string): EventResult => ({
      event: eventOf(json, shownCalendarId, viewer),
      ...noNotices,
    });
    const call = {
      apiMethod: 'events.move',
      path: toEventPath(calendarId, eventId, 'move'),
      query: { destination, sendUpdates: sendUpdatesOf(args) },
      repeatable: false,
    } as const;
    try {
      if (isSameCalendar || validateOnly || typeof ifMatch === 'string') {
        const json = await readEvent(move, args);
        requireMatch(ifMatch, () => etagOf(json) ?? '', 'event');
        if (isSameCalendar) return { ...resultOf(json, calendarId), unchanged: true };
        if (validateOnly) return resultOf(json, calendarId);
      }
      return resultOf(await client.call(call, move), destination);
    } catch (error) {
      const mayBeMoved = isOutcomeUnknown(error) || isRefusal(error, 400, 403, 404, 409, 410);
      const movedEvent = mayBeMoved ? await findMoved(move) : undefined;
      if (movedEvent) return { ...resultOf(movedEvent, destination), unchanged: true };
      throw toWriteError(error, schemas);
    }
  };

  /** Finds the event on the destination, if an earlier attempt moved it: it then is cancelled on the source. */
  async function findMoved(move: WriteRequest<MoveEventArgs>): Promise<Fields | undefined> {
    const { eventId, destination } = move.args;
    try {
      const sourceEvent = await readEvent(move, move.args, { fields: 'status' });
      if (sourceEvent.status !== 'cancelled') return undefined;
      const destinationEvent = await readEvent(move, { calendarId: destination, eventId });
      return destinationEvent.status === 'cancelled' ? undefined : destinationEvent;
    } catch {
      return undefined;
    }
  }
}
