import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { loadDemoSecret } from '../access/demo-secret.ts';
import { createMemoryPublisher } from '../adapters/memory/outbox.ts';
import type { BucketStore } from '../bucket/bucket.store.ts';
import type { CalendarStore } from '../calendar/calendar.store.ts';
import type { ChannelStore } from '../channel/channel.store.ts';
import { type Config, ConfigError } from '../config.ts';
import type { FieldTable } from '../core/fields/table.ts';
import type { Clock } from '../core/runtime/clock.ts';
import type { Log } from '../core/runtime/log.ts';
import type { EventTools } from '../event/event.tools.ts';
import type { EventStore } from '../event/event.store.ts';
import { eventFields } from '../event/model/fields.ts';
import { compileModel } from '../event/model/model.ts';
import type { Mail } from '../mail/mail.ts';
import type { MessageLog, NotificationStore, OutgoingMessage } from '../notification/notification.store.ts';
import { type DeliveryReport, dropReasons } from '../outbox/delivery-report.ts';
import type { Destination, Publisher } from '../outbox/destination.ts';
import {
  brokerName,
  brokerCapacity,
  type DestinationStateStore,
  type Outbox,
  type OutboxRules,
} from '../outbox/outbox.store.ts';
import type { DestinationStatus } from '../outbox/destination-status.ts';
import { demoMonth } from '../seed/demo-data.ts';
import type { SeedTarget } from '../seed/import.ts';
import { createLog } from '../telemetry/log.ts';
import { type Tracing, instrument, type Instrumentation } from '../telemetry/tracing.ts';

/** Returns the secret of the gateway's own tokens; in a demo, also a notice for the operator. */
export const readSecret = ({
  demo,
  auth,
  stateFolder,
}: Config): { readonly secret?: string; readonly notice?: string } =>
  demo ? loadDemoSecret(stateFolder) : { secret: auth.secret };

/** Creates the tools of the event service. `secret`: default signing secret. */
export const createEventTools = (
  config: Config,
  clock: Clock,
  secret: string | undefined,
  fields: FieldTable = eventFields,
): EventTools => ({
  model: compileModel(fields),
  clock,
  links: { event: `${config.calendarUrl}/event`, call: `${config.calendarUrl}/call` },
  signingSecret: config.signingSecret ?? secret ?? randomBytes(32).toString('base64url'),
  sendsMails: config.mail !== undefined,
});

export interface SeededStores {
  readonly calendars: CalendarStore;
  readonly events: EventStore;
  readonly buckets: BucketStore;
  readonly notifications: NotificationStore;
}

/** All stores of a gateway, in memory or in a database. */
export interface Stores extends SeededStores {
  readonly channels: ChannelStore;
  readonly messages: MessageLog;
  readonly outbox: Outbox<OutgoingMessage | Mail>;
  readonly destinations: DestinationStateStore;
}

/**
 * Opens the configured database; undefined if there is none. Adapters are only loaded if configured: with their packages they
 * are a third of all modules.
 */
export const openDatabase = async (
  { databaseUrl, databasePool: maxConnections }: Config,
  clock: Clock,
  log: Log,
  outbox?: OutboxRules,
) =>
  databaseUrl === undefined
    ? undefined
    : (await import('../adapters/postgres/open.ts')).openPostgres(databaseUrl, {
        clock,
        log,
        maxConnections,
        outbox,
      });

/** Wraps stores to time and trace their calls. */
export function instrumentStores(stores: Stores, instrumentation: Instrumentation, isInDatabase: boolean) {
  const attributes = isInDatabase ? { 'db.system.name': 'postgresql' } : undefined;
  const instrumentStore = <Name extends keyof Stores>(name: Name): Stores[Name] =>
    instrument(name, stores[name], instrumentation, attributes);
  return {
    calendars: instrumentStore('calendars'),
    events: instrumentStore('events'),
    channels: instrumentStore('channels'),
    buckets: instrumentStore('buckets'),
    notifications: instrumentStore('notifications'),
    messages: stores.messages,
    outbox: instrumentStore('outbox'),
    destinations: instrumentStore('destinations'),
  };
}

type MessageDestination = Destination<OutgoingMessage>;

type MessageOrMail = OutgoingMessage | Mail;
type AnyDestination = Destination<MessageOrMail>;

export async function openDestinations(config: Config, clock: Clock): Promise<readonly AnyDestination[]> {
  const { brokerUrl, pubsub, pubsubHost, webhooks, mail } = config;
  const optionalDestinations: MessageDestination[] = [];
  if (pubsub) {
    const { createPubSubDestination } = await import('../adapters/pubsub/publisher.ts');
    optionalDestinations.push(await createPubSubDestination({ host: pubsubHost, ...pubsub }));
  }
  if (webhooks.file !== undefined) {
    const { openWebhooks } = await import('./webhooks.ts');
    optionalDestinations.push(...openWebhooks(config, clock));
  }
  return [
    brokerUrl === undefined
      ? createMemoryDestination(optionalDestinations)
      : (await import('../adapters/nats/publisher.ts')).createNatsDestination(brokerUrl),
    ...optionalDestinations,
    ...(mail
      ? [(await import('../adapters/smtp/publisher.ts')).createSmtpDestination({ ...mail, clock })]
      : []),
  ];
}

/** Creates a destination in memory for the messages that no other destination accepts. */
const createMemoryDestination = (otherDestinations: readonly MessageDestination[]): MessageDestination => ({
  name: brokerName,
  kind: 'process',
  publisher: createMemoryPublisher(),
  accepts: (message) => !otherDestinations.some((destination) => destination.accepts(message)),
  capacity: brokerCapacity,
  pauses: { firstMs: 100, maxMs: 5000 },
  maxConcurrentKeys: 64,
});

/** Creates the rules by which outboxes assign items to destinations. A destination that is off has no capacity. */
export function createOutboxRules(
  destinations: readonly AnyDestination[],
  destinationStatus: Pick<DestinationStatus, 'isOff'>,
  report: Pick<DeliveryReport, 'dropped'>,
): OutboxRules {
  const capacities = new Map(destinations.map(({ name, capacity }) => [name, capacity]));
  return {
    destinationsOf: (item) =>
      destinations
        .filter((destination) => canTakeItem(destination, item as MessageOrMail))
        .map(({ name }) => name),
    capacityOf: (name) =>
      destinationStatus.isOff(name)
        ? { maxBytes: 0, maxBytesPerOwner: 0, whenFull: 'drop' }
        : (capacities.get(name) ?? brokerCapacity),
    onDropped: (dropped) =>
      report.dropped(
        dropped,
        destinationStatus.isOff(dropped.destination) ? dropReasons.off : dropReasons.full,
      ),
  };
}

/** True if a destination takes an item. Items without a topic are mails, which only mail destinations take. */
const canTakeItem = (destination: AnyDestination, item: MessageOrMail): boolean =>
  (destination.kind === 'mail') === (item.topic === undefined) && destination.accepts(item);

/** Publishes mails within the trace of the request that created them. */
export const withTrace = (
  publisher: Publisher<MessageOrMail>,
  { resume }: Pick<Tracing, 'resume'>,
): Publisher<MessageOrMail> => ({
  publish: (item, signal) =>
    resume(item.topic === undefined ? item.attributes.trace : '', () => publisher.publish(item, signal)),
  close: () => publisher.close(),
});

/** Returns a function that reads the seed of an empty store; undefined if there is no seed. */
export function createSeedReader(
  { seedFile, demo }: Config,
  seed: unknown,
  clock: Clock,
): (() => unknown) | undefined {
  if (seed !== undefined) return () => seed;
  if (seedFile !== undefined) return () => readJson('SEED_FILE', seedFile);
  return demo ? () => demoMonth(clock()) : undefined;
}

/** Reads a JSON file that a setting names. Throws ConfigError. */
export function readJson(variable: string, file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new ConfigError(`${variable}: ${file} cannot be read as JSON: ${(error as Error).message}`);
  }
}

/** Opens the configured database for work on its data, and closes it afterwards. */
export async function withDatabase<Result>(
  config: Config,
  work: (target: SeedTarget) => Promise<Result>,
): Promise<Result> {
  const database = await openDatabase(config, Date.now, createLog('error', process.stderr));
  if (!database)
    throw new ConfigError(
      'DATABASE_URL is not set: what a gateway keeps in its memory cannot be reached from outside.',
    );
  try {
    return await work({
      ...database,
      eventTools: createEventTools(config, Date.now, readSecret(config).secret ?? database.secret),
      hosts: config,
    });
  } finally {
    await database.close();
  }
}
