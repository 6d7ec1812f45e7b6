import { bucketTable } from '../bucket/bucket.fields.ts';
import { createBucketModule } from '../bucket/bucket.module.ts';
import { createBucketService } from '../bucket/bucket.service.ts';
import { calendarFields } from '../calendar/calendar.fields.ts';
import { createCalendarLoader } from '../calendar/calendar.loaders.ts';
import { createCalendarModule, withNamedCalendars } from '../calendar/calendar.module.ts';
import { createCalendarService } from '../calendar/calendar.service.ts';
import type { Config } from '../config.ts';
import { compileTable, type FieldTable } from '../core/fields/table.ts';
import type { Log } from '../core/runtime/log.ts';
import type { EventTools } from '../event/event.find.ts';
import { type CalendarWork, createCalendarWork } from '../event/event.jobs.ts';
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
import type { Stores } from './stores.ts';
import type { Upstream } from './upstream.ts';

/**
 * The settings of what the gateway keeps itself, and whether it keeps anything: nothing is stored or sent for a service that it
 * stands in front of.
 */
export function localSettings(config: Config): {
  readonly settings: Config;
  readonly keepsAnything: boolean;
} {
  const { calendar, storage } = config.upstream ?? {};
  const keepsAnything = calendar === undefined || storage === undefined;
  return {
    keepsAnything,
    settings: {
      ...config,
      ...(calendar !== undefined && { mail: undefined }),
      ...(storage !== undefined && { brokerUrl: undefined, pubsub: undefined, webhooks: { networks: [] } }),
      ...(!keepsAnything && { databaseUrl: undefined, seedFile: undefined }),
    },
  };
}

type Fields<Resolvers> = {
  readonly [Name in keyof Resolvers]-?: Extract<NonNullable<Resolvers[Name]>, (...args: never[]) => unknown>;
};

type ArgsOf<Resolve> = Resolve extends (root: never, args: infer Args, ...rest: never[]) => unknown
  ? Args
  : never;

/** The result of a resolver. Lists may be readonly: the executor does not change them. */
type ValueOf<Resolve> = Resolve extends (...args: never[]) => infer Value
  ? ReadonlyList<Awaited<Value>>
  : never;
type ReadonlyList<Value> = Value extends readonly (infer Entry)[] ? readonly Entry[] : Value;

/** A root field of a connection type is a page query: the face makes the connection. */
type QueryOf<Resolve> =
  NonNullable<ValueOf<Resolve>> extends { readonly nodes: readonly (infer Node)[] }
    ? PageQuery<
        ArgsOf<Resolve>,
        Awaited<Node>,
        Omit<NonNullable<ValueOf<Resolve>>, '__typename' | 'edges' | 'nodes' | 'pageInfo'>
      >
    : Query<ArgsOf<Resolve>, ValueOf<Resolve>>;

type Subscribe<Field> =
  Extract<Field, { readonly resolve: unknown }> extends {
    readonly subscribe: infer Run;
    readonly resolve: infer Resolve;
  }
    ? Stream<ArgsOf<Run>, ValueOf<Resolve>>
    : never;

/** Root fields that are no operations of a resource. */
type GraphField = 'node' | 'viewer';

/**
 * An operation for each root field of the schema, with fitting arguments and result: whoever puts the gateway together
 * holds its operations against this type.
 */
type RootOperations = {
  readonly [Name in keyof Omit<Fields<QueryResolvers>, GraphField>]: QueryOf<Fields<QueryResolvers>[Name]>;
} & {
  readonly [Name in keyof Omit<Fields<MutationResolvers>, 'report'>]: Write<
    ArgsOf<Fields<MutationResolvers>[Name]>,
    ValueOf<Fields<MutationResolvers>[Name]>
  >;
} & { readonly [Name in keyof SubscriptionResolvers]-?: Subscribe<NonNullable<SubscriptionResolvers[Name]>> };

/** The names of an operation's arguments; none for a field without arguments, of which the schema's types say any. */
type KnownTo<Operation> = Operation extends { run(args: infer Args, ...rest: never[]): unknown }
  ? string extends keyof Args
    ? never
    : keyof Args
  : never;

/** Nothing fits a root field that has an argument which its operation does not know. */
type KnowsArguments<Given> = {
  readonly [Name in keyof RootOperations & keyof Given]: Exclude<
    KnownTo<RootOperations[Name]>,
    KnownTo<Given[Name]>
  > extends never
    ? unknown
    : never;
};

/** The operations of all resources by their root fields. An argument in the schema that no operation knows does not compile. */
const rootOperations = <Given extends RootOperations>(
  operations: Given & KnowsArguments<Given>,
): RootOperations => operations;

/** The resources as the official APIs spell them. */
export const officialSchemas = (event: FieldTable = eventFields): Schemas =>
  createSchemas({ event: compileTable(event), calendar: calendarFields, bucket: bucketTable });

interface ResourceParts {
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

/** The resources of the gateway: their services behind operations, and the work that changes of calendars leave to the background. */
export function createResources(parts: ResourceParts): {
  readonly operations: Operations;
  readonly work: CalendarWork;
} {
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
  // Each root field of the schema has its operation: a missing or unfit one does not compile.
  const own = rootOperations({
    ...withNamedCalendars(
      {
        ...createCalendarModule(calendarService).operations,
        ...createEventModule(eventService, tools.model).operations,
      },
      calendarService.ensurePrimary,
      readCalendar,
    ),
    ...createBucketModule(storage.buckets).operations,
    ...createNotificationModule(storage).operations,
  });
  return {
    work,
    operations: Object.assign({}, own, ...more.map(({ operations }) => operations)) as Operations,
  };
}

function ownCalendars({ config, stores, tools, notifier, log, onStored }: ResourceParts) {
  const readCalendar = createCalendarLoader(stores.calendars);
  const told = loggingErrors(notifier, log);
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
const loggingErrors = (notifier: GuestNotifier, log: Log): GuestNotifier => ({
  notify(notice) {
    try {
      notifier.notify(notice);
    } catch (err) {
      log.error({ err }, 'guests could not be told');
    }
  },
});

/** Logs each notice with the number of its guests, never their addresses. */
export function createLogNotifier(log: Pick<Log, 'info'>): GuestNotifier {
  return {
    notify: ({ eventId, change, guests }) =>
      log.info({ event: eventId, change, guests: guests.length }, 'guests are told'),
  };
}
