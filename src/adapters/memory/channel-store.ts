import type { CalendarRecord } from '../../calendar/calendar.ts';
import {
  type ChannelClaim,
  type ChannelProgress,
  type ChannelRecord,
  type ChannelStore,
  hostOf,
  selectClaims,
} from '../../channel/channel.store.ts';
import { deepFreeze } from '../../core/patch.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import type { EventStore } from '../../event/event.store.ts';

interface StoredChannel {
  readonly channel: ChannelRecord;
  progress: ChannelProgress;
  messageNumber: number;
  leasedUntil: number;
  /** Calendar at the last claim: another record may end the creator's role. */
  seenCalendar: CalendarRecord | undefined;
}

const keyOf = ({ identity, id }: ChannelRecord): string => JSON.stringify([identity, id]);

/** Channels in the memory of this process. */
export function createMemoryChannelStore(
  clock: Clock,
  events: Pick<EventStore, 'calendarStates'>,
): ChannelStore {
  const storedByKey = new Map<string, StoredChannel>();

  function listCurrent(): readonly StoredChannel[] {
    const now = clock();
    for (const [key, { channel }] of storedByKey) if (channel.expiration <= now) storedByKey.delete(key);
    return [...storedByKey.values()];
  }

  async function readCalendars(): Promise<(channel: ChannelRecord) => OwnedState> {
    const ids = [...new Set(listCurrent().map(({ channel }) => channel.calendarId))];
    const states = await events.calendarStates(ids.map((id) => ({ id })));
    const stateById = new Map(ids.map((id, index) => [id, states[index]]));
    return ({ calendarId }) => stateById.get(calendarId);
  }

  return {
    async changeChannels(identity, decide) {
      const own = listCurrent().map(({ channel }) => channel);
      const { insert, remove, result } = decide(own.filter((channel) => channel.identity === identity));
      if (remove) storedByKey.delete(keyOf(remove));
      if (insert) {
        const channel = deepFreeze({ ...insert.channel });
        storedByKey.set(keyOf(channel), {
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
      const stateOf = await readCalendars();
      // No await from here on: channels that are claimed here stay unclaimed meanwhile.
      const now = clock();
      const owesMessage = ({ channel, progress, seenCalendar }: StoredChannel): boolean => {
        const state = stateOf(channel);
        return progress.owesSync || state?.revision !== progress.revision || state.calendar !== seenCalendar;
      };
      const current = listCurrent();
      const leased = current.filter(({ leasedUntil }) => leasedUntil > now);
      const candidates = current
        .filter((stored) => stored.leasedUntil <= now && stored.progress.due <= now && owesMessage(stored))
        .map((stored) => ({
          stored,
          host: hostOf(stored.channel),
          isFailing: stored.progress.failures > 0,
          due: stored.progress.due,
        }));
      const leasedHosts = leased.map(({ channel }) => hostOf(channel));
      return selectClaims(candidates, leasedHosts, limits).map(({ stored }): ChannelClaim => {
        const { channel, progress } = stored;
        stored.leasedUntil = now + limits.leaseMs;
        stored.seenCalendar = stateOf(channel)?.calendar;
        if (!progress.owesSync) stored.messageNumber += 1;
        const { messageNumber, leasedUntil } = stored;
        return { channel, progress, messageNumber, leasedUntil };
      });
    },

    async settle({ channel, leasedUntil }, progress) {
      const key = keyOf(channel);
      const stored = storedByKey.get(key);
      if (stored?.leasedUntil !== leasedUntil) return;
      if (progress === 'ended') storedByKey.delete(key);
      else Object.assign(stored, { progress, leasedUntil: 0 });
    },
  };
}

type OwnedState = Awaited<ReturnType<EventStore['calendarStates']>>[number];
