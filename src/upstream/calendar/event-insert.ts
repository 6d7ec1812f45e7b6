import { invalidInput } from '../../core/errors.ts';
import { requestIdReused, requestRecord, type RequestRecord } from '../../core/request-record.ts';
import { newId } from '../../event/attendees/replicas.ts';
import type { InsertEventArgs } from '../../event/event.requests.ts';
import type { EventResult } from '../../event/event.service.ts';
import { originalOf } from '../../recurrence/original-start.ts';
import { viewOf } from '../../event/visibility/event-view.ts';
import { asSent } from '../../google/write.ts';
import type { Answers, Asked } from './event-answers.ts';
import {
  createRequestIds,
  type EventParts,
  getCall,
  insertCall,
  type Json,
  namedCall,
} from './event-calls.ts';
import { isUnknown } from '../client/responses.ts';
import { duplicate, isRefusal, refusalAt, unknownOutcome } from './faults.ts';
import type { Decided, OwnRules } from './own-rules.ts';
import { createRequestOutcomes } from '../request-outcomes.ts';
import { shown } from './event-reads.ts';
import { sendable, withoutIgnored } from './event-form.ts';

/** An insert of what is sent, with the name that the new event has. */
interface Insert extends Asked<InsertEventArgs> {
  readonly id: string | undefined;
  readonly record: RequestRecord | undefined;
  /** What the own rules said; absent for an instance. */
  readonly decided?: Pick<Decided, 'warnings' | 'draft'>;
}

export function createInsert(
  { model, schemas, tools, clock }: EventParts,
  rules: OwnRules,
  { send, fieldsFor, resultOf }: Answers,
) {
  const idFor = createRequestIds(tools.signingSecret);
  const outcomes = createRequestOutcomes<EventResult>(clock);

  return async function insertEvent(asked: Asked<InsertEventArgs>): Promise<EventResult> {
    const { viewer, args } = asked;
    const record = requestRecord('insertEvent', viewer, args, clock);
    const earlier = record && outcomes.earlier(record);
    if (earlier) return earlier;
    // Whoever comes with the same id may select something else.
    const once = (
      run: (asking: Asked<InsertEventArgs>, again: boolean) => Promise<EventResult>,
    ): Promise<EventResult> =>
      record && !args.validateOnly
        ? outcomes.run(record, args, (again) => run({ ...asked, selected: undefined }, again))
        : run(asked, false);
    if (typeof args.event.recurringEventId === 'string') return once(insertInstance);
    const { id = null, iCalUID = null } = args.event;
    const name = id ?? (iCalUID === null ? (record ? idFor(record) : newId()) : undefined);
    const decided = rules.create(viewer, args, name ?? newId());
    const { context, warnings } = decided;
    if (args.validateOnly) return { event: viewOf(context, args), warnings, guestsNotified: 0 };
    const event = withoutIgnored(sendable(model, decided.draft.body, args, true), warnings);
    return once((asking, again) =>
      carryOut({ ...asking, args: { ...args, event }, id: name, record, decided }, again),
    );
  };

  /** `again`: an earlier one with the same requestId may have been carried out. */
  async function carryOut(insert: Insert, again: boolean): Promise<EventResult> {
    const { args, id, record, decided } = insert;
    // By its name a second one is known for the first: a name that the caller chose may be another event's.
    const isMade = id !== undefined && (args.event.id ?? null) === null;
    let json: Json;
    try {
      json = await post(insert, isMade);
    } catch (error) {
      const mayBeThere = isRefusal(error, 409) && (isMade || again);
      const found = mayBeThere || isUnknown(error) ? await earlier(insert) : undefined;
      // It is there, but cannot be read.
      if (!found && mayBeThere) throw unknownOutcome();
      if (!found || (!(isMade && mayBeThere) && !isSame(insert, found))) throw refused(insert, error);
      if (record && !again && isOther(insert, found)) throw requestIdReused();
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

  /** Whether an event that stayed as it was made is clearly another one than this. */
  function isOther({ viewer, args }: Insert, found: Json): boolean {
    const age = Date.parse(String(found.updated)) - Date.parse(String(found.created));
    // Of guests the service knows names and answers of its own.
    return (
      age < 1000 &&
      rules
        .heldAgainst(viewer, args.calendarId, args, found)
        .leftOut.some(({ 1: name, length }) => name !== 'attendees' || length < 4)
    );
  }

  /** The event that has the name; undefined where there is none, or it cannot be read. */
  async function earlier(insert: Insert): Promise<Json | undefined> {
    const {
      args: { calendarId, event, ...presentation },
      id,
    } = insert;
    try {
      if (id !== undefined)
        return await send(
          insert,
          getCall({ calendarId, eventId: id }, fieldsFor(insert), presentation, event),
        );
      const { items } = await send(insert, namedCall(calendarId, String(event.iCalUID)));
      return (items as readonly Json[] | undefined)?.[0];
    } catch {
      return undefined;
    }
  }

  function refused({ args: { event } }: Pick<Insert, 'args'>, error: unknown): unknown {
    if (isRefusal(error, 409) && error.location === undefined)
      return duplicate((event.id ?? null) === null && (event.iCalUID ?? null) !== null ? 'iCalUID' : 'id');
    return refusalAt(error, { schemas, named: 'calendarId' });
  }

  /** Of an instance only the service knows the series. */
  async function insertInstance(asked: Asked<InsertEventArgs>): Promise<EventResult> {
    const { viewer, args: sent } = asked;
    const { event: stored, warnings: ofForms } = rules.stored(sent.event);
    const args = { ...sent, event: stored };
    const faults = rules.instanceFaultsOf(args);
    if (faults.length > 0) throw invalidInput(faults);
    try {
      if (!args.validateOnly) {
        const event = sendable(model, stored, args, true);
        const insert = { ...asked, args: { ...args, event }, id: undefined, record: undefined };
        const result = resultOf(asked, await post(insert, false));
        return { ...result, warnings: [...ofForms, ...result.warnings] };
      }
      const { id: _id, recurringEventId, originalStartTime, iCalUID: _uid, ...event } = args.event;
      const json = await send(
        asked,
        getCall({
          calendarId: args.calendarId,
          eventId: `${String(recurringEventId)}_${originalOf(originalStartTime) ?? ''}`,
        }),
      );
      const { context, warnings } = rules.change(viewer, args.calendarId, { ...args, event }, json);
      return { event: shown(context, json, args), warnings, guestsNotified: 0 };
    } catch (error) {
      throw refused(asked, error);
    }
  }
}
