import { createLogNotifier } from '../../src/adapters/log-notifier.ts';
import type { GuestNotice } from '../../src/core/runtime/notifier.ts';
import { alice, bob, eve, hour, room, startEvents, wanda } from './event.harness.ts';
import type { Controls, EventGateway, Outcome } from './event.harness.ts';
import { answer, daily, guests, nth } from './list.harness.ts';

/** Alice organizes and is listed; Bob has a calendar here, Eve has none, the room reads no mail. */
const attendees = [{ email: alice }, { email: bob }, { email: eve }, { email: room, resource: true }];
const everyone: Controls = { sendUpdates: 'all' };
const byOn = (as: string, calendarId: string): Controls => ({ ...everyone, as, calendarId });
const both = [bob, eve].sort();
const newcomer = 'newcomer@elsewhere.example';
const accepted = answer(bob, 'accepted');
/** Changes that no guest sees. */
const unseen = {
  colorId: '2',
  transparency: 'transparent',
  visibility: 'private',
  reminders: { useDefault: true },
  extendedProperties: { private: { a: '1' } },
};

describe('notices to guests', () => {
  let gateway: EventGateway;
  const notices: GuestNotice[] = [];
  const lines: object[] = [];
  const log = createLogNotifier({ info: (line) => lines.push(line) });
  beforeAll(async () => {
    gateway = await startEvents({
      notifier: { notify: (notice: GuestNotice) => (notices.push(notice), log.notify(notice)) },
    });
  });
  afterAll(() => gateway.close());
  beforeEach(() => {
    notices.length = 0;
  });

  const silently = async (body: object = {}, controls: Controls = {}): Promise<string> => {
    const { id } = await gateway.make({ summary: 'Planning', attendees, ...body }, controls);
    notices.length = 0;
    return id;
  };
  const expectTold = ({ guestsNotified }: Outcome, list: readonly string[], change = 'updated'): void => {
    const expected = list.length === 0 ? [] : [[change, [...list].sort()]];
    expect(notices.map((notice) => [notice.change, [...notice.guests].sort()])).toEqual(expected);
    expect(guestsNotified).toEqual(list.length === 0 ? undefined : { result: list.length });
  };

  test.each<[object, string[]]>([
    [{}, []],
    [{ sendUpdates: 'none' }, []],
    [{ sendUpdates: 'all' }, both],
    [{ sendUpdates: 'externalOnly' }, [eve]],
    [{ sendUpdates: null }, []],
    [{ sendNotifications: true }, both],
    [{ sendNotifications: null }, []],
    [{ sendUpdates: null, sendNotifications: true }, both],
    [{ sendUpdates: 'none', sendNotifications: true }, []],
    [{ sendUpdates: 'externalOnly', sendNotifications: true }, [eve]],
    [{ sendUpdates: 'all', sendNotifications: false }, both],
  ])('with %j go to %j, of a new event and of a change', async (controls, expected) => {
    expectTold(await gateway.insert({ ...hour, attendees }, { ...controls }), expected, 'created');
    const id = await silently();
    expectTold(await gateway.patch(id, { location: 'Room 3' }, { ...controls }), expected);
    if (expected.length > 0) expect(notices).toMatchObject([{ eventId: id }]);
  });

  test.each<[string, object, Controls, string[]]>([
    ['one who is taken off and one who is added', guests(bob, newcomer), everyone, [eve, bob, newcomer]],
    [
      'one who is taken off and has a calendar here, with externalOnly',
      { attendees: [] },
      { sendUpdates: 'externalOnly' },
      [eve],
    ],
    [
      'one who takes the place of another',
      { attendees: [{ email: alice }, { email: bob }, { email: newcomer }, { email: room, resource: true }] },
      everyone,
      [bob, eve, newcomer],
    ],
    ['all, when the list is cleared', { attendees: null }, everyone, both],
    ['all, of the end', { status: 'cancelled' }, everyone, both],
    ['nobody, of nothing', { summary: 'Planning', status: 'confirmed', attendees, kind: 'x' }, everyone, []],
    ['nobody, of what no guest sees', unseen, everyone, []],
    ['nobody, of a dry run', { summary: 'x' }, { ...everyone, validateOnly: true }, []],
    ['nobody, of a change that came too late', { summary: 'x' }, { ...everyone, ifMatch: '"old"' }, []],
    ['nobody, of a wrong change', { summary: 'x', colorId: '12' }, everyone, []],
    ['the others, of a change by a guest', { summary: 'x' }, byOn(bob, bob), [alice, eve]],
    [
      "the others, of a writer's change on the organizer's calendar",
      { summary: 'x' },
      byOn(wanda, alice),
      both,
    ],
    [
      "the others, of a writer's change on a guest's calendar",
      { summary: 'x' },
      byOn(wanda, bob),
      [alice, eve],
    ],
  ])('tell %s', async (_name, body, controls, expected) => {
    const id = await silently({ guestsCanModify: true });
    expectTold(
      await gateway.patch(id, body, controls),
      expected,
      'status' in body && expected.length > 0 ? 'cancelled' : 'updated',
    );
  });

  test.each<[string, Controls, object, string[]]>([
    ['told to the organizer', everyone, {}, [alice]],
    ['also to one who is not on the list', everyone, guests(bob, eve), [alice]],
    ['by sendNotifications too', { sendNotifications: true }, {}, [alice]],
    ['not with sendUpdates: none', { sendUpdates: 'none' }, {}, []],
    ['told with externalOnly too', { sendUpdates: 'externalOnly' }, {}, [alice]],
  ])('of an answer alone: it is %s, and nobody else is told', async (_name, controls, event, expected) => {
    const outcome = await gateway.patch(await silently(event), accepted, { ...controls, as: bob });
    expectTold(outcome, expected, 'answered');
  });

  test("of the organizer's own answer go to nobody", async () => {
    expectTold(await gateway.patch(await silently(), answer(alice, 'accepted'), everyone), []);
  });

  test.each<[string, object, Controls, string[], string]>([
    ["a guest's answer goes to the organizer", accepted, { as: bob }, [alice], 'answered'],
    ['what no guest sees goes to nobody', { colorId: '2' }, {}, [], 'updated'],
    ["a guest's deletion goes to the organizer", { status: 'cancelled' }, { as: bob }, [alice], 'answered'],
    ['a change goes to all', { summary: 'x' }, {}, both, 'updated'],
  ])('of one instance: %s', async (_name, body, controls, expected, change) => {
    const instance = nth(await silently(daily), 2);
    expectTold(await gateway.patch(instance, body, { ...everyone, ...controls }), expected, change);
  });

  test('of an insert are sent once, however often it is repeated with its requestId', async () => {
    const again = { ...everyone, requestId: 'once-only' };
    expectTold(await gateway.insert({ ...hour, attendees }, again), both, 'created');
    expect((await gateway.insert({ ...hour, attendees }, again)).guestsNotified).toBeUndefined();
    expect(notices).toHaveLength(1);
  });

  test.each<[string, object]>([
    ['of a private copy', { privateCopy: true, attendees }],
    ['without guests', { attendees: [] }],
    ['with resources alone', { attendees: [{ email: room, resource: true }] }],
  ])('are none for an event %s', async (_name, body) =>
    expectTold(await gateway.patch(await silently(body), { summary: 'Other' }, everyone), []),
  );

  test('are logged without any address, and one that fails does not undo the change', async () => {
    lines.length = 0;
    const { id } = await gateway.make({ attendees }, everyone);
    expect(lines).toEqual([{ event: id, change: 'created', guests: 2 }]);
    const notify = () => {
      throw new Error('no mail today');
    };
    const broken = await startEvents({ notifier: { notify } });
    expect((await broken.make({ attendees, summary: 'Stored' }, everyone)).summary).toBe('Stored');
    await broken.close();
  });
});
