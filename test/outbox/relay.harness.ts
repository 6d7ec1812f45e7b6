import type { OutgoingMessage } from '../../src/notification/message.store.ts';
import type { Delivery } from '../../src/outbox/delivery.ts';
import type { Outbox, OutboxItem } from '../../src/outbox/outbox.store.ts';
import { messageOn } from '../contracts/publisher.contract.ts';

export const topic = '//pubsub.test/projects/my-project/topics/photos';
/** Delays of a relay (ms). */
export const fast = { idle: 5, firstRetry: 1, lastRetry: 4, report: 0 };
/** A publisher that answers `done` unless it answers something else. */
export type Publish = (message: OutgoingMessage) => Promise<Delivery | void>;
export const succeeds: Publish = async () => undefined;

export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 1));
}

export const nothingPending = (outbox: Outbox<OutboxItem>) => async (): Promise<boolean> => (await outbox.backlog()).count === 0;
export const messages = (count: number, orderingKey: string): OutgoingMessage[] =>
  Array.from({ length: count }, () => messageOn(topic, { orderingKey }));
