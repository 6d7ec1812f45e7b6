import { createLogNotifier } from '../../src/adapters/log-notifier.ts';
import type { GuestNotice } from '../../src/core/notifier.ts';
import { alice, berlin, bob, hour, startEvents, type Controls, type EventGateway, type Outcome } from './event-http.harness.ts';

const carol = 'carol@example.com';
const [dana, eve] = ['dana@elsewhere.example', 'eve@elsewhere.example'] as [string, string];
const room = { email: 'room@elsewhere.example', resource: true };
const rita = 'rita@example.com';
const guests = [{ email: bob }, { email: dana }, room];
const change = { summary: 'New' };

describe('notices to guests', () => {
  let gateway: EventGateway;
  let told: GuestNotice[] = [];
  beforeAll(async () => {
    const acl = [{ email: rita, role: 'reader' }, { email: carol, role: 'writer' }];
    const seed = { calendars: [alice, bob, carol].map((id) => ({ id, owner: id, timeZone: berlin, acl })) };
    gateway = await startEvents([], { seed, notifier: { notify: (notice) => told.push(notice) } });
  });
  afterAll(() => gateway.close());
  beforeEach(() => {
    told = [];
  });

  /** An event nobody was told of. */
  async function make(more: object = {}): Promise<string> {
    const { event, problems } = await gateway.insert({ ...hour, summary: 'Plan', attendees: guests, ...more });
    expect([problems, told]).toEqual([[], []]);
    return event.id;
  }
  const all = { sendUpdates: 'all' };
  const whom = (): string[] => told.flatMap((notice) => notice.guests).sort();
  const expectTold = ({ guestsNotified, problems }: Outcome, ...guestsTold: string[]): void => {
    expect(problems).toEqual([]);
    expect(whom()).toEqual([...guestsTold].sort());
    expect(guestsNotified ?? 0).toBe(guestsTold.length);
    expect(told.length).toBe(guestsTold.length === 0 ? 0 : 1);
  };

  describe('who is told', () => {
    const table: [string, Controls, string[]][] = [
      ['all', { sendUpdates: 'all' }, [bob, dana]],
      ['externalOnly: those without a calendar here', { sendUpdates: 'externalOnly' }, [dana]],
      ['none', { sendUpdates: 'none' }, []],
      ['nothing asked for', {}, []],
      ['null', { sendUpdates: null, sendNotifications: null }, []],
      ['sendNotifications: true, as all', { sendNotifications: true }, [bob, dana]],
      ['sendNotifications: false', { sendNotifications: false }, []],
      ['sendUpdates goes before sendNotifications: true', { sendUpdates: 'none', sendNotifications: true }, []],
      ['sendUpdates goes before sendNotifications: true, as externalOnly', { sendUpdates: 'externalOnly', sendNotifications: true }, [dana]],
      ['sendUpdates goes before sendNotifications: false', { sendUpdates: 'all', sendNotifications: false }, [bob, dana]],
      ['null for sendUpdates leaves it to sendNotifications', { sendUpdates: null, sendNotifications: true }, [bob, dana]],
    ];
    test.each(table)('of a change, by %s', async (_name, controls, expected) => {
      const id = await make();
      expectTold(await gateway.patch(id, change, controls), ...expected);
    });
    test.each(table)('of a new event, by %s', async (_name, controls, expected) => {
      expectTold(await gateway.insert({ ...hour, attendees: guests }, controls), ...expected);
    });

    test('another value of sendUpdates is an error', async () => {
      const id = await make();
      expect((await gateway.patch(id, change, { sendUpdates: 'everybody' })).problems).toEqual(['BAD_USER_INPUT sendUpdates invalid']);
    });
  });

  test.each<[string, GuestNotice['change'], (id: string) => Promise<Outcome>]>([
    ['created', 'created', () => gateway.insert({ ...hour, id: 'brandne1', attendees: guests }, all)],
    ['changed', 'updated', (id) => gateway.patch(id, change, all)],
    ['cancelled', 'cancelled', (id) => gateway.patch(id, { status: 'cancelled' }, all)],
  ])('a notice tells that the event was %s, and its id', async (_name, kind, run) => {
    const id = await make();
    const { event } = await run(id);
    expect(told).toEqual([{ eventId: event.id, change: kind, guests: [bob, dana] }]);
  });

  test('a restored event is told as updated', async () => {
    const id = await make();
    await gateway.patch(id, { status: 'cancelled' });
    await gateway.patch(id, { status: 'confirmed' }, all);
    expect(told).toMatchObject([{ change: 'updated', guests: [bob, dana] }]);
  });

  describe('among the guests', () => {
    test('the removed are told, and the new', async () => {
      const id = await make();
      expectTold(await gateway.patch(id, { attendees: [{ email: bob }, { email: eve }] }, all), bob, dana, eve);
      told = [];
      expectTold(await gateway.patch(id, { attendees: null }, all), bob, eve);
    });

    test('a removed guest with a calendar here counts as having one', async () => {
      const id = await make();
      expectTold(await gateway.patch(id, { attendees: [{ email: eve }] }, { sendUpdates: 'externalOnly' }), dana, eve);
    });

    test('a new guest with a calendar here counts as having one', async () => {
      const id = await make({ attendees: [] });
      expectTold(await gateway.patch(id, { attendees: [{ email: carol }, { email: eve }] }, { sendUpdates: 'externalOnly' }), eve);
    });

    test('resources are not told, neither kept nor new nor removed', async () => {
      const id = await make();
      expectTold(await gateway.patch(id, { attendees: [{ email: dana }, { email: 'room9@elsewhere.example', resource: true }] }, all), bob, dana);
    });

    test('the calendar’s owner is not told of the own change', async () => {
      const id = await make({ attendees: [{ email: alice }, ...guests], guestsCanModify: true });
      expectTold(await gateway.patch(id, change, all), bob, dana);
      told = [];
      expectTold(await gateway.patch(id, { summary: 'Bob’s' }, { ...all, as: bob }), alice, dana);
    });

    test('who respelled an address is told once, at the new spelling or the old', async () => {
      const id = await make({ attendees: [{ email: dana }] });
      await gateway.patch(id, { attendees: [{ email: 'DANA@elsewhere.example' }] }, all);
      expect(whom().map((email) => email.toLowerCase())).toEqual([dana]);
    });

    test('who has no address is not told', async () => {
      const id = await make({ attendees: [{ email: dana }] });
      await gateway.disturb(id, { attendees: [{ id: 'profile-7' }, { email: dana }] });
      expectTold(await gateway.patch(id, change, { ...all, alwaysIncludeEmail: true }), dana);
    });

    test('hidden ones are told as well, and only their number is given away', async () => {
      const id = await make({ guestsCanModify: true, guestsCanSeeOtherGuests: false });
      const answer = await gateway.patch(id, change, { ...all, as: bob });
      expectTold(answer, dana);
      expect(answer.body).not.toContain(dana);
    });

    test('all who take part are told of a guest’s response', async () => {
      const id = await make();
      const answer = { attendeesOmitted: true, attendees: [{ email: bob, responseStatus: 'accepted' }] };
      expectTold(await gateway.patch(id, answer, { ...all, as: bob }), dana);
    });
  });

  describe('nobody is told of', () => {
    test.each<[string, Controls, object]>([
      ['a patch that changes nothing', {}, { summary: 'Plan' }],
      ['an empty patch', {}, {}],
      ['a dry run', { validateOnly: true }, change],
      ['what belongs to the copy', {}, { colorId: '4', reminders: { useDefault: true }, extendedProperties: { private: { a: 'b' } } }],
      ['what is ignored with a warning', {}, { htmlLink: 'https://x.example', conferenceData: { notes: 'x' } }],
      ['a guest who takes the event off the own calendar', { as: bob }, { status: 'cancelled' }],
    ])('%s', async (_name, controls, body) => {
      const id = await make();
      expectTold(await gateway.patch(id, body, { ...all, ...controls }));
    });

    test.each<[string, Controls, object]>([
      ['an invalid patch', {}, { colorId: '99', summary: 'New' }],
      ['a patch that is not allowed', { as: bob }, change],
      ['a patch of a stranger', { as: rita, calendarId: bob }, change],
      ['a patch of a version that is gone', { ifMatch: '"old"' }, change],
      ['a patch with a wrong argument', { maxAttendees: 0 }, change],
    ])('%s', async (_name, controls, body) => {
      const id = await make();
      const { problems, guestsNotified } = await gateway.patch(id, body, { ...all, ...controls });
      expect(problems).toHaveLength(1);
      expect([told, guestsNotified ?? 0]).toEqual([[], 0]);
    });

    test('an insert that is refused, and a dry one', async () => {
      await make({ id: 'taken' });
      expect((await gateway.insert({ ...hour, id: 'taken', attendees: guests }, all)).problems).toEqual(['CONFLICT event.id duplicate']);
      expectTold(await gateway.insert({ ...hour, attendees: guests }, { ...all, validateOnly: true }));
    });

    test('a private copy, whose changes are not shared', async () => {
      const id = await make({ privateCopy: true });
      expectTold(await gateway.patch(id, change, all));
      expectTold(await gateway.insert({ ...hour, attendees: guests, privateCopy: true }, all));
    });

    test('an insert that is sent again with its requestId', async () => {
      const send = () => gateway.insert({ ...hour, attendees: guests }, { ...all, requestId: 'once' });
      expectTold(await send(), bob, dana);
      const again = await send();
      expect([again.problems, again.guestsNotified ?? 0, told.length]).toEqual([[], 0, 1]);
    });
  });

  test('several changes in one request count together', async () => {
    const [one, two] = [await make(), await make({ attendees: [{ email: eve }] })];
    const document = `mutation ($one: String!, $two: String!) {
      a: patchEvent(calendarId: "primary", eventId: $one, sendUpdates: all, event: { summary: "A" }) { id }
      b: patchEvent(calendarId: "primary", eventId: $two, sendUpdates: all, event: { summary: "B" }) { id } }`;
    const { guestsNotified } = await gateway.run(document, { one, two });
    expect(guestsNotified).toBe(3);
    expect(told.map((notice) => notice.guests)).toEqual([[bob, dana], [eve]]);
  });

  test('the log tells how many were told, never who', () => {
    const lines: object[] = [];
    createLogNotifier((line) => lines.push(line)).notify({ eventId: 'plan', change: 'updated', guests: [bob, dana] });
    expect(lines).toEqual([{ event: 'plan', change: 'updated', guests: 2 }]);
    expect(JSON.stringify(lines)).not.toContain('@');
  });
});
