import { createMemoryPublisher } from '../adapters/memory/publisher.ts';
import type { Config } from '../config.ts';
import type { Clock } from '../core/runtime/clock.ts';
import type { Mail } from '../mail/mail.ts';
import type { OutgoingMessage } from '../notification/message.store.ts';
import type { Publisher } from '../outbox/delivery.ts';
import { dropReasons, type DeliveryReport } from '../outbox/delivery-report.ts';
import type { Destination } from '../outbox/destination.ts';
import { broker, brokerRoom, type OutboxRules } from '../outbox/outbox.store.ts';
import type { Standings } from '../outbox/standings.ts';
import type { Tracing } from '../telemetry/tracing.ts';

type MessageDestination = Destination<OutgoingMessage>;

type Item = OutgoingMessage | Mail;
/** Where messages go, or mails. */
export type AnyDestination = Destination<Item>;

const pauses = { first: 100, longest: 5000 };

/** Where messages and mails go, from the settings. Adapters are loaded where they are configured only. */
export async function openDestinations(config: Config, clock: Clock): Promise<readonly AnyDestination[]> {
  const others = [
    ...(config.pubsub ? [await openPubSub(config, config.pubsub)] : []),
    ...(config.webhooks.file === undefined
      ? []
      : (await import('./webhooks.ts')).openWebhooks(config, clock)),
  ];
  return [
    config.brokerUrl === undefined ? ownProcess(others) : await openNats(config.brokerUrl),
    ...others,
    ...(config.mail ? [await openMail(config.mail, clock)] : []),
  ];
}

async function openNats(url: string): Promise<MessageDestination> {
  const { createNatsPublisher } = await import('../adapters/nats/publisher.ts');
  return {
    name: broker,
    kind: 'nats',
    publisher: createNatsPublisher(url),
    takes: () => true,
    room: brokerRoom,
    pauses,
  };
}

async function openPubSub(
  { pubsubHost: host }: Config,
  emulator: NonNullable<Config['pubsub']>,
): Promise<MessageDestination> {
  const { pubsubDestination } = await import('../adapters/pubsub/destination.ts');
  return pubsubDestination({ host, ...emulator });
}

async function openMail(settings: NonNullable<Config['mail']>, clock: Clock): Promise<Destination<Mail>> {
  const { smtpDestination } = await import('../adapters/smtp/destination.ts');
  return smtpDestination({ ...settings, clock });
}

/** Keeps the messages that go nowhere else. */
const ownProcess = (others: readonly MessageDestination[]): MessageDestination => ({
  name: broker,
  kind: 'process',
  publisher: createMemoryPublisher(),
  takes: (message) => !others.some((other) => other.takes(message)),
  room: brokerRoom,
  pauses,
});

/** The rules of stores for some destinations. One that is off has no room. */
export function outboxRules(
  destinations: readonly AnyDestination[],
  standings: Pick<Standings, 'isOff'>,
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

/** What has no topic is a mail. Destinations of messages are asked of messages alone, and that of mails of mails. */
const takes = (destination: AnyDestination, item: Item): boolean =>
  (destination.kind === 'mail') === (item.topic === undefined) && destination.takes(item);

/** Sends what a request has caused in the trace of that request: of mails it is known. */
export const inItsTrace = (
  publisher: Publisher<Item>,
  { resume }: Pick<Tracing, 'resume'>,
): Publisher<Item> => ({
  publish: (item, signal) =>
    resume(item.topic === undefined ? item.attributes.trace : '', () => publisher.publish(item, signal)),
  close: () => publisher.close(),
});
