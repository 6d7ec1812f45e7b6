import { alice, bob, rita, startEvents, sten, type EventGateway } from '../../event/event.harness.ts';
import { startOtherwise } from '../../harness.ts';
import {
  calendarChanged,
  listenForStreams,
  type Opened,
  type Streams,
} from '../../http/streams/stream.harness.ts';
import { startThrough } from './through.ts';

startOtherwise(startThrough);

describe('changes of a calendar, in front of a service', () => {
  let gateway: EventGateway;
  let streams: Streams;
  const open: Opened[] = [];
  beforeAll(async () => {
    gateway = await startEvents();
    streams = await listenForStreams(gateway);
  });
  afterEach(() => {
    for (const stream of open.splice(0)) stream.close();
  });
  afterAll(() => gateway.close());

  async function follow(as: string, calendarId: string, lastEventId?: string): Promise<Opened> {
    const stream = await streams.open(calendarChanged(calendarId), {
      as,
      ...(lastEventId !== undefined && { lastEventId }),
    });
    open.push(stream);
    return stream;
  }

  test('are told to its owner, to a guest on whose calendar they show, and to a reader', async () => {
    const followed = await Promise.all([follow(alice, 'primary'), follow(bob, bob), follow(rita, alice)]);
    await gateway.make({ attendees: [{ email: bob }] });
    const told = await Promise.all(followed.map((stream) => stream.next()));
    expect(told.map((event) => event?.data.data.calendarChanged.calendarId)).toEqual([alice, bob, alice]);
  });

  test('that came while nobody listened are told to who comes back, and only then', async () => {
    const first = await follow(alice, alice);
    await gateway.make();
    const seen = await first.next();
    first.close();
    const syncs = await gateway.ask('{ events(calendarId: "primary", first: 2500) { nextSyncToken } }');
    await gateway.make();
    const back = await follow(alice, alice, seen?.id);
    expect((await back.next())?.data.data.calendarChanged.calendarId).toBe(alice);
    const { data } = await gateway.ask(
      'query ($token: String) { events(calendarId: "primary", syncToken: $token) { nodes { id } } }',
      { token: syncs.data.events.nextSyncToken },
    );
    expect(data.events.nodes).toHaveLength(1);
  });

  test('are told to nobody who may not see the calendar', async () => {
    const stream = await follow(sten, alice);
    expect(JSON.stringify(await stream.next())).toContain('NOT_FOUND');
  });
});
