import { alice, bob, carol, eve, oneHour, type EventJson, wanda } from '../../event/event.harness.ts';
import { withGuests } from '../../event/list.harness.ts';
import { problemsOf, refuseWith, useFront } from './upstream.harness.ts';

describe('importEvent and moveEvent through the calendar service', () => {
  const { service, front } = useFront();
  const importDocument = `mutation ($event: EventInput!, $validateOnly: Boolean, $requestId: String) {
    result: importEvent(calendarId: "${alice}", event: $event, validateOnly: $validateOnly, requestId: $requestId) {
      id summary organizer { email } attendees { email responseStatus } } }`;
  const moveDocument = `mutation ($eventId: String!, $destination: String!, $ifMatch: String, $validateOnly: Boolean) {
    result: moveEvent(calendarId: "${alice}", eventId: $eventId, destination: $destination, ifMatch: $ifMatch, validateOnly: $validateOnly, sendUpdates: all) {
      id organizer { email } } }`;
  const body = {
    ...oneHour,
    iCalUID: 'planning@elsewhere.example',
    summary: 'Planning',
    organizer: { email: eve },
  };
  const importBody = (event: object, options: object = {}) =>
    front.run(importDocument, { event, ...options });
  const moveEvent = (eventId: string, options: object = {}, as = wanda) =>
    front.run(moveDocument, { eventId, destination: bob, ...options }, as);
  const makeEvent = (): Promise<EventJson> => service.makeEvent(withGuests(carol), { as: wanda });

  test('imports with one call, which keeps the organizer of the body', async () => {
    const { event, problems } = await importBody({
      ...body,
      attendees: [{ email: bob, responseStatus: 'accepted' }],
    });
    expect(problems).toEqual([]);
    expect(front.takeMethods()).toBe('import');
    expect(event).toMatchObject({
      summary: 'Planning',
      organizer: { email: eve },
      attendees: [{ email: bob, responseStatus: 'accepted' }],
    });
    expect((await importBody({ ...body, id: 'chosen1', summary: 'Other' })).event.id).toBe(event.id);
  });

  test('reports what can be known without the service, and what the service refuses', async () => {
    front.takeCalls();
    const { problems } = await importBody({ ...body, iCalUID: null, colorId: '99' });
    expect(problems).toEqual([
      'BAD_USER_INPUT event.colorId invalid',
      'BAD_USER_INPUT event.iCalUID required',
    ]);
    const preview = await importBody({ ...body, iCalUID: 'other@elsewhere.example' }, { validateOnly: true });
    expect(preview.event.summary).toBe('Planning');
    expect(front.takeCalls()).toEqual([]);
    const { iCalUID } = await service.makeEvent();
    expect((await importBody({ ...body, iCalUID })).problems).toEqual(['CONFLICT event.iCalUID duplicate']);
  });

  test('repeats an import with the same requestId only once', async () => {
    const options = { requestId: 'first' };
    const { event } = await importBody({ ...body, iCalUID: 'once@elsewhere.example' }, options);
    front.takeCalls();
    expect((await importBody({ ...body, iCalUID: 'once@elsewhere.example' }, options)).event).toEqual(event);
    expect(front.takeMethods()).toBe('');
    expect(problemsOf(await importBody(body, options))).toEqual(['CONFLICT requestId requestIdReused']);
  });

  test('moves with one call; with ifMatch the event is read first', async () => {
    const { id, etag } = await makeEvent();
    front.takeCalls();
    expect((await moveEvent(id, { ifMatch: '"old"' })).problems).toEqual([
      'PRECONDITION_FAILED ifMatch conditionNotMet',
    ]);
    expect((await moveEvent(id, { validateOnly: true })).event).toEqual({ id, organizer: { email: alice } });
    expect(front.takeMethods()).toBe('get get');
    expect((await moveEvent(id, { ifMatch: etag })).event).toEqual({ id, organizer: { email: bob } });
    expect(front.takeCalls().at(-1)).toMatchObject({
      apiMethod: 'events.move',
      query: { destination: bob, sendUpdates: 'all' },
      repeatable: false,
    });
  });

  test('a move that the service refuses, because it was made before, returns the event', async () => {
    const { id } = await makeEvent();
    const { event } = await moveEvent(id);
    front.intercept((call, through) =>
      call.apiMethod === 'events.move' ? refuseWith(403, 'forbidden')(call, through) : through(),
    );
    expect((await moveEvent(id)).event).toEqual(event);
    const { id: otherId } = await makeEvent();
    expect((await moveEvent(otherId)).problems).toEqual(['FORBIDDEN calendarId forbidden']);
    expect((await moveEvent(otherId, { destination: alice })).event).toEqual({
      id: otherId,
      organizer: { email: alice },
    });
  });
});
