import { withoutReadOnly } from '../../core/fields/read-only.ts';
import { isFields } from '../../core/kernel/patch.ts';
import type { Warning } from '../../core/kernel/errors.ts';
import type { Support } from '../../event/event.requests.ts';
import type { EventField, EventPatch } from '../../event/model/fields.ts';
import type { EventModel } from '../../event/model/model.ts';

/** What of a body goes to the service: without what only a server sets, and what the request says not to apply. */
export function sendable(
  model: EventModel,
  body: EventPatch,
  support: Support,
  creating: boolean,
): EventPatch {
  const left = new Set<string>([
    ...(support.conferenceDataVersion === 1 ? [] : ['conferenceData']),
    ...(support.supportsAttachments ? [] : ['attachments']),
    // The id of an event that is changed is in the path, and a new guest list is complete.
    creating ? 'attendeesOmitted' : 'id',
  ]);
  return Object.fromEntries(
    (Object.keys(body) as EventField[]).flatMap((name) => {
      const node = model.fields.get(name);
      const value = !node || left.has(name) ? undefined : withoutReadOnly(node, body[name], [name], []);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Without the reminders that a warning says are ignored. */
export function withoutIgnored(body: EventPatch, warnings: readonly Warning[]): EventPatch {
  const { reminders } = body;
  if (!isFields(reminders) || !reminders.overrides) return body;
  const ignored = new Set(
    warnings.flatMap(({ path: [, name, list, index] }) =>
      name === 'reminders' && list === 'overrides' ? [index] : [],
    ),
  );
  return {
    ...body,
    reminders: {
      ...reminders,
      overrides: reminders.overrides.filter((_entry, index) => !ignored.has(index)),
    },
  };
}
