import { createMemoryDestinationStates, createMemoryOutbox } from '../../src/adapters/memory/outbox.ts';
import type { Clock } from '../../src/core/runtime/clock.ts';
import type { OutgoingMessage } from '../../src/notification/notification.store.ts';
import { type DeliveryResult, type Destination, doneResult } from '../../src/outbox/destination.ts';
import type { DeliveryReport } from '../../src/outbox/delivery-report.ts';
import { brokerCapacity } from '../../src/outbox/outbox.store.ts';
import type { DestinationStateStore, Outbox, OutboxItem } from '../../src/outbox/outbox.store.ts';
import { createRelay, type RelayDependencies } from '../../src/outbox/relay.ts';
import { createDestinationStatus } from '../../src/outbox/destination-status.ts';
import { createMessage } from '../contracts/publisher.contract.ts';

export const topic = '//pubsub.test/projects/my-project/topics/photos';
/** A publish function; undefined means `done`. */
export type Publish = (message: OutgoingMessage, signal: AbortSignal) => Promise<DeliveryResult | void>;
export const publishOk: Publish = async () => undefined;

/** Returns a condition for `waitUntil`. */
export const isOutboxEmpty = (outbox: Outbox<OutboxItem>) => async (): Promise<boolean> =>
  (await outbox.backlog()).count === 0;
export const createMessages = (count: number, orderingKey: string): OutgoingMessage[] =>
  Array.from({ length: count }, () => createMessage(topic, { orderingKey }));

/** A destination for all messages, with short pauses. */
export const createDestination = (
  name: string,
  publish: Publish,
  overrides: Partial<Destination<OutgoingMessage>> = {},
): Destination<OutgoingMessage> => ({
  name,
  kind: 'webhook',
  publisher: {
    publish: async (message, signal) => (await publish(message, signal)) ?? doneResult,
    close: async () => undefined,
  },
  accepts: () => true,
  capacity: brokerCapacity,
  pauses: { firstMs: 1, maxMs: 4 },
  maxConcurrentKeys: 64,
  ...overrides,
});

/** Creates a report that records the outcomes that the relay reports. */
export function createRecordingReport() {
  const recordedOutcomes = {
    delivered: [] as string[],
    failures: [] as unknown[],
    offReports: [] as string[],
    dropped: [] as string[],
    outboxFailures: [] as unknown[],
  };
  const report: DeliveryReport = {
    delivered: (name) => void recordedOutcomes.delivered.push(name),
    failed: (_, __, { message }) => void recordedOutcomes.failures.push(message),
    turnedOff: (name, _, { message }) => void recordedOutcomes.offReports.push(`${name}: ${message}`),
    refused: (name, { topic: itemTopic }, { message }) =>
      void recordedOutcomes.dropped.push(`1 of ${itemTopic} for ${name}: ${message}`),
    dropped: ({ destination, topic: itemTopic, count }, reason) =>
      void recordedOutcomes.dropped.push(`${count} of ${itemTopic} for ${destination}: ${reason}`),
    outboxFailed: (error) => void recordedOutcomes.outboxFailures.push(error),
    close: () => undefined,
  };
  return { ...recordedOutcomes, report };
}

/** Replaces parts of the relay that a test controls. */
export interface RelayOptions {
  readonly outbox?: ReturnType<typeof createMemoryOutbox<OutgoingMessage>>;
  readonly states?: DestinationStateStore;
  readonly clock?: Clock;
  readonly delays?: RelayDependencies<OutgoingMessage>['delays'];
}

/** Starts a relay over an outbox in memory whose items go to all these destinations. */
export function startRelay(
  destinations: readonly Destination<OutgoingMessage>[],
  { clock = Date.now, states = createMemoryDestinationStates(), delays, ...options }: RelayOptions = {},
) {
  const destinationsOf = () => destinations.map(({ name }) => name);
  const outbox = options.outbox ?? createMemoryOutbox<OutgoingMessage>({ clock, destinationsOf });
  const { report, ...recordedOutcomes } = createRecordingReport();
  const destinationStatus = createDestinationStatus(destinations, clock);
  const dependencies = { outbox, destinations, states, destinationStatus, report, clock };
  const relay = createRelay({ ...dependencies, delays: { maxIdleMs: 5, ...delays } });
  relay.start();
  /** Adds messages to the outbox and wakes the relay; returns their ids. */
  const add = (messages: readonly OutgoingMessage[]): string[] => {
    outbox.add('photos', messages);
    relay.wake();
    return messages.map(({ id }) => id);
  };
  return { ...recordedOutcomes, add, outbox, relay, destinationStatus, states };
}
