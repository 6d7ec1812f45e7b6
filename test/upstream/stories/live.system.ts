import { alice, bob, useEventGateway, rita } from '../../event/event.harness.ts';
import { overrideGatewayStart } from '../../harness.ts';
import { writeCalendarSubscription, listenForStreams } from '../../http/streams/stream.harness.ts';
import { startFrontGateway } from './start-front-gateway.ts';

overrideGatewayStart(startFrontGateway);

describe('changes of a calendar in front of a service', () => {
  const gateway = useEventGateway();

  test('are streamed to its owner, a guest whose calendar has the event, and a reader', async () => {
    const streams = await listenForStreams(gateway);
    const openStreams = await Promise.all(
      [
        [alice, 'primary'],
        [bob, bob],
        [rita, alice],
      ].map(([as = '', calendarId]) => streams.open(writeCalendarSubscription(calendarId), { as })),
    );
    await gateway.makeEvent({ attendees: [{ email: bob }] });
    const changes = await Promise.all(openStreams.map((stream) => stream.next()));
    expect(changes.map((event) => event?.data.data.calendarChanged.calendarId)).toEqual([alice, bob, alice]);
    for (const stream of openStreams) stream.close();
  });
});
