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

/** Tells operators what becomes of items. A destination is given by its name. */
export interface DeliveryReport {
  delivered(destination: string, item: OutboxItem): void;
  /** An attempt that is to be followed by another. */
  failed(destination: string, item: OutboxItem, cause: Cause): void;
  /** The destination will never take the item, which is dropped. */
  refused(destination: string, item: OutboxItem, cause: Cause): void;
  turnedOff(destination: string, item: OutboxItem, cause: Error): void;
  dropped(dropped: Dropped, reason: string): void;
  outboxFailed(error: unknown): void;
  /** Logs what is still to be logged. */
  close(): void;
}

/** Why items are dropped that nobody has refused. */
export const dropReasons = {
  off: 'the destination is off',
  expired: 'it has waited too long',
  full: 'too much waits for the destination',
};

interface DeliveryReportParts {
  readonly destinations: readonly Pick<Destination<never>, 'name' | 'kind' | 'place'>[];
  readonly log: Log;
  readonly count: (kind: DestinationKind, outcome: DeliveryOutcome, count: number) => void;
  readonly countMails: (method: string, outcome: MailOutcome, count: number) => void;
  /** The least time between two lines on failures of one topic at a destination, or on the same kind of drops (ms). */
  readonly everyMs?: number;
}

/** What the log says of an item: of a mail nothing of its receiver. */
type Subject = Pick<Dropped, 'topic' | 'event' | 'method'> & { readonly code?: number | undefined };

const subjectOf = ({ topic, attributes: { event, method } }: OutboxItem, code?: number): Subject =>
  topic === undefined
    ? { ...(event !== undefined && { event }), ...(method !== undefined && { method }), code }
    : { topic };

/** The kind of a destination that nobody is configured for any more: its name begins with it. */
const kindOfName = (name: string): DestinationKind | undefined =>
  name === broker ? 'nats' : destinationKinds.find((kind) => name === kind || name.startsWith(`${kind}:`));

/** Counts all that happens. Of the failures of a destination's topic one in each period is logged; drops are gathered in lines with a count. */
export function createDeliveryReport({
  destinations,
  log,
  count,
  countMails,
  everyMs = 1000,
}: DeliveryReportParts): DeliveryReport {
  const known = new Map(destinations.map((one) => [one.name, one]));
  /** By destination and topic: a topic that fails is heard beside others. */
  const lastLines = new LRUCache<string, number>({ max: 1000 });
  const drops = new Map<
    string,
    { readonly name: string; readonly subject: Subject; readonly reason: string; count: number }
  >();
  let timer: NodeJS.Timeout | undefined;

  function counted(
    name: string,
    { method = '' }: Subject,
    outcome: DeliveryOutcome,
    mailOutcome: MailOutcome | undefined,
    more = 1,
  ): void {
    const kind = known.get(name)?.kind ?? kindOfName(name);
    if (kind === mail) {
      if (mailOutcome) countMails(method, mailOutcome, more);
    } else if (kind) count(kind, outcome, more);
  }
  const about = (name: string, { topic, ...subject }: Subject, reason: string) => {
    const { kind = kindOfName(name) ?? name, place } = known.get(name) ?? { place: { name } };
    return { ...place, destination: kind, topic, ...subject, reason };
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
    for (const { name, subject, reason, count: dropped } of drops.values()) {
      if (subject.topic === undefined && name === mail)
        log.error({ ...about(name, subject, reason), mails: dropped }, 'mails were given up');
      else
        log.error(
          { ...about(name, subject, reason), messages: dropped },
          'messages were dropped for a destination',
        );
    }
    drops.clear();
  }

  function gather(name: string, subject: Subject, reason: string, more: number): void {
    const key = JSON.stringify([name, subject, reason]);
    const gathered = drops.get(key);
    if (gathered) gathered.count += more;
    else drops.set(key, { name, subject, reason, count: more });
    timer ??= setTimeout(logDrops, everyMs).unref();
  }

  return {
    delivered: (destination, item) => counted(destination, subjectOf(item), 'delivered', 'sent'),
    failed(destination, item, cause) {
      const subject = subjectOf(item, cause.smtpCode);
      counted(destination, subject, 'retried', 'retried');
      const what = destination === mail ? 'a mail could not be sent' : 'a message could not be delivered';
      if (isDue(destination, item.topic))
        log.warn(about(destination, subject, reasonOf(cause)), `${what}; it stays stored and is tried again`);
    },
    refused(destination, item, cause) {
      const subject = subjectOf(item, cause.smtpCode);
      counted(destination, subject, 'dropped', 'refused');
      gather(destination, subject, reasonOf(cause), 1);
    },
    turnedOff: (destination, item, cause) =>
      log.error(
        about(destination, subjectOf(item), reasonOf(cause)),
        'a destination wants no messages any more: it is off until its settings change',
      ),
    dropped({ destination, count: more, ...subject }, reason) {
      counted(destination, subject, 'dropped', reason === dropReasons.expired ? 'expired' : undefined, more);
      gather(destination, subject, reason, more);
    },
    outboxFailed: (err) =>
      void (isDue() && log.warn({ err }, 'the outbox could not be asked; it is asked again')),
    close: logDrops,
  };
}

/** Errors of the network that have several causes have no message. */
const reasonOf = ({ message, name, code }: Error & { readonly code?: unknown }): string =>
  message || (typeof code === 'string' ? code : name);
