import { setTimeout as pause } from 'node:timers/promises';
import { type AccessRole, includesRole, roleOn } from '../access/permissions.ts';
import type { Clock } from '../core/runtime/clock.ts';
import type { Log } from '../core/runtime/log.ts';
import { createWakeSignal } from '../core/runtime/streams.ts';
import { createChangeQuery } from '../event/event.requests.ts';
import type { EventStore } from '../event/event.store.ts';
import {
  type ChannelClaim,
  type ChannelMessage,
  type ChannelPoster,
  type ChannelProgress,
  type ChannelReport,
  type ChannelStore,
  hostOf,
  maxAttemptMs,
} from './channel.store.ts';
import { resourceIdOf, resourceUriOf } from './channel.view.ts';

interface ChannelSenderDependencies {
  readonly store: Pick<ChannelStore, 'claim' | 'settle'>;
  readonly events: Pick<EventStore, 'calendarStates' | 'safeRevision' | 'listEvents' | 'watchCalendars'>;
  readonly poster: Pick<ChannelPoster, 'send'>;
  readonly report: ChannelReport;
  readonly clock: Clock;
  readonly log: Pick<Log, 'error'>;
  /** Origin of the resource's URI. */
  readonly origin: string;
}

/** Lease of a claim. A message of a killed gateway is sent after its lease and a poll. */
const leaseMs = 10_000;
const pollIntervalMs = 2_000;
/** Minimum time between two searches for due channels, which read all channels. */
const minSearchIntervalMs = 1_000;
/** Concurrent attempts of a gateway. Failing channels get at most half of them, so that the others keep flowing. */
const maxConcurrentAttempts = 128;
/** Minimum time between two messages of a channel, so that a burst of changes is one message. */
const minMessageIntervalMs = 1_000;
/** Maximum pause between two attempts of a message. */
const maxRetryPauseMs = 5 * 60_000;
/** Time after which a message that always failed is dropped. */
const maxFailingMs = 60 * 60_000;
const failureMessage = 'messages of channels could not be prepared or settled; the gateway tries again';

/** Sends the messages of channels in the background. Gateways on one database share the work. */
export function createChannelSender(dependencies: ChannelSenderDependencies) {
  const { store, events, poster, report, clock, log, origin } = dependencies;
  const wakeSignal = createWakeSignal();
  const attempts = new Set<Promise<void>>();
  const stopController = new AbortController();
  let runningLoop: Promise<void> | undefined;
  /** Logs only the first of consecutive failures. */
  let hasFailed = false;

  function noteFailure(err: unknown): void {
    if (!hasFailed) log.error({ err }, failureMessage);
    hasFailed = true;
  }

  /** Claims due channels and begins an attempt for each. Returns the number of claims. */
  async function beginAttempts(): Promise<number> {
    const limit = maxConcurrentAttempts - attempts.size;
    if (limit === 0) {
      await Promise.race(attempts);
      return attempts.size;
    }
    const claims = await store.claim({
      leaseMs,
      limit,
      maxFailingChannels: Math.max(0, maxConcurrentAttempts / 2 - attempts.size),
    });
    for (const claim of claims) {
      const attempt = sendIfNeeded(claim)
        .then(() => void (hasFailed = false), noteFailure)
        .finally(() => {
          attempts.delete(attempt);
          // Changes made during the attempt become due after the minimum interval.
          setTimeout(wakeSignal.wake, minMessageIntervalMs).unref();
        });
      attempts.add(attempt);
    }
    return claims.length;
  }

  /** Sends the message of a claimed channel if one is due, and settles the claim. */
  async function sendIfNeeded(claim: ChannelClaim): Promise<void> {
    const { channel, progress } = claim;
    const [state] = await events.calendarStates([{ id: channel.calendarId }]);
    const role = state ? roleOn(state.calendar, channel) : 'none';
    if (!state || !includesRole(role, 'reader')) return store.settle(claim, 'ended');
    const { owesSync, revision: since } = progress;
    // A revision of a partly visible change would make the receiver miss the rest of it.
    const revision = owesSync ? since : await events.safeRevision(channel.calendarId, state.revision, since);
    const hasNews = owesSync || (await hasVisibleChange(claim, role, state.revision));
    if (!hasNews) return store.settle(claim, progressAfter(revision));
    // After slow reads, an attempt could outlast the lease, and another gateway would send too.
    if (claim.leasedUntil - clock() < maxAttemptMs) return store.settle(claim, progress);
    const delivery = await poster.send(messageOf(claim, origin), stopController.signal);
    if (delivery.outcome === 'delivered') {
      report.delivered();
      return store.settle(claim, progressAfter(revision));
    }
    // The attempt was cut off: another gateway, or this one after its restart, repeats it.
    if (stopController.signal.aborted) return store.settle(claim, progress);
    if (delivery.outcome === 'gone') {
      report.dropped(hostOf(channel), delivery.cause);
      return store.settle(claim, 'ended');
    }
    const failingSince = progress.failingSince ?? clock();
    const remainingMs = failingSince + maxFailingMs - clock();
    if (remainingMs <= 0) {
      report.dropped(hostOf(channel), delivery.cause);
      return store.settle(claim, owesSync ? 'ended' : progressAfter(revision));
    }
    report.failed(hostOf(channel), delivery.cause);
    const pauseMs = Math.max(computeRetryPauseMs(progress.failures), delivery.retryAfterMs ?? 0);
    return store.settle(claim, {
      ...progress,
      failures: progress.failures + 1,
      failingSince,
      due: clock() + Math.max(minMessageIntervalMs, Math.min(pauseMs, remainingMs)),
    });
  }

  /** Whether the creator sees a change after the announced revision; true if that is unknown. */
  async function hasVisibleChange(
    { channel, progress }: ChannelClaim,
    role: AccessRole,
    revision: string,
  ): Promise<boolean> {
    const query = createChangeQuery(role, channel, { revision, since: progress.revision });
    const page = await events.listEvents(channel.calendarId, query);
    return !page || page.entries.length > 0;
  }

  /** Progress after all changes up to a revision were announced. */
  const progressAfter = (revision: string): ChannelProgress => ({
    owesSync: false,
    revision,
    failures: 0,
    due: clock() + minMessageIntervalMs,
  });

  /** Claims and sends until the gateway stops. */
  async function runUntilStopped(): Promise<void> {
    while (!stopController.signal.aborted) {
      const begunCount = await beginAttempts().catch((err: unknown) => {
        noteFailure(err);
        return 0;
      });
      await pause(minSearchIntervalMs, undefined, { signal: stopController.signal }).catch(() => undefined);
      if (begunCount === 0) await wakeSignal.wait(pollIntervalMs);
    }
  }

  let unwatch: (() => void) | undefined;
  return {
    /** Looks for due channels at once, as after a new one was stored. */
    wake: wakeSignal.wake,
    start(this: void): void {
      unwatch = events.watchCalendars(wakeSignal.wake);
      runningLoop = runUntilStopped();
    },
    async stop(this: void): Promise<void> {
      unwatch?.();
      stopController.abort();
      wakeSignal.wake();
      await runningLoop;
      await Promise.all(attempts);
    },
    /** Sends what is due now, and resolves when all attempts have ended. */
    async sendDue(this: void): Promise<void> {
      await beginAttempts();
      await Promise.all(attempts);
    },
  };
}

/** Pause before the next attempt; half of it is random, so that receivers are not hit in waves. */
const computeRetryPauseMs = (failures: number): number =>
  Math.min(2 * minMessageIntervalMs * 2 ** failures, maxRetryPauseMs) * (0.5 + Math.random() / 2);

/** Composes the message of a claim, with the headers of Google's channels. */
const messageOf = ({ channel, progress, messageNumber }: ChannelClaim, origin: string): ChannelMessage => ({
  address: channel.address,
  headers: {
    'X-Goog-Channel-ID': channel.id,
    ...(channel.token !== undefined && { 'X-Goog-Channel-Token': channel.token }),
    'X-Goog-Channel-Expiration': new Date(channel.expiration).toUTCString(),
    'X-Goog-Resource-ID': resourceIdOf(channel.calendarId),
    'X-Goog-Resource-URI': resourceUriOf(channel.calendarId, origin),
    'X-Goog-Resource-State': progress.owesSync ? 'sync' : 'exists',
    'X-Goog-Message-Number': String(messageNumber),
  },
});
