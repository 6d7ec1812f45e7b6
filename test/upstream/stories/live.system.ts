import { alice, bob, rita, useEvents } from '../../event/event.harness.ts';
import { startOtherwise } from '../../harness.ts';
import { calendarChanged, listenForStreams } from '../../http/streams/stream.harness.ts';
import { startThrough } from './through.ts';

startOtherwise(startThrough);

describe('changes of a calendar, in front of a service', () => {
  const gateway = useEvents();

  test('are told to its owner, to a guest on whose calendar they show, and to a reader', async () => {
    const streams = await listenForStreams(gateway);
    const followed = await Promise.all(
      [
        [alice, 'primary'],
        [bob, bob],
        [rita, alice],
      ].map(([as = '', calendarId]) => streams.open(calendarChanged(calendarId), { as })),
    );
    await gateway.make({ attendees: [{ email: bob }] });
    const told = await Promise.all(followed.map((stream) => stream.next()));
    expect(told.map((event) => event?.data.data.calendarChanged.calendarId)).toEqual([alice, bob, alice]);
    for (const stream of followed) stream.close();
  });
});
