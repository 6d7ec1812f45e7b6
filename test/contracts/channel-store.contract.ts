import type { CalendarStore } from '../../src/calendar/calendar.store.ts';
import {
  type ChannelClaim,
  type ChannelProgress,
  type ChannelRecord,
  type ChannelStore,
  maxConnectionsPerHost,
} from '../../src/channel/channel.store.ts';
import type { Clock } from '../../src/core/runtime/clock.ts';
import type { EventStore } from '../../src/event/event.store.ts';
import { alice, bob, putCalendar, putEvent, sampleCalendar, sampleEvent } from './event-samples.ts';
import { mutateDeep, refuse, startOfTime } from './samples.ts';

/** Stores that share their data. */
export interface ChannelStores {
  readonly calendars: CalendarStore;
  readonly events: EventStore;
  readonly channels: ChannelStore;
}

export const sampleChannel = (id: string, rest: Partial<ChannelRecord> = {}): ChannelRecord => ({
  identity: alice,
  id,
  calendarId: alice,
  address: 'https://receiver.example.com:8443/hook?key=1',
  token: 'a text',
  expiration: startOfTime + 1_000_000,
  ...rest,
});

const limits = { leaseMs: 1000, limit: 100, maxFailingChannels: 100 };

/** Tests of every store of channels. */
export function channelStoreContract(
  name: string,
  makeStores: (clock: Clock) => ChannelStores | Promise<ChannelStores>,
): void {
  describe(`${name} as a store of channels`, () => {
    let now: number;
    let stores: ChannelStores;
    beforeEach(async () => {
      now = startOfTime;
      stores = await makeStores(() => now);
      for (const id of [alice, bob]) await putCalendar(stores.calendars, sampleCalendar(id));
    });

    const revisionOf = async (calendarId: string): Promise<string> =>
      (await stores.events.calendarStates([{ id: calendarId }]))[0]?.revision ?? 'none';
    const listOf = (identity: string): Promise<readonly ChannelRecord[]> =>
      stores.channels.changeChannels(identity, (channels) => ({ result: channels }));
    const idsOf = async (identity: string): Promise<string[]> =>
      (await listOf(identity)).map(({ id }) => id).sort();
    async function insert(channel: ChannelRecord): Promise<void> {
      const revision = await revisionOf(channel.calendarId);
      await stores.channels.changeChannels(channel.identity, () => ({
        insert: { channel, revision },
        result: undefined,
      }));
    }
    const claim = (more: Partial<typeof limits> = {}): Promise<readonly ChannelClaim[]> =>
      stores.channels.claim({ ...limits, ...more });
    const claimedIds = async (more?: Partial<typeof limits>): Promise<string[]> =>
      (await claim(more)).map(({ channel }) => channel.id).sort();
    const claimOne = async (): Promise<ChannelClaim> => {
      const claims = await claim();
      expect(claims).toHaveLength(1);
      return claims[0] as ChannelClaim;
    };
    const quietProgress = async (
      calendarId: string = alice,
      rest: Partial<ChannelProgress> = {},
    ): Promise<ChannelProgress> => ({
      owesSync: false,
      revision: await revisionOf(calendarId),
      failures: 0,
      due: now,
      ...rest,
    });
    /** Inserts a channel whose sync message is delivered. */
    async function insertQuiet(channel: ChannelRecord): Promise<void> {
      await insert(channel);
      await stores.channels.settle(await claimOne(), await quietProgress(channel.calendarId));
    }
    const changeAlice = (): Promise<unknown> =>
      putEvent(stores.events, sampleEvent(`event${(eventCount += 1)}`));
    let eventCount = 0;

    test('returns the channels of an identity, and removes one', async () => {
      const { token: _token, ...withoutToken } = sampleChannel('2');
      await insert(sampleChannel('1'));
      await insert(withoutToken);
      await insert(sampleChannel('1', { identity: bob }));
      const own = [...(await listOf(alice))].sort((a, b) => (a.id < b.id ? -1 : 1));
      expect(own).toEqual([sampleChannel('1'), withoutToken]);
      mutateDeep(own);
      await stores.channels.changeChannels(alice, () => ({ remove: sampleChannel('1'), result: 0 }));
      expect(await listOf(alice)).toEqual([withoutToken]);
      expect(await idsOf(bob)).toEqual(['1']);
      expect(await idsOf('some\u0000body')).toEqual([]);
      expect((await claim()).map(({ channel }) => [channel.identity, channel.id]).sort()).toEqual([
        [alice, '2'],
        [bob, '1'],
      ]);
    });

    test('stores nothing if the decision throws, and decides one change after another', async () => {
      await expect(stores.channels.changeChannels(alice, refuse)).rejects.toThrow('refused');
      const counts = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          stores.channels.changeChannels(alice, (own) => ({
            ...(own.length < 3 && { insert: { channel: sampleChannel(`${index}`), revision: 'e.0' } }),
            result: own.length,
          })),
        ),
      );
      expect(counts.filter((count) => count < 3).sort()).toEqual([0, 1, 2]);
      expect(await listOf(alice)).toHaveLength(3);
    });

    test('claims a new channel once for each lease, as number 1', async () => {
      await insert(sampleChannel('1'));
      const revision = await revisionOf(alice);
      const first = await claimOne();
      expect(first).toEqual({
        channel: sampleChannel('1'),
        progress: { owesSync: true, revision, failures: 0, failingSince: undefined, due: 0 },
        messageNumber: 1,
        leasedUntil: startOfTime + 1000,
      });
      now += 999;
      expect(await claim()).toEqual([]);
      now += 1;
      expect(await claimOne()).toMatchObject({ messageNumber: 1, leasedUntil: startOfTime + 2000 });
      // The claim that ran out has no effect any more.
      await stores.channels.settle(first, 'ended');
      await stores.channels.settle(first, await quietProgress());
      expect(await claim()).toEqual([]);
      now += 1000;
      await stores.channels.settle(await claimOne(), 'ended');
      now += 1000;
      expect(await claim()).toEqual([]);
      expect(await idsOf(alice)).toEqual([]);
    });

    test('claims a channel again if its calendar was changed, with a higher number', async () => {
      await insertQuiet(sampleChannel('1'));
      await insert(sampleChannel('2', { calendarId: bob }));
      await stores.channels.settle(await claimOne(), await quietProgress(bob));
      expect(await claim()).toEqual([]);
      await changeAlice();
      const claimed = await claimOne();
      expect(claimed).toMatchObject({ channel: { id: '1' }, messageNumber: 2 });
      // A change meanwhile is announced with the next message.
      const settled = await quietProgress();
      await changeAlice();
      await stores.channels.settle(claimed, settled);
      const again = await claimOne();
      expect(again.messageNumber).toBe(3);
      await stores.channels.settle(again, { ...again.progress, failures: 2, failingSince: now, due: now });
      const failed = await claimOne();
      expect(failed).toMatchObject({
        progress: { failures: 2, failingSince: startOfTime, revision: settled.revision },
        messageNumber: 4,
      });
      await stores.channels.settle(failed, await quietProgress());
      expect(await claim()).toEqual([]);
    });

    test('claims nothing before it is due', async () => {
      await insertQuiet(sampleChannel('1'));
      await changeAlice();
      const claimed = await claimOne();
      await stores.channels.settle(claimed, { ...claimed.progress, due: startOfTime + 5000 });
      now += 4999;
      expect(await claim()).toEqual([]);
      now += 1;
      expect(await claimedIds()).toEqual(['1']);
    });

    test('claims the channels of a calendar that was shared anew or deleted', async () => {
      await insertQuiet(sampleChannel('1', { calendarId: bob }));
      const acl = [{ email: alice, role: 'reader' }] as const;
      await putCalendar(stores.calendars, sampleCalendar(bob, { acl }));
      await stores.channels.settle(await claimOne(), await quietProgress(bob));
      expect(await claim()).toEqual([]);
      await stores.calendars.changeCalendar({ calendar: { id: bob } }, () => ({ removes: true, result: 0 }));
      expect(await claimedIds()).toEqual(['1']);
    });

    test('forgets expired channels, whose ids are free again', async () => {
      await insert(sampleChannel('1', { calendarId: bob, expiration: startOfTime + 500 }));
      now += 500;
      expect(await claim()).toEqual([]);
      expect(await idsOf(alice)).toEqual([]);
      await insert(sampleChannel('1'));
      expect(await claimOne()).toMatchObject({ channel: { id: '1', calendarId: alice } });
    });

    test('leases only some channels of one host, and those of other hosts beside them', async () => {
      for (let index = 0; index < maxConnectionsPerHost + 5; index += 1)
        await insert(sampleChannel(`many${index}`, { address: `http://many.example.com:${8000 + index}/` }));
      await insert(sampleChannel('other'));
      const claims = await claim();
      expect(claims.filter(({ channel }) => channel.id !== 'other')).toHaveLength(maxConnectionsPerHost);
      expect(claims).toHaveLength(maxConnectionsPerHost + 1);
      expect(await claim()).toEqual([]);
      for (const settledClaim of claims.slice(0, 3))
        await stores.channels.settle(settledClaim, await quietProgress());
      const freedCount = claims.slice(0, 3).filter(({ channel }) => channel.id !== 'other').length;
      expect(await claim()).toHaveLength(freedCount);
    });

    test('claims up to a limit: channels that did not fail first, then those that wait longest', async () => {
      const dueTimes = [3, 1, 2];
      for (const [index, due] of dueTimes.entries()) {
        const id = `failing${index}`;
        await insert(sampleChannel(id));
        const [claimed] = await claim();
        const progress = { owesSync: true, revision: 'e.0', failures: 1, failingSince: now };
        await stores.channels.settle(claimed as ChannelClaim, { ...progress, due: now + due });
      }
      now += 10;
      for (const id of ['a', 'b']) await insert(sampleChannel(id));
      expect(await claimedIds({ limit: 1 })).toHaveLength(1);
      expect(await claimedIds({ limit: 10, maxFailingChannels: 1 })).toEqual([
        expect.stringMatching(/^[ab]$/),
        'failing1',
      ]);
      expect(await claimedIds({ maxFailingChannels: 0 })).toEqual([]);
      expect(await claimedIds({ limit: 1 })).toEqual(['failing2']);
    });

    test('two gateways never claim a channel together', async () => {
      const ids = Array.from({ length: 30 }, (_, index) => `${index}`);
      for (const id of ids)
        await insert(sampleChannel(id, { address: `https://r${Number(id) % 5}.example.com/` }));
      const claims = (await Promise.all([claim(), claim(), claim()])).flat();
      expect(claims.map(({ channel }) => channel.id).sort()).toEqual(ids.sort());
    });
  });
}
