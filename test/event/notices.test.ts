import { createLogNotifier } from '../../src/app/resources.ts';
import type { GuestNotice } from '../../src/event/event.store.ts';
import {
  alice,
  bob,
  type Controls,
  eve,
  hour,
  type Outcome,
  room,
  startEvents,
  useEvents,
} from './event.harness.ts';
import { answer, daily, guests, nth } from './list.harness.ts';

/** Alice organizes and is listed; Bob has a calendar here, Eve has none, the room reads no mail. */
const attendees = [{ email: alice }, { email: bob }, { email: eve }, { email: room, resource: true }];
const everyone: Controls = { sendUpdates: 'all' };
const both = [bob, eve].sort();
const accepted = answer(bob, 'accepted');

describe('notices to guests', () => {
  const notices: GuestNotice[] = [];
  const lines: object[] = [];
  const log = createLogNotifier({ info: (line) => lines.push(line) });
  const gateway = useEvents({
    notifier: { notify: (notice: GuestNotice) => (notices.push(notice), log.notify(notice)) },
  });
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
    [
      'one who is taken off and has a calendar here, with externalOnly',
      { attendees: [] },
      { sendUpdates: 'externalOnly' },
      [eve],
    ],
    ['all, when the list is cleared', { attendees: null }, everyone, both],
    ['nobody, of a change that came too late', { summary: 'x' }, { ...everyone, ifMatch: '"old"' }, []],
    ['nobody, of a wrong change', { summary: 'x', colorId: '12' }, everyone, []],
    ['the others, of a change by a guest', { summary: 'x' }, { ...everyone, as: bob }, [alice, eve]],
  ])('tell %s', async (_name, body, controls, expected) => {
    const id = await silently({ guestsCanModify: true });
    expectTold(await gateway.patch(id, body, controls), expected);
  });

  test.each<[string, Controls, object, string[]]>([
    ['told to the organizer who is not on the list', everyone, guests(bob, eve), [alice]],
    ['by sendNotifications too', { sendNotifications: true }, {}, [alice]],
    ['not with sendUpdates: none', { sendUpdates: 'none' }, {}, []],
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
    ['a change goes to all', { summary: 'x' }, {}, both, 'updated'],
  ])('of one instance: %s', async (_name, body, controls, expected, change) => {
    const instance = nth(await silently(daily), 2);
    expectTold(await gateway.patch(instance, body, { ...everyone, ...controls }), expected, change);
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
