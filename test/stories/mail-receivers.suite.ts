import { alice, bob, carol, documents, wanda, type Controls, type Outcome } from '../event/event.harness.ts';
import { documents as following } from '../event/following.harness.ts';
import { readMail } from '../mail/reading.ts';
import { guest, headsOf, homes, mailTo, type Mailing } from './mail-walk.harness.ts';

const all: Controls = { sendUpdates: 'all' };
const time = (dateTime: string, timeZone: string | undefined = 'Europe/Berlin') => ({ dateTime, timeZone });
const monday = { start: time('2026-10-12T10:00:00+02:00'), end: time('2026-10-12T11:00:00+02:00') };
const room = { email: 'room3@resource.example', resource: true };
const attendees = [{ email: alice }, { email: bob }, { email: guest }, room];
const answer = (email: string, responseStatus: string) => ({
  attendeesOmitted: true,
  attendees: [{ email, responseStatus }],
});
const invited = (...guests: readonly string[]): string[] =>
  guests.map((to) => `${to} REQUEST Invitation: Lunch`).sort();
const updated = (...guests: readonly string[]): string[] =>
  guests.map((to) => `${to} REQUEST Updated: Lunch`).sort();

/** Who gets which mails. */
export function mailReceivers(open: () => Promise<Mailing>): void {
  let mailing: Mailing;
  beforeAll(async () => {
    mailing = await open();
  });
  afterAll(() => mailing.stop());

  /** What came of a change, and the mails it caused. */
  async function after(work: () => Promise<Outcome>) {
    let outcome: Outcome | undefined;
    const mails = await mailing.gateway.mailsOf(async () => {
      outcome = await work();
    });
    const { problems, notes, told, event } = outcome as Outcome;
    return { mails, heads: headsOf(mails), problems, notes, told, event };
  }
  const make = async (body: object = {}, controls: Controls = {}): Promise<string> =>
    (await mailing.gateway.make({ summary: 'Lunch', ...monday, attendees, ...body }, controls)).id;
  const patch = (id: string, body: object, controls: Controls = all) =>
    after(() => mailing.gateway.patch(id, body, controls));

  test('nobody is told of a new event that is cancelled', async () => {
    expect(
      (
        await after(() =>
          mailing.gateway.insert({ summary: 'Lunch', ...monday, attendees, status: 'cancelled' }, all),
        )
      ).heads,
    ).toEqual([]);
  });

  test('an organizer from elsewhere hears that a guest took the event off the own calendar, and who did it', async () => {
    const { heads, mails, problems } = await after(() =>
      mailing.gateway.patch('outside1', { status: 'cancelled' }, { ...all, as: wanda, calendarId: bob }),
    );
    expect([problems, heads]).toEqual([[], ['boss@out.example REPLY Declined: Visit']]);
    expect(mails[0]?.email.text).toContain(
      'bob@example.com declined the invitation. wanda@example.com wrote that for this guest.',
    );
  });

  test.each<[string, object, Controls, string[]]>([
    ['all guests but rooms', { location: 'Room 1' }, all, updated(bob, guest)],
    ['all guests by the older way', { location: 'Room 1' }, { sendNotifications: true }, updated(bob, guest)],
    ['guests from elsewhere alone', { location: 'Room 1' }, { sendUpdates: 'externalOnly' }, updated(guest)],
    ['nobody, as asked', { location: 'Room 1' }, { sendUpdates: 'none' }, []],
    ['nobody, unasked', { location: 'Room 1' }, {}, []],
    ['nobody of a dry run', { location: 'Room 1' }, { ...all, validateOnly: true }, []],
    ['nobody of no change', { summary: 'Lunch' }, all, []],
    [
      'nobody of what belongs to one copy',
      {
        colorId: '2',
        reminders: { useDefault: false },
        visibility: 'private',
        transparency: 'transparent',
        extendedProperties: { private: { a: '1' } },
      },
      all,
      [],
    ],
    [
      'guests, of what a writer does on the calendar of the organizer',
      { location: 'Room 1' },
      { ...all, as: wanda, calendarId: alice },
      updated(bob, guest),
    ],
    [
      'others than the writer who is a guest',
      { attendees: [...attendees, { email: wanda }] },
      { ...all, as: wanda, calendarId: alice },
      updated(bob, guest),
    ],
    [
      'the organizer, of the change of a guest, but neither the guest nor the writer',
      { location: 'Room 1' },
      { ...all, as: wanda, calendarId: bob },
      updated(alice, guest),
    ],
    [
      'the organizer, of an answer',
      answer(bob, 'tentative'),
      { ...all, as: bob },
      [`${alice} REPLY Tentative: Lunch`],
    ],
    [
      'the organizer, who has a calendar here, of an answer',
      answer(bob, 'declined'),
      { sendUpdates: 'externalOnly', as: bob },
      [`${alice} REPLY Declined: Lunch`],
    ],
    [
      'the organizer, of an event that a guest took off the own calendar',
      { status: 'cancelled' },
      { ...all, as: bob },
      [`${alice} REPLY Declined: Lunch`],
    ],
    [
      'one who takes the place of another, both, and those who stay',
      { attendees: [{ email: alice }, { email: bob }, { email: carol }, room] },
      all,
      [`${guest} CANCEL Cancelled: Lunch`, ...updated(bob), ...invited(carol)].sort(),
    ],
  ])('mails reach %s', async (_name, body, controls, expected) => {
    const id = await make({ guestsCanModify: !('status' in body) });
    const { heads, told, problems, notes } = await patch(id, body, controls);
    expect({ heads, told, problems, notes }).toEqual({
      heads: expected,
      told: expected.length,
      problems: [],
      notes: [],
    });
  });

  test('an instance is taken off the own calendar', async () => {
    const id = await make({ recurrence: ['RRULE:FREQ=WEEKLY;COUNT=4'] });
    const { mails, heads } = await after(() =>
      mailing.gateway.run(
        'mutation ($id: String!) { result: deleteEvent(calendarId: "primary", eventId: $id, sendUpdates: all) }',
        { id: `${id}_20261019T080000Z` },
        bob,
      ),
    );
    expect(heads).toEqual([`${alice} REPLY Declined: Lunch`]);
    expect(readMail(mailTo(mails, alice)).events).toEqual([
      expect.objectContaining({
        recurrenceId: '2026-10-19T08:00:00.000Z',
        attendees: [expect.objectContaining({ address: bob, status: 'DECLINED' })],
      }),
    ]);
  });

  test('a request that is repeated is told once', async () => {
    const variables = {
      calendarId: alice,
      requestId: 'lunch',
      sendUpdates: 'all',
      event: { summary: 'Lunch', ...monday, attendees },
    };
    const send = () => after(() => mailing.gateway.run(documents.insert, variables));
    expect((await send()).heads).toEqual(invited(bob, guest));
    expect(await send()).toMatchObject({ heads: [], told: 0, problems: [] });
  });

  test('where guests are hidden, a change of the list goes to those whose entry it is', async () => {
    const id = await make({ guestsCanSeeOtherGuests: false });
    const { heads, told } = await after(() =>
      mailing.gateway.patch(id, {}, { ...all, attendeeChanges: { add: [{ email: carol }], remove: [bob] } }),
    );
    expect([heads, told]).toEqual([[`${bob} CANCEL Cancelled: Lunch`, ...invited(carol)].sort(), 2]);
    expect((await patch(id, { location: 'Room 1' })).heads).toEqual(updated(carol, guest));
  });

  test('a guest who invites counts those alone whom a guest knows', async () => {
    const id = await make({ guestsCanSeeOtherGuests: false, guestsCanModify: true });
    const { heads, told } = await patch(id, { location: 'Room 1' }, { ...all, as: bob });
    expect([heads, told]).toEqual([updated(alice, guest), 1]);
  });

  test('of an organizer without an address nobody is mailed, and the caller is told so', async () => {
    for (const [body, controls] of [
      [{ location: 'Room 1' }, all],
      [answer(bob, 'accepted'), { ...all, as: bob }],
    ] as const) {
      expect(await patch('nobodys', body, controls)).toMatchObject({
        heads: [],
        told: 0,
        problems: [],
        notes: ['sendUpdates incomplete'],
      });
    }
    expect(await patch('nobodys', { location: 'Room 2' }, { sendUpdates: 'none' })).toMatchObject({
      notes: [],
    });
  });

  test('times are told in the zone of the event, else of its calendar, to who has no calendar here', async () => {
    const times = {
      start: { dateTime: '2026-10-12T10:00:00+02:00' },
      end: { dateTime: '2026-10-12T11:00:00+02:00' },
    };
    const { mails } = await after(() =>
      mailing.gateway.insert(
        { summary: 'Lunch', ...times, attendees: [{ email: guest }, { email: carol }] },
        { ...all, as: bob },
      ),
    );
    expect(mailTo(mails, guest).email.text).toContain(
      '\nTime: Monday, 2026-10-12, 04:00 to 05:00 (America/New_York)\n',
    );
    expect(mailTo(mails, carol).email.text).toContain(
      '\nTime: Monday, 2026-10-12, 17:00 to 18:00 (Asia/Tokyo)\n',
    );
  });

  describe('from an instance on', () => {
    const eventId = async (): Promise<string> =>
      `${await make({ recurrence: ['RRULE:FREQ=WEEKLY;COUNT=4'] })}_20261026T090000Z`;

    test('a change is an update of the first part and an invitation to the second, once', async () => {
      const variables = {
        calendarId: alice,
        eventId: await eventId(),
        sendUpdates: 'all',
        requestId: 'from then on',
        event: { summary: 'Dinner' },
      };
      const { mails, heads } = await after(() => mailing.gateway.run(following.patch, variables));
      expect(heads).toEqual(
        [...updated(bob, guest), ...[bob, guest].map((to) => `${to} REQUEST Invitation: Dinner`)].sort(),
      );
      const [first, second] = ['Updated', 'Invitation'].map(
        (word) =>
          readMail(
            mails.find(
              ({ email, to }) => to.includes(guest) && email.subject?.startsWith(word),
            ) as (typeof mails)[number],
          ).events[0],
      );
      expect(first?.starts).toEqual(['2026-10-12T08:00:00.000Z', '2026-10-19T08:00:00.000Z']);
      expect(second?.starts).toEqual(['2026-10-26T09:00:00.000Z', '2026-11-02T09:00:00.000Z']);
      expect(first?.uid).not.toBe(second?.uid);
      expect((await after(() => mailing.gateway.run(following.patch, variables))).heads).toEqual([]);
    });

    test('an end is an update of the series', async () => {
      const { mails, heads, told } = await after(async () =>
        mailing.gateway.run(following.delete, {
          calendarId: alice,
          eventId: await eventId(),
          sendUpdates: 'all',
        }),
      );
      expect([heads, told]).toEqual([updated(bob, guest), 2]);
      expect(readMail(mailTo(mails, bob)).events[0]).toMatchObject({
        sequence: 1,
        starts: ['2026-10-12T08:00:00.000Z', '2026-10-19T08:00:00.000Z'],
      });
    });
  });

  test('of a calendar that is deleted, the guests of what is not over yet are told', async () => {
    const { gateway, mailbox } = mailing;
    const { data } = await gateway.ask(
      'mutation { insertCalendar(calendar: { summary: "Team", timeZone: "Europe/Berlin" }) { id } }',
    );
    const calendarId = data.insertCalendar.id as string;
    const series = await make(
      {
        start: time('2099-10-12T10:00:00+02:00'),
        end: time('2099-10-12T11:00:00+02:00'),
        recurrence: ['RRULE:FREQ=WEEKLY;COUNT=4'],
      },
      { calendarId },
    );
    await gateway.change(`${series}_20991019T080000Z`, { summary: 'Other' }, { calendarId });
    await make(
      { start: time('2020-10-12T10:00:00+02:00'), end: time('2020-10-12T11:00:00+02:00') },
      { calendarId },
    );
    const before = mailbox.mails.length;
    expect(
      (
        await gateway.ask(
          'mutation ($calendarId: String!) { deleteCalendar(calendarId: $calendarId, sendUpdates: externalOnly) }',
          { calendarId },
        )
      ).data,
    ).toEqual({ deleteCalendar: true });
    await mailbox.count(before + 1);
    await gateway.mailsOf(async () => undefined);
    expect(headsOf(mailbox.mails.slice(before))).toEqual([`${guest} CANCEL Cancelled: Lunch`]);
  });
}

/** An event whose organizer has no address, and which came by an import. */
const nobodys = {
  id: 'nobodys',
  summary: 'Lunch',
  ...monday,
  guestsCanModify: true,
  organizer: { displayName: 'Somebody' },
  attendees: [{ email: bob }, { email: guest }],
};
/** Of an organizer from elsewhere. */
const outside = {
  id: 'outside1',
  summary: 'Visit',
  start: { dateTime: '2026-10-12T10:00:00Z' },
  end: { dateTime: '2026-10-12T11:00:00Z' },
  organizer: { email: 'boss@out.example' },
  attendees: [{ email: 'bob@example.com', responseStatus: 'accepted' }],
};
const events: Readonly<Record<string, readonly object[]>> = { [alice]: [nobodys], [bob]: [outside] };

export const seed = {
  calendars: homes.map((calendar) => ({ ...calendar, events: events[calendar.id] ?? [] })),
};
