import { LRUCache } from 'lru-cache';
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

/** Reports deliveries to operators, in the log and in metrics. `destination` is its name. */
export interface DeliveryReport {
  /** The destination accepted the item. */
  delivered(destination: string, item: OutboxItem): void;
  /** An attempt failed, and another will follow. */
  failed(destination: string, item: OutboxItem, cause: Cause): void;
  /** The destination will never accept the item, which is dropped. */
  refused(destination: string, item: OutboxItem, cause: Cause): void;
  /** The destination wants no more items, and is off until its settings change. */
  turnedOff(destination: string, item: OutboxItem, cause: Error): void;
  /** Items were dropped, for one of `dropReasons`. */
  dropped(items: DroppedItems, reason: string): void;
  /** A query of the outbox failed; the relay repeats it. */
  outboxFailed(error: unknown): void;
  /** Logs the drops that wait for their log line. */
  close(): void;
}

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
): LoggedItem =>
  topic === undefined
    ? {
        ...(event !== undefined && { event }),
        ...(method !== undefined && { method }),
        ...(host !== undefined && { host }),
        code,
      }
    : { topic };

/** Reads the kind of a destination from its name, since destinations that are no longer configured have only that. */
const kindOfName = (name: string): DestinationKind | undefined =>
  name === brokerName
    ? 'nats'
    : destinationKinds.find((kind) => name === kind || name.startsWith(`${kind}:`));

/** Maximum number of log keys for which the time of the last line is kept. */
const maxTimedLogKeys = 1000;

/** Creates a report that counts every outcome. It logs one failure per topic and interval, and sums up drops of one kind. */
export function createDeliveryReport({
  destinations,
  log,
  countDeliveries,
  countMails,
  minLogIntervalMs = 1000,
}: DeliveryReportDependencies): DeliveryReport {
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
      if (loggedItem.topic === undefined && name === mailServerName)
        log.error({ ...logFields(name, loggedItem, reason), mails: count }, 'mails were dropped');
      else
        log.error(
          { ...logFields(name, loggedItem, reason), messages: count },
          'messages were dropped for a destination',
        );
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
    delivered: (destination, item) => countOutcome(destination, loggedItemOf(item), 'delivered', 'sent'),
    failed(name, item, cause) {
      const loggedItem = loggedItemOf(item, cause.smtpCode);
      countOutcome(name, loggedItem, 'retried', 'retried');
      const failureText =
        name === mailServerName ? 'a mail could not be sent' : 'a message could not be delivered';
      if (isLogDue(name, item.topic))
        log.warn(
          logFields(name, loggedItem, reasonOf(cause)),
          `${failureText}; it stays stored and is retried`,
        );
    },
    refused(destination, item, cause) {
      const loggedItem = loggedItemOf(item, cause.smtpCode);
      countOutcome(destination, loggedItem, 'dropped', 'refused');
      collectDrops(destination, loggedItem, reasonOf(cause), 1);
    },
    turnedOff: (destination, item, cause) =>
      log.error(
        logFields(destination, loggedItemOf(item), reasonOf(cause)),
        'a destination refuses further messages: it is off until its settings change',
      ),
    dropped({ destination, count: itemCount, ...loggedItem }, reason) {
      const mailOutcome = reason === dropReasons.expired ? 'expired' : undefined;
      countOutcome(destination, loggedItem, 'dropped', mailOutcome, itemCount);
      collectDrops(destination, loggedItem, reason, itemCount);
    },
    outboxFailed: (err) =>
      void (isLogDue() && log.warn({ err }, 'the outbox could not be queried; the gateway tries again')),
    close: logDrops,
  };
}

/** Returns the message of an error for the log, or else its code: network errors with several causes have no message. */
const reasonOf = ({ message, name, code }: Error & { readonly code?: unknown }): string =>
  message || (typeof code === 'string' ? code : name);
