import { alice, bob } from '../event/event.harness.ts';
import { eventually } from '../eventually.ts';
import type { ReceivedMail } from '../mail/mailbox.ts';
import { readMail } from '../mail/reading.ts';
import { fc } from '../property.ts';
import { changes, guestLists, people, seriesWith } from './mail-changes.ts';
import { openMailing, type Mailing } from './mail-walk.harness.ts';

/** Around the change of a second, as the clocks of several gateways have it. */
const noon = Date.UTC(2026, 10, 1, 12);
let now = noon;

describe('changes that follow each other fast', () => {
  let mailing: Mailing;
  beforeAll(async () => {
    mailing = await openMailing({}, undefined, { clock: () => now });
  });
  afterAll(() => mailing.stop());

  test('reach each guest in the order in which they were made, also where the first has to wait', async () => {
    const { gateway, mailbox, stop } = await openMailing();
    const asked = mailbox.answer(bob, 451);
    const mails = await gateway.mailsOf(async () => {
      const { event } = await gateway.insert(seriesWith(people), { sendUpdates: 'all' });
      await eventually(async () => expect(asked()).toBe(1));
      mailbox.answer(bob, 250);
      for (let count = 1; count <= 20; count += 1)
        await gateway.patch(event.id, { location: `Room ${count}` }, { sendUpdates: 'all' });
    });
    const rooms = Array.from({ length: 20 }, (_, index) => `Room ${index + 1}`);
    for (const receiver of new Set(mails.map(({ to }) => to.join()))) {
      expect(
        mails.filter(({ to }) => to.join() === receiver).map((mail) => readMail(mail).events[0]?.location),
      ).toEqual([null, ...rooms]);
    }
    expect(mails).toHaveLength(21 * (people.length - 1));
    await stop();
  });

  test('of a series and its instances, have no lower SEQUENCE than earlier ones', async () => {
    const { gateway } = mailing;
    const mails = await gateway.mailsOf(async () => {
      const { event } = await gateway.insert(seriesWith(people), { sendUpdates: 'all' });
      const instance = `${event.id}_20261019T080000Z`;
      await gateway.patch(instance, { status: 'tentative' }, { sendUpdates: 'all' });
      for (const minutes of ['10', '20', '30'])
        await gateway.patch(
          event.id,
          { end: { dateTime: `2026-10-12T11:${minutes}:00+02:00` } },
          { sendUpdates: 'all' },
        );
      await gateway.patch(instance, { summary: 'Other' }, { sendUpdates: 'all' });
      await gateway.patch(event.id, { location: 'Room 1' }, { sendUpdates: 'all' });
    });
    const told = mails
      .filter(({ to }) => to.includes(bob))
      .map((mail) => readMail(mail).events.map(({ sequence }) => sequence));
    expect(told).toEqual([[0], [1], [1, 1], [2, 2], [3, 3], [3], [3, 3]]);
  });

  test('of an instance that its series lost and got back go on counting', async () => {
    const { gateway } = mailing;
    const mails = await gateway.mailsOf(async () => {
      const { event } = await gateway.insert(seriesWith(people), { sendUpdates: 'all' });
      const moved = (hour: string): object => ({
        start: { dateTime: `2026-11-02T${hour}:00:00+01:00` },
        end: { dateTime: `2026-11-02T${hour}:30:00+01:00` },
      });
      for (const hour of ['12', '13', '14'])
        await gateway.patch(`${event.id}_20261102T090000Z`, moved(hour), { sendUpdates: 'all' });
      for (const count of [3, 4])
        await gateway.patch(event.id, { recurrence: [`RRULE:FREQ=WEEKLY;COUNT=${count}`] });
      await gateway.patch(`${event.id}_20261102T090000Z`, moved('15'), { sendUpdates: 'all' });
    });
    expect(
      mails.filter(({ to }) => to.includes(bob)).map((mail) => readMail(mail).events[0]?.sequence),
    ).toEqual([0, 1, 2, 3, 4]);
  });

  test('by gateways whose clocks differ, are none the older for a calendar', async () => {
    const { gateway } = mailing;
    now = noon;
    const mails = await gateway.mailsOf(async () => {
      const { event } = await gateway.insert(seriesWith(people), { sendUpdates: 'all' });
      now = noon + 5000;
      await gateway.patch(`${event.id}_20261019T080000Z`, { summary: 'Other' }, { sendUpdates: 'all' });
      now = noon + 1000;
      await gateway.patch(event.id, { location: 'Room 1' }, { sendUpdates: 'all' });
    });
    const told = mails
      .filter(({ to }) => to.includes(bob))
      .map((mail) => readMail(mail).events.map(({ stamp }) => Date.parse(stamp) - noon));
    expect(told).toEqual([[0], [5000], [1000, 5000]]);
  });

  test('never go back for who reads them by SEQUENCE and DTSTAMP', async () => {
    const list = fc.array(fc.tuple(changes, fc.constantFrom(-2001, -1, 0, 0, 0, 1, 1500)), {
      minLength: 4,
      maxLength: 12,
    });
    await fc.assert(
      fc.asyncProperty(guestLists, list, async (attendees, steps) => {
        const { gateway } = mailing;
        now = noon - 1;
        const mails = await gateway.mailsOf(async () => {
          const { event } = await gateway.insert(seriesWith([{ email: alice }, ...attendees.slice(1)]), {
            sendUpdates: 'all',
          });
          for (const [{ run }, later] of steps) {
            now += later;
            await run(gateway, event.id);
          }
        });
        expect(backwards(mails)).toEqual([]);
      }),
      { numRuns: 12 },
    );
  });
});

/** Of whom told by an earlier mail to the same receiver something is told that is older. */
function backwards(mails: readonly ReceivedMail[]): object[] {
  const last = new Map<string, readonly [number, string]>();
  return mails.flatMap((mail) =>
    readMail(mail).events.flatMap(({ uid, recurrenceId, sequence, stamp }) => {
      const key = JSON.stringify([mail.to, uid, recurrenceId]);
      const [before, at] = last.get(key) ?? [-1, ''];
      last.set(key, [sequence, stamp]);
      return sequence < before || (sequence === before && stamp < at)
        ? [{ key, subject: mail.email.subject, before: [before, at], now: [sequence, stamp] }]
        : [];
    }),
  );
}
