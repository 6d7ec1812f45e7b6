import {
  calendarChanged,
  listenForStreams,
  messagePublished,
  type Opened,
  type Opening,
  type Streams,
  type WireEvent,
} from '../http/streams/stream.harness.ts';
import { startGateway, type TestGateway } from '../harness.ts';
import { putCalendar } from '../contracts/event-samples.ts';

const [alice, bob, carol] = ['alice@example.com', 'bob@example.com', 'carol@example.com'] as const;

let gateway: TestGateway;
let streams: Streams;
beforeEach(async () => {
  gateway = await startGateway();
  streams = await listenForStreams(gateway);
});
afterEach(() => gateway.close());

describe('following a calendar', () => {
  const patch = async (summary: string, eventId = 'holiday', as: string = alice): Promise<void> => {
    const { errors } = await gateway.ask(
      'mutation ($eventId: String!, $summary: String) { patchEvent(calendarId: "primary", eventId: $eventId, event: { summary: $summary }) { id } }',
      { eventId, summary },
      { as },
    );
    expect(errors).toBeUndefined();
  };
  const syncTokenOf = async (): Promise<string> =>
    (await gateway.ask('{ events(calendarId: "primary") { nextSyncToken } }')).data.events.nextSyncToken;
  const told = {
    event: 'next',
    id: expect.any(String),
    data: { data: { calendarChanged: { calendarId: alice, changedAt: expect.stringMatching(/Z$/) } } },
  };

  const opened: Opened[] = [];
  const open = async (calendarId?: string, options?: Opening): Promise<Opened> => {
    const stream = await streams.open(calendarChanged(calendarId), options);
    opened.push(stream);
    return stream;
  };
  afterEach(() => opened.splice(0).forEach((stream) => stream.close()));

  test('tells two callers who may read it that it has changed, and of what nothing', async () => {
    const both = [await open(), await open(alice, { as: bob })];
    await patch('a secret');
    for (const stream of both) {
      const event = await stream.next();
      expect(event).toEqual(told);
      expect(JSON.stringify(event)).not.toContain('holiday');
    }
  });

  test('tells nothing of another calendar, and every change of a guest list where it shows', async () => {
    const [own, his] = [await open(), await open('primary', { as: bob })];
    await patch('Bob alone', 'lunch', bob);
    expect((await his.next())?.data.data.calendarChanged.calendarId).toBe(bob);
    await patch('both', 'teammeeting');
    expect((await his.next())?.data.data.calendarChanged.calendarId).toBe(bob);
    expect(await own.next()).toEqual(told); // the first one
  });

  test('tells changes that come fast together, and never misses the last', async () => {
    const stream = await open();
    let token = await syncTokenOf();
    for (let count = 0; count < 50; count += 1) await patch(`change ${count}`);
    let events = 0;
    for (let seen = ''; seen !== 'change 49'; events += 1) {
      await stream.next();
      const { data } = await gateway.ask(
        'query ($syncToken: String!) { events(calendarId: "primary", syncToken: $syncToken) { nodes { summary } nextSyncToken } }',
        { syncToken: token },
      );
      seen = data.events.nodes.at(-1)?.summary ?? '';
      token = data.events.nextSyncToken;
    }
    expect(events).toBeLessThan(50);
  });

  test.each([
    ["an event's id", async (event?: WireEvent) => event?.id],
    ['a sync token', () => syncTokenOf()],
  ])('goes on behind %s: at once where something changed, else with the next change', async (_name, from) => {
    const first = await open();
    await patch('one');
    const lastEventId = await from(await first.next());
    const idle = await open('primary', { lastEventId });
    await patch('two');
    expect(await idle.next()).toEqual(told);
    // Nothing more has to change for whoever missed that.
    expect(await (await open('primary', { lastEventId })).next()).toEqual(told);
  });

  test('tells at once whoever comes with an id that is none of this calendar', async () => {
    expect(await (await open('primary', { lastEventId: 'anything' })).next()).toEqual(told);
  });

  test('ends with NOT_FOUND when access is taken away', async () => {
    const stream = await open(alice, { as: bob });
    const [calendar] = await gateway.stores.calendars.calendars([{ id: alice }]);
    if (!calendar) throw new Error('there is no such calendar');
    await putCalendar(gateway.stores.calendars, { ...calendar, acl: [] });
    await patch('for me');
    const [error, complete] = await stream.rest();
    const extensions = { code: 'NOT_FOUND', reason: 'notFound' };
    expect(error?.id).toBeUndefined();
    expect(error?.data.errors).toMatchObject([{ message: 'There is no such calendar.', extensions }]);
    expect(complete?.event).toBe('complete');
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
  const objectOf = (event: WireEvent | undefined): unknown =>
    event?.data.data.messagePublished.attributes.objectId;
  const next = async (opened: Opened, count: number): Promise<unknown[]> => {
    const objects: unknown[] = [];
    while (objects.length < count) objects.push(objectOf(await opened.next()));
    return objects;
  };

  test('tells every message from now on, its id being that of the event', async () => {
    await publish('before');
    await publish('last before');
    const opened = await streams.open(messagePublished());
    const messageId = await publish('cat');
    const topic = '//pubsub.googleapis.com/projects/demo-project/topics/photos';
    const data = { data: { messagePublished: { messageId, state: 'PUBLISHED', topic } } };
    expect(await opened.next()).toMatchObject({ id: messageId, data });
    const many = Array.from({ length: 30 }, (_, index) => `many${index}`);
    for (const one of many) await publish(one);
    expect(new Set(await next(opened, 30))).toEqual(new Set(many.map((one) => `albums/${one}`)));
    opened.close();
  });

  test('goes on behind the last id, and ends with an error when that is not kept', async () => {
    const opened = await streams.open(messagePublished());
    await publish('one');
    const first = (await opened.next())?.id ?? 'no event';
    for (const one of ['two', 'three']) await publish(one);
    await next(opened, 2);
    opened.close();
    const later = await streams.open(messagePublished(), { lastEventId: first });
    expect(new Set(await next(later, 2))).toEqual(new Set(['albums/two', 'albums/three']));
    later.close();
    const unknown = first.replace(/^./, (digit) => (digit === '0' ? '1' : '0'));
    const [lost] = await (await streams.open(messagePublished(), { lastEventId: unknown })).rest();
    const message = expect.stringMatching(/^Messages behind Last-Event-ID are not kept any more\./);
    expect(lost?.data.errors).toMatchObject([{ message, extensions: { code: 'BAD_USER_INPUT' } }]);
  });

  test('is for those who manage a bucket that publishes to it', async () => {
    for (const as of [bob, carol]) {
      const [error] = await (await streams.open(messagePublished(), { as })).rest();
      expect(error?.data.errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }]);
    }
  });
});
