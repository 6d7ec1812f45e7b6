import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { demoSecret } from '../access/demo-secret.ts';
import { createMemoryPublisher } from '../adapters/memory/outbox.ts';
import type { BucketStore } from '../bucket/bucket.store.ts';
import type { CalendarStore } from '../calendar/calendar.store.ts';
import { type Config, ConfigError } from '../config.ts';
import type { FieldTable } from '../core/fields/table.ts';
import type { Clock } from '../core/runtime/clock.ts';
import type { Log } from '../core/runtime/log.ts';
import type { EventTools } from '../event/event.find.ts';
import type { EventStore } from '../event/event.store.ts';
import { eventFields } from '../event/model/fields.ts';
import { compileModel } from '../event/model/model.ts';
import type { Mail } from '../mail/mail.ts';
import type { MessageLog, NotificationStore, OutgoingMessage } from '../notification/notification.store.ts';
import type { NotificationRecord } from '../notification/notification.ts';
import { type DeliveryReport, dropReasons } from '../outbox/delivery-report.ts';
import type { Destination, Publisher } from '../outbox/destination.ts';
import {
  broker,
  brokerRoom,
  type DestinationStates,
  type Outbox,
  type OutboxRules,
} from '../outbox/outbox.store.ts';
import type { DestinationStatus } from '../outbox/standings.ts';
import { demoMonth } from '../seed/demo-data.ts';
import type { SeedTarget } from '../seed/seed.ts';
import { createLog } from '../telemetry/log.ts';
import { type Tracing, watched, type Watcher } from '../telemetry/tracing.ts';

/** The secret of this gateway's own tokens, and a notice on it for whoever started the demo. */
export const secretOf = ({
  demo,
  auth,
  stateFolder,
}: Config): { readonly secret?: string; readonly notice?: string } =>
  demo ? demoSecret(stateFolder) : { secret: auth.secret };

/** Tools that the service of events needs; `secret` signs where no setting does. */
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
  mails: config.mail !== undefined,
});

/** The stores that a seed fills. */
export interface SeededStores {
  readonly calendars: CalendarStore;
  readonly events: EventStore;
  readonly buckets: BucketStore;
  readonly notifications: NotificationStore<NotificationRecord>;
}

export interface Stores extends SeededStores {
  readonly messages: MessageLog;
  readonly outbox: Outbox<OutgoingMessage | Mail>;
  readonly destinations: DestinationStates;
}

// Adapters are loaded where they are configured only: with their packages they are a third of all modules.
export const openDatabase = async (
  { databaseUrl, databasePool: connections }: Config,
  clock: Clock,
  log: Log,
  outbox?: OutboxRules,
) =>
  databaseUrl === undefined
    ? undefined
    : (await import('../adapters/postgres/open.ts')).openPostgres<NotificationRecord>(databaseUrl, {
        clock,
        log,
        connections,
        outbox,
      });

/** The stores, with their calls timed and traced. */
export function watchedStores(
  { calendars, events, buckets, notifications, messages, outbox, destinations }: Stores,
  watcher: Watcher,
  inDatabase: boolean,
): Stores {
  const system = inDatabase ? { 'db.system.name': 'postgresql' } : undefined;
  return {
    calendars: watched('calendars', calendars, watcher, system),
    events: watched('events', events, watcher, system),
    buckets: watched('buckets', buckets, watcher, system),
    notifications: watched('notifications', notifications, watcher, system),
    messages,
    outbox: watched('outbox', outbox, watcher, system),
    destinations: watched('destinations', destinations, watcher, system),
  };
}

type MessageDestination = Destination<OutgoingMessage>;

type Item = OutgoingMessage | Mail;
/** A destination of messages, or of mails. */
type AnyDestination = Destination<Item>;

/** Opens the destinations of messages and mails by the settings. An adapter is loaded only if it is configured. */
export async function openDestinations(config: Config, clock: Clock): Promise<readonly AnyDestination[]> {
  const { brokerUrl, pubsub, pubsubHost, webhooks, mail } = config;
  const others: MessageDestination[] = [];
  if (pubsub) {
    const { pubsubDestination } = await import('../adapters/pubsub/publisher.ts');
    others.push(await pubsubDestination({ host: pubsubHost, ...pubsub }));
  }
  if (webhooks.file !== undefined) {
    const { openWebhooks } = await import('./webhooks.ts');
    others.push(...openWebhooks(config, clock));
  }
  return [
    brokerUrl === undefined
      ? ownProcess(others)
      : (await import('../adapters/nats/publisher.ts')).natsDestination(brokerUrl),
    ...others,
    ...(mail ? [(await import('../adapters/smtp/publisher.ts')).smtpDestination({ ...mail, clock })] : []),
  ];
}

/** Keeps the messages that go nowhere else. */
const ownProcess = (others: readonly MessageDestination[]): MessageDestination => ({
  name: broker,
  kind: 'process',
  publisher: createMemoryPublisher(),
  takes: (message) => !others.some((other) => other.takes(message)),
  room: brokerRoom,
  pauses: { first: 100, longest: 5000 },
});

/** The rules of stores for some destinations. One that is off has no room. */
export function outboxRules(
  destinations: readonly AnyDestination[],
  standings: Pick<DestinationStatus, 'isOff'>,
  report: Pick<DeliveryReport, 'dropped'>,
): OutboxRules {
  const rooms = new Map(destinations.map(({ name, room }) => [name, room]));
  return {
    destinationsOf: (item) =>
      destinations.filter((destination) => takes(destination, item as Item)).map(({ name }) => name),
    roomOf: (name) =>
      standings.isOff(name)
        ? { bytes: 0, bytesPerOwner: 0, whenFull: 'drop' }
        : (rooms.get(name) ?? brokerRoom),
    onDropped: (dropped) =>
      report.dropped(dropped, standings.isOff(dropped.destination) ? dropReasons.off : dropReasons.full),
  };
}

/** An item without a topic is a mail. Destinations of messages are asked about messages alone, that of mails about mails. */
const takes = (destination: AnyDestination, item: Item): boolean =>
  (destination.kind === 'mail') === (item.topic === undefined) && destination.takes(item);

/** Sends what a request has caused in the trace of that request: of mails it is known. */
export const withTrace = (
  publisher: Publisher<Item>,
  { resume }: Pick<Tracing, 'resume'>,
): Publisher<Item> => ({
  publish: (item, signal) =>
    resume(item.topic === undefined ? item.attributes.trace : '', () => publisher.publish(item, signal)),
  close: () => publisher.close(),
});

/** The content for an empty store; undefined if it stays empty. A file is read when its content is needed. */
export function seedOf(
  { seedFile, demo }: Config,
  given: unknown,
  clock: Clock,
): (() => unknown) | undefined {
  if (given !== undefined) return () => given;
  if (seedFile !== undefined) return () => readJson('SEED_FILE', seedFile);
  return demo ? () => demoMonth(clock()) : undefined;
}

/** The content of a file that a setting names. */
export function readJson(variable: string, file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new ConfigError(`${variable}: ${file} cannot be read as JSON: ${(error as Error).message}`);
  }
}

/** Opens the database of the settings for work on all that it holds, and closes it behind that. */
export async function withDatabase<T>(config: Config, work: (target: SeedTarget) => Promise<T>): Promise<T> {
  const database = await openDatabase(config, Date.now, createLog('error', process.stderr));
  if (!database)
    throw new ConfigError(
      'DATABASE_URL is not set: what a gateway keeps in its memory cannot be reached from outside.',
    );
  try {
    return await work({
      ...database,
      eventTools: createEventTools(config, Date.now, secretOf(config).secret ?? database.secret),
      hosts: config,
    });
  } finally {
    await database.close();
  }
}
