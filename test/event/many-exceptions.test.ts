import { problemAt, bob, makeMany, useEventGateway } from './event.harness.ts';

/** The limit of exceptions per series. More would let one request delay others. */
const maxExceptions = 2500;

describe(`a series with ${maxExceptions} exceptions`, () => {
  const gateway = useEventGateway();
  const utcTime = (time: string) => ({ dateTime: `2031-01-01T${time}:00Z`, timeZone: 'UTC' });
  const hourlyInstanceId = (index: number): string =>
    `each0hour_${new Date(Date.UTC(2031, 0, 1, index)).toISOString().replaceAll(/[-:]|\.000/g, '')}`;
  beforeAll(async () => {
    await gateway.makeEvent({
      id: 'each0hour',
      start: utcTime('00:00'),
      end: utcTime('00:30'),
      location: 'Room 4',
      attendees: [{ email: bob }],
      recurrence: ['RRULE:FREQ=HOURLY;COUNT=9000'],
    });
    for (let firstIndex = 0; firstIndex < maxExceptions; firstIndex += 100) {
      const patchFields = makeMany(
        100,
        (index) =>
          `f${index}: patchEvent(calendarId: "primary", eventId: "${hourlyInstanceId(firstIndex + index)}", event: { summary: "Changed" }) { id }`,
      );
      expect((await gateway.ask(`mutation { ${patchFields.join(' ')} }`)).errors).toBeUndefined();
    }
  });

  test('is listed a hundred times in one request, and found by changed and unchanged texts', async () => {
    const pageField = `events(calendarId: "${bob}", singleEvents: true, first: 10) { nodes { id summary location } }`;
    const hundredLists = `{ ${makeMany(100, (index) => `f${index}: ${pageField}`).join(' ')} }`;
    const { data, errors } = await gateway.ask(hundredLists, {}, { as: bob });
    expect(errors).toBeUndefined();
    expect(data.f99.nodes).toEqual(
      makeMany(10, (index) => ({ id: hourlyInstanceId(index), summary: 'Changed', location: 'Room 4' })),
    );
    const searchField = (q: string): string =>
      `events(calendarId: "${bob}", q: "${q}", singleEvents: true, orderBy: startTime, timeMin: "2031-02-01T00:00:00Z", first: 1) { nodes { id } }`;
    const searchDocument = `{ changed: ${searchField('changed')} own: ${searchField('ROOM 4')} none: ${searchField('nothing')} }`;
    const searchResponse = await gateway.ask(searchDocument, {}, { as: bob });
    // The 744 hours of January come before.
    const firstMatch = { nodes: [{ id: hourlyInstanceId(744) }] };
    expect(searchResponse).toMatchObject({
      data: { changed: firstMatch, own: firstMatch, none: { nodes: [] } },
    });
  });

  test('gets no further exceptions, but these and the series can be changed', async () => {
    const tooManyProblems = ['BAD_USER_INPUT eventId tooMany'];
    for (const body of [{ summary: 'One more' }, { status: 'cancelled' }])
      for (const validateOnly of [true, false])
        await gateway.expectPatchRefused(hourlyInstanceId(maxExceptions), body, tooManyProblems, {
          validateOnly,
        });
    await gateway.expectPatchRefused(hourlyInstanceId(maxExceptions), {}, []);
    const [start, end] = [maxExceptions, maxExceptions + 1].map((index) => ({
      dateTime: new Date(Date.UTC(2031, 0, 1, index)).toISOString(),
    }));
    const instance = { recurringEventId: 'each0hour', originalStartTime: start, start, end };
    await gateway.expectInsertRefused(instance, [problemAt('recurringEventId', 'tooMany')]);
    const changedInstance = await gateway.changeEvent(hourlyInstanceId(maxExceptions - 1), {
      summary: 'Changed again',
    });
    expect(changedInstance.summary).toBe('Changed again');
    expect((await gateway.changeEvent('each0hour', { location: 'Room 5' })).location).toBe('Room 5');
  });
});
