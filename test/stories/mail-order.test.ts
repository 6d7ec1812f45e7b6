import { alice, bob } from '../event/event.harness.ts';
import { eventually } from '../eventually.ts';
import type { ReceivedMail } from '../mail/mailbox.ts';
import { readMail } from '../mail/mail-reading.ts';
import { fc } from '../property.ts';
import { anyChange, anyGuestList, people, seriesWith } from './mail-changes.ts';
import { openMailing } from './mail-walk.harness.ts';
import { useForAll } from '../use-resource.ts';

/** A whole second, so that clock differences of a few ms change the second of DTSTAMP. */
const noon = Date.UTC(2026, 10, 1, 12);
let clockMs = noon;

const notifyAll = { sendUpdates: 'all' };
const readEventsToBob = (mails: readonly ReceivedMail[]) =>
  mails.filter(({ to }) => to.includes(bob)).map((mail) => readMail(mail).events);

describe('mails of fast changes', () => {
  const mailing = useForAll(() => openMailing({}, undefined, { clock: () => clockMs }));
  const insertSeries = async (): Promise<string> =>
    (await mailing.gateway.insert(seriesWith(people), notifyAll)).event.id;
  const patchAndNotify = (id: string, body: object) => mailing.gateway.patch(id, body, notifyAll);
  const collectEventsToBob = async (makeChanges: () => Promise<void>) =>
    readEventsToBob(await mailing.gateway.collectMails(makeChanges));

  test('reach each guest in order, even if the first has to wait', async () => {
    const { gateway, mailbox, stop } = await openMailing();
    const attempts = mailbox.setReplyCode(bob, 451);
    const rooms = Array.from({ length: 20 }, (_, index) => `Room ${index + 1}`);
    const mails = await gateway.collectMails(async () => {
      const { event } = await gateway.insert(seriesWith(people), notifyAll);
      await eventually(async () => expect(attempts()).toBeGreaterThan(0));
      mailbox.setReplyCode(bob, 250);
      for (const location of rooms) await gateway.patch(event.id, { location }, notifyAll);
    });
    for (const recipient of new Set(mails.map(({ to }) => to.join()))) {
      const recipientMails = mails.filter(({ to }) => to.join() === recipient);
      expect(recipientMails.map((mail) => readMail(mail).events[0]?.location)).toEqual([null, ...rooms]);
    }
    expect(mails).toHaveLength(21 * (people.length - 1));
    await stop();
  });

  test('of a series and its instances never have a lower SEQUENCE than earlier ones', async () => {
    const mails = await collectEventsToBob(async () => {
      const id = await insertSeries();
      const instanceId = `${id}_20261019T080000Z`;
      await patchAndNotify(instanceId, { status: 'tentative' });
      for (const minutes of ['10', '20', '30'])
        await patchAndNotify(id, { end: { dateTime: `2026-10-12T11:${minutes}:00+02:00` } });
      await patchAndNotify(instanceId, { summary: 'Other' });
      await patchAndNotify(id, { location: 'Room 1' });
    });
    const sequences = mails.map((events) => events.map(({ sequence }) => sequence));
    expect(sequences).toEqual([[0], [1], [1, 1], [2, 2], [3, 3], [3], [3, 3]]);
  });

  test('of an instance that was removed and restored continue its SEQUENCE', async () => {
    const mails = await collectEventsToBob(async () => {
      const id = await insertSeries();
      const move = (hour: string) =>
        patchAndNotify(`${id}_20261102T090000Z`, {
          start: { dateTime: `2026-11-02T${hour}:00:00+01:00` },
          end: { dateTime: `2026-11-02T${hour}:30:00+01:00` },
        });
      for (const hour of ['12', '13', '14']) await move(hour);
      for (const count of [3, 4])
        await mailing.gateway.patch(id, { recurrence: [`RRULE:FREQ=WEEKLY;COUNT=${count}`] });
      await move('15');
    });
    expect(mails.map(([event]) => event?.sequence)).toEqual([0, 1, 2, 3, 4]);
  });

  test('by gateways with different clocks are not outdated for calendars', async () => {
    clockMs = noon;
    const mails = await collectEventsToBob(async () => {
      const id = await insertSeries();
      clockMs = noon + 5000;
      await patchAndNotify(`${id}_20261019T080000Z`, { summary: 'Other' });
      clockMs = noon + 1000;
      await patchAndNotify(id, { location: 'Room 1' });
    });
    const stampOffsetsMs = mails.map((events) => events.map(({ stamp }) => Date.parse(stamp) - noon));
    expect(stampOffsetsMs).toEqual([[0], [5000], [1000, 5000]]);
  });

  test('are ordered by SEQUENCE and DTSTAMP', async () => {
    const { gateway } = mailing;
    const anyStep = fc.tuple(anyChange, fc.constantFrom(-2001, -1, 0, 0, 0, 1, 1500));
    const anySteps = fc.array(anyStep, { minLength: 4, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(anyGuestList, anySteps, async (attendees, steps) => {
        clockMs = noon - 1;
        const mails = await gateway.collectMails(async () => {
          const { event } = await gateway.insert(
            seriesWith([{ email: alice }, ...attendees.slice(1)]),
            notifyAll,
          );
          for (const [{ run }, clockStep] of steps) {
            clockMs += clockStep;
            await run(gateway, event.id);
          }
        });
        expect(findOutdated(mails)).toEqual([]);
      }),
      { numRuns: 12 },
    );
  });
});

/** Finds events in mails that are older than in an earlier mail to the same recipient. */
function findOutdated(mails: readonly ReceivedMail[]): object[] {
  const latestVersions = new Map<string, readonly [number, string]>();
  return mails.flatMap((mail) =>
    readMail(mail).events.flatMap(({ uid, recurrenceId, sequence, stamp }) => {
      const key = JSON.stringify([mail.to, uid, recurrenceId]);
      const [lastSequence, lastStamp] = latestVersions.get(key) ?? [-1, ''];
      latestVersions.set(key, [sequence, stamp]);
      return sequence < lastSequence || (sequence === lastSequence && stamp < lastStamp)
        ? [{ key, subject: mail.email.subject, before: [lastSequence, lastStamp], now: [sequence, stamp] }]
        : [];
    }),
  );
}
