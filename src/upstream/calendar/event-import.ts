import { requireValid } from '../../core/errors.ts';
import { createRequestRecord } from '../../core/request-record.ts';
import { newId } from '../../core/new-id.ts';
import type { ImportEventArgs } from '../../event/event.requests.ts';
import type { EventResult } from '../../event/event.service.ts';
import { viewOf } from '../../event/visibility/event-view.ts';
import { readImportBody } from '../../event/write/import-body.ts';
import { toOfficialBody } from '../../google/json-writer.ts';
import { createRequestOutcomes } from '../request-outcomes.ts';
import type { WriteRequest, WriteSteps } from './event-write-steps.ts';
import { type EventDependencies, createImportCall } from './event-calls.ts';
import { toSendableBody } from './event-converter.ts';
import { toCalendarKey, minimalCalendar } from './event-reads.ts';
import { toWriteError } from './refusal-errors.ts';
import type { GatewayRules } from './gateway-rules.ts';

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
