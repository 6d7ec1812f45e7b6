import type { CalendarAccessRole } from '../gql/graphql.ts';

/** Permissions of a role, for the person who grants it. */
export const roleDescriptions: Readonly<Record<CalendarAccessRole, string>> = {
  none: 'No access',
  freeBusyReader: 'Can see free/busy times',
  reader: 'Can see events',
  writer: 'Can edit events',
  owner: 'Owner',
};

/** Permissions of the caller's own role. */
export const ownRoleDescriptions: Readonly<Record<CalendarAccessRole, string>> = {
  none: 'You have no access to this calendar.',
  freeBusyReader: 'You can see free/busy times only.',
  reader: 'You can see its events.',
  writer: 'You can see and edit its events.',
  owner: 'You are an owner.',
};

/** Roles that the form offers. `none` is the Remove button. */
export const grantableRoles = ['freeBusyReader', 'reader', 'writer', 'owner'] as const;
