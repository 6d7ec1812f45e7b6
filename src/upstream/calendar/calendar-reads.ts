import type { Viewer } from '../../access/permissions.ts';
import type { CalendarService } from '../../calendar/calendar.service.ts';
import { inOrder, type CalendarView } from '../../calendar/calendar.view.ts';
import type { Selected } from '../../core/fields/selection.ts';
import { AppError } from '../../core/kernel/errors.ts';
import { isFields } from '../../core/kernel/patch.ts';
import type { RequestKey } from '../../core/runtime/per-request.ts';
import { fieldsParameter } from '../form.ts';
import { bearerOf } from '../identity/bearer.ts';
import { createCalendarForm } from './calendar-form.ts';
import type { UpstreamCalendarParts } from './service-parts.ts';
import { inOwnWords } from './read-faults.ts';

/** So many calendars a page may have, and so many pages are read. */
const [mostOnPage, mostPages] = [250, 40];

/** Reads the calendars on the caller's list. */
export function createCalendarReads({
  client,
  schemas,
}: Pick<UpstreamCalendarParts, 'client' | 'schemas'>): Pick<
  CalendarService,
  'listCalendars' | 'getCalendar'
> {
  const form = createCalendarForm(schemas);

  async function listCalendars(
    viewer: Viewer,
    request: RequestKey,
    selected?: Selected,
  ): Promise<readonly CalendarView[]> {
    const items = form.fieldsOf(selected?.());
    const fields = items && fieldsParameter(['nextPageToken', `items(${items.join(',')})`]);
    const views: CalendarView[] = [];
    let pageToken: string | undefined;
    for (let count = 0; count < mostPages; count += 1) {
      const { body } = await client
        .call(
          {
            method: 'calendarList.list',
            verb: 'GET',
            path: ['users', 'me', 'calendarList'],
            repeatable: true,
            query: { maxResults: mostOnPage, pageToken, fields },
          },
          { token: bearerOf(viewer), request },
        )
        .catch(inOwnWords({ calendarAt: [[]] }));
      const page = isFields(body) ? body : {};
      views.push(...(Array.isArray(page.items) ? page.items : []).flatMap((item) => form.viewOf(item) ?? []));
      const next = page.nextPageToken;
      if (typeof next !== 'string' || next === '') return views.sort(inOrder);
      if (next === pageToken) break;
      pageToken = next;
    }
    throw new AppError(
      'UNAVAILABLE',
      'backendError',
      'The calendar service gave a list of calendars without an end. Try again later.',
    );
  }

  async function getCalendar(
    viewer: Viewer,
    { calendarId }: { readonly calendarId: string },
    request: RequestKey,
    selected?: Selected,
  ): Promise<CalendarView> {
    const fields = form.fieldsOf(selected?.());
    const { body } = await client
      .call(
        {
          method: 'calendarList.get',
          verb: 'GET',
          path: ['users', 'me', 'calendarList', calendarId],
          repeatable: true,
          query: { fields: fields && fieldsParameter(fields) },
        },
        { token: bearerOf(viewer), request },
      )
      .catch(inOwnWords());
    const view = form.viewOf(body);
    if (!view)
      throw new AppError(
        'UNAVAILABLE',
        'backendError',
        'The calendar service answered with something that is no calendar.',
      );
    return view;
  }

  return { listCalendars, getCalendar };
}
