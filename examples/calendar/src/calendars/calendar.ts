import type { CalendarFieldsFragment } from '../gql/graphql.ts';

export type Calendar = CalendarFieldsFragment;

/** Whether the caller may make and change events there. */
export const mayWrite = ({ accessRole }: Pick<Calendar, 'accessRole'>): boolean =>
  accessRole === 'writer' || accessRole === 'owner';

/** Whether the caller may change the calendar itself, and who may use it. */
export const owns = ({ accessRole }: Pick<Calendar, 'accessRole'>): boolean => accessRole === 'owner';
