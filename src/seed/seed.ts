import { z } from 'zod';
import type { Issue } from '../core/errors.ts';
import { issuesOf } from '../core/input.ts';
import { printPath } from '../core/path.ts';
import type { EventStore, NotificationStore } from '../core/store.ts';
import { isEmail } from '../event/email.ts';
import { importEvent } from '../event/event.import.ts';
import type { EventRecord } from '../event/event.record.ts';
import type { EventTools } from '../event/event.tools.ts';
import { isTimeZone } from '../event/time.ts';
import { importNotification, type NotificationHosts } from '../notification/notification.import.ts';
import type { NotificationRecord } from '../notification/notification.ts';

const email = z.string().refine(isEmail, 'This must be an e-mail address.');

const seed = z.strictObject({
  calendars: z
    .array(
      z.strictObject({
        id: z.string().min(1),
        owner: email,
        timeZone: z.string().refine(isTimeZone, 'This must be the name of an IANA time zone.'),
        defaultReminders: z
          .array(z.strictObject({ method: z.enum(['email', 'popup']), minutes: z.number().int().min(0).max(40320) }))
          .default([]),
        acl: z
          .array(z.strictObject({ email, role: z.enum(['none', 'freeBusyReader', 'reader', 'writer', 'owner']) }))
          .default([]),
        events: z.array(z.unknown()).default([]),
      }),
    )
    .default([]),
  buckets: z
    .array(
      z.strictObject({
        name: z.string().min(1),
        project: z.string().min(1),
        requesterPays: z.boolean().default(false),
        managers: z.array(email).default([]),
        notifications: z.array(z.unknown()).default([]),
      }),
    )
    .default([]),
});

export interface SeedTarget {
  readonly events: EventStore<EventRecord>;
  readonly notifications: NotificationStore<NotificationRecord>;
  readonly eventTools: EventTools;
  readonly hosts: NotificationHosts;
}

/** A seed that breaks rules: the message lists every issue with its path. */
export class SeedError extends Error {
  readonly issues: readonly Issue[];

  constructor(issues: readonly Issue[]) {
    super(`The seed data is not valid:\n${issues.map(({ path, message }) => `  ${printPath(path) || '(top level)'}: ${message}`).join('\n')}`);
    this.issues = issues;
  }
}

/** Fills an empty store. Throws SeedError with all issues; what it stored by then is of no use. */
export async function loadSeed(data: unknown, target: SeedTarget): Promise<void> {
  const shape = issuesOf(seed, data);
  if (shape.length > 0) throw new SeedError(shape);
  const { calendars, buckets } = seed.parse(data);
  const issues: Issue[] = [
    ...duplicates(calendars.map(({ id }) => id), 'calendars', 'id'),
    ...duplicates(buckets.map(({ name }) => name), 'buckets', 'name'),
  ];
  for (const { events: _events, ...calendar } of calendars) await target.events.addCalendar(calendar);
  for (const [at, { events, ...calendar }] of calendars.entries()) {
    for (const [index, body] of events.entries()) {
      const found = await importEvent(target.events, calendar, body, target.eventTools);
      issues.push(...found.map((issue) => ({ ...issue, path: ['calendars', at, 'events', index, ...issue.path] })));
    }
  }
  for (const [at, { notifications, ...bucket }] of buckets.entries()) {
    await target.notifications.addBucket(bucket);
    for (const [index, body] of notifications.entries()) {
      const found = await importNotification(target.notifications, bucket.name, body, target.hosts);
      issues.push(...found.map((issue) => ({ ...issue, path: ['buckets', at, 'notifications', index, ...issue.path] })));
    }
  }
  if (issues.length > 0) throw new SeedError(issues);
}

function duplicates(names: readonly string[], list: string, field: string): Issue[] {
  return names.flatMap((name, index): Issue[] =>
    names.indexOf(name) === index ? [] : [{ path: [list, index, field], reason: 'duplicate', message: `${name} stands here twice.` }],
  );
}
