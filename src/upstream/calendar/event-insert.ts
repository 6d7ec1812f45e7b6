import { invalidInput } from '../../core/kernel/errors.ts';
import { requestIdReused, requestRecord, type RequestRecord } from '../../core/kernel/request-record.ts';
import { newId } from '../../event/attendees/replicas.ts';
import type { InsertEventArgs } from '../../event/event.requests.ts';
import type { EventResult } from '../../event/event.service.ts';
import { originalOf } from '../../event/recurrence/instance-id.ts';
import { viewOf } from '../../event/view/event-view.ts';
import { asSent } from '../../official/sent.ts';
import type { Answers, Asked } from './event-answers.ts';
import { getCall, insertCall, namedCall } from './event-calls.ts';
import { duplicate, isRefusal, isUnknown, refusalAt, unknownOutcome } from './faults.ts';
import type { Decided, OwnRules } from './own-rules.ts';
import type { EventParts, Json } from './parts.ts';
import { shown } from './read-event.ts';
import { createRequestIds } from './request-ids.ts';
import { sendable, withoutIgnored } from './sent-body.ts';

/** An insert of what is sent, with the name that the new event has. */
interface Insert extends Asked<InsertEventArgs> {
  readonly id: string | undefined;
  readonly record: RequestRecord | undefined;
  /** What the own rules said; absent for an instance. */
  readonly decided?: Pick<Decided, 'warnings' | 'draft'>;
}

export function createInsert({ model, schemas, tools, clock }: EventParts, rules: OwnRules, { send, fieldsFor, resultOf }: Answers) {
  const ids = createRequestIds(tools.signingSecret, clock);

  return async function insertEvent(asked: Asked<InsertEventArgs>): Promise<EventResult> {
    const { viewer, args } = asked;
    if (typeof args.event.recurringEventId === 'string') return insertInstance(asked);
    const record = requestRecord('insertEvent', viewer, args, clock);
    const { id = null, iCalUID = null } = args.event;
    const name = id ?? (iCalUID === null ? (record ? ids.eventIdOf(record) : newId()) : undefined);
    const decided = rules.create(viewer, args, name ?? newId());
    const { at, warnings } = decided;
    if (record && ids.isSame(record) === false) throw requestIdReused();
    if (args.validateOnly) return { event: viewOf(at, args), warnings, guestsNotified: 0 };
    const event = withoutIgnored(sendable(model, args.event, args, true), warnings);
    const result = await carryOut({ ...asked, args: { ...args, event }, id: name, record, decided });
    if (record) ids.remember(record);
    return result;
  };

  async function carryOut(insert: Insert): Promise<EventResult> {
    const { args, id, record, decided } = insert;
    // By its name a second one is known for the first: a name that the caller chose may be another event's.
    const isOurs = (id !== undefined && (args.event.id ?? null) === null) || record !== undefined;
    let json: Json;
    try {
      json = await post(insert, id !== undefined && isOurs);
    } catch (error) {
      const found = (isRefusal(error, 409) && isOurs) || isUnknown(error) ? await earlier(insert) : undefined;
      // It is there, but cannot be read.
      if (!found && isOurs && isRefusal(error, 409)) throw unknownOutcome();
      if (!found || (isUnknown(error) && !isSame(insert, found))) throw refused(insert, error);
      if (record && !(ids.isSame(record) ?? isSame(insert, found))) throw requestIdReused();
      json = found;
    }
    return resultOf(insert, json, decided);
  }

  async function post(insert: Insert, repeatable: boolean): Promise<Json> {
    const { args, id } = insert;
    const body = { ...asSent(schemas, 'Event', args.event), ...(id !== undefined && { id }) };
    return send(insert, insertCall(args, { body, fields: fieldsFor(insert) }, repeatable));
  }

  function isSame({ viewer, args }: Insert, found: Json): boolean {
    return rules.heldAgainst(viewer, args.calendarId, args, found).isComplete;
  }

  /** The event that has the name; undefined where there is none, or it cannot be read. */
  async function earlier(insert: Insert): Promise<Json | undefined> {
    const { args: { calendarId, event, ...presentation }, id } = insert;
    try {
      if (id !== undefined) return await send(insert, getCall({ calendarId, eventId: id }, fieldsFor(insert), presentation, event));
      const { items } = await send(insert, namedCall(calendarId, String(event.iCalUID)));
      return (items as readonly Json[] | undefined)?.[0];
    } catch {
      return undefined;
    }
  }

  function refused({ args: { event } }: Pick<Insert, 'args'>, error: unknown): unknown {
    if (isRefusal(error, 409) && error.location === undefined) return duplicate((event.id ?? null) === null && (event.iCalUID ?? null) !== null ? 'iCalUID' : 'id');
    return refusalAt(error, { schemas, named: 'calendarId' });
  }

  /** Of an instance only the service knows the series. */
  async function insertInstance(asked: Asked<InsertEventArgs>): Promise<EventResult> {
    const { viewer, args } = asked;
    const faults = rules.instanceFaultsOf(args);
    if (faults.length > 0) throw invalidInput(faults);
    try {
      if (!args.validateOnly) return resultOf(asked, await post({ ...asked, args: { ...args, event: sendable(model, args.event, args, true) }, id: undefined, record: undefined }, false));
      const { id: _id, recurringEventId, originalStartTime, iCalUID: _uid, ...event } = args.event;
      const json = await send(asked, getCall({ calendarId: args.calendarId, eventId: `${String(recurringEventId)}_${originalOf(originalStartTime) ?? ''}` }));
      const { at, warnings } = rules.change(viewer, args.calendarId, { ...args, event }, json);
      return { event: shown(at, json, args), warnings, guestsNotified: 0 };
    } catch (error) {
      throw refused(asked, error);
    }
  }
}
