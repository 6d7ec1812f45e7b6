import { startGateway, type TestGateway } from '../harness.ts';
import { everyField } from '../selections.ts';

const all = everyField('Event');
const read = `query ($calendarId: String!, $eventId: String!) { event(calendarId: $calendarId, eventId: $eventId) ${all} }`;
const patch = `mutation ($calendarId: String!, $eventId: String!, $event: EventInput!) {
  patchEvent(calendarId: $calendarId, eventId: $eventId, conferenceDataVersion: 1, supportsAttachments: true, event: $event) ${all}
}`;

describe('an event as it was returned goes back in', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(() => gateway.close());

  test.each([
    ['alice@example.com', 'teammeeting'],
    ['alice@example.com', 'holiday'],
    ['alice@example.com', 'standup'],
    ['alice@example.com', 'review'],
    ['alice@example.com', 'callabroad'],
    ['alice@example.com', 'dentist'],
    ['alice@example.com', 'workshop'],
    ['alice@example.com', 'launch'],
    ['bob@example.com', 'launch'],
    ['bob@example.com', 'lunch'],
  ])('%s %s: unchanged it changes nothing; with one field changed it changes that field', async (as, eventId) => {
    const at = { calendarId: as, eventId };
    const before = (await gateway.ask(read, at, { as })).data.event;

    const same = await gateway.ask(patch, { ...at, event: before }, { as });
    expect(same.errors).toBeUndefined();
    expect(same.warnings).toBeUndefined();
    expect(same.data.patchEvent).toEqual(before);

    const changed = await gateway.ask(patch, { ...at, event: { ...before, summary: `Changed by ${as}` } }, { as });
    expect(changed.errors).toBeUndefined();
    expect(changed.warnings).toBeUndefined();
    const { etag, updated } = changed.data.patchEvent;
    expect(etag).not.toBe(before.etag);
    expect(Date.parse(updated)).toBeGreaterThan(Date.parse(before.updated));
    expect(changed.data.patchEvent).toEqual({ ...before, summary: `Changed by ${as}`, etag, updated });
    expect((await gateway.ask(read, at, { as })).data.event).toEqual(changed.data.patchEvent);
  });
});
