import { createMemoryDestinationStates, createMemoryOutbox } from '../../src/adapters/memory/outbox.ts';
import type { Clock } from '../../src/core/runtime/clock.ts';
import type { OutgoingMessage } from '../../src/notification/notification.store.ts';
import { type Delivery, type Destination, done } from '../../src/outbox/destination.ts';
import type { DeliveryReport } from '../../src/outbox/delivery-report.ts';
import {
  brokerRoom,
  type DestinationStates,
  type Outbox,
  type OutboxItem,
} from '../../src/outbox/outbox.store.ts';
import { createRelay, type RelayParts } from '../../src/outbox/relay.ts';
import { createStandings } from '../../src/outbox/standings.ts';
import { messageOn } from '../contracts/publisher.contract.ts';

export const topic = '//pubsub.test/projects/my-project/topics/photos';
/** A publisher that answers `done` unless it answers something else. */
export type Publish = (message: OutgoingMessage, signal: AbortSignal) => Promise<Delivery | void>;
export const succeeds: Publish = async () => undefined;

export const nothingPending = (outbox: Outbox<OutboxItem>) => async (): Promise<boolean> =>
  (await outbox.backlog()).count === 0;
export const messages = (count: number, orderingKey: string): OutgoingMessage[] =>
  Array.from({ length: count }, () => messageOn(topic, { orderingKey }));

/** A destination of all messages, with short pauses. */
export const destinationOf = (
  name: string,
  publish: Publish,
  rest: Partial<Destination<OutgoingMessage>> = {},
): Destination<OutgoingMessage> => ({
  name,
  kind: 'webhook',
  publisher: {
    publish: async (message, signal) => (await publish(message, signal)) ?? done,
    close: async () => undefined,
  },
  takes: () => true,
  room: brokerRoom,
  pauses: { first: 1, longest: 4 },
  ...rest,
});

/** Keeps what is reported. */
export function collectReport() {
  const kept = {
    delivered: [] as string[],
    failures: [] as unknown[],
    off: [] as string[],
    dropped: [] as string[],
    outboxFailures: [] as unknown[],
  };
  const report: DeliveryReport = {
    delivered: (name) => void kept.delivered.push(name),
    failed: (_, __, { message }) => void kept.failures.push(message),
    turnedOff: (name, _, { message }) => void kept.off.push(`${name}: ${message}`),
    refused: (name, { topic: of }, { message }) =>
      void kept.dropped.push(`1 of ${of} for ${name}: ${message}`),
    dropped: ({ destination, topic: of, count }, reason) =>
      void kept.dropped.push(`${count} of ${of} for ${destination}: ${reason}`),
    outboxFailed: (error) => void kept.outboxFailures.push(error),
    close: () => undefined,
  };
  return { ...kept, report };
}

export interface Relayed {
  readonly outbox?: ReturnType<typeof createMemoryOutbox<OutgoingMessage>>;
  readonly states?: DestinationStates;
  readonly clock?: Clock;
  readonly delays?: RelayParts<OutgoingMessage>['delays'];
}

/** A relay that runs, over an outbox in memory whose items all go to these destinations. */
export function startRelay(
  destinations: readonly Destination<OutgoingMessage>[],
  { clock = Date.now, states = createMemoryDestinationStates(), delays, ...given }: Relayed = {},
) {
  const outbox =
    given.outbox ??
    createMemoryOutbox<OutgoingMessage>({
      clock,
      destinationsOf: () => destinations.map(({ name }) => name),
    });
  const { report, ...kept } = collectReport();
  const standings = createStandings(destinations, clock);
  const relay = createRelay({
    outbox,
    destinations,
    states,
    standings,
    report,
    clock,
    delays: { idle: 5, ...delays },
  });
  relay.start();
  const add = (added: readonly OutgoingMessage[]): string[] => {
    outbox.add('photos', added);
    relay.wake();
    return added.map(({ id }) => id);
  };
  return { ...kept, add, outbox, relay, standings, states };
}
