import type { Viewer } from '../../access/permissions.ts';
import type { Selected } from '../../core/fields/selection.ts';
import { AppError, invalidInput } from '../../core/kernel/errors.ts';
import type { RequestKey } from '../../core/runtime/per-request.ts';
import { argumentIssues } from '../../event/event.arguments.ts';
import type { GetEventArgs } from '../../event/event.requests.ts';
import type { EventService } from '../../event/event.service.ts';
import type { EventView } from '../../event/view/event-view.ts';
import { fieldsParameter } from '../form.ts';
import { bearerOf } from '../identity/bearer.ts';
import { createCalendarForm } from './calendar-form.ts';
import { createEventForm } from './event-form.ts';
import { createEventLoader } from './event-loaders.ts';
import { createEventLists, presentationQuery } from './event-lists.ts';
import { freeBusy } from './free-busy.ts';
import { calendarNamed } from './own-calendar.ts';
import type { UpstreamCalendarParts } from './service-parts.ts';
import { inOwnWords } from './read-faults.ts';

type Reads = Pick<EventService, 'getEvent' | 'listEvents' | 'listInstances' | 'freeBusy'>;

/** Reads events from the service, as the caller. */
export function createEventReads({ client, model, schemas, tools }: UpstreamCalendarParts): Reads {
  const form = createEventForm(model, schemas);
  const { listEvents, listInstances } = createEventLists({
    client,
    tools,
    form,
    calendars: createCalendarForm(schemas),
  });

  const load = createEventLoader(async ({ viewer, args, selection }, request) => {
    const fields = form.fieldsOf(selection);
    const { body } = await client.call(
      {
        method: 'events.get',
        verb: 'GET',
        path: ['calendars', args.calendarId, 'events', args.eventId],
        repeatable: true,
        query: { ...presentationQuery(args), fields: fields && fieldsParameter(fields) },
      },
      { token: bearerOf(viewer), request },
    );
    return body;
  });

  async function getEvent(
    viewer: Viewer,
    args: GetEventArgs,
    request: RequestKey,
    selected?: Selected,
  ): Promise<EventView> {
    const issues = argumentIssues(args);
    if (issues.length > 0) throw invalidInput(issues);
    const json = await load({ viewer, args, selection: selected?.() }, request).catch(
      inOwnWords({ ofEvent: true }),
    );
    const event = form.viewOf(json, calendarNamed(args.calendarId, viewer));
    if (!event)
      throw new AppError(
        'UNAVAILABLE',
        'backendError',
        'The calendar service answered with something that is no event.',
      );
    return event;
  }

  return {
    getEvent,
    listEvents: (viewer, args, request, _budget, selected) => listEvents(viewer, args, request, selected),
    listInstances: (viewer, args, request, _budget, selected) =>
      listInstances(viewer, args, request, selected),
    freeBusy: (viewer, args, request) => freeBusy(viewer, args, client, request),
  };
}
