import { type AccessRole, includes, type Viewer } from '../access/permissions.ts';
import { errorAt } from '../core/kernel/errors.ts';
import type { EventQuery } from './event.store.ts';

/** Who asks a store for events of a calendar. */
export const asking = (
  role: AccessRole,
  { identity }: Viewer,
): Pick<EventQuery, 'identity' | 'seesHidden'> => ({
  identity,
  seesHidden: includes(role, 'writer'),
});

/** How much of events a role shows: owners see what writers see. */
export const sightOf = (role: AccessRole): AccessRole => (includes(role, 'writer') ? 'writer' : role);

export const noEvent = () =>
  errorAt('NOT_FOUND', ['eventId'], 'notFound', 'There is no such event on this calendar.');
