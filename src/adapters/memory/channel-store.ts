import type { CalendarRecord } from '../../calendar/calendar.store.ts';
import {
  type ChannelClaim,
  type ChannelProgress,
  type ChannelRecord,
  type ChannelStore,
  hostOf,
  selectCandidates,
} from '../../channel/channel.store.ts';
import { deepFreeze } from '../../core/json.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import type { EventStore } from '../../event/event.store.ts';

interface StoredChannel {
  readonly channel: ChannelRecord;
  progress: ChannelProgress;
  /** Number of the last message, counted from 1. */
  messageNumber: number;
  /** Epoch milliseconds at which the lease of the last claim ends; 0 without a claim. */
  leasedUntil: number;
  /** Calendar as the last claim saw it: a changed record is announced too, as it may end the creator's role. */
  seenCalendar: CalendarRecord | undefined;
}

const keyOf = ({ identity, id }: ChannelRecord): string => JSON.stringify([identity, id]);

/** Channels in the memory of this process. */
export function createMemoryChannelStore(
  clock: Clock,
  events: Pick<EventStore, 'calendarStates'>,
): ChannelStore {
  const channelsByKey = new Map<string, StoredChannel>();

  /** Deletes expired channels and lists the others. */
  function listUnexpired(): readonly StoredChannel[] {
    const now = clock();
    for (const [key, { channel }] of channelsByKey) if (channel.expiration <= now) channelsByKey.delete(key);
    return [...channelsByKey.values()];
  }

  /** Loads the states of the calendars that channels watch, by id. */
  async function loadCalendarStates() {
    const ids = [...new Set(listUnexpired().map(({ channel }) => channel.calendarId))];
    const states = await events.calendarStates(ids.map((id) => ({ id })));
    return new Map(ids.map((id, index) => [id, states[index]]));
  }

  return {
    async changeChannels(identity, decide) {
      const channels = listUnexpired().map(({ channel }) => channel);
      const { insert, remove, result } = decide(channels.filter((channel) => channel.identity === identity));
      if (remove) channelsByKey.delete(keyOf(remove));
      if (insert) {
        const channel = deepFreeze({ ...insert.channel });
        channelsByKey.set(keyOf(channel), {
          channel,
          progress: { owesSync: true, revision: insert.revision, failures: 0, due: 0 },
          messageNumber: 1,
          leasedUntil: 0,
          seenCalendar: undefined,
        });
      }
      return result;
    },

    async claim(limits) {
      const stateById = await loadCalendarStates();
      // No await from here on: channels that are claimed here stay unclaimed meanwhile.
      const now = clock();
      const needsMessage = ({ channel, progress, seenCalendar }: StoredChannel): boolean => {
        const state = stateById.get(channel.calendarId);
        return progress.owesSync || state?.revision !== progress.revision || state.calendar !== seenCalendar;
      };
      const unexpiredChannels = listUnexpired();
      const channelsWithLease = unexpiredChannels.filter(({ leasedUntil }) => leasedUntil > now);
      const candidates = unexpiredChannels
        .filter((stored) => stored.leasedUntil <= now && stored.progress.due <= now && needsMessage(stored))
        .map((stored) => ({
          stored,
          host: hostOf(stored.channel),
          isFailing: stored.progress.failures > 0,
          due: stored.progress.due,
        }));
      const leasedHosts = channelsWithLease.map(({ channel }) => hostOf(channel));
      return selectCandidates(candidates, leasedHosts, limits).map(({ stored }): ChannelClaim => {
        const { channel, progress } = stored;
        stored.leasedUntil = now + limits.leaseMs;
        stored.seenCalendar = stateById.get(channel.calendarId)?.calendar;
        if (!progress.owesSync) stored.messageNumber += 1;
        const { messageNumber, leasedUntil } = stored;
        return { channel, progress, messageNumber, leasedUntil };
      });
    },

    async settle({ channel, leasedUntil }, progress) {
      const key = keyOf(channel);
      const storedChannel = channelsByKey.get(key);
      if (storedChannel?.leasedUntil !== leasedUntil) return;
      if (progress === 'ended') channelsByKey.delete(key);
      else Object.assign(storedChannel, { progress, leasedUntil: 0 });
    },
  };
}
