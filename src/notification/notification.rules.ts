import type { FieldRules } from '../core/rules.ts';

/** Who may set which field of a notification: one row a field. A notification is never changed, only deleted. */
export const notificationRules = {
  custom_attributes: 'shared',
  'custom_attributes.*': 'shared',
  etag: 'readOnly',
  'event_types[]': 'shared',
  id: 'readOnly',
  kind: 'readOnly',
  object_name_prefix: 'shared',
  payload_format: 'shared',
  selfLink: 'readOnly',
  topic: 'shared',
} as const satisfies FieldRules;
