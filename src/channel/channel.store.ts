import { Counts } from '../core/runtime/limits.ts';

/** A channel as its creator defined it. Immutable. */
export interface ChannelRecord {
  /** Identity of the creator. The channel ends with the creator's role on the calendar. */
  readonly identity: string;
  /** Unique among the channels of the creator. */
  readonly id: string;
  readonly calendarId: string;
  /** URL of the receiver, which the creator chose. */
  readonly address: string;
  readonly token?: string;
  /** Epoch milliseconds. */
  readonly expiration: number;
}

/** State of a channel's messages. Changes of the calendar since `revision` are one message. */
export interface ChannelProgress {
  /** Whether the first message, `sync`, is not delivered yet. */
  readonly owesSync: boolean;
  /** Revision of the calendar up to which all changes are announced. */
  readonly revision: string;
  /** Failed attempts of the current message. */
  readonly failures: number;
  /** Time of the first failed attempt (epoch ms). */
  readonly failingSince?: number | undefined;
  /** Time before which no message is sent (epoch ms). */
  readonly due: number;
}

/** A channel that one gateway may send a message to. */
export interface ChannelClaim {
  readonly channel: ChannelRecord;
  readonly progress: ChannelProgress;
  /** 1 for `sync`. Each later attempt has a higher number, also after a gateway was killed. */
  readonly messageNumber: number;
  /** End of the lease (epoch ms), which also identifies the claim. */
  readonly leasedUntil: number;
}

/** Limits of one claim of a gateway. */
export interface ChannelClaimLimits {
  readonly leaseMs: number;
  /** Maximum number of channels to claim. */
  readonly limit: number;
  /** Limit on channels whose last attempt failed. */
  readonly maxFailingChannels: number;
}

/** Result of a decision on the channels of an identity, stored atomically. */
export interface ChannelChange<T> {
  /** Channel to store. `revision`: that of its calendar, from which on changes are announced. */
  readonly insert?: { readonly channel: ChannelRecord; readonly revision: string };
  readonly remove?: ChannelRecord;
  readonly result: T;
}

/** Limit of connections to one host, over all channels and gateways. */
export const maxConnectionsPerHost = 10;

/** Maximum time from the beginning of an attempt to its end, shorter than a lease. */
export const maxAttemptMs = 8_000;

/** Host of a valid address, without its port and the dot of the root. */
export const hostOf = ({ address }: Pick<ChannelRecord, 'address'>): string =>
  new URL(address).hostname.replace(/\.$/, '');

export interface ClaimCandidate {
  readonly host: string;
  readonly isFailing: boolean;
  /** Epoch ms. */
  readonly due: number;
}

/**
 * Selects the channels to claim: those whose last attempt succeeded come first, and one host gets at most
 * `maxConnectionsPerHost`. `leasedHosts`: one entry per lease.
 */
export function selectCandidates<T extends ClaimCandidate>(
  candidates: readonly T[],
  leasedHosts: readonly string[],
  { limit, maxFailingChannels }: ChannelClaimLimits,
): T[] {
  const connectionCounts = new Counts();
  for (const host of leasedHosts) connectionCounts.add(host);
  const selectedCandidates: T[] = [];
  let failingCount = 0;
  for (const candidate of candidates.toSorted(
    (a, b) => Number(a.isFailing) - Number(b.isFailing) || a.due - b.due,
  )) {
    const { host, isFailing } = candidate;
    if (selectedCandidates.length === limit || (isFailing && failingCount === maxFailingChannels)) break;
    if (connectionCounts.countOf(host) >= maxConnectionsPerHost) continue;
    connectionCounts.add(host);
    failingCount += Number(isFailing);
    selectedCandidates.push(candidate);
  }
  return selectedCandidates;
}

/** Port to the store of channels. Expired channels are never returned. Methods are atomic. */
export interface ChannelStore {
  /** Decides on all channels of an identity, one change after another. `decide` is synchronous; its errors are thrown. */
  changeChannels<T>(
    identity: string,
    decide: (channels: readonly ChannelRecord[]) => ChannelChange<T>,
  ): Promise<T>;
  /**
   * Leases channels that are due and owe a message: `sync`, or one about a calendar that was changed, shared anew or deleted since.
   * Leases of one host are at most `maxConnectionsPerHost`. Channels that did not fail come first.
   */
  claim(limits: ChannelClaimLimits): Promise<readonly ChannelClaim[]>;
  /** Stores the progress of a claimed channel, or deletes it. Without effect if the claim has passed to another gateway. */
  settle(claim: ChannelClaim, progress: ChannelProgress | 'ended'): Promise<void>;
}

/** Message to the receiver of a channel, without a body. */
export interface ChannelMessage {
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Result of an attempt. `cause` may be logged. `retryAfterMs`: pause that the receiver asked for. */
export type ChannelDelivery =
  | { readonly outcome: 'delivered' }
  | { readonly outcome: 'gone' | 'failed'; readonly cause: Error; readonly retryAfterMs?: number };

/** Port to receivers of channels. Ends within the lease of a claim, and soon after `signal` is aborted. */
export interface ChannelPoster {
  send(message: ChannelMessage, signal: AbortSignal): Promise<ChannelDelivery>;
  close(): void;
}

/** Reports attempts to operators. `host`: the only part of an address that may be logged. */
export interface ChannelReport {
  delivered(): void;
  failed(host: string, cause: Error): void;
  dropped(host: string, cause: Error): void;
}
