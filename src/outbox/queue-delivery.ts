import type { Clock } from '../core/runtime/clock.ts';
import type { Delivery } from './delivery.ts';
import type { DeliveryReport } from './delivery-report.ts';
import type { Destination } from './destination.ts';
import { settlementOf, type Claim, type OutboxItem } from './outbox.store.ts';
import type { Settlements } from './settlements.ts';
import type { Standings } from './standings.ts';

export interface QueueDeliveryParts {
  readonly settlements: Settlements;
  readonly standings: Standings;
  readonly report: DeliveryReport;
  readonly clock: Clock;
  /** None begins an attempt when less of its lease is left (ms). */
  readonly longestAttempt: number;
  readonly isStopped: () => boolean;
}

/** How long claims last. */
export interface Lease {
  /** Epoch milliseconds. */
  readonly end: number;
  /** Aborted when attempts have to end at once. */
  readonly signal: AbortSignal;
}

/** Delivers the claimed items of one key until one fails, the lease ends, the destination takes no more or the relay stops. */
export type DeliverQueue<Item extends OutboxItem> = (
  destination: Destination<Item>,
  queue: readonly Claim<Item>[],
  lease: Lease,
) => Promise<void>;

/** Says of each item that was claimed what has become of it. */
export function createQueueDelivery<Item extends OutboxItem>({
  settlements,
  standings,
  report,
  clock,
  longestAttempt,
  isStopped,
}: QueueDeliveryParts): DeliverQueue<Item> {
  function release(queue: readonly Claim<Item>[], delayMs = 0): void {
    // Those behind wait for the first one anyway.
    settlements.add(
      ...queue.map((claim, index) =>
        settlementOf(claim, { attempt: claim.attempt, delayMs: index === 0 ? delayMs : 0 }),
      ),
    );
  }

  async function attempt(
    { publisher }: Destination<Item>,
    item: Item,
    signal: AbortSignal,
  ): Promise<Delivery> {
    try {
      return await publisher.publish(item, signal);
    } catch (error) {
      return { outcome: 'again', cause: asError(error) };
    }
  }

  return async (destination, queue, { end, signal }) => {
    const { name, pauses } = destination;
    for (const [index, claim] of queue.entries()) {
      const { item, failures } = claim;
      const isOver = isStopped() || signal.aborted || Date.now() + longestAttempt > end;
      if (isOver || !standings.isReady(name)) return release(queue.slice(index));
      const delivery = await attempt(destination, item, signal);
      if (delivery.outcome === 'done') {
        settlements.add(settlementOf(claim, 'done'));
        report.delivered(name, item);
      } else if (delivery.outcome === 'never') {
        settlements.add(settlementOf(claim, 'dropped'));
        report.refused(name, item, delivery.cause);
      } else if (delivery.outcome === 'off') {
        if (standings.turnOff(name)) report.turnedOff(name, item, delivery.cause);
        return release(queue.slice(index));
      } else {
        const isPause = delivery.outcome === 'pause';
        if (isPause) standings.pause(name, delivery.until);
        // An attempt that was cut short is not the destination's fault: others may try at once.
        else if (signal.aborted) return release(queue.slice(index));
        report.failed(name, item, delivery.cause);
        if (isPause && delivery.isOutage) return release(queue.slice(index));
        return release(
          queue.slice(index),
          Math.max(pauseAfter(failures, pauses), isPause ? delivery.until - clock() : 0),
        );
      }
    }
  };
}

/** The pause behind one more failure, with jitter so that not all keys come back at once. */
export function pauseAfter(failures: number, { first, longest }: Destination<never>['pauses']): number {
  const most = Math.min(first * 2 ** failures, longest);
  return most / 2 + Math.random() * (most / 2);
}

/** Whatever was thrown. Not by `instanceof`: errors of node's own modules may come from another realm. */
const asError = (thrown: unknown): Error =>
  typeof thrown === 'object' && thrown !== null && 'message' in thrown
    ? (thrown as Error)
    : new Error(String(thrown));
