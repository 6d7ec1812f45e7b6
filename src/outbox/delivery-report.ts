import { LRUCache } from 'lru-cache';
import { definedFields } from '../core/json.ts';
import type { Log } from '../core/runtime/log.ts';
import {
  type Cause,
  type DeliveryOutcome,
  type Destination,
  type DestinationKind,
  destinationKinds,
  type MailOutcome,
} from './destination.ts';
import { brokerName, mailServerName, type DroppedItems, type OutboxItem } from './outbox.store.ts';

export type DeliveryReport = ReturnType<typeof createDeliveryReport>;

/** Reasons for dropping items that no destination has refused. */
export const dropReasons = {
  off: 'the destination is off',
  expired: 'it has waited too long',
  full: 'too many messages wait for the destination',
};

interface DeliveryReportDependencies {
  readonly destinations: readonly Pick<Destination<never>, 'name' | 'kind' | 'locationFields'>[];
  readonly log: Log;
  readonly countDeliveries: (kind: DestinationKind, outcome: DeliveryOutcome, count: number) => void;
  readonly countMails: (method: string, outcome: MailOutcome, count: number) => void;
  /** Minimum time (ms) between two log lines about one topic of a destination, or about drops of the same kind. */
  readonly minLogIntervalMs?: number;
}

/** Properties of an item, and of its last attempt, that may be logged. */
type LoggedItem = Pick<DroppedItems, 'topic' | 'event' | 'method'> & {
  /** Host of a channel. */
  readonly host?: string;
  /** Reply code of the mail server. */
  readonly code?: number | undefined;
};

const loggedItemOf = (
  { topic, attributes: { event, method, host } }: OutboxItem,
  code?: number,
): LoggedItem => (topic === undefined ? definedFields({ event, method, host, code }) : { topic });

/** Reads the kind of a destination from its name, since destinations that are no longer configured have only that. */
const kindOfName = (name: string): DestinationKind | undefined =>
  name === brokerName
    ? 'nats'
    : destinationKinds.find((kind) => name === kind || name.startsWith(`${kind}:`));

/** Maximum number of log keys for which the time of the last line is kept. */
const maxTimedLogKeys = 1000;

/**
 * Reports deliveries to operators: counts every outcome in metrics, logs one failure per topic and interval, and sums up drops of one
 * kind. `name`: name of the destination.
 */
export function createDeliveryReport({
  destinations,
  log,
  countDeliveries,
  countMails,
  minLogIntervalMs = 1000,
}: DeliveryReportDependencies) {
  const destinationsByName = new Map(destinations.map((destination) => [destination.name, destination]));
  const lastLoggedAt = new LRUCache<string, number>({ max: maxTimedLogKeys });
  const unloggedDrops = new Map<
    string,
    { readonly name: string; readonly loggedItem: LoggedItem; readonly reason: string; count: number }
  >();
  let dropLogTimer: NodeJS.Timeout | undefined;

  function countOutcome(
    name: string,
    { method = '' }: LoggedItem,
    outcome: DeliveryOutcome,
    mailOutcome: MailOutcome | undefined,
    itemCount = 1,
  ): void {
    const kind = destinationsByName.get(name)?.kind ?? kindOfName(name);
    if (kind === 'mail') {
      if (mailOutcome) countMails(method, mailOutcome, itemCount);
    } else if (kind) countDeliveries(kind, outcome, itemCount);
  }

  const logFields = (name: string, { topic, ...loggedItem }: LoggedItem, reason: string) => {
    const { kind = kindOfName(name) ?? name, locationFields } = destinationsByName.get(name) ?? {
      locationFields: { name },
    };
    return { ...locationFields, destination: kind, topic, ...loggedItem, reason };
  };

  /** Whether the interval since the last log line with this key is over. Then the next interval begins. */
  function isLogDue(...keyParts: readonly (string | undefined)[]): boolean {
    const key = JSON.stringify(keyParts);
    const now = performance.now();
    if (now - (lastLoggedAt.get(key) ?? -Infinity) < minLogIntervalMs) return false;
    lastLoggedAt.set(key, now);
    return true;
  }

  function logDrops(): void {
    clearTimeout(dropLogTimer);
    dropLogTimer = undefined;
    for (const { name, loggedItem, reason, count } of unloggedDrops.values()) {
      const fields = logFields(name, loggedItem, reason);
      if (loggedItem.topic === undefined && name === mailServerName)
        log.error({ ...fields, mails: count }, 'mails were dropped');
      else log.error({ ...fields, messages: count }, 'messages were dropped for a destination');
    }
    unloggedDrops.clear();
  }

  function collectDrops(name: string, loggedItem: LoggedItem, reason: string, itemCount: number): void {
    const key = JSON.stringify([name, loggedItem, reason]);
    const pendingDrop = unloggedDrops.get(key);
    if (pendingDrop) pendingDrop.count += itemCount;
    else unloggedDrops.set(key, { name, loggedItem, reason, count: itemCount });
    dropLogTimer ??= setTimeout(logDrops, minLogIntervalMs).unref();
  }

  return {
    /** The destination accepted the item. */
    delivered: (name: string, item: OutboxItem): void =>
      countOutcome(name, loggedItemOf(item), 'delivered', 'sent'),
    /** An attempt failed, and another will follow. */
    failed(name: string, item: OutboxItem, cause: Cause): void {
      const loggedItem = loggedItemOf(item, cause.smtpCode);
      countOutcome(name, loggedItem, 'retried', 'retried');
      if (!isLogDue(name, item.topic)) return;
      const failureText =
        name === mailServerName ? 'a mail could not be sent' : 'a message could not be delivered';
      log.warn(
        logFields(name, loggedItem, reasonOf(cause)),
        `${failureText}; it stays stored and is retried`,
      );
    },
    /** The destination will never accept the item, which is dropped. */
    refused(name: string, item: OutboxItem, cause: Cause): void {
      const loggedItem = loggedItemOf(item, cause.smtpCode);
      countOutcome(name, loggedItem, 'dropped', 'refused');
      collectDrops(name, loggedItem, reasonOf(cause), 1);
    },
    /** The destination wants no more items, and is off until its settings change. */
    turnedOff: (name: string, item: OutboxItem, cause: Error): void =>
      log.error(
        logFields(name, loggedItemOf(item), reasonOf(cause)),
        'a destination refuses further messages: it is off until its settings change',
      ),
    /** Items were dropped, for one of `dropReasons`. */
    dropped({ destination, count: itemCount, ...loggedItem }: DroppedItems, reason: string): void {
      const mailOutcome = reason === dropReasons.expired ? 'expired' : undefined;
      countOutcome(destination, loggedItem, 'dropped', mailOutcome, itemCount);
      collectDrops(destination, loggedItem, reason, itemCount);
    },
    /** A query of the outbox failed; the relay repeats it. */
    outboxFailed: (err: unknown): void =>
      void (isLogDue() && log.warn({ err }, 'the outbox could not be queried; the gateway tries again')),
    /** Logs the drops that wait for their log line. */
    close: logDrops,
  };
}

/** Returns the message of an error for the log, or else its code: network errors with several causes have no message. */
const reasonOf = ({ message, name, code }: Error & { readonly code?: unknown }): string =>
  message || (typeof code === 'string' ? code : name);
