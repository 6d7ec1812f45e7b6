import { createClient } from 'graphql-sse';
import {
  calendarChanged,
  listenForStreams,
  messagePublished,
  type Opened,
  type Streams,
  type WireEvent,
} from '../http/streams/stream.harness.ts';
import { startGateway, tokenFor, type TestGateway } from '../harness.ts';
import { putCalendar } from '../contracts/event-samples.ts';

const [alice, bob, carol] = ['alice@example.com', 'bob@example.com', 'carol@example.com'] as const;
const id = (event: WireEvent | undefined): string => event?.id ?? 'no event';

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

  test('tells two callers who may read it that it has changed, and of what nothing', async () => {
    const opened = [
      await streams.open(calendarChanged()),
      await streams.open(calendarChanged(alice), { as: bob }),
    ];
    await patch('a secret');
    for (const stream of opened) {
      const event = await stream.next();
      expect(event).toEqual(told);
      expect(JSON.stringify(event)).not.toContain('holiday');
      stream.close();
    }
  });

  test('tells nothing of another calendar, and every change of a guest list where it shows', async () => {
    const [own, his] = [
      await streams.open(calendarChanged()),
      await streams.open(calendarChanged(), { as: bob }),
    ];
    await patch('Bob alone', 'lunch', bob);
    expect((await his.next())?.data.data.calendarChanged.calendarId).toBe(bob);
    await patch('both', 'teammeeting');
    expect((await his.next())?.data.data.calendarChanged.calendarId).toBe(bob);
    expect(await own.next()).toEqual(told); // the first one
    own.close();
    his.close();
  });

  test('tells changes that come fast together, and never misses the last', async () => {
    const opened = await streams.open(calendarChanged());
    let token = await syncTokenOf();
    for (let count = 0; count < 50; count += 1) await patch(`change ${count}`);
    let events = 0;
    for (let seen = ''; seen !== 'change 49'; events += 1) {
      await opened.next();
      const { data } = await gateway.ask(
        'query ($syncToken: String!) { events(calendarId: "primary", syncToken: $syncToken) { nodes { summary } nextSyncToken } }',
        { syncToken: token },
      );
      seen = data.events.nodes.at(-1)?.summary ?? '';
      token = data.events.nextSyncToken;
    }
    expect(events).toBeLessThan(50);
    opened.close();
  });

  test.each<[string, (event: WireEvent | undefined, token: string) => string]>([
    ["an event's id", (event) => id(event)],
    ['a sync token', (_event, token) => token],
  ])(
    'goes on behind %s: at once where something changed since, else with the next change',
    async (_name, from) => {
      const first = await streams.open(calendarChanged());
      await patch('one');
      const lastEventId = from(await first.next(), await syncTokenOf());
      first.close();
      const idle = await streams.open(calendarChanged(), { lastEventId });
      await patch('two');
      const event = await idle.next();
      expect(event).toEqual(told);
      idle.close();
      // Nothing more has to change for whoever missed that.
      const behind = await streams.open(calendarChanged(), { lastEventId });
      expect(await behind.next()).toEqual({ ...told, id: expect.any(String) });
      behind.close();
    },
  );

  test('tells at once whoever comes with an id that is none of this calendar', async () => {
    const opened = await streams.open(calendarChanged(), { lastEventId: 'anything' });
    expect(await opened.next()).toEqual(told);
    opened.close();
  });

  test('ends with NOT_FOUND when access is taken away', async () => {
    const opened = await streams.open(calendarChanged(alice), { as: bob });
    const [calendar] = await gateway.stores.calendars.calendars([{ id: alice }]);
    if (!calendar) throw new Error('there is no such calendar');
    await putCalendar(gateway.stores.calendars, { ...calendar, acl: [] });
    await patch('for me');
    const [error, complete] = await opened.rest();
    expect(error).toMatchObject({
      id: undefined,
      data: {
        errors: [
          { message: 'There is no such calendar.', extensions: { code: 'NOT_FOUND', reason: 'notFound' } },
        ],
      },
    });
    expect(complete?.event).toBe('complete');
  });

  test('is what the client of the protocol does', async () => {
    const client = createClient({
      url: streams.url,
      headers: async () => ({ authorization: `Bearer ${await tokenFor(alice)}` }),
      retryAttempts: 0,
    });
    const results = client.iterate({ query: calendarChanged() });
    const next = results.next();
    await patch('seen by a client', 'lunch', bob); // no news for Alice, and time to connect
    const changing = setInterval(() => void patch(`change ${Date.now()}`), 50);
    expect((await next).value).toEqual(told.data);
    clearInterval(changing);
    await results.return?.();
    const faulty = client.iterate({ query: 'subscription { nothing }' });
    expect((await faulty.next()).value).toMatchObject({
      errors: [{ extensions: { code: 'BAD_USER_INPUT' } }],
    });
    expect((await faulty.next()).done).toBe(true);
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
    const event = await opened.next();
    expect(event).toMatchObject({
      id: messageId,
      data: {
        data: {
          messagePublished: {
            messageId,
            state: 'PUBLISHED',
            topic: '//pubsub.googleapis.com/projects/demo-project/topics/photos',
          },
        },
      },
    });
    const many = Array.from({ length: 30 }, (_, index) => `many${index}`);
    for (const one of many) await publish(one);
    expect(new Set(await next(opened, 30))).toEqual(new Set(many.map((one) => `albums/${one}`)));
    opened.close();
  });

  test('goes on behind the last id, and ends with an error when that is not kept', async () => {
    const opened = await streams.open(messagePublished());
    for (const one of ['one', 'two', 'three']) {
      await publish(one);
      if (one === 'one') await opened.next().then((event) => (first = id(event)));
    }
    await next(opened, 2);
    opened.close();
    const later = await streams.open(messagePublished(), { lastEventId: first });
    expect(new Set(await next(later, 2))).toEqual(new Set(['albums/two', 'albums/three']));
    later.close();
    const lost = await (
      await streams.open(messagePublished(), {
        lastEventId: first.replace(/^./, (digit) => (digit === '0' ? '1' : '0')),
      })
    ).rest();
    expect(lost[0]?.data.errors).toMatchObject([
      {
        message: expect.stringMatching(/^Messages behind Last-Event-ID are not kept any more\./),
        extensions: { code: 'BAD_USER_INPUT' },
      },
    ]);
  });
  let first = '';

  test('is for those who manage a bucket that publishes to it', async () => {
    for (const as of [bob, carol]) {
      const [error] = await (await streams.open(messagePublished(), { as })).rest();
      expect(error?.data.errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }]);
    }
  });
});
