import { createBucketModule } from '../bucket/bucket.module.ts';
import { createBucketService } from '../bucket/bucket.service.ts';
import { createCalendarLoader } from '../calendar/calendar.loaders.ts';
import { createCalendarModule, withNamedCalendars } from '../calendar/calendar.module.ts';
import { createCalendarService } from '../calendar/calendar.service.ts';
import type { Config } from '../config.ts';
import type { Log } from '../core/runtime/log.ts';
import type { GuestNotifier } from '../core/runtime/notifier.ts';
import { createCalendarWork, type CalendarWork } from '../event/event.jobs.ts';
import { createEventModule } from '../event/event.module.ts';
import { createEventService } from '../event/event.service.ts';
import type { EventTools } from '../event/event.find.ts';
import { rootOperations } from './root-operations.ts';
import { createNotificationModule } from '../notification/notification.module.ts';
import { createNotificationService } from '../notification/notification.service.ts';
import { createPublishingService } from '../notification/publishing/publishing.service.ts';
import type { Operations, ResourceModule } from '../operations/operation.ts';
import type { Stores } from './stores.ts';
import type { Upstream } from './upstream.ts';

export interface ResourceParts {
  readonly config: Config;
  readonly stores: Stores;
  /** The services that stand in place of the gateway's own. */
  readonly upstream?: Pick<Upstream, 'calendar' | 'storage'> | undefined;
  readonly tools: EventTools;
  readonly notifier: GuestNotifier;
  readonly log: Log;
  /** Called when messages or mails were stored that are to be sent. */
  readonly onStored: () => void;
  /** Resources beside the gateway's own. */
  readonly more: readonly ResourceModule[];
}

export interface Resources {
  readonly operations: Operations;
  /** What changes of calendars leave to be done in the background. */
  readonly work: CalendarWork;
}

/** The resources of the gateway: their services behind operations. */
export function createResources(parts: ResourceParts): Resources {
  const { upstream, tools, more } = parts;
  const {
    calendars: calendarService,
    events: eventService,
    readCalendar,
    work,
  } = upstream?.calendar
    ? { ...upstream.calendar, readCalendar: undefined, work: noWork }
    : ownCalendars(parts);
  const storage = upstream?.storage ?? ownStorage(parts);
  const calendars = createCalendarModule(calendarService);
  const events = createEventModule(eventService, tools.model);
  const buckets = createBucketModule(storage.buckets);
  const notifications = createNotificationModule(storage);
  // One for each root field of the schema: this does not compile where one is missing or does not fit.
  const own = rootOperations({
    ...withNamedCalendars(
      { ...calendars.operations, ...events.operations },
      calendarService.ensurePrimary,
      readCalendar,
    ),
    ...buckets.operations,
    ...notifications.operations,
  });
  return {
    work,
    operations: Object.assign({}, own, ...more.map(({ operations }) => operations)) as Operations,
  };
}

function ownCalendars({ config, stores, tools, notifier, log, onStored }: ResourceParts) {
  const readCalendar = createCalendarLoader(stores.calendars);
  const told = harmless(notifier, log);
  const work = createCalendarWork({
    store: stores.events,
    calendars: stores.calendars,
    notifier: told,
    tools,
    log,
    onMails: onStored,
  });
  const calendars = createCalendarService({
    store: stores.calendars,
    readCalendar,
    beginJob: work.begin,
    clock: tools.clock,
    idHost: new URL(config.calendarUrl).hostname,
    timeZone: config.calendarTimeZone,
    makesPrimaries: config.primaryCalendars === 'auto',
  });
  const events = createEventService({
    store: stores.events,
    calendars: stores.calendars,
    readCalendar,
    notifier: told,
    tools,
    onMails: onStored,
  });
  return { calendars, events, readCalendar, work };
}

function ownStorage({ config, stores, tools, onStored }: ResourceParts) {
  const parts = {
    ...config,
    buckets: stores.buckets,
    store: stores.notifications,
    log: stores.messages,
    clock: tools.clock,
    onStored,
  };
  return {
    buckets: createBucketService(parts),
    notifications: createNotificationService(parts),
    publishing: createPublishingService(parts),
  };
}

/** The official service does its own. */
const noWork: CalendarWork = {
  begin: async () => undefined,
  start: () => undefined,
  stop: async () => undefined,
};

/** A notifier whose failure does not fail the change, which is stored by then. */
const harmless = (notifier: GuestNotifier, log: Log): GuestNotifier => ({
  notify(notice) {
    try {
      notifier.notify(notice);
    } catch (err) {
      log.error({ err }, 'guests could not be told');
    }
  },
});
