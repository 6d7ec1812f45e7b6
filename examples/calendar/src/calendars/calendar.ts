import type { CalendarFieldsFragment } from '../gql/graphql.ts';

/** A calendar in the caller's list, with the caller's role. */
export type Calendar = CalendarFieldsFragment;

/** Whether the caller may create and change events. */
export const mayWrite = ({ accessRole }: Pick<Calendar, 'accessRole'>): boolean =>
  accessRole === 'writer' || accessRole === 'owner';

/** Whether the caller may change the calendar's settings and sharing. */
export const isOwner = ({ accessRole }: Pick<Calendar, 'accessRole'>): boolean => accessRole === 'owner';
