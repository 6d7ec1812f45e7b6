import { createHmac } from 'node:crypto';
import { requireValid } from '../../core/errors.ts';
import { requestIdReusedError, type RequestRecord } from '../../core/request-record.ts';
import { newId } from '../../core/ids.ts';
import type { Fields } from '../../core/json.ts';
import type { Draft } from '../../event/draft.ts';
import type { InsertEventArgs } from '../../event/event.requests.ts';
import type { EventResult, EventService } from '../../event/event.service.ts';
import { toOriginalStart } from '../../recurrence/original-start.ts';
import { viewOf } from '../../event/visibility/event-view.ts';
import { toOfficialBody } from '../../google/json-writer.ts';
import { type WriteDependencies, type WriteRequest, writeQueryOf } from './event-write-steps.ts';
import { toEventPath } from './calendars.ts';
import { isOutcomeUnknown } from '../client/responses.ts';
import { duplicateError, isRefusal, toWriteError, unconfirmedWriteError } from './refusal-errors.ts';
import { createRequestOutcomes } from '../request-outcomes.ts';
import { toServiceView, createMinimalCalendar } from './service-event.ts';
import { toSendableBody, removeIgnoredReminders } from './event-converter.ts';
import { readImportBody } from '../../event/write/import-body.ts';

/** Maximum time between `created` and `updated` of an event that was not changed since its creation. */
const maxUnchangedAgeMs = 1000;

const isUnchanged = ({ created, updated }: Fields): boolean =>
  Date.parse(String(updated)) - Date.parse(String(created)) < maxUnchangedAgeMs;

/** Bytes of a generated event id, which has 32 characters. */
const eventIdBytes = 20;

/** Derives event ids (base32hex) from request ids; equal on all gateways with this secret. */
function createEventIdFactory(secret: string): (record: RequestRecord) => string {
  const key = createHmac('sha256', secret).update('event ids of requests').digest();
  return (record) => {
    const digest = createHmac('sha256', key)
      .update(record.key)
      .digest('hex')
      .slice(0, 2 * eventIdBytes);
    return BigInt(`0x${digest}`).toString(32).padStart(32, '0');
  };
}

interface Insert extends WriteRequest<InsertEventArgs> {
  /** Id of the new event; undefined if the service chooses it. */
  readonly id: string | undefined;
  readonly record: RequestRecord | undefined;
  /** Event as the gateway's rules made it. */
  readonly draft: Draft;
}

/** Creates the operation that inserts events. Repeated requests with one requestId carry it out only once. */
export function createInsert({
  client,
  schemas,
  tools,
  rules,
  readEvent,
  readEventIfPossible,
  fieldsFor,
  resultOf,
}: WriteDependencies): EventService['insertEvent'] {
  const { model } = tools;
  const eventIdFor = createEventIdFactory(tools.signingSecret);
  const outcomes = createRequestOutcomes<EventResult>(tools.clock);

  async function insertOnce(
    write: WriteRequest<InsertEventArgs>,
    mayBeDone: boolean,
    record: RequestRecord | undefined,
  ): Promise<EventResult> {
    const { viewer, args } = write;
    if (typeof args.event.recurringEventId === 'string') return insertInstance(write);
    const { id = null, iCalUID = null } = args.event;
    const eventId = id ?? (iCalUID === null ? (record ? eventIdFor(record) : newId()) : undefined);
    const { context, draft } = rules.decideInsert(viewer, args, eventId ?? newId());
    const { warnings } = draft.report;
    if (args.validateOnly) return { event: viewOf(context, args), warnings, guestsNotified: 0 };
    const event = removeIgnoredReminders(toSendableBody(model, draft.body, args, true), warnings);
    return sendAndConfirm({ ...write, args: { ...args, event }, id: eventId, record, draft }, mayBeDone);
  }

  /** Sends the insert. `mayBeDone`: an earlier request with the same requestId may have been carried out. */
  async function sendAndConfirm(insert: Insert, mayBeDone: boolean): Promise<EventResult> {
    const { viewer, args, id, record, draft } = insert;
    // A generated id proves that an existing event is from this request; an id chosen by the caller does not.
    const isGeneratedId = id !== undefined && (args.event.id ?? null) === null;
    let json: Fields;
    try {
      json = await sendInsert(insert, id, isGeneratedId);
    } catch (error) {
      const mayExist = isRefusal(error, 409) && (isGeneratedId || mayBeDone);
      const existingEvent = mayExist || isOutcomeUnknown(error) ? await findCreated(insert) : undefined;
      if (!existingEvent) throw mayExist ? unconfirmedWriteError() : toInsertError(insert, error);
      const { isComplete, unappliedPaths } = rules.checkResponse(viewer, args, existingEvent);
      if (!(isGeneratedId && mayExist) && !isComplete) throw toInsertError(insert, error);
      // Fields of a guest (paths of 4 elements) do not count, since the service sets names and responses.
      const isDifferent = unappliedPaths.some(({ 1: name, length }) => name !== 'attendees' || length < 4);
      if (record && !mayBeDone && isDifferent && isUnchanged(existingEvent)) throw requestIdReusedError();
      json = existingEvent;
    }
    return resultOf(insert, json, draft);
  }

  /** Sends an insert. Repeatable only with a generated id, by which a second attempt is refused. */
  function sendInsert(
    write: WriteRequest<InsertEventArgs>,
    id?: string,
    repeatable = false,
  ): Promise<Fields> {
    const { args } = write;
    const body = { ...toOfficialBody(schemas, 'Event', args.event), ...(id !== undefined && { id }) };
    const query = writeQueryOf(args, body, fieldsFor(write));
    const path = toEventPath(args.calendarId);
    return client.call({ apiMethod: 'events.insert', path, query, body, repeatable }, write);
  }

  /** Finds the event by its id or iCalUID; undefined if missing or unreadable. */
  async function findCreated(insert: Insert): Promise<Fields | undefined> {
    const { calendarId, event } = insert.args;
    if (insert.id !== undefined) return readEventIfPossible(insert, insert.id);
    const query = { iCalUID: event.iCalUID, maxResults: 1 };
    const { items } = await client
      .call({ apiMethod: 'events.list', path: toEventPath(calendarId), query }, insert)
      .catch((): Fields => ({}));
    return (items as readonly Fields[] | undefined)?.[0];
  }

  /** Converts the refusal of an insert to an error; a duplicate concerns the id or iCalUID that the caller chose. */
  function toInsertError({ args: { event } }: WriteRequest<InsertEventArgs>, error: unknown): unknown {
    if (isRefusal(error, 409) && error.location === undefined)
      return duplicateError(
        (event.id ?? null) === null && (event.iCalUID ?? null) !== null ? 'iCalUID' : 'id',
      );
    return toWriteError(error, schemas, 'calendarId');
  }

  /** Inserts an instance, whose series only the service knows. */
  async function insertInstance(write: WriteRequest<InsertEventArgs>): Promise<EventResult> {
    const { viewer, args: sentArgs } = write;
    const { event: storedEvent, warnings: formWarnings } = rules.toStoredForm(sentArgs.event);
    const args = { ...sentArgs, event: storedEvent };
    requireValid(rules.listInstanceIssues(args));
    try {
      if (!args.validateOnly) {
        const event = toSendableBody(model, storedEvent, args, true);
        const result = resultOf(write, await sendInsert({ ...write, args: { ...args, event } }));
        return { ...result, warnings: [...formWarnings, ...result.warnings] };
      }
      const { id: _id, recurringEventId, originalStartTime, iCalUID: _uid, ...event } = args.event;
      const eventId = `${String(recurringEventId)}_${toOriginalStart(originalStartTime) ?? ''}`;
      const json = await readEvent(write, { calendarId: args.calendarId, eventId });
      const { context, draft } = rules.decideChange(viewer, { ...args, event }, json);
      const { warnings } = draft.report;
      return { event: toServiceView(context, json, args), warnings, guestsNotified: 0 };
    } catch (error) {
      throw toInsertError(write, error);
    }
  }

  return (viewer, args, request, selected) =>
    outcomes.run('insertEvent', viewer, args, (mayBeDone, record) =>
      // A repeated request may select other fields, so all are read.
      insertOnce({ viewer, args, request, selected: record ? undefined : selected }, mayBeDone, record),
    );
}

/** Creates the operation that imports events. The service decides whether an import replaces an earlier one. */
export function createImport({
  client,
  schemas,
  tools,
  rules,
  eventOf,
}: WriteDependencies): EventService['importEvent'] {
  const { model } = tools;
  const outcomes = createRequestOutcomes<EventResult>(tools.clock);

  return async (viewer, args, request) => {
    const { calendarId, conferenceDataVersion, supportsAttachments } = args;
    const calendar = createMinimalCalendar(calendarId, viewer);
    const { body, readOnlyFields, report } = readImportBody(args.event, calendar, model);
    requireValid([...rules.listInstanceIssues({ ...args, event: body }), ...report.issues]);
    const { warnings } = report;
    if (args.validateOnly) {
      const { originalStartTime: _original, ...event } = body;
      const { context } = rules.decideInsert(viewer, { ...args, event }, newId());
      return { event: viewOf(context), warnings, guestsNotified: 0 };
    }
    const { organizer, originalStartTime } = readOnlyFields;
    const call = {
      apiMethod: 'events.import',
      path: toEventPath(calendarId, 'import'),
      query: { conferenceDataVersion, supportsAttachments },
      body: toOfficialBody(schemas, 'Event', {
        ...toSendableBody(model, body, args, true),
        ...(organizer && { organizer }),
        ...(originalStartTime && { originalStartTime }),
      }),
      // The service finds an earlier import by the iCalUID.
      repeatable: true,
    } as const;
    return outcomes.run('importEvent', viewer, args, async () => {
      const json = await client.call(call, { viewer, request }).catch((error: unknown) => {
        throw toWriteError(error, schemas, 'calendarId');
      });
      return { event: eventOf(json, calendarId, viewer), warnings, guestsNotified: 0 };
    });
  };
}
