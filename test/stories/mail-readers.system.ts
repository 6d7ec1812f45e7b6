import { alice } from '../event/event.harness.ts';
import { describeWithIcalendar, readByIcalendar } from '../mail/icalendar.ts';
import { readMail } from '../mail/reading.ts';
import { guest, openMailing, type Mailing } from './mail-walk.harness.ts';
import { steps } from './mail-walk.steps.ts';

const time = (dateTime: string, timeZone: string) => ({ dateTime, timeZone });

describeWithIcalendar('python3-icalendar', () => {
  let mailing: Mailing;
  beforeAll(async () => {
    mailing = await openMailing();
  });
  afterAll(() => mailing.stop());

  test('reads the mails of the walk as ical.js does', async () => {
    const { gateway } = mailing;
    let id = '';
    const mails = await gateway.mailsOf(async () => {
      for (const { run } of steps) {
        const { event } = await run(gateway, id);
        if (id === '') id = event.id;
      }
    });
    expect(mails).toHaveLength(steps.reduce((sum, { texts }) => sum + Object.keys(texts).length, 0));
    expect(readByIcalendar(mails)).toEqual(mails.map(readMail));
  });

  test.each<[string, object]>([
    ['of days', { start: { date: '2026-12-24' }, end: { date: '2026-12-27' } }],
    [
      'of days that repeat',
      {
        start: { date: '2026-12-24' },
        end: { date: '2026-12-25' },
        recurrence: [
          'RRULE:FREQ=MONTHLY;BYDAY=-1FR;UNTIL=20270801',
          'EXDATE;VALUE=DATE:20270129',
          'RDATE;VALUE=DATE:20270102',
        ],
      },
    ],
    [
      'without an end',
      {
        start: time('2026-03-01T09:00:00-05:00', 'America/New_York'),
        end: time('2026-03-01T09:45:00-05:00', 'America/New_York'),
        recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=MO,TH'],
      },
    ],
    [
      'until a time',
      {
        start: time('2026-10-01T08:00:00+10:00', 'Australia/Sydney'),
        end: time('2026-10-01T09:00:00+10:00', 'Australia/Sydney'),
        recurrence: ['RRULE:FREQ=DAILY;INTERVAL=2;UNTIL=20261020T230000Z'],
      },
    ],
    [
      'with dates of its own',
      {
        start: time('2026-10-12T10:00:00+02:00', 'Europe/Berlin'),
        end: time('2026-10-12T11:00:00+02:00', 'Europe/Berlin'),
        recurrence: [
          'RRULE:FREQ=WEEKLY;COUNT=5',
          'EXDATE:20261019T080000Z',
          'RDATE;TZID=America/New_York:20261105T100000',
          'EXRULE:FREQ=MONTHLY;BYMONTHDAY=2',
        ],
      },
    ],
    [
      'of what people write',
      {
        start: time('2026-10-12T10:00:00+02:00', 'Europe/Berlin'),
        end: time('2026-10-12T11:00:00+02:00', 'Europe/Berlin'),
        summary: 'Größe; "x", a\\b 🎉 <b>',
        description: 'One\n\tTwo, three; four\\',
      },
    ],
  ])('reads an event %s as the gateway lists it', async (_what, body) => {
    const { gateway } = mailing;
    let id = '';
    const mails = await gateway.mailsOf(async () => {
      id = (
        await gateway.make(
          { summary: 'Planning', ...body, attendees: [{ email: guest, displayName: 'Gus "the ^Great"' }] },
          { sendUpdates: 'all' },
        )
      ).id;
    });
    const [read] = readByIcalendar(mails);
    expect(read).toEqual(readMail(mails[0] as (typeof mails)[number]));
    const shown = await gateway.on(alice, id);
    const event = read?.events[0];
    expect([event?.summary, event?.description]).toEqual([shown.summary, shown.description]);
    if (shown.recurrence === null) return;
    const { data } = await gateway.ask(
      'query ($id: String!) { instances(calendarId: "primary", eventId: $id, timeMax: "2028-01-01T00:00:00Z", first: 2500) { nodes { start { date dateTime } } } }',
      { id },
    );
    const starts = (data.instances.nodes as { start: { date?: string; dateTime?: string } }[]).map(
      ({ start }) => start.date ?? new Date(start.dateTime as string).toISOString(),
    );
    expect(event?.starts).toEqual(starts);
  });
});
