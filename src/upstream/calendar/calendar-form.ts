import { includes } from '../../access/permissions.ts';
import { calendarFields } from '../../calendar/calendar.fields.ts';
import type { CalendarView } from '../../calendar/calendar.view.ts';
import type { FieldSelection } from '../../core/fields/selection.ts';
import { nodeIdOf } from '../../core/kernel/node-id.ts';
import { isFields } from '../../core/kernel/patch.ts';
import type { Schemas } from '../../official/schema.ts';
import { formOf, isWhole, readFields, selectedTexts } from '../form.ts';

/** Calendars in the form that the official API gives them to a caller. */
export interface CalendarForm {
  /** Undefined for what is no calendar. */
  viewOf(json: unknown): CalendarView | undefined;
  /** That of a list of events, told by what stands around them. */
  listed(json: object, calendarId: string): CalendarView;
  /** What has to be asked for to show a selection, in the words of the parameter `fields`; undefined for the whole. */
  fieldsOf(selection: FieldSelection | undefined): readonly string[] | undefined;
}

export function createCalendarForm(schemas: Schemas): CalendarForm {
  const form = formOf(calendarFields.fields, schemas, schemas.CalendarListEntry ?? {});

  const viewAs = (json: object, id: string): CalendarView => {
    const {
      etag = '',
      summary = id,
      timeZone = 'UTC',
      accessRole,
      primary = false,
      backgroundColor,
      defaultReminders,
      ...rest
    } = readFields(form, json as Readonly<Record<string, unknown>>) as Partial<CalendarView>;
    const role = roles[String(accessRole)] ?? 'freeBusyReader';
    return {
      ...rest,
      kind: 'calendar#calendar',
      etag,
      nodeId: nodeIdOf('calendar', id),
      id,
      summary,
      timeZone,
      accessRole: role,
      primary,
      ...(backgroundColor !== undefined && { backgroundColor: backgroundColor.toLowerCase() }),
      ...(includes(role, 'writer') && {
        defaultReminders: (defaultReminders ?? []).filter(
          ({ method, minutes }) => method !== undefined && minutes !== undefined,
        ),
      }),
    };
  };

  return {
    viewOf: (json) => (isFields(json) && typeof json.id === 'string' ? viewAs(json, json.id) : undefined),
    listed: viewAs,
    fieldsOf(selection) {
      if (!selection || isWhole(selection)) return undefined;
      // Calendars are put in order, and a caller's role decides what is shown.
      return [...new Set(['id', 'accessRole', 'primary', ...selectedTexts(form, selection)])];
    },
  };
}

/** The roles of the official API; who has another one sees the least. */
const roles: Readonly<Record<string, CalendarView['accessRole']>> = {
  freeBusyReader: 'freeBusyReader',
  reader: 'reader',
  writer: 'writer',
  writerWithoutPrivateAccess: 'writer',
  owner: 'owner',
};
