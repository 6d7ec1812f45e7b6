import { startReceiver, type Receiver } from '../adapters/webhook/receiver.ts';
import { calendarsOf } from '../calendar/calendar.harness.ts';
import { alice, bob, fritz, rita, sten } from '../event/event.harness.ts';
import { withGuests } from '../event/list.harness.ts';
import { eventually } from '../eventually.ts';
import { useCloser } from '../use-resource.ts';
import { stores } from '../stores.ts';
import { startChannelGateway, type ChannelGateway } from './channel.harness.ts';

const dayMs = 24 * 60 * 60 * 1000;
const publicAddress = 'https://receiver.example.com/hook';
/** Receivers of these channels do not exist: nothing is sent to reserved names. */
const unreachableReceiver = { address: 'https://receiver.invalid/hook' };
const refusedAddresses = [
  'ftp://receiver.example.com/',
  'receiver.example.com',
  'http://receiver.example.com:0/',
  'http://10.0.0.1/',
  'https://10.0.0.1/',
  'https://0x0a000001/',
  'https://[::1]/',
  'https://[::ffff:10.0.0.1]/',
  'http://93.184.216.34/',
  'https://user:password@receiver.example.com/',
  'https://receiver.example.com/#fragment',
  'https://receiver.example.com/a b',
  'https://receiver.example.com\\@10.0.0.1/',
  'https://räceiver.example.com/',
  'https://receiver.example.com/\u0000',
];
const daysFromNow = (days: number): number => Date.now() + days * dayMs;

describe.each(stores)('channels, over $name', ({ useEnvironments }) => {
  const createEnvironment = useEnvironments();
  const closeLater = useCloser();
  let gateway: ChannelGateway;
  beforeEach(async () => {
    gateway = closeLater(await startChannelGateway(await createEnvironment()));
  });

  const openReceiver = async (...receiverArguments: Parameters<typeof startReceiver>): Promise<Receiver> =>
    closeLater(await startReceiver(...receiverArguments));
  const statesOf = ({ received }: Receiver): unknown[] =>
    received.map(({ headers }) => headers['x-goog-resource-state']);
  const waitForMessages = (receiver: Receiver, count: number): Promise<void> =>
    eventually(async () => expect(receiver.received.length).toBeGreaterThanOrEqual(count));
  const countChannels = (identity: string): Promise<number> =>
    gateway.stores.channels.changeChannels(identity, (channelsOfIdentity) => ({
      result: channelsOfIdentity.length,
    }));
  async function watchWithoutProblems(channel: object, options?: Parameters<ChannelGateway['watch']>[1]) {
    const { event, problems, warningTexts } = await gateway.watch(channel, options);
    expect({ problems, warningTexts }).toEqual({ problems: [], warningTexts: [] });
    return event;
  }

  test('a receiver gets "sync" first, then "exists" for a new event and for an invitation', async () => {
    const receiver = await openReceiver();
    const channel = await watchWithoutProblems({
      id: 'c1',
      address: receiver.url.href,
      token: 'secret text',
    });
    expect(channel).toMatchObject({
      kind: 'api#channel',
      id: 'c1',
      address: receiver.url.href,
      token: 'secret text',
    });
    expect(Math.abs(Date.parse(channel.expiration) - daysFromNow(7))).toBeLessThan(dayMs / 24);
    await waitForMessages(receiver, 1);
    await gateway.makeEvent({ summary: 'Own' });
    await waitForMessages(receiver, 2);
    // An invitation puts a copy on Alice's calendar.
    await gateway.makeEvent({ summary: 'Invited', ...withGuests(alice) }, { as: bob, calendarId: bob });
    await waitForMessages(receiver, 3);
    expect(statesOf(receiver)).toEqual(['sync', 'exists', 'exists']);
    const [sync, exists] = receiver.received;
    expect(sync?.body).toBe('');
    expect(sync?.headers).toMatchObject({
      'x-goog-channel-id': 'c1',
      'x-goog-channel-token': 'secret text',
      'x-goog-channel-expiration': new Date(channel.expiration).toUTCString(),
      'x-goog-resource-id': channel.resourceId,
      'x-goog-message-number': '1',
    });
    expect(Number(exists?.headers['x-goog-message-number'])).toBeGreaterThan(1);
  });

  test('the same id, calendar, address and token return the channel unchanged; other uses of the id are refused', async () => {
    const body = { id: 'a-_+/=1', address: publicAddress, token: 'x' };
    const first = await watchWithoutProblems(body);
    expect(
      await watchWithoutProblems({ ...body, expiration: String(daysFromNow(20)), type: 'web_hook' }),
    ).toEqual(first);
    for (const other of [{ token: 'y' }, { token: null }, { address: `${publicAddress}/other` }])
      expect((await gateway.watch({ ...body, ...other })).problems).toEqual([
        'CONFLICT channel.id duplicate',
      ]);
    expect((await gateway.watch(body, { calendarId: bob })).problems).toEqual([
      'NOT_FOUND calendarId notFound',
    ]);
    await watchWithoutProblems(body, { as: rita, calendarId: alice });
  });

  test('stopChannel ends a channel of the caller once', async () => {
    const receiver = await openReceiver();
    const channel = await watchWithoutProblems({ id: 'c1', address: receiver.url.href });
    await waitForMessages(receiver, 1);
    expect((await gateway.stop(channel, rita)).problems).toEqual(['NOT_FOUND id notFound']);
    expect((await gateway.stop({ ...channel, resourceId: 'other' })).problems).toEqual([
      'NOT_FOUND id notFound',
    ]);
    expect((await gateway.stop(channel)).event).toBe(true);
    expect((await gateway.stop(channel)).problems).toEqual(['NOT_FOUND id notFound']);
    const otherReceiver = await openReceiver();
    await watchWithoutProblems({ id: 'c2', address: otherReceiver.url.href });
    await gateway.makeEvent({});
    await waitForMessages(otherReceiver, 2);
    expect(receiver.received).toHaveLength(1);
  });

  test('readers may watch, others may not', async () => {
    const body = { id: '1', ...unreachableReceiver };
    await watchWithoutProblems(body, { as: rita, calendarId: alice });
    const refusals = [
      [fritz, 'FORBIDDEN calendarId forbidden'],
      [sten, 'NOT_FOUND calendarId notFound'],
    ] as const;
    for (const [as, problem] of refusals)
      expect((await gateway.watch(body, { as, calendarId: alice })).problems).toEqual([problem]);
    expect(
      (await gateway.watch({ ...body, address: 'x' }, { as: fritz, calendarId: alice })).problems,
    ).toEqual(['FORBIDDEN calendarId forbidden', 'FORBIDDEN channel.address invalid']);
  });

  test('a channel ends when its creator loses the reader role', async () => {
    const [ritasReceiver, alicesReceiver] = [await openReceiver(), await openReceiver()];
    await watchWithoutProblems({ id: '1', address: ritasReceiver.url.href }, { as: rita, calendarId: alice });
    await watchWithoutProblems({ id: '1', address: alicesReceiver.url.href });
    await waitForMessages(ritasReceiver, 1);
    await waitForMessages(alicesReceiver, 1);
    const calendars = calendarsOf(gateway);
    await calendars.share(alice, rita, 'none');
    await gateway.makeEvent({});
    await waitForMessages(alicesReceiver, 2);
    await eventually(async () => expect(await countChannels(rita)).toBe(0));
    expect(ritasReceiver.received).toHaveLength(1);
  });

  test.each([404, 410])('a receiver that answers %i ends its channel', async (status) => {
    const receiver = await openReceiver((_request, response) => response.writeHead(status).end());
    await watchWithoutProblems({ id: '1', address: receiver.url.href });
    await eventually(async () => expect(await countChannels(alice)).toBe(0));
    expect(receiver.received).toHaveLength(1);
  });

  test('a message that failed is sent again', async () => {
    let status = 500;
    const receiver = await openReceiver((_request, response) => response.writeHead(status).end());
    await watchWithoutProblems({ id: '1', address: receiver.url.href });
    await waitForMessages(receiver, 1);
    status = 204;
    await waitForMessages(receiver, 2);
    expect(statesOf(receiver)).toEqual(['sync', 'sync']);
  });

  test('a receiver gets at most ten messages at a time', async () => {
    let [openCount, maxOpenCount] = [0, 0];
    const endResponses: (() => void)[] = [];
    const receiver = await openReceiver((_request, response) => {
      maxOpenCount = Math.max(maxOpenCount, (openCount += 1));
      endResponses.push(() => {
        openCount -= 1;
        response.writeHead(204).end();
      });
    });
    for (const [as, count] of [
      [alice, 8],
      [rita, 8],
    ] as const)
      for (let index = 0; index < count; index += 1)
        await watchWithoutProblems(
          { id: `${index}`, address: `${receiver.url.href}${index}` },
          { as, calendarId: alice },
        );
    await eventually(async () => expect(endResponses.length).toBeGreaterThanOrEqual(10));
    await eventually(async () => {
      endResponses.splice(0).forEach((end) => end());
      expect(receiver.received).toHaveLength(16);
    });
    endResponses.splice(0).forEach((end) => end());
    expect(maxOpenCount).toBe(10);
  });

  test('all problems of a channel are reported at once', async () => {
    const { problems } = await gateway.watch({
      id: 'with blanks',
      type: 'email',
      address: 'http://192.168.0.1/',
      token: 'ü',
      expiration: 'tomorrow',
      params: { ttl: '1h' },
    });
    expect(problems.toSorted()).toEqual(
      ['address', 'expiration', 'id', 'params.ttl', 'token', 'type'].map(
        (field) => `BAD_USER_INPUT channel.${field} invalid`,
      ),
    );
    const responseToMissingFields = await gateway.watch({ id: '', token: 5 });
    expect(responseToMissingFields.problems.toSorted()).toEqual([
      'BAD_USER_INPUT channel.address required',
      'BAD_USER_INPUT channel.id invalid',
      'BAD_USER_INPUT channel.token invalid',
    ]);
    const tooLongChannel = {
      id: 'x'.repeat(65),
      token: 'x'.repeat(257),
      address: `${publicAddress}/${'x'.repeat(2048)}`,
    };
    expect((await gateway.watch(tooLongChannel)).problems.toSorted()).toEqual([
      'BAD_USER_INPUT channel.address invalid',
      'BAD_USER_INPUT channel.id tooLong',
      'BAD_USER_INPUT channel.token tooLong',
    ]);
  });

  test('addresses that are not public, not https or not plain URLs are refused', async () => {
    for (const address of refusedAddresses) {
      const { problems } = await gateway.watch({ id: '1', address });
      expect([address, problems]).toEqual([address, ['BAD_USER_INPUT channel.address invalid']]);
    }
  });

  test('a channel lasts as long as requested, 7 days by default and 30 at most', async () => {
    const readDaysAndWarnings = async (id: string, more: object): Promise<unknown> => {
      const { event, warningTexts } = await gateway.watch({ id, ...unreachableReceiver, ...more });
      const days = Math.round((Date.parse(event.expiration) - Date.now()) / (dayMs / 24)) / 24;
      return [days, warningTexts];
    };
    expect(await readDaysAndWarnings('1', {})).toEqual([7, []]);
    expect(await readDaysAndWarnings('2', { expiration: String(daysFromNow(3)) })).toEqual([3, []]);
    expect(await readDaysAndWarnings('3', { expiration: new Date(daysFromNow(4)).toISOString() })).toEqual([
      4,
      [],
    ]);
    expect(await readDaysAndWarnings('4', { params: { ttl: '86400' } })).toEqual([1, []]);
    expect(
      await readDaysAndWarnings('5', { expiration: String(daysFromNow(2)), params: { ttl: '86400' } }),
    ).toEqual([2, []]);
    expect(await readDaysAndWarnings('6', { expiration: String(daysFromNow(99)) })).toEqual([
      30,
      ['channel.expiration normalized'],
    ]);
    expect(await readDaysAndWarnings('7', { params: { ttl: '9999999' } })).toEqual([
      30,
      ['channel.params.ttl normalized'],
    ]);
    const unreachableChannel = { id: '8', ...unreachableReceiver };
    expect((await gateway.watch({ ...unreachableChannel, expiration: '1' })).problems).toEqual([
      'BAD_USER_INPUT channel.expiration invalid',
    ]);
    expect((await gateway.watch({ ...unreachableChannel, params: { ttl: '0' } })).problems).toEqual([
      'BAD_USER_INPUT channel.params.ttl invalid',
    ]);
  });

  test('warns about values without effect', async () => {
    const body = {
      kind: 'calendar#channel',
      id: '1',
      resourceId: 'mine',
      resourceUri: 'https://elsewhere.example/',
      type: 'web_hook',
      ...unreachableReceiver,
      payload: true,
      params: { color: 'red' },
    };
    expect((await gateway.watch(body)).warningTexts).toEqual([
      'channel.kind readOnly',
      'channel.resourceId readOnly',
      'channel.resourceUri readOnly',
      'channel.payload ignored',
      'channel.params.color ignored',
    ]);
  });

  test('a caller has at most 20 channels on one calendar and 100 in all', async () => {
    const calendars = calendarsOf(gateway);
    const insertMany = async (calendarId: string, count: number): Promise<void> => {
      for (let index = 0; index < count; index += 1)
        await watchWithoutProblems(
          { id: `${calendarId.slice(0, 20).replace(/[@.]/g, '-')}${index}`, ...unreachableReceiver },
          { calendarId },
        );
    };
    await insertMany(alice, 20);
    const oneMore = { id: 'one-more', ...unreachableReceiver };
    expect((await gateway.watch(oneMore)).problems).toEqual(['BAD_USER_INPUT calendarId tooMany']);
    for (let index = 0; index < 4; index += 1)
      await insertMany(await calendars.make({ summary: `${index}` }), 20);
    expect((await gateway.watch(oneMore)).problems).toEqual([
      'BAD_USER_INPUT channel tooMany',
      'BAD_USER_INPUT calendarId tooMany',
    ]);
    await watchWithoutProblems(oneMore, { as: rita, calendarId: alice });
  });

  test('watching and stopping are refused while channels are off', async () => {
    const environment = await createEnvironment();
    const gatewayWithoutChannels = closeLater(await startChannelGateway({ ...environment, CHANNELS: 'off' }));
    const { problems } = await gatewayWithoutChannels.watch({ id: '1', ...unreachableReceiver });
    expect(problems).toEqual(['FORBIDDEN notOffered']);
    expect((await gatewayWithoutChannels.stop({ id: '1', resourceId: 'x' })).problems).toEqual([
      'FORBIDDEN notOffered',
    ]);
    expect((await gatewayWithoutChannels.watch({ id: 1, ...unreachableReceiver })).problems).toEqual([
      'BAD_USER_INPUT channel.id invalid',
    ]);
  });
});
