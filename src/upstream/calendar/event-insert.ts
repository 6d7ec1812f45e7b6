import { requireValid } from '../../core/errors.ts';
import { requestIdReusedError, createRequestRecord, type RequestRecord } from '../../core/request-record.ts';
import { newId } from '../../core/ids.ts';
import type { Fields } from '../../core/json.ts';
import type { InsertEventArgs, ImportEventArgs } from '../../event/event.requests.ts';
import type { EventResult } from '../../event/event.service.ts';
import { toOriginalStart } from '../../recurrence/original-start.ts';
import { viewOf } from '../../event/visibility/event-view.ts';
import { toOfficialBody } from '../../google/json-writer.ts';
import type { WriteSteps, WriteRequest } from './event-write-steps.ts';
import {
  createEventIdFactory,
  type EventDependencies,
  createGetCall,
  createInsertCall,
  createListByUidCall,
  createImportCall,
} from './event-calls.ts';
import { isOutcomeUnknown } from '../client/responses.ts';
import { duplicateError, isRefusal, toWriteError, unconfirmedWriteError } from './refusal-errors.ts';
import type { RuleDecision, GatewayRules } from './gateway-rules.ts';
import { createRequestOutcomes } from '../request-outcomes.ts';
import { toServiceView, toCalendarKey, minimalCalendar } from './event-reads.ts';
import { toSendableBody, removeIgnoredReminders } from './event-converter.ts';
import { readImportBody } from '../../event/write/import-body.ts';

/** Maximum time between `created` and `updated` of an event that was not changed since its creation. */
const maxUnchangedAgeMs = 1000;

interface Insert extends WriteRequest<InsertEventArgs> {
  /** Id of the new event; undefined if the service chooses it. */
  readonly id: string | undefined;
  readonly record: RequestRecord | undefined;
  /** Decision of the gateway's rules; absent for an instance. */
  readonly decision?: Pick<RuleDecision, 'warnings' | 'draft'>;
}

/** Creates the operation that inserts events. Repeated requests with one requestId carry it out only once. */
export function createInsert(
  { model, schemas, tools, clock }: EventDependencies,
  rules: GatewayRules,
  { send, fieldsFor, resultOf }: WriteSteps,
) {
  const eventIdFor = createEventIdFactory(tools.signingSecret);
  const outcomes = createRequestOutcomes<EventResult>(clock);

  return async function insertEvent(write: WriteRequest<InsertEventArgs>): Promise<EventResult> {
    const { viewer, args } = write;
    const record = createRequestRecord('insertEvent', viewer, args, clock);
    const earlierOutcome = record && outcomes.findEarlier(record);
    if (earlierOutcome) return earlierOutcome;
    // A repeated request may select other fields, so all are read.
    const runOnce = (
      carryOut: (write: WriteRequest<InsertEventArgs>, mayBeDone: boolean) => Promise<EventResult>,
    ): Promise<EventResult> =>
      record && !args.validateOnly
        ? outcomes.run(record, args, (mayBeDone) => carryOut({ ...write, selected: undefined }, mayBeDone))
        : carryOut(write, false);
    if (typeof args.event.recurringEventId === 'string') return runOnce(insertInstance);
    const { id = null, iCalUID = null } = args.event;
    const eventId = id ?? (iCalUID === null ? (record ? eventIdFor(record) : newId()) : undefined);
    const decision = rules.decideInsert(viewer, args, eventId ?? newId());
    const { context, warnings } = decision;
    if (args.validateOnly) return { event: viewOf(context, args), warnings, guestsNotified: 0 };
    const event = removeIgnoredReminders(toSendableBody(model, decision.draft.body, args, true), warnings);
    return runOnce((currentWrite, mayBeDone) =>
      sendAndConfirm({ ...currentWrite, args: { ...args, event }, id: eventId, record, decision }, mayBeDone),
    );
  };

  /** Sends the insert. `mayBeDone`: an earlier request with the same requestId may have been carried out. */
  async function sendAndConfirm(insert: Insert, mayBeDone: boolean): Promise<EventResult> {
    const { args, id, record, decision } = insert;
    // A generated id proves that an existing event is from this request; an id chosen by the caller does not.
    const isGeneratedId = id !== undefined && (args.event.id ?? null) === null;
    let json: Fields;
    try {
      json = await sendInsert(insert, isGeneratedId);
    } catch (error) {
      const mayExist = isRefusal(error, 409) && (isGeneratedId || mayBeDone);
      const existingEvent = mayExist || isOutcomeUnknown(error) ? await findCreated(insert) : undefined;
      if (!existingEvent && mayExist) throw unconfirmedWriteError();
      if (!existingEvent || (!(isGeneratedId && mayExist) && !isApplied(insert, existingEvent)))
        throw toInsertError(insert, error);
      if (record && !mayBeDone && isDifferentEvent(insert, existingEvent)) throw requestIdReusedError();
      json = existingEvent;
    }
    return resultOf(insert, json, decision);
  }

  async function sendInsert(insert: Insert, isRepeatable: boolean): Promise<Fields> {
    const { args, id } = insert;
    const body = { ...toOfficialBody(schemas, 'Event', args.event), ...(id !== undefined && { id }) };
    return send(insert, createInsertCall(args, { body, fields: fieldsFor(insert) }, isRepeatable));
  }

  /** Whether an existing event has everything that the insert sets. */
  function isApplied({ viewer, args }: Insert, existing: Fields): boolean {
    return rules.checkResponse(viewer, args.calendarId, args, existing).isComplete;
  }

  /** Whether an event, unchanged since its creation, differs clearly from the insert. */
  function isDifferentEvent({ viewer, args }: Insert, existing: Fields): boolean {
    const ageMs = Date.parse(String(existing.updated)) - Date.parse(String(existing.created));
    // Fields of a guest (paths of 4 elements) do not count, since the service sets names and responses.
    return (
      ageMs < maxUnchangedAgeMs &&
      rules
        .checkResponse(viewer, args.calendarId, args, existing)
        .unappliedPaths.some(({ 1: name, length }) => name !== 'attendees' || length < 4)
    );
  }

  /** Finds the event by its id or iCalUID; undefined if missing or unreadable. */
  async function findCreated(insert: Insert): Promise<Fields | undefined> {
    const {
      args: { calendarId, event, ...presentation },
      id,
    } = insert;
    try {
      if (id !== undefined)
        return await send(
          insert,
          createGetCall({ calendarId, eventId: id }, fieldsFor(insert), presentation, event),
        );
      const { items } = await send(insert, createListByUidCall(calendarId, String(event.iCalUID)));
      return (items as readonly Fields[] | undefined)?.[0];
    } catch {
      return undefined;
    }
  }

  /** Converts the refusal of an insert to an error; a duplicate concerns the id or iCalUID that the caller chose. */
  function toInsertError({ args: { event } }: Pick<Insert, 'args'>, error: unknown): unknown {
    if (isRefusal(error, 409) && error.location === undefined)
      return duplicateError(
        (event.id ?? null) === null && (event.iCalUID ?? null) !== null ? 'iCalUID' : 'id',
      );
    return toWriteError(error, { schemas, defaultArgument: 'calendarId' });
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
        const insert = { ...write, args: { ...args, event }, id: undefined, record: undefined };
        const result = resultOf(write, await sendInsert(insert, false));
        return { ...result, warnings: [...formWarnings, ...result.warnings] };
      }
      const { id: _id, recurringEventId, originalStartTime, iCalUID: _uid, ...event } = args.event;
      const json = await send(
        write,
        createGetCall({
          calendarId: args.calendarId,
          eventId: `${String(recurringEventId)}_${toOriginalStart(originalStartTime) ?? ''}`,
        }),
      );
      const { context, warnings } = rules.decideChange(viewer, args.calendarId, { ...args, event }, json);
      return { event: toServiceView(context, json, args), warnings, guestsNotified: 0 };
    } catch (error) {
      throw toInsertError(write, error);
    }
  }
}

/** Creates the operation that imports events. The service decides whether an import replaces an earlier one. */
export function createImport(
  { model, schemas, clock }: EventDependencies,
  rules: GatewayRules,
  { send, eventOf }: WriteSteps,
) {
  const outcomes = createRequestOutcomes<EventResult>(clock);

  return async function importEvent(write: WriteRequest<ImportEventArgs>): Promise<EventResult> {
    const { viewer, args } = write;
    const calendar = minimalCalendar(toCalendarKey(args.calendarId, viewer), viewer.identity);
    const { body, readOnlyFields, report } = readImportBody(args.event, calendar, model);
    requireValid([...rules.listInstanceIssues({ ...args, event: body }), ...report.issues]);
    const { warnings } = report;
    if (args.validateOnly) {
      const { originalStartTime: _original, ...event } = body;
      const { context } = rules.decideInsert(viewer, { ...args, event }, newId());
      return { event: viewOf(context), warnings, guestsNotified: 0 };
    }
    const officialBody = toOfficialBody(schemas, 'Event', {
      ...toSendableBody(model, body, args, true),
      ...(readOnlyFields.organizer && { organizer: readOnlyFields.organizer }),
      ...(readOnlyFields.originalStartTime && { originalStartTime: readOnlyFields.originalStartTime }),
    });
    const sendImport = async (): Promise<EventResult> => {
      try {
        const json = await send(write, createImportCall(args, { body: officialBody, fields: undefined }));
        return { event: eventOf(json, args.calendarId, viewer), warnings, guestsNotified: 0 };
      } catch (error) {
        throw toWriteError(error, { schemas, defaultArgument: 'calendarId' });
      }
    };
    const requestRecord = createRequestRecord('importEvent', viewer, args, clock);
    return (
      (requestRecord && outcomes.findEarlier(requestRecord)) ??
      (requestRecord ? outcomes.run(requestRecord, args, sendImport) : sendImport())
    );
  };
}
