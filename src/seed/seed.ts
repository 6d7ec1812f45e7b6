import { type Issue, formatPath, StartError } from '../core/errors.ts';
import type { BucketStore } from '../bucket/bucket.store.ts';
import type { CalendarStore } from '../calendar/calendar.store.ts';
import type { EventStore } from '../event/event.store.ts';
import type { NotificationStore } from '../notification/notification.store.ts';
import type { EventTools } from '../event/event.tools.ts';
import type { NotificationHosts } from '../notification/notification.create.ts';
import type { NotificationRecord } from '../notification/notification.ts';

/** Stores that a seed is loaded into, and the tools for it. */
export interface SeedTarget {
  readonly calendars: CalendarStore;
  readonly events: EventStore;
  readonly buckets: BucketStore;
  readonly notifications: NotificationStore<NotificationRecord>;
  readonly eventTools: EventTools;
  readonly hosts: NotificationHosts;
  /** Called with the number of imported events, and of all events. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** Thrown for an invalid seed. The message lists every issue with its path. */
export class SeedError extends StartError {
  readonly issues: readonly Issue[];

  constructor(issues: readonly Issue[]) {
    super(
      `The seed data is not valid:\n${issues.map(({ path, message }) => `  ${formatPath(path) || '(top level)'}: ${message}`).join('\n')}`,
    );
    this.issues = issues;
  }
}
