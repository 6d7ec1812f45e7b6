import { alice, bob, carol, documents, wanda, type Controls, type Outcome } from '../event/event.harness.ts';
import { documents as following } from '../event/following.harness.ts';
import { readMail } from '../mail/reading.ts';
import { stores } from '../stores.ts';
import { guest, headsOf, homes, mailTo, openMailing } from './mail-walk.harness.ts';
import { useForAll } from '../started.ts';

const all: Controls = { sendUpdates: 'all' };
const byBob: Controls = { ...all, as: bob };
const time = (dateTime: string) => ({ dateTime, timeZone: 'Europe/Berlin' });
const times = (start: string, end: string) => ({ start: time(start), end: time(end) });
const lunch = { summary: 'Lunch', ...times('2026-10-12T10:00:00+02:00', '2026-10-12T11:00:00+02:00') };
const weekly = { recurrence: ['RRULE:FREQ=WEEKLY;COUNT=4'] };
const room = { email: 'room3@resource.example', resource: true };
const attendees = [{ email: alice }, { email: bob }, { email: guest }, room];
const part = { attendeesOmitted: true };
const answer = (responseStatus: string) => ({ ...part, attendees: [{ email: bob, responseStatus }] });
const requests =
  (subject: string) =>
  (...guests: readonly string[]): string[] =>
    guests.map((to) => `${to} REQUEST ${subject}`).sort();
const [invited, updated] = [requests('Invitation: Lunch'), requests('Updated: Lunch')];
const cancelled = (to: string): string => `${to} CANCEL Cancelled: Lunch`;
const declined = `${alice} REPLY Declined: Lunch`;
const hall = { location: 'Room 1' };

/** Event of an organizer from elsewhere. */
const outside = {
  id: 'outside1',
  summary: 'Visit',
  start: { dateTime: '2026-10-12T10:00:00Z' },
  end: { dateTime: '2026-10-12T11:00:00Z' },
  organizer: { email: 'boss@out.example' },
  attendees: [{ email: bob, responseStatus: 'accepted' }],
};
/** An event whose organizer has no address, and which came by an import. */
const nobodys = {
  id: 'nobodys',
  ...lunch,
  guestsCanModify: true,
  organizer: { displayName: 'Somebody' },
  attendees: [{ email: bob }, { email: guest }],
};
const events: Readonly<Record<string, object[]>> = { [alice]: [nobodys], [bob]: [outside] };
const seed = { calendars: homes.map((calendar) => ({ ...calendar, events: events[calendar.id] ?? [] })) };

describe.each(stores)('mails, over $name:', ({ useEnvironments }) => {
  const environment = useEnvironments();
  const mailing = useForAll(async () => openMailing(await environment(), undefined, { seed }));

  /** Outcome of a change, and the mails it caused. */
  async function after(work: () => Promise<Outcome>) {
    let outcome: Outcome | undefined;
    const mails = await mailing.gateway.mailsOf(async () => {
      outcome = await work();
    });
    const { problems, notes, told, event } = outcome as Outcome;
    return { mails, heads: headsOf(mails), problems, notes, told, event };
  }
  const make = async (body: object = {}, controls: Controls = {}): Promise<string> =>
    (await mailing.gateway.make({ ...lunch, attendees, ...body }, controls)).id;
  const insert = (body: object, controls: Controls = all) =>
    after(() => mailing.gateway.insert({ ...lunch, attendees, ...body }, controls));
  const patch = (id: string, body: object, controls: Controls = all) =>
    after(() => mailing.gateway.patch(id, body, controls));

  test('nobody is told of a new event that is cancelled', async () => {
    expect((await insert({ status: 'cancelled' })).heads).toEqual([]);
  });

  test('an organizer from elsewhere hears that a guest took the event off the own calendar, and who did it', async () => {
    const controls = { ...all, as: wanda, calendarId: bob };
    const { heads, mails, problems } = await patch('outside1', { status: 'cancelled' }, controls);
    expect([problems, heads]).toEqual([[], ['boss@out.example REPLY Declined: Visit']]);
    const lead = `${bob} declined the invitation. ${wanda} wrote that for this guest.`;
    expect(mails[0]?.email.text).toContain(lead);
  });

  const byWanda = { ...all, as: wanda, calendarId: alice };
  const forBob = { ...byWanda, calendarId: bob };
  const ofOneCopy = {
    colorId: '2',
    reminders: { useDefault: false },
    visibility: 'private',
    transparency: 'transparent',
    extendedProperties: { private: { a: '1' } },
  };
  const toOthersByBob = { sendUpdates: 'externalOnly', as: bob };
  const withWanda = { attendees: [...attendees, { email: wanda }] };
  const carolForGus = { attendees: [{ email: alice }, { email: bob }, { email: carol }, room] };

  test.each<[string, object, Controls, string[]]>([
    ['all guests but rooms', hall, all, updated(bob, guest)],
    ['all guests by the older way', hall, { sendNotifications: true }, updated(bob, guest)],
    ['guests from elsewhere alone', hall, { sendUpdates: 'externalOnly' }, updated(guest)],
    ['nobody, as asked', hall, { sendUpdates: 'none' }, []],
    ['nobody, unasked', hall, {}, []],
    ['nobody of a dry run', hall, { ...all, validateOnly: true }, []],
    ['nobody of no change', { summary: 'Lunch' }, all, []],
    ['nobody of what belongs to one copy', ofOneCopy, all, []],
    ['guests, of what a writer does on the calendar of the organizer', hall, byWanda, updated(bob, guest)],
    ['others than a writer who is a guest', withWanda, byWanda, updated(bob, guest)],
    ['the organizer, but neither the guest nor the writer for a guest', hall, forBob, updated(alice, guest)],
    ['the organizer, of an answer', answer('tentative'), byBob, [`${alice} REPLY Tentative: Lunch`]],
    ['the organizer with a calendar here, of an answer', answer('declined'), toOthersByBob, [declined]],
    ['the organizer, of an event that a guest cancelled alone', { status: 'cancelled' }, byBob, [declined]],
    ['who comes, goes and stays', carolForGus, all, [cancelled(guest), ...updated(bob), ...invited(carol)]],
  ])('mails reach %s', async (_name, body, controls, expected) => {
    const id = await make({ guestsCanModify: !('status' in body) });
    const told = expected.length;
    expect(await patch(id, body, controls)).toMatchObject({
      heads: expected.toSorted(),
      told,
      problems: [],
      notes: [],
    });
  });

  test('an instance is taken off the own calendar', async () => {
    const id = await make(weekly);
    const { mails, heads } = await after(() =>
      mailing.gateway.run(
        'mutation ($id: String!) { result: deleteEvent(calendarId: "primary", eventId: $id, sendUpdates: all) }',
        { id: `${id}_20261019T080000Z` },
        bob,
      ),
    );
    expect(heads).toEqual([declined]);
    expect(readMail(mailTo(mails, alice)).events).toEqual([
      expect.objectContaining({
        recurrenceId: '2026-10-19T08:00:00.000Z',
        attendees: [expect.objectContaining({ address: bob, status: 'DECLINED' })],
      }),
    ]);
  });

  test('a request that is repeated is told once', async () => {
    const variables = { calendarId: alice, requestId: 'lunch', ...all, event: { ...lunch, attendees } };
    const send = () => after(() => mailing.gateway.run(documents.insert, variables));
    expect((await send()).heads).toEqual(invited(bob, guest));
    expect(await send()).toMatchObject({ heads: [], told: 0, problems: [] });
  });

  test('where guests are hidden, a change of the list goes to those whose entry it is', async () => {
    const id = await make({ guestsCanSeeOtherGuests: false });
    const attendeeChanges = { add: [{ email: carol }], remove: [bob] };
    const { heads, told } = await patch(id, {}, { ...all, attendeeChanges });
    expect([heads, told]).toEqual([[cancelled(bob), ...invited(carol)].sort(), 2]);
    expect((await patch(id, hall)).heads).toEqual(updated(carol, guest));
  });

  test('a guest who invites counts those alone whom a guest knows', async () => {
    const id = await make({ guestsCanSeeOtherGuests: false, guestsCanModify: true });
    const { heads, told } = await patch(id, hall, byBob);
    expect([heads, told]).toEqual([updated(alice, guest), 1]);
  });

  test('of an organizer without an address nobody is mailed, and the caller is told so', async () => {
    const nobody = { heads: [], told: 0, problems: [], notes: ['sendUpdates incomplete'] };
    expect(await patch('nobodys', hall)).toMatchObject(nobody);
    expect(await patch('nobodys', answer('accepted'), byBob)).toMatchObject(nobody);
    expect((await patch('nobodys', { location: 'Room 2' }, { sendUpdates: 'none' })).notes).toEqual([]);
  });

  test('times are told in the zone of the event, else of its calendar, to who has no calendar here', async () => {
    const { mails } = await insert(
      {
        start: { dateTime: '2026-10-12T10:00:00+02:00' },
        end: { dateTime: '2026-10-12T11:00:00+02:00' },
        attendees: [{ email: guest }, { email: carol }],
      },
      byBob,
    );
    const textTo = (address: string) => mailTo(mails, address).email.text;
    expect(textTo(guest)).toContain('\nTime: Monday, 2026-10-12, 04:00 to 05:00 (America/New_York)\n');
    expect(textTo(carol)).toContain('\nTime: Monday, 2026-10-12, 17:00 to 18:00 (Asia/Tokyo)\n');
  });

  describe('from an instance on', () => {
    const eventId = async (): Promise<string> => `${await make(weekly)}_20261026T090000Z`;

    test('a change is an update of the first part and an invitation to the second, once', async () => {
      const variables = {
        calendarId: alice,
        eventId: await eventId(),
        ...all,
        requestId: 'from then on',
        event: { summary: 'Dinner' },
      };
      const { mails, heads } = await after(() => mailing.gateway.run(following.patch, variables));
      const newSeries = requests('Invitation: Dinner')(bob, guest);
      expect(heads).toEqual([...updated(bob, guest), ...newSeries].sort());
      const [first, second] = ['Updated', 'Invitation'].map((word) => {
        const mail = mails.filter(({ email }) => email.subject?.startsWith(word));
        return readMail(mailTo(mail, guest)).events[0];
      });
      expect(first?.starts).toEqual(['2026-10-12T08:00:00.000Z', '2026-10-19T08:00:00.000Z']);
      expect(second?.starts).toEqual(['2026-10-26T09:00:00.000Z', '2026-11-02T09:00:00.000Z']);
      expect(first?.uid).not.toBe(second?.uid);
      expect((await after(() => mailing.gateway.run(following.patch, variables))).heads).toEqual([]);
    });

    test('an end is an update of the series', async () => {
      const { mails, heads, told } = await after(async () =>
        mailing.gateway.run(following.delete, { calendarId: alice, eventId: await eventId(), ...all }),
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
    const insertTeam =
      'mutation { insertCalendar(calendar: { summary: "Team", timeZone: "Europe/Berlin" }) { id } }';
    const { data } = await gateway.ask(insertTeam);
    const calendarId = data.insertCalendar.id as string;
    const later = times('2099-10-12T10:00:00+02:00', '2099-10-12T11:00:00+02:00');
    const series = await make({ ...later, ...weekly }, { calendarId });
    await gateway.change(`${series}_20991019T080000Z`, { summary: 'Other' }, { calendarId });
    await make(times('2020-10-12T10:00:00+02:00', '2020-10-12T11:00:00+02:00'), { calendarId });
    const before = mailbox.mails.length;
    const removal = `mutation { deleteCalendar(calendarId: "${calendarId}", sendUpdates: externalOnly) }`;
    const deleted = await gateway.ask(removal);
    expect(deleted.data).toEqual({ deleteCalendar: true });
    await mailbox.count(before + 1);
    await gateway.mailsOf(async () => undefined);
    expect(headsOf(mailbox.mails.slice(before))).toEqual([cancelled(guest)]);
  });
});
