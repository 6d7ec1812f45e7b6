import type { CalendarAccessRole } from '../gql/graphql.ts';

/** Permissions of a role, in words for the person who grants it. */
export const roleWords: Readonly<Record<CalendarAccessRole, string>> = {
  none: 'Nothing',
  freeBusyReader: 'Sees when it is busy',
  reader: 'Sees events',
  writer: 'Changes events',
  owner: 'Owns the calendar',
};

/** Permissions of the caller's own role, in words. */
export const ownRoleWords: Readonly<Record<CalendarAccessRole, string>> = {
  none: 'You may not see this calendar.',
  freeBusyReader: 'You see when it is busy, and nothing else.',
  reader: 'You see its events.',
  writer: 'You see and change its events.',
  owner: 'You own it.',
};

export const givenRoles = ['freeBusyReader', 'reader', 'writer', 'owner'] as const;
