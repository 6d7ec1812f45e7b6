import { createMemoryStores } from '../../src/adapters/memory/stores.ts';
import { createChannelSender } from '../../src/channel/channel.sender.ts';
import type { ChannelDelivery, ChannelMessage } from '../../src/channel/channel.store.ts';
import { serviceUnavailableError } from '../../src/core/errors.ts';
import type { EventStore } from '../../src/event/event.store.ts';
import { sampleChannel } from '../contracts/channel-store.contract.ts';
import {
  changeEvent,
  putCalendar,
  putEvent,
  sampleCalendar,
  sampleEvent,
  stampAt,
  withCopy,
  alice,
  bob,
} from '../contracts/event-samples.ts';
import { startOfTime } from '../contracts/samples.ts';
import { eventually } from '../eventually.ts';

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const dayMs = 24 * 60 * minuteMs;
const createFailure = (status: number): ChannelDelivery => ({
  outcome: status === 410 ? 'gone' : 'failed',
  cause: new Error(`answered with ${status}`),
});
const delivered: ChannelDelivery = { outcome: 'delivered' };

/** Tests of the sender over stores in memory. Each test sets how the receiver responds. */
describe('the sender of channels', () => {
  let now: number;
  let stores: ReturnType<typeof createMemoryStores>;
  let events: EventStore;
  let respond: (signal: AbortSignal) => ChannelDelivery | Promise<ChannelDelivery>;
  let messages: ChannelMessage[];
  let reports: string[];
  let errors: unknown[];
  let sender: ReturnType<typeof createChannelSender>;
  let eventCount = 0;

  beforeEach(async () => {
    now = startOfTime;
    stores = createMemoryStores(() => now);
    events = { ...stores.events };
    respond = () => delivered;
    [messages, reports, errors] = [[], [], []];
    sender = createSender();
    for (const id of [alice, bob]) await putCalendar(stores.calendars, sampleCalendar(id));
  });

  const createSender = () =>
    createChannelSender({
      store: {
        claim: (limits) => stores.channels.claim(limits),
        settle: (claim, progress) => stores.channels.settle(claim, progress),
      },
      events,
      poster: {
        send: async (message, signal) => {
          messages.push(message);
          return respond(signal);
        },
      },
      report: {
        delivered: () => reports.push('delivered'),
        failed: (host, { message }) => reports.push(`failed ${host} ${message}`),
        dropped: (host, { message }) => reports.push(`dropped ${host} ${message}`),
      },
      clock: () => now,
      log: { error: (details) => errors.push(details) },
      origin: 'https://calendar.example.com',
    });

  /** Stores a channel that begins at the present revision of its calendar. */
  async function insertChannel(id: string, more: Parameters<typeof sampleChannel>[1] = {}): Promise<void> {
    const channel = sampleChannel(id, { expiration: now + 7 * dayMs, ...more });
    const [state] = await stores.events.calendarStates([{ id: channel.calendarId }]);
    await stores.channels.changeChannels(channel.identity, () => ({
      insert: { channel, revision: state?.revision ?? '' },
      result: undefined,
    }));
  }
  const countChannels = () =>
    stores.channels.changeChannels(alice, (channels) => ({ result: channels.length }));
  const addEvent = () => putEvent(stores.events, sampleEvent(`event${(eventCount += 1)}`));
  /** Advances the clock, sends due messages, and returns the state and number of each. */
  async function sendAfter(delayMs: number): Promise<string[]> {
    now += delayMs;
    messages = [];
    await sender.sendDue();
    return messages.map(
      ({ headers }) => `${headers['X-Goog-Resource-State']} ${headers['X-Goog-Message-Number']}`,
    );
  }

  test('begins with sync, and sends one message for several changes, at most one a second', async () => {
    await insertChannel('1');
    await addEvent();
    expect(await sendAfter(0)).toEqual(['sync 1']);
    expect(await sendAfter(999)).toEqual([]);
    await addEvent();
    await addEvent();
    expect(await sendAfter(1)).toEqual(['exists 2']);
    expect(await sendAfter(secondMs)).toEqual([]);
    await addEvent();
    expect(await sendAfter(0)).toEqual(['exists 3']);
    expect(reports).toEqual(['delivered', 'delivered', 'delivered']);
  });

  test('names the channel, the calendar and the expiration in the headers', async () => {
    await insertChannel('week-view');
    await insertChannel('plain', { token: undefined });
    await sendAfter(0);
    const { 'X-Goog-Channel-Token': token, ...otherHeaders } = messages[0]?.headers ?? {};
    expect(token).toBe('a text');
    expect(otherHeaders).toEqual({
      'X-Goog-Channel-ID': 'week-view',
      'X-Goog-Channel-Expiration': new Date(now + 7 * dayMs).toUTCString(),
      'X-Goog-Resource-ID': expect.stringMatching(/^[\w-]{27}$/),
      'X-Goog-Resource-URI':
        'https://calendar.example.com/calendar/v3/calendars/alice%40example.com/events?alt=json',
      'X-Goog-Resource-State': 'sync',
      'X-Goog-Message-Number': '1',
    });
    expect(messages[1]?.headers).not.toHaveProperty('X-Goog-Channel-Token');
    expect(messages[0]?.address).toBe('https://receiver.example.com:8443/hook?key=1');
  });

  test('retries with growing pauses, and the next message covers one that failed', async () => {
    await insertChannel('1');
    await sendAfter(0);
    respond = () => createFailure(500);
    await addEvent();
    const attemptTimes: number[] = [];
    // 40 minutes, since a message is dropped after an hour of failures.
    for (let seconds = 0; seconds < 40 * 60; seconds += 1)
      if ((await sendAfter(secondMs)).length > 0) attemptTimes.push(now);
    const pauses = attemptTimes.map((time, index) => time - (attemptTimes[index - 1] ?? 0)).slice(1);
    expect(pauses[0]).toBeLessThanOrEqual(2 * secondMs);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(5 * minuteMs);
    expect(pauses.at(-1)).toBeGreaterThanOrEqual(2.5 * minuteMs);
    respond = () => delivered;
    await addEvent();
    expect(await sendAfter(5 * minuteMs)).toHaveLength(1);
    expect(await sendAfter(5 * minuteMs)).toEqual([]);
    expect(reports.filter((line) => line === 'failed receiver.example.com answered with 500')).toHaveLength(
      attemptTimes.length,
    );
  });

  test('pauses as long as the receiver asks', async () => {
    await insertChannel('1');
    respond = () => ({ ...createFailure(503), retryAfterMs: 10 * minuteMs }) as ChannelDelivery;
    await sendAfter(0);
    expect(await sendAfter(10 * minuteMs - 1)).toEqual([]);
    expect(await sendAfter(1)).toEqual(['sync 1']);
  });

  test('drops a message after an hour of failures, and the channel stays', async () => {
    await insertChannel('1');
    await sendAfter(0);
    respond = () => createFailure(500);
    await addEvent();
    for (let minute = 0; minute <= 60; minute += 1) await sendAfter(minuteMs);
    expect(reports.at(-1)).toBe('dropped receiver.example.com answered with 500');
    respond = () => delivered;
    expect(await sendAfter(5 * minuteMs)).toEqual([]);
    await addEvent();
    expect(await sendAfter(0)).toEqual([expect.stringMatching(/^exists \d+$/)]);
    expect(await countChannels()).toBe(1);
  });

  test('ends a channel whose sync message is not delivered within an hour', async () => {
    await insertChannel('1');
    respond = () => createFailure(500);
    const sentStates: string[] = [];
    for (let minute = 0; minute < 60; minute += 1) sentStates.push(...(await sendAfter(minuteMs)));
    expect(await countChannels()).toBe(1);
    for (let minute = 0; minute < 2; minute += 1) sentStates.push(...(await sendAfter(minuteMs)));
    expect(await countChannels()).toBe(0);
    expect(new Set(sentStates)).toEqual(new Set(['sync 1']));
    expect(reports.at(-1)).toContain('dropped');
  });

  test('ends a channel whose receiver is gone, and one that expires', async () => {
    await insertChannel('1');
    respond = () => createFailure(410);
    await sendAfter(0);
    expect(await countChannels()).toBe(0);
    expect(reports).toEqual(['dropped receiver.example.com answered with 410']);
    await insertChannel('2', { expiration: now + minuteMs });
    await addEvent();
    expect(await sendAfter(minuteMs)).toEqual([]);
    expect(await countChannels()).toBe(0);
  });

  test('ends a channel without a message when its creator is no longer a reader', async () => {
    const share = (role: 'reader' | 'freeBusyReader') =>
      putCalendar(stores.calendars, sampleCalendar(bob, { acl: [{ email: alice, role }] }));
    await share('reader');
    await insertChannel('1', { calendarId: bob });
    await sendAfter(0);
    await share('freeBusyReader');
    await putEvent(stores.events, sampleEvent('secret', { home: bob }));
    expect(await sendAfter(secondMs)).toEqual([]);
    expect(await countChannels()).toBe(0);
  });

  test('ends the channels of a deleted calendar without a message', async () => {
    await insertChannel('1', { calendarId: bob, identity: bob });
    await sendAfter(0);
    await stores.calendars.changeCalendar({ calendar: { id: bob } }, () => ({ removes: true, result: 0 }));
    expect(await sendAfter(secondMs)).toEqual([]);
    expect(await stores.channels.changeChannels(bob, (channels) => ({ result: channels.length }))).toBe(0);
  });

  test('sends nothing about changes that the creator does not see', async () => {
    const event = await putEvent(stores.events, sampleEvent('plan'));
    await insertChannel('1');
    await sendAfter(0);
    await putCalendar(stores.calendars, sampleCalendar(alice, { summary: 'Renamed' }));
    expect(await sendAfter(secondMs)).toEqual([]);
    const viewers = { [bob]: { stamp: stampAt(), own: { colorId: '3' } } };
    await changeEvent(stores.events, event, (stored) =>
      withCopy(stored, alice, { viewers }, stored.copies[alice]?.stamp),
    );
    expect(await sendAfter(secondMs)).toEqual([]);
    await addEvent();
    expect(await sendAfter(secondMs)).toHaveLength(1);
  });

  test('sends if it is unknown whether something changed', async () => {
    await insertChannel('1');
    await sendAfter(0);
    events.listEvents = async () => undefined;
    await addEvent();
    expect(await sendAfter(secondMs)).toEqual(['exists 2']);
  });

  test('announces changes again if they were not completely visible', async () => {
    await insertChannel('1');
    await sendAfter(0);
    const [stateBefore] = await stores.events.calendarStates([{ id: alice }]);
    await addEvent();
    events.safeRevision = async () => stateBefore?.revision ?? '';
    expect(await sendAfter(secondMs)).toEqual(['exists 2']);
    events.safeRevision = stores.events.safeRevision.bind(stores.events);
    expect(await sendAfter(secondMs)).toEqual(['exists 3']);
    expect(await sendAfter(secondMs)).toEqual([]);
  });

  test('leaves a message to the next claim if slow reads took too much of the lease', async () => {
    await insertChannel('1');
    events.calendarStates = (refs) => {
      now += 3 * secondMs;
      return stores.events.calendarStates(refs);
    };
    expect(await sendAfter(0)).toEqual([]);
    events.calendarStates = stores.events.calendarStates.bind(stores.events);
    expect(await sendAfter(0)).toEqual(['sync 1']);
  });

  test('logs the first of several failures of the store, and goes on', async () => {
    await insertChannel('1');
    await insertChannel('2');
    events.calendarStates = () => Promise.reject(serviceUnavailableError('It is away.'));
    expect(await sendAfter(0)).toEqual([]);
    expect(errors).toHaveLength(1);
    events.calendarStates = stores.events.calendarStates.bind(stores.events);
    expect(await sendAfter(10 * secondMs)).toEqual(['sync 1', 'sync 1']);
  });

  describe('in the background', () => {
    afterEach(() => sender.stop());

    test('wakes up for a change', async () => {
      sender.start();
      await insertChannel('1');
      await eventually(async () => expect(messages).toHaveLength(1));
      now += secondMs;
      await addEvent();
      await eventually(async () => expect(messages).toHaveLength(2));
    });

    test('goes on after a failure of the store, with at most 128 concurrent attempts', async () => {
      let isFailing = true;
      const { claim } = stores.channels;
      stores.channels.claim = (limits) =>
        isFailing ? Promise.reject(serviceUnavailableError('It is away.')) : claim(limits);
      for (let index = 0; index < 150; index += 1)
        await insertChannel(`${index}`, { address: `https://r${index}.example.com/` });
      let release = (): void => undefined;
      const released = new Promise<void>((resolve) => (release = resolve));
      respond = () => released.then(() => delivered);
      sender.start();
      await eventually(async () => expect(errors).toHaveLength(1));
      isFailing = false;
      await eventually(async () => expect(messages).toHaveLength(128));
      release();
      await eventually(async () => expect(messages).toHaveLength(150));
    });

    test('leaves a message to other gateways if it stops during the attempt', async () => {
      await insertChannel('1');
      respond = (signal) =>
        new Promise((resolve) =>
          signal.addEventListener('abort', () => resolve(createFailure(0)), { once: true }),
        );
      sender.start();
      await eventually(async () => expect(messages).toHaveLength(1));
      await sender.stop();
      expect(reports).toEqual([]);
      respond = () => delivered;
      messages = [];
      await createSender().sendDue();
      expect(messages).toHaveLength(1);
    });
  });
});
