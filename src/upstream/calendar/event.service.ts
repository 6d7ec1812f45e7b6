import type { EventService } from '../../event/event.service.ts';
import { createEventReads } from './event-reads.ts';
import { createEventWrites } from './event-writes.ts';
import { createFollowing } from './follow.ts';
import { notOffered } from '../not-offered.ts';
import type { UpstreamCalendarParts } from './service-parts.ts';

/** Reads and changes the events of the official API, as the caller. */
export function createUpstreamEventService(parts: UpstreamCalendarParts): EventService {
  return {
    listsInTurn: false,
    ...createEventReads(parts),
    ...createEventWrites(parts),
    ...createFollowing(parts),
    patchFollowingEvents: notOffered,
    deleteFollowingEvents: notOffered,
  };
}
