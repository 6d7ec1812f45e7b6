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
import { putCalendar, putEvent, sampleCalendar, sampleEvent, alice, bob } from './event-samples.ts';
import { mutateDeep, refuse, startOfTime } from './samples.ts';

/** Stores that share their data. */
export interface ChannelStores {
  readonly calendars: CalendarStore;
  readonly events: EventStore;
  readonly channels: ChannelStore;
}

/** Creates a channel of Alice's on her own calendar. */
export const sampleChannel = (id: string, fields: Partial<ChannelRecord> = {}): ChannelRecord => ({
  identity: alice,
  id,
  calendarId: alice,
  address: 'https://receiver.example.com:8443/hook?key=1',
  token: 'a text',
  expiration: startOfTime + 1_000_000,
  ...fields,
});

const claimLimits = { leaseMs: 1000, limit: 100, maxFailingChannels: 100 };

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

    const readRevision = async (calendarId: string): Promise<string> =>
      (await stores.events.calendarStates([{ id: calendarId }]))[0]?.revision ?? 'none';
    const listChannels = (identity: string): Promise<readonly ChannelRecord[]> =>
      stores.channels.changeChannels(identity, (channels) => ({ result: channels }));
    const listIds = async (identity: string): Promise<string[]> =>
      (await listChannels(identity)).map(({ id }) => id).sort();
    async function insertChannel(channel: ChannelRecord): Promise<void> {
      const revision = await readRevision(channel.calendarId);
      await stores.channels.changeChannels(channel.identity, () => ({
        insert: { channel, revision },
        result: undefined,
      }));
    }
    const claim = (more: Partial<typeof claimLimits> = {}): Promise<readonly ChannelClaim[]> =>
      stores.channels.claim({ ...claimLimits, ...more });
    const claimIds = async (more?: Partial<typeof claimLimits>): Promise<string[]> =>
      (await claim(more)).map(({ channel }) => channel.id).sort();
    const claimOne = async (): Promise<ChannelClaim> => {
      const claims = await claim();
      expect(claims).toHaveLength(1);
      return claims[0] as ChannelClaim;
    };
    /** Creates the progress of a channel that owes no message: its receiver knows the present revision. */
    const createQuietProgress = async (
      calendarId: string = alice,
      overrides: Partial<ChannelProgress> = {},
    ): Promise<ChannelProgress> => ({
      owesSync: false,
      revision: await readRevision(calendarId),
      failures: 0,
      due: now,
      ...overrides,
    });
    /** Inserts a channel whose sync message is delivered. */
    async function insertQuietChannel(channel: ChannelRecord): Promise<void> {
      await insertChannel(channel);
      await stores.channels.settle(await claimOne(), await createQuietProgress(channel.calendarId));
    }
    const changeAlicesCalendar = (): Promise<unknown> =>
      putEvent(stores.events, sampleEvent(`event${(eventCount += 1)}`));
    let eventCount = 0;

    test('returns the channels of an identity, and removes one', async () => {
      const { token: _token, ...channelWithoutToken } = sampleChannel('2');
      await insertChannel(sampleChannel('1'));
      await insertChannel(channelWithoutToken);
      await insertChannel(sampleChannel('1', { identity: bob }));
      const alicesChannels = [...(await listChannels(alice))].sort((a, b) => (a.id < b.id ? -1 : 1));
      expect(alicesChannels).toEqual([sampleChannel('1'), channelWithoutToken]);
      mutateDeep(alicesChannels);
      await stores.channels.changeChannels(alice, () => ({ remove: sampleChannel('1'), result: 0 }));
      expect(await listChannels(alice)).toEqual([channelWithoutToken]);
      expect(await listIds(bob)).toEqual(['1']);
      expect(await listIds('some\u0000body')).toEqual([]);
      expect((await claim()).map(({ channel }) => [channel.identity, channel.id]).sort()).toEqual([
        [alice, '2'],
        [bob, '1'],
      ]);
    });

    test('stores nothing if the decision throws, and decides one change after another', async () => {
      await expect(stores.channels.changeChannels(alice, refuse)).rejects.toThrow('refused');
      const counts = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          stores.channels.changeChannels(alice, (currentChannels) => ({
            ...(currentChannels.length < 3 && {
              insert: { channel: sampleChannel(`${index}`), revision: 'e.0' },
            }),
            result: currentChannels.length,
          })),
        ),
      );
      expect(counts.filter((count) => count < 3).sort()).toEqual([0, 1, 2]);
      expect(await listChannels(alice)).toHaveLength(3);
    });

    test('claims a new channel once for each lease, as number 1', async () => {
      await insertChannel(sampleChannel('1'));
      const revision = await readRevision(alice);
      const expiredClaim = await claimOne();
      expect(expiredClaim).toEqual({
        channel: sampleChannel('1'),
        progress: { owesSync: true, revision, failures: 0, failingSince: undefined, due: 0 },
        messageNumber: 1,
        leasedUntil: startOfTime + 1000,
      });
      now += 999;
      expect(await claim()).toEqual([]);
      now += 1;
      expect(await claimOne()).toMatchObject({ messageNumber: 1, leasedUntil: startOfTime + 2000 });
      // A claim whose lease has run out has no effect.
      await stores.channels.settle(expiredClaim, 'ended');
      await stores.channels.settle(expiredClaim, await createQuietProgress());
      expect(await claim()).toEqual([]);
      now += 1000;
      await stores.channels.settle(await claimOne(), 'ended');
      now += 1000;
      expect(await claim()).toEqual([]);
      expect(await listIds(alice)).toEqual([]);
    });

    test('claims a channel again if its calendar was changed, with a higher number', async () => {
      await insertQuietChannel(sampleChannel('1'));
      await insertChannel(sampleChannel('2', { calendarId: bob }));
      await stores.channels.settle(await claimOne(), await createQuietProgress(bob));
      expect(await claim()).toEqual([]);
      await changeAlicesCalendar();
      const claimOfChange = await claimOne();
      expect(claimOfChange).toMatchObject({ channel: { id: '1' }, messageNumber: 2 });
      // A change meanwhile is announced with the next message.
      const progressBeforeChange = await createQuietProgress();
      await changeAlicesCalendar();
      await stores.channels.settle(claimOfChange, progressBeforeChange);
      const secondClaim = await claimOne();
      expect(secondClaim.messageNumber).toBe(3);
      await stores.channels.settle(secondClaim, {
        ...secondClaim.progress,
        failures: 2,
        failingSince: now,
        due: now,
      });
      const thirdClaim = await claimOne();
      expect(thirdClaim).toMatchObject({
        progress: { failures: 2, failingSince: startOfTime, revision: progressBeforeChange.revision },
        messageNumber: 4,
      });
      await stores.channels.settle(thirdClaim, await createQuietProgress());
      expect(await claim()).toEqual([]);
    });

    test('claims nothing before it is due', async () => {
      await insertQuietChannel(sampleChannel('1'));
      await changeAlicesCalendar();
      const claimed = await claimOne();
      await stores.channels.settle(claimed, { ...claimed.progress, due: startOfTime + 5000 });
      now += 4999;
      expect(await claim()).toEqual([]);
      now += 1;
      expect(await claimIds()).toEqual(['1']);
    });

    test('claims the channels of a calendar whose access list was changed, or that was deleted', async () => {
      await insertQuietChannel(sampleChannel('1', { calendarId: bob }));
      const acl = [{ email: alice, role: 'reader' }] as const;
      await putCalendar(stores.calendars, sampleCalendar(bob, { acl }));
      await stores.channels.settle(await claimOne(), await createQuietProgress(bob));
      expect(await claim()).toEqual([]);
      await stores.calendars.changeCalendar({ calendar: { id: bob } }, () => ({ removes: true, result: 0 }));
      expect(await claimIds()).toEqual(['1']);
    });

    test('forgets expired channels, whose ids are free again', async () => {
      await insertChannel(sampleChannel('1', { calendarId: bob, expiration: startOfTime + 500 }));
      now += 500;
      expect(await claim()).toEqual([]);
      expect(await listIds(alice)).toEqual([]);
      await insertChannel(sampleChannel('1'));
      expect(await claimOne()).toMatchObject({ channel: { id: '1', calendarId: alice } });
    });

    test('claims a limited number of channels of one host, and all of other hosts', async () => {
      for (let index = 0; index < maxConnectionsPerHost + 5; index += 1)
        await insertChannel(
          sampleChannel(`many${index}`, { address: `http://many.example.com:${8000 + index}/` }),
        );
      await insertChannel(sampleChannel('other'));
      const claims = await claim();
      expect(claims.filter(({ channel }) => channel.id !== 'other')).toHaveLength(maxConnectionsPerHost);
      expect(claims).toHaveLength(maxConnectionsPerHost + 1);
      expect(await claim()).toEqual([]);
      for (const settledClaim of claims.slice(0, 3))
        await stores.channels.settle(settledClaim, await createQuietProgress());
      const freedCount = claims.slice(0, 3).filter(({ channel }) => channel.id !== 'other').length;
      expect(await claim()).toHaveLength(freedCount);
    });

    test('claims up to a limit: channels that did not fail first, then those that wait longest', async () => {
      const dueTimes = [3, 1, 2];
      for (const [index, due] of dueTimes.entries()) {
        const id = `failing${index}`;
        await insertChannel(sampleChannel(id));
        const [claimed] = await claim();
        const progress = { owesSync: true, revision: 'e.0', failures: 1, failingSince: now };
        await stores.channels.settle(claimed as ChannelClaim, { ...progress, due: now + due });
      }
      now += 10;
      for (const id of ['a', 'b']) await insertChannel(sampleChannel(id));
      expect(await claimIds({ limit: 1 })).toHaveLength(1);
      expect(await claimIds({ limit: 10, maxFailingChannels: 1 })).toEqual([
        expect.stringMatching(/^[ab]$/),
        'failing1',
      ]);
      expect(await claimIds({ maxFailingChannels: 0 })).toEqual([]);
      expect(await claimIds({ limit: 1 })).toEqual(['failing2']);
    });

    test('two gateways never claim a channel together', async () => {
      const ids = Array.from({ length: 30 }, (_, index) => `${index}`);
      for (const id of ids)
        await insertChannel(sampleChannel(id, { address: `https://r${Number(id) % 5}.example.com/` }));
      const claims = (await Promise.all([claim(), claim(), claim()])).flat();
      expect(claims.map(({ channel }) => channel.id).sort()).toEqual(ids.sort());
    });
  });
}
