import { createLogNotifier } from '../../src/app/resources.ts';
import type { GuestNotice } from '../../src/event/event.store.ts';
import {
  alice,
  bob,
  type Controls,
  eve,
  oneHour,
  type Outcome,
  room,
  startEventGateway,
  useEventGateway,
} from './event.harness.ts';
import { responseOf, dailySeries, withGuests, instanceIdOn } from './list.harness.ts';

/** Alice organizes and is listed. Bob has a calendar here, Eve has none, and the room gets no mail. */
const attendees = [{ email: alice }, { email: bob }, { email: eve }, { email: room, resource: true }];
const notifyAll: Controls = { sendUpdates: 'all' };
const bobAndEve = [bob, eve].sort();
const acceptedResponseOfBob = responseOf(bob, 'accepted');

describe('notices to guests', () => {
  const notices: GuestNotice[] = [];
  const logLines: object[] = [];
  const logNotifier = createLogNotifier({ info: (line) => logLines.push(line) });
  const gateway = useEventGateway({
    notifier: { notify: (notice: GuestNotice) => (notices.push(notice), logNotifier.notify(notice)) },
  });
  beforeEach(() => {
    notices.length = 0;
  });

  /** Makes an event and forgets the notices of its creation. */
  const makeAndClearNotices = async (body: object = {}, controls: Controls = {}): Promise<string> => {
    const { id } = await gateway.makeEvent({ summary: 'Planning', attendees, ...body }, controls);
    notices.length = 0;
    return id;
  };
  const expectNotified = (
    { guestsNotified }: Outcome,
    emails: readonly string[],
    change = 'updated',
  ): void => {
    const expected = emails.length === 0 ? [] : [[change, [...emails].sort()]];
    expect(notices.map((notice) => [notice.change, [...notice.guests].sort()])).toEqual(expected);
    expect(guestsNotified).toEqual(emails.length === 0 ? undefined : { result: emails.length });
  };

  test.each<[object, string[]]>([
    [{}, []],
    [{ sendUpdates: 'none' }, []],
    [{ sendUpdates: 'all' }, bobAndEve],
    [{ sendUpdates: 'externalOnly' }, [eve]],
    [{ sendUpdates: null }, []],
    [{ sendNotifications: true }, bobAndEve],
    [{ sendNotifications: null }, []],
    [{ sendUpdates: null, sendNotifications: true }, bobAndEve],
    [{ sendUpdates: 'none', sendNotifications: true }, []],
    [{ sendUpdates: 'externalOnly', sendNotifications: true }, [eve]],
    [{ sendUpdates: 'all', sendNotifications: false }, bobAndEve],
  ])('with %j go to %j for a new event and a change', async (controls, expected) => {
    expectNotified(await gateway.insert({ ...oneHour, attendees }, { ...controls }), expected, 'created');
    const id = await makeAndClearNotices();
    expectNotified(await gateway.patch(id, { location: 'Room 3' }, { ...controls }), expected);
    if (expected.length > 0) expect(notices).toMatchObject([{ eventId: id }]);
  });

  test.each<[string, object, Controls, string[]]>([
    ['external guests only of a removal', { attendees: [] }, { sendUpdates: 'externalOnly' }, [eve]],
    ['all guests of a removal by null', { attendees: null }, notifyAll, bobAndEve],
    ['nobody of a change that failed with ifMatch', { summary: 'x' }, { ...notifyAll, ifMatch: '"old"' }, []],
    ['nobody of an invalid change', { summary: 'x', colorId: '12' }, notifyAll, []],
    ['all others of a change by a guest', { summary: 'x' }, { ...notifyAll, as: bob }, [alice, eve]],
  ])('inform %s', async (_name, body, controls, expected) => {
    const id = await makeAndClearNotices({ guestsCanModify: true });
    expectNotified(await gateway.patch(id, body, controls), expected);
  });

  test.each<[string, Controls, object, string[]]>([
    ['go to the organizer, even if not listed', notifyAll, withGuests(bob, eve), [alice]],
    ['go to the organizer with sendNotifications', { sendNotifications: true }, {}, [alice]],
    ['are not sent with sendUpdates: none', { sendUpdates: 'none' }, {}, []],
  ])('of a response %s, and to nobody else', async (_name, controls, event, expected) => {
    const outcome = await gateway.patch(await makeAndClearNotices(event), acceptedResponseOfBob, {
      ...controls,
      as: bob,
    });
    expectNotified(outcome, expected, 'answered');
  });

  test("of the organizer's own response go to nobody", async () => {
    expectNotified(
      await gateway.patch(await makeAndClearNotices(), responseOf(alice, 'accepted'), notifyAll),
      [],
    );
  });

  test.each<[string, object, Controls, string[], string]>([
    ["a guest's response goes to the organizer", acceptedResponseOfBob, { as: bob }, [alice], 'answered'],
    ['an own field of the organizer goes to nobody', { colorId: '2' }, {}, [], 'updated'],
    ['a change goes to all', { summary: 'x' }, {}, bobAndEve, 'updated'],
  ])('of one instance: %s', async (_name, body, controls, expected, change) => {
    const instance = instanceIdOn(await makeAndClearNotices(dailySeries), 2);
    expectNotified(await gateway.patch(instance, body, { ...notifyAll, ...controls }), expected, change);
  });

  test.each<[string, object]>([
    ['of a private copy', { privateCopy: true, attendees }],
    ['without guests', { attendees: [] }],
    ['with resources only', { attendees: [{ email: room, resource: true }] }],
  ])('are none for an event %s', async (_name, body) =>
    expectNotified(await gateway.patch(await makeAndClearNotices(body), { summary: 'Other' }, notifyAll), []),
  );

  test('are logged without addresses; a notice that fails does not undo its change', async () => {
    logLines.length = 0;
    const { id } = await gateway.makeEvent({ attendees }, notifyAll);
    expect(logLines).toEqual([{ event: id, change: 'created', guests: 2 }]);
    const notify = () => {
      throw new Error('no mail today');
    };
    const gatewayWithoutMail = await startEventGateway({ notifier: { notify } });
    expect((await gatewayWithoutMail.makeEvent({ attendees, summary: 'Stored' }, notifyAll)).summary).toBe(
      'Stored',
    );
    await gatewayWithoutMail.close();
  });
});
