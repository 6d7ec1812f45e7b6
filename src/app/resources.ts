import { bucketTable } from '../bucket/bucket.fields.ts';
import { createBucketModule } from '../bucket/bucket.module.ts';
import { createBucketService } from '../bucket/bucket.service.ts';
import { calendarFields } from '../calendar/calendar.fields.ts';
import { createCalendarLoader } from '../calendar/calendar.store.ts';
import { createCalendarModule, withNamedCalendars } from '../calendar/calendar.module.ts';
import { createCalendarService } from '../calendar/calendar.service.ts';
import type { FeedUrlOf } from '../calendar/calendar.view.ts';
import { createChannelModule } from '../channel/channel.module.ts';
import { createChannelSender } from '../channel/channel.sender.ts';
import { disabledChannelService, createChannelService } from '../channel/channel.service.ts';
import type { Config } from '../config.ts';
import { compileTable, type FieldTable } from '../core/fields/table.ts';
import type { Log } from '../core/runtime/log.ts';
import type { EventTools } from '../event/event.tools.ts';
import { type CalendarWorker, createCalendarWorker } from '../event/event.jobs.ts';
import { createEventModule } from '../event/event.module.ts';
import { createEventService } from '../event/event.service.ts';
import type { GuestNotifier } from '../event/event.store.ts';
import { eventFields } from '../event/model/fields.ts';
import type {
  MutationResolvers,
  QueryResolvers,
  SubscriptionResolvers,
} from '../generated/resolvers-types.ts';
import { createSchemas, type Schemas } from '../google/schemas.ts';
import { createNotificationModule } from '../notification/notification.module.ts';
import { createNotificationService } from '../notification/notification.service.ts';
import { createPublishingService } from '../notification/publishing/publishing.service.ts';
import type { Operations, PageQuery, Query, ResourceModule, Stream, Write } from '../operations/operation.ts';
import type { ChannelOutlet } from './channels.ts';
import type { Stores } from './stores.ts';
import type { Upstream } from './upstream.ts';

/** Removes the settings that have no effect with an upstream service: it stores data and sends notifications by itself. */
export function localSettings(config: Config): {
  readonly settings: Config;
  readonly storesData: boolean;
} {
  const { calendar, storage } = config.upstream ?? {};
  const storesData = calendar === undefined || storage === undefined;
  return {
    storesData,
    settings: {
      ...config,
      ...(calendar !== undefined && { mail: undefined, channels: false }),
      ...(storage !== undefined && { brokerUrl: undefined, pubsub: undefined, webhooks: { networks: [] } }),
      ...(!storesData && { databaseUrl: undefined, seedFile: undefined }),
    },
  };
}

/** Resolvers of a root type as functions: without the objects that generated types allow in place of them. */
type ResolverFunctions<Resolvers> = {
  readonly [Name in keyof Resolvers]-?: Extract<NonNullable<Resolvers[Name]>, (...args: never[]) => unknown>;
};

type ResolverArgs<Resolve> = Resolve extends (root: never, args: infer Args, ...rest: never[]) => unknown
  ? Args
  : never;

/** Result of a resolver. Lists may be readonly, because the executor does not change them. */
type ValueOf<Resolve> = Resolve extends (...args: never[]) => infer Value
  ? ReadonlyList<Awaited<Value>>
  : never;
type ReadonlyList<Value> = Value extends readonly (infer Entry)[] ? readonly Entry[] : Value;

/** Operation of a query field. Connection types need a page query, from which the face builds the connection. */
type QueryOf<Resolve> =
  NonNullable<ValueOf<Resolve>> extends { readonly nodes: readonly (infer Node)[] }
    ? PageQuery<
        ResolverArgs<Resolve>,
        Awaited<Node>,
        Omit<NonNullable<ValueOf<Resolve>>, '__typename' | 'edges' | 'nodes' | 'pageInfo'>
      >
    : Query<ResolverArgs<Resolve>, ValueOf<Resolve>>;

type StreamOf<Field> =
  Extract<Field, { readonly resolve: unknown }> extends {
    readonly subscribe: infer Run;
    readonly resolve: infer Resolve;
  }
    ? Stream<ResolverArgs<Run>, ValueOf<Resolve>>
    : never;

/** Root fields of the graph, which no operation runs. */
type GraphField = 'node' | 'viewer';

/** Operations by root field of the schema, with matching arguments and results. */
type RootOperations = {
  readonly [Name in keyof Omit<ResolverFunctions<QueryResolvers>, GraphField>]: QueryOf<
    ResolverFunctions<QueryResolvers>[Name]
  >;
} & {
  readonly [Name in keyof Omit<ResolverFunctions<MutationResolvers>, 'report'>]: Write<
    ResolverArgs<ResolverFunctions<MutationResolvers>[Name]>,
    ValueOf<ResolverFunctions<MutationResolvers>[Name]>
  >;
} & { readonly [Name in keyof SubscriptionResolvers]-?: StreamOf<NonNullable<SubscriptionResolvers[Name]>> };

/** Argument names of an operation; never for a field without arguments, whose generated type accepts any. */
type ArgumentNames<Operation> = Operation extends { run(args: infer Args, ...rest: never[]): unknown }
  ? string extends keyof Args
    ? never
    : keyof Args
  : never;

/** Type check that fails for a root field with an argument that its operation lacks. */
type HasAllArguments<Declared> = {
  readonly [Name in keyof RootOperations & keyof Declared]: Exclude<
    ArgumentNames<RootOperations[Name]>,
    ArgumentNames<Declared[Name]>
  > extends never
    ? unknown
    : never;
};

/** Checks at compile time that every root field has an operation with all its arguments. */
const checkRootOperations = <Declared extends RootOperations>(
  operations: Declared & HasAllArguments<Declared>,
): RootOperations => operations;

/** Creates the schemas of Google's resources. `event`: the fields of an event. */
export const createOfficialSchemas = (event: FieldTable = eventFields): Schemas =>
  createSchemas({ event: compileTable(event), calendar: calendarFields, bucket: bucketTable });

interface ResourceDependencies {
  readonly config: Config;
  readonly stores: Stores;
  /** Upstream services that replace the gateway's own. */
  readonly upstream?: Pick<Upstream, 'calendar' | 'storage'> | undefined;
  readonly tools: EventTools;
  readonly notifier: GuestNotifier;
  readonly log: Log;
  /** Called after messages or mails were stored in the outbox. */
  readonly onStored: () => void;
  /** Absent if channels are off. */
  readonly channelOutlet: ChannelOutlet | undefined;
  /** Absent: no feeds are served. */
  readonly feedUrlOf?: FeedUrlOf | undefined;
  readonly extraModules: readonly ResourceModule[];
}

/** Worker that runs beside requests: finishes changes of calendars, or sends the messages of channels. */
type BackgroundWorker = Pick<CalendarWorker, 'start' | 'stop'>;

/** Creates the operations of all resources, and their background work. */
export function createResources(dependencies: ResourceDependencies): {
  readonly operations: Operations;
  readonly workers: readonly BackgroundWorker[];
} {
  const { upstream, tools, extraModules } = dependencies;
  const {
    calendars: calendarService,
    events: eventService,
    channels: channelService,
    readCalendar,
    workers,
  } = upstream?.calendar
    ? { ...upstream.calendar, readCalendar: undefined, workers: [] }
    : createLocalCalendars(dependencies);
  const storage = upstream?.storage ?? createLocalStorage(dependencies);
  const resourceOperations = checkRootOperations({
    ...withNamedCalendars(
      {
        ...createCalendarModule(calendarService).operations,
        ...createEventModule(eventService, tools.model).operations,
        ...createChannelModule(channelService).operations,
      },
      calendarService.ensurePrimary,
      readCalendar,
    ),
    ...createBucketModule(storage.buckets).operations,
    ...createNotificationModule(storage).operations,
  });
  return {
    workers,
    operations: Object.assign(
      {},
      resourceOperations,
      ...extraModules.map(({ operations }) => operations),
    ) as Operations,
  };
}

/** Creates the services of calendars, events and channels over the gateway's own stores. */
function createLocalCalendars(dependencies: ResourceDependencies) {
  const { config, stores, tools, notifier, log, onStored, feedUrlOf } = dependencies;
  const readCalendar = createCalendarLoader(stores.calendars);
  const safeNotifier = withLoggedErrors(notifier, log);
  const calendarWorker = createCalendarWorker({
    store: stores.events,
    calendars: stores.calendars,
    notifier: safeNotifier,
    tools,
    log,
    onMails: onStored,
  });
  const calendars = createCalendarService({
    store: stores.calendars,
    readCalendar,
    beginJob: calendarWorker.runFirstTurn,
    clock: tools.clock,
    idHost: new URL(config.calendarUrl).hostname,
    defaultTimeZone: config.calendarTimeZone,
    createsPrimaries: config.primaryCalendars === 'auto',
    feedUrlOf,
  });
  const events = createEventService({
    store: stores.events,
    calendars: stores.calendars,
    readCalendar,
    notifier: safeNotifier,
    tools,
    onMails: onStored,
  });
  const { service: channels, senders } = createLocalChannels(dependencies);
  return { calendars, events, channels, readCalendar, workers: [calendarWorker, ...senders] };
}

function createLocalChannels({ config, stores, tools, log, channelOutlet }: ResourceDependencies) {
  if (!channelOutlet) return { service: disabledChannelService, senders: [] };
  const sharedDependencies = {
    ...channelOutlet,
    store: stores.channels,
    events: stores.events,
    clock: tools.clock,
    origin: new URL(config.calendarUrl).origin,
    log,
  };
  const sender = createChannelSender(sharedDependencies);
  return {
    service: createChannelService({ ...sharedDependencies, onWatched: sender.wake }),
    senders: [sender],
  };
}

/** Creates the services of buckets and notifications over the gateway's own stores. */
function createLocalStorage({ config, stores, tools, onStored }: ResourceDependencies) {
  const dependencies = {
    ...config,
    buckets: stores.buckets,
    store: stores.notifications,
    log: stores.messages,
    clock: tools.clock,
    onStored,
  };
  return {
    buckets: createBucketService(dependencies),
    notifications: createNotificationService(dependencies),
    publishing: createPublishingService(dependencies),
  };
}

/** Logs errors of a notifier instead of throwing: the change is already stored. */
const withLoggedErrors = (notifier: GuestNotifier, log: Log): GuestNotifier => ({
  notify(notice) {
    try {
      notifier.notify(notice);
    } catch (err) {
      log.error({ err }, 'guests could not be notified');
    }
  },
});

/** Creates a notifier that logs each notice with the number of its guests, but not their addresses. */
export function createLogNotifier(log: Pick<Log, 'info'>): GuestNotifier {
  return {
    notify: ({ eventId, change, guests }) =>
      log.info({ event: eventId, change, guests: guests.length }, 'guests are notified'),
  };
}
