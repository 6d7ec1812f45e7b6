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
import { broker, mail, type Dropped, type OutboxItem } from './outbox.store.ts';

/** Reports deliveries to operators, in the log and in metrics. `destination` is its name. */
export interface DeliveryReport {
  delivered(destination: string, item: OutboxItem): void;
  /** An attempt failed, and another will follow. */
  failed(destination: string, item: OutboxItem, cause: Cause): void;
  /** The destination will never accept the item, which is dropped. */
  refused(destination: string, item: OutboxItem, cause: Cause): void;
  turnedOff(destination: string, item: OutboxItem, cause: Error): void;
  dropped(dropped: Dropped, reason: string): void;
  outboxFailed(error: unknown): void;
  close(): void;
}

/** Reasons for dropping items that no destination has refused. */
export const dropReasons = {
  off: 'the destination is off',
  expired: 'it has waited too long',
  full: 'too many messages wait for the destination',
};

interface DeliveryReportDependencies {
  readonly destinations: readonly Pick<Destination<never>, 'name' | 'kind' | 'place'>[];
  readonly log: Log;
  readonly count: (kind: DestinationKind, outcome: DeliveryOutcome, count: number) => void;
  readonly countMails: (method: string, outcome: MailOutcome, count: number) => void;
  /** Minimum time (ms) between two log lines about one topic of a destination, or about drops of the same kind. */
  readonly everyMs?: number;
}

type LoggedItem = Pick<Dropped, 'topic' | 'event' | 'method'> & { readonly code?: number | undefined };

const loggedItemOf = ({ topic, attributes: { event, method } }: OutboxItem, code?: number): LoggedItem =>
  topic === undefined
    ? { ...(event !== undefined && { event }), ...(method !== undefined && { method }), code }
    : { topic };

/** Reads the kind from the name, for destinations that are no longer configured. */
const kindOfName = (name: string): DestinationKind | undefined =>
  name === broker ? 'nats' : destinationKinds.find((kind) => name === kind || name.startsWith(`${kind}:`));

/** Counts every outcome. Logs at most one failure per topic and period, and one line with a count for drops of the same kind. */
export function createDeliveryReport({
  destinations,
  log,
  count,
  countMails,
  everyMs = 1000,
}: DeliveryReportDependencies): DeliveryReport {
  const configured = new Map(destinations.map((destination) => [destination.name, destination]));
  const lastLoggedAt = new LRUCache<string, number>({ max: 1000 });
  const pendingDrops = new Map<
    string,
    { readonly name: string; readonly subject: LoggedItem; readonly reason: string; count: number }
  >();
  let timer: NodeJS.Timeout | undefined;

  function countOutcome(
    name: string,
    { method = '' }: LoggedItem,
    outcome: DeliveryOutcome,
    mailOutcome: MailOutcome | undefined,
    itemCount = 1,
  ): void {
    const kind = configured.get(name)?.kind ?? kindOfName(name);
    if (kind === mail) {
      if (mailOutcome) countMails(method, mailOutcome, itemCount);
    } else if (kind) count(kind, outcome, itemCount);
  }
  const logFields = (name: string, { topic, ...subject }: LoggedItem, reason: string) => {
    const { kind = kindOfName(name) ?? name, place } = configured.get(name) ?? { place: { name } };
    return { ...place, destination: kind, topic, ...subject, reason };
  };

  function isDue(...keyParts: readonly (string | undefined)[]): boolean {
    const key = JSON.stringify(keyParts);
    const now = performance.now();
    if (now - (lastLoggedAt.get(key) ?? -Infinity) < everyMs) return false;
    lastLoggedAt.set(key, now);
    return true;
  }

  function logDrops(): void {
    clearTimeout(timer);
    timer = undefined;
    for (const { name, subject, reason, count: dropped } of pendingDrops.values()) {
      if (subject.topic === undefined && name === mail)
        log.error({ ...logFields(name, subject, reason), mails: dropped }, 'mails were dropped');
      else
        log.error(
          { ...logFields(name, subject, reason), messages: dropped },
          'messages were dropped for a destination',
        );
    }
    pendingDrops.clear();
  }

  function gatherDrops(name: string, subject: LoggedItem, reason: string, itemCount: number): void {
    const key = JSON.stringify([name, subject, reason]);
    const gathered = pendingDrops.get(key);
    if (gathered) gathered.count += itemCount;
    else pendingDrops.set(key, { name, subject, reason, count: itemCount });
    timer ??= setTimeout(logDrops, everyMs).unref();
  }

  return {
    delivered: (destination, item) => countOutcome(destination, loggedItemOf(item), 'delivered', 'sent'),
    failed(name, item, cause) {
      const subject = loggedItemOf(item, cause.smtpCode);
      countOutcome(name, subject, 'retried', 'retried');
      const failure = name === mail ? 'a mail could not be sent' : 'a message could not be delivered';
      if (isDue(name, item.topic))
        log.warn(logFields(name, subject, reasonOf(cause)), `${failure}; it stays stored and is retried`);
    },
    refused(destination, item, cause) {
      const subject = loggedItemOf(item, cause.smtpCode);
      countOutcome(destination, subject, 'dropped', 'refused');
      gatherDrops(destination, subject, reasonOf(cause), 1);
    },
    turnedOff: (destination, item, cause) =>
      log.error(
        logFields(destination, loggedItemOf(item), reasonOf(cause)),
        'a destination refuses further messages: it is off until its settings change',
      ),
    dropped({ destination, count: itemCount, ...subject }, reason) {
      const mailOutcome = reason === dropReasons.expired ? 'expired' : undefined;
      countOutcome(destination, subject, 'dropped', mailOutcome, itemCount);
      gatherDrops(destination, subject, reason, itemCount);
    },
    outboxFailed: (err) =>
      void (isDue() && log.warn({ err }, 'the outbox could not be queried; the gateway tries again')),
    close: logDrops,
  };
}

/** Network errors with several causes have an empty message. */
const reasonOf = ({ message, name, code }: Error & { readonly code?: unknown }): string =>
  message || (typeof code === 'string' ? code : name);
