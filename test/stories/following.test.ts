import {
  writeCalendarSubscription,
  listenForStreams,
  writeMessageSubscription,
  type OpenStream,
  type StreamOptions,
  type Streams,
  type WireEvent,
} from '../http/streams/stream.harness.ts';
import { startGateway, type TestGateway } from '../harness.ts';

const [alice, bob] = ['alice@example.com', 'bob@example.com'] as const;

let gateway: TestGateway;
let streams: Streams;
beforeEach(async () => {
  gateway = await startGateway();
  streams = await listenForStreams(gateway);
});
afterEach(() => gateway.close());

describe('following a calendar', () => {
  const patchSummary = async (summary: string, eventId = 'holiday', as: string = alice): Promise<void> => {
    const { errors } = await gateway.ask(
      'mutation ($eventId: String!, $summary: String) { patchEvent(calendarId: "primary", eventId: $eventId, event: { summary: $summary }) { id } }',
      { eventId, summary },
      { as },
    );
    expect(errors).toBeUndefined();
  };
  const readSyncToken = async (): Promise<string> =>
    (await gateway.ask('{ events(calendarId: "primary") { nextSyncToken } }')).data.events.nextSyncToken;
  const expectedChange = {
    event: 'next',
    id: expect.any(String),
    data: { data: { calendarChanged: { calendarId: alice, changedAt: expect.stringMatching(/Z$/) } } },
  };

  const openStreams: OpenStream[] = [];
  const openCalendarStream = async (calendarId?: string, options?: StreamOptions): Promise<OpenStream> => {
    const stream = await streams.open(writeCalendarSubscription(calendarId), options);
    openStreams.push(stream);
    return stream;
  };
  afterEach(() => openStreams.splice(0).forEach((stream) => stream.close()));

  test('reports a change to two readers, without its content', async () => {
    const bothStreams = [await openCalendarStream(), await openCalendarStream(alice, { as: bob })];
    await patchSummary('a secret');
    for (const stream of bothStreams) {
      const event = await stream.next();
      expect(event).toEqual(expectedChange);
      expect(JSON.stringify(event)).not.toContain('holiday');
    }
  });

  test('reports no changes of other calendars, but changes of events on each guest’s calendar', async () => {
    const [alicesStream, bobsStream] = [
      await openCalendarStream(),
      await openCalendarStream('primary', { as: bob }),
    ];
    await patchSummary('Bob alone', 'lunch', bob);
    expect((await bobsStream.next())?.data.data.calendarChanged.calendarId).toBe(bob);
    await patchSummary('both', 'teammeeting');
    expect((await bobsStream.next())?.data.data.calendarChanged.calendarId).toBe(bob);
    expect(await alicesStream.next()).toEqual(expectedChange); // the first event of this stream
  });

  test.each([
    ["an event's id", async (event?: WireEvent) => event?.id],
    ['a sync token', () => readSyncToken()],
  ])(
    'resumes after %s: at once if there was a change, else with the next one',
    async (_name, readLastEventId) => {
      const first = await openCalendarStream();
      await patchSummary('one');
      const lastEventId = await readLastEventId(await first.next());
      const resumedStream = await openCalendarStream('primary', { lastEventId });
      await patchSummary('two');
      expect(await resumedStream.next()).toEqual(expectedChange);
      // A client that missed this change gets its event without another one.
      expect(await (await openCalendarStream('primary', { lastEventId })).next()).toEqual(expectedChange);
    },
  );

  test('sends an event at once for an unknown Last-Event-ID', async () => {
    expect(await (await openCalendarStream('primary', { lastEventId: 'anything' })).next()).toEqual(
      expectedChange,
    );
  });
});

describe('following a topic', () => {
  const publish = async (objectId: string): Promise<string> => {
    const { data } = await gateway.ask(
      'mutation ($objectId: String!) { publishObjectChange(bucket: "demo-photos", change: { eventType: OBJECT_FINALIZE, objectId: $objectId }) { messages { messageId } } }',
      { objectId: `albums/${objectId}` },
    );
    return data.publishObjectChange.messages[0].messageId;
  };
  const objectIdOf = (event: WireEvent | undefined): unknown =>
    event?.data.data.messagePublished.attributes.objectId;
  const readObjectIds = async (topicStream: OpenStream, count: number): Promise<unknown[]> => {
    const objects: unknown[] = [];
    while (objects.length < count) objects.push(objectIdOf(await topicStream.next()));
    return objects;
  };

  test('sends every new message, with its ID as event ID', async () => {
    await publish('before');
    await publish('last before');
    const messageStream = await streams.open(writeMessageSubscription());
    const messageId = await publish('cat');
    const topic = '//pubsub.googleapis.com/projects/demo-project/topics/photos';
    const data = { data: { messagePublished: { messageId, state: 'PUBLISHED', topic } } };
    expect(await messageStream.next()).toMatchObject({ id: messageId, data });
    const objectIds = Array.from({ length: 30 }, (_, index) => `many${index}`);
    for (const objectId of objectIds) await publish(objectId);
    expect(new Set(await readObjectIds(messageStream, 30))).toEqual(
      new Set(objectIds.map((objectId) => `albums/${objectId}`)),
    );
    messageStream.close();
  });

  test('resumes after Last-Event-ID, and ends with an error if that message is no longer kept', async () => {
    const firstStream = await streams.open(writeMessageSubscription());
    await publish('one');
    const firstMessageId = (await firstStream.next())?.id ?? 'no event';
    for (const objectId of ['two', 'three']) await publish(objectId);
    await readObjectIds(firstStream, 2);
    firstStream.close();
    const resumed = await streams.open(writeMessageSubscription(), { lastEventId: firstMessageId });
    expect(new Set(await readObjectIds(resumed, 2))).toEqual(new Set(['albums/two', 'albums/three']));
    resumed.close();
    const unknownMessageId = firstMessageId.replace(/^./, (digit) => (digit === '0' ? '1' : '0'));
    const [error] = await (
      await streams.open(writeMessageSubscription(), { lastEventId: unknownMessageId })
    ).readUntilEnd();
    const message = expect.stringMatching(/^Messages after Last-Event-ID are no longer stored\./);
    expect(error?.data.errors).toMatchObject([{ message, extensions: { code: 'BAD_USER_INPUT' } }]);
  });
});
