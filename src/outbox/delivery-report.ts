import { LRUCache } from 'lru-cache';
import type { Log } from '../core/runtime/log.ts';
import { destinationKinds, type DeliveryOutcome, type Destination, type DestinationKind } from './destination.ts';
import { broker, type Dropped, type OutboxItem } from './outbox.store.ts';

/** Tells operators what becomes of items. A destination is given by its name. */
export interface DeliveryReport {
  delivered(destination: string): void;
  /** An attempt that is to be followed by another. */
  failed(destination: string, item: OutboxItem, cause: Error): void;
  turnedOff(destination: string, item: OutboxItem, cause: Error): void;
  dropped(dropped: Dropped, reason: string): void;
  outboxFailed(error: unknown): void;
  /** Logs what is still to be logged. */
  close(): void;
}

export interface DeliveryReportParts {
  readonly destinations: readonly Pick<Destination<never>, 'name' | 'kind' | 'place'>[];
  readonly log: Log;
  readonly count: (kind: DestinationKind, outcome: DeliveryOutcome, count: number) => void;
  /** The least time between two lines on failures of one topic at a destination, or on the same kind of drops (ms). */
  readonly everyMs?: number;
}

/** The kind of a destination that nobody is configured for any more: its name begins with it. */
const kindOfName = (name: string): DestinationKind | undefined => (name === broker ? 'nats' : destinationKinds.find((kind) => name === kind || name.startsWith(`${kind}:`)));

/** Counts all that happens. Of the failures of a destination's topic one in each period is logged; drops are gathered in lines with a count. */
export function createDeliveryReport({ destinations, log, count, everyMs = 1000 }: DeliveryReportParts): DeliveryReport {
  const known = new Map(destinations.map((one) => [one.name, one]));
  /** By destination and topic: a topic that fails is heard beside others. */
  const lastLines = new LRUCache<string, number>({ max: 1000 });
  const drops = new Map<string, Dropped & { readonly reason: string }>();
  let timer: NodeJS.Timeout | undefined;

  const counted = (name: string, outcome: DeliveryOutcome, more: number): void => {
    const kind = known.get(name)?.kind ?? kindOfName(name);
    if (kind) count(kind, outcome, more);
  };
  const about = (name: string, topic: string | undefined, reason: string) => {
    const { kind = kindOfName(name) ?? name, place } = known.get(name) ?? { place: { name } };
    return { ...place, destination: kind, topic, reason };
  };

  function isDue(...subject: readonly (string | undefined)[]): boolean {
    const key = JSON.stringify(subject);
    const now = performance.now();
    if (now - (lastLines.get(key) ?? -Infinity) < everyMs) return false;
    lastLines.set(key, now);
    return true;
  }

  function logDrops(): void {
    clearTimeout(timer);
    timer = undefined;
    for (const { destination, topic, reason, count: messages } of drops.values()) {
      log.error({ ...about(destination, topic, reason), messages }, 'messages were dropped for a destination');
    }
    drops.clear();
  }

  return {
    delivered: (destination) => counted(destination, 'delivered', 1),
    failed(destination, { topic }, cause) {
      counted(destination, 'retried', 1);
      if (isDue(destination, topic)) log.warn(about(destination, topic, reasonOf(cause)), 'a message could not be delivered; it stays stored and is tried again');
    },
    turnedOff: (destination, { topic }, cause) =>
      log.error(about(destination, topic, reasonOf(cause)), 'a destination wants no messages any more: it is off until its settings change'),
    dropped(one, reason) {
      counted(one.destination, 'dropped', one.count);
      const key = JSON.stringify([one.destination, one.topic, reason]);
      drops.set(key, { ...one, reason, count: one.count + (drops.get(key)?.count ?? 0) });
      timer ??= setTimeout(logDrops, everyMs).unref();
    },
    outboxFailed: (err) => void (isDue() && log.warn({ err }, 'the outbox could not be asked; it is asked again')),
    close: logDrops,
  };
}

/** Errors of the network that have several causes have no message. */
export const reasonOf = ({ message, name, code }: Error & { readonly code?: unknown }): string => message || (typeof code === 'string' ? code : name);
