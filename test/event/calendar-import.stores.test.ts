import { once } from 'node:events';
import { tokenFor } from '../harness.ts';
import { stores } from '../stores.ts';
import { alice, bob, carol, eve, startEventGateway, rita } from './event.harness.ts';
import { deleteDocument, readPage, readSyncToken } from './list.harness.ts';

const importDocument = `mutation ($calendarId: String!, $text: String!, $validateOnly: Boolean) {
  result: importCalendar(calendarId: $calendarId, icalendar: $text, validateOnly: $validateOnly) {
    created updated unchanged
    refused { uid index issues { path reason } }
    events {
      id etag iCalUID summary description location status visibility transparency sequence created recurrence endTimeUnspecified
      start { date dateTime timeZone } end { date dateTime timeZone } originalStartTime { date dateTime }
      organizer { email displayName }
      attendees { email displayName responseStatus optional resource }
    }
  }
  report { warnings { path reason } }
}`;

const listOccurrencesDocument = `query ($calendarId: String!) {
  events(calendarId: $calendarId, singleEvents: true, orderBy: startTime, first: 100) { nodes { summary start { date dateTime } } } }`;

interface ImportedEvent {
  readonly id: string;
  readonly summary: string;
  readonly start: Readonly<Record<'date' | 'dateTime' | 'timeZone', string | null>>;
  readonly [field: string]: unknown;
}

interface ImportResult {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly refused: readonly {
    uid: string | null;
    index: number;
    issues: { path: unknown[]; reason: string }[];
  }[];
  readonly events: readonly ImportedEvent[];
}

const formatComponent = (name: string, ...lines: readonly string[]): string =>
  [`BEGIN:${name}`, ...lines, `END:${name}`].join('\r\n');
const formatCalendar = (...lines: readonly string[]): string =>
  `${formatComponent('VCALENDAR', 'VERSION:2.0', 'PRODID:-//test//EN', ...lines)}\r\n`;
const formatEvent = (uid: string, ...lines: readonly string[]): string =>
  formatComponent('VEVENT', `UID:${uid}`, 'DTSTAMP:20260101T000000Z', ...lines);

const formatBerlinTime = (time: string): string => `;TZID=Europe/Berlin:${time}`;
const singleText = formatEvent(
  'single',
  `DTSTART${formatBerlinTime('20300105T090000')}`,
  'DURATION:PT45M',
  'SUMMARY:Single',
);
const dailyText = formatEvent(
  'daily',
  `DTSTART${formatBerlinTime('20300101T100000')}`,
  `DTEND${formatBerlinTime('20300101T110000')}`,
  'RRULE:FREQ=DAILY;COUNT=5',
  'SUMMARY:Daily',
);
const formatInstance = (day: string, ...lines: readonly string[]): string =>
  formatEvent(
    'daily',
    `RECURRENCE-ID${formatBerlinTime(`203001${day}T100000`)}`,
    `DTSTART${formatBerlinTime(`203001${day}T120000`)}`,
    `DTEND${formatBerlinTime(`203001${day}T123000`)}`,
    ...lines,
  );
/** A VTIMEZONE of an unknown name (`Our clock`) with the rules of Berlin. */
const formatBerlinRulesZone = (...lines: readonly string[]): string =>
  formatComponent(
    'VTIMEZONE',
    'TZID:Our clock',
    ...lines,
    formatComponent(
      'STANDARD',
      'DTSTART:19961027T030000',
      'TZOFFSETFROM:+0200',
      'TZOFFSETTO:+0100',
      'RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU',
    ),
    formatComponent(
      'DAYLIGHT',
      'DTSTART:19810329T020000',
      'TZOFFSETFROM:+0100',
      'TZOFFSETTO:+0200',
      'RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU',
    ),
  );
const formatFixedOffsetZone = (offset: string): string =>
  formatComponent(
    'VTIMEZONE',
    'TZID:Our clock',
    formatComponent('STANDARD', 'DTSTART:19700101T000000', `TZOFFSETFROM:${offset}`, `TZOFFSETTO:${offset}`),
  );

describe.each(stores)('importCalendar, over $name', ({ useGateway }) => {
  const gateway = useGateway();

  const sendImport = (
    text: string,
    { as = alice, ...variables }: { as?: string; validateOnly?: boolean } = {},
  ) => gateway.ask(importDocument, { calendarId: alice, text, ...variables }, { as });
  const importText = async (text: string, options?: Parameters<typeof sendImport>[1]) => {
    const { data, errors } = await sendImport(text, options);
    expect(errors).toBeUndefined();
    const { result, report } = data as {
      result: ImportResult;
      report: { warnings: { path: unknown[]; reason: string }[] };
    };
    return { ...result, warnings: report.warnings.map(({ path, reason }) => `${path.join('.')} ${reason}`) };
  };
  const countsOf = ({ created, updated, unchanged }: ImportResult) => [created, updated, unchanged];
  const problemsOf = ({ refused }: ImportResult): string[] =>
    refused.flatMap(({ issues }) => issues.map(({ path, reason }) => `${path.join('.')} ${reason}`));
  /** Imports one event, whose fields it returns. */
  const importOne = async (...lines: readonly string[]): Promise<ImportedEvent> => {
    const { events, refused } = await importText(formatCalendar(...lines));
    expect(refused).toEqual([]);
    return events[0] as ImportedEvent;
  };
  const expectRefusedText = async (
    text: string,
    reason: string,
    options?: Parameters<typeof sendImport>[1],
  ) => {
    const { errors = [] } = await sendImport(text, options);
    expect(errors.map(({ extensions }) => extensions.reason)).toEqual([reason]);
    return errors[0];
  };
  const listOccurrences = async (as = alice): Promise<string[]> => {
    const { data } = await gateway.ask(listOccurrencesDocument, { calendarId: as }, { as });
    return (data.events.nodes as ImportedEvent[]).map(
      ({ summary, start }) => `${summary} ${start.dateTime ?? start.date}`,
    );
  };

  test('imports a text once, in any order of its components', async () => {
    const movedText = formatInstance('03', 'SUMMARY:Moved');
    const text = formatCalendar('METHOD:PUBLISH', movedText, singleText, dailyText);
    const dryRun = await importText(text, { validateOnly: true });
    expect([countsOf(dryRun), await listOccurrences()]).toEqual([[3, 0, 0], []]);
    const first = await importText(text);
    expect(countsOf(first)).toEqual([3, 0, 0]);
    expect(first.events.map(({ summary }) => summary).toSorted()).toEqual(['Daily', 'Moved', 'Single']);
    const storedOccurrences = await listOccurrences();
    expect(storedOccurrences).toEqual([
      'Daily 2030-01-01T10:00:00+01:00',
      'Daily 2030-01-02T10:00:00+01:00',
      'Moved 2030-01-03T12:00:00+01:00',
      'Daily 2030-01-04T10:00:00+01:00',
      'Single 2030-01-05T09:00:00+01:00',
      'Daily 2030-01-05T10:00:00+01:00',
    ]);
    const second = await importText(formatCalendar(dailyText, movedText) + formatCalendar(singleText));
    expect([countsOf(second), second.events]).toEqual([[0, 0, 3], []]);
    expect(await listOccurrences()).toEqual(storedOccurrences);
  });

  test('reads all fields of an event', async () => {
    const {
      id: _id,
      etag: _etag,
      ...imported
    } = await importOne(
      formatEvent(
        'all',
        'SUMMARY;LANGUAGE=de:Grüße\\, \\; und',
        ' mehr\\nZeilen',
        'DESCRIPTION:Long',
        'LOCATION:Room',
        'STATUS:TENTATIVE',
        'CLASS:PRIVATE',
        'TRANSP:TRANSPARENT',
        'SEQUENCE:3',
        'CREATED:20200101T100000Z',
        'ORGANIZER;CN=Eve:MAILTO:eve%2Bx@example.com',
        'ATTENDEE;CN="Doe, Alice","Al";PARTSTAT=ACCEPTED:mailto:alice@example.com',
        'ATTENDEE;PARTSTAT=ACCEPTED:mailto:bob@example.com',
        'ATTENDEE;PARTSTAT=DECLINED;ROLE=OPT-PARTICIPANT:mailto:bob@example.com',
        'ATTENDEE;CUTYPE=ROOM;EMAIL=room@example.com:urn:uuid:1',
        'DTSTART:20300101T100000Z',
        'DTEND;TZID=W. Europe Standard Time:20300101T123000',
      ),
    );
    expect(imported).toEqual({
      iCalUID: 'all',
      summary: 'Grüße, ; undmehr\nZeilen',
      description: 'Long',
      location: 'Room',
      status: 'tentative',
      visibility: 'private',
      transparency: 'transparent',
      sequence: 3,
      created: '2020-01-01T10:00:00.000Z',
      recurrence: null,
      endTimeUnspecified: false,
      start: { date: null, dateTime: expect.stringMatching(/^2030-01-01T1[01]:00:00/), timeZone: 'UTC' },
      end: { date: null, dateTime: '2030-01-01T12:30:00+01:00', timeZone: 'Europe/Berlin' },
      originalStartTime: null,
      organizer: { email: 'eve+x@example.com', displayName: 'Eve' },
      attendees: [
        {
          email: alice,
          displayName: 'Doe, Alice',
          responseStatus: 'accepted',
          optional: false,
          resource: false,
        },
        { email: bob, displayName: null, responseStatus: 'declined', optional: true, resource: false },
        {
          email: 'room@example.com',
          displayName: null,
          responseStatus: 'needsAction',
          optional: false,
          resource: true,
        },
      ],
    });
    expect(await listOccurrences(bob)).toEqual([]);
  });

  test('an event without a guest other than the organizer is the owner’s own', async () => {
    const lines = [`ORGANIZER:mailto:${eve}`, 'DTSTART;VALUE=DATE:20300101'];
    const ownEvent = await importOne(formatEvent('own', ...lines, `ATTENDEE:mailto:${eve}`));
    expect([ownEvent.organizer, ownEvent.attendees, ownEvent.end]).toMatchObject([
      { email: alice },
      null,
      { date: '2030-01-02' },
    ]);
    const foreignEvent = await importOne(formatEvent('foreign', ...lines, `ATTENDEE:mailto:${carol}`));
    expect(foreignEvent.organizer).toMatchObject({ email: eve });
  });

  test('warns of components and properties that it ignores', async () => {
    const { warnings } = await importText(
      formatCalendar(
        formatComponent('VTODO', 'UID:todo'),
        formatEvent(
          'ignored',
          'DTSTART:20300101T100000Z',
          'URL:https://example.com/',
          'X-OWN:1',
          'CLASS:OTHER',
          'CREATED:yesterday',
          'ORGANIZER:urn:uuid:1',
          `ATTENDEE:mailto:${bob}`,
          'ATTENDEE:invalid:nomail',
          `ATTENDEE:mailto:${bob.toUpperCase()}`,
          formatComponent('VALARM', 'ACTION:DISPLAY', 'TRIGGER:-PT10M'),
        ),
      ),
    );
    expect(warnings).toEqual([
      'icalendar ignored',
      'icalendar.1.CREATED ignored',
      'icalendar.1.CLASS ignored',
      'icalendar.1.ORGANIZER ignored',
      'icalendar.1.ATTENDEE.1 ignored',
      'icalendar.1.ATTENDEE.2 ignored',
    ]);
  });

  test.each([
    ['no end', 'DTSTART:20300101T100000Z', ['11:00', true]],
    ['no length', 'DTSTART:20300101T100000Z\r\nDTEND:20300101T100000Z', ['11:00', true]],
    ['a duration', 'DTSTART:20300101T100000Z\r\nDURATION:PT1H30M', ['11:30', false]],
  ])('an event with %s gets an end', async (_title, times, [end, endTimeUnspecified]) => {
    const imported = await importOne(formatEvent('times', times));
    const { dateTime } = imported.end as { dateTime: string };
    expect(new Date(dateTime).toISOString()).toContain(`T${end}`);
    expect(imported.endTimeUnspecified).toBe(endTimeUnspecified);
  });

  test.each([
    ['a week', 'DURATION:P1W', '2030-01-08'],
    ['25 hours', 'DURATION:PT25H', '2030-01-03'],
    ['no length', 'DTEND;VALUE=DATE:20300101', '2030-01-02'],
    ['nothing', 'SUMMARY:Day', '2030-01-02'],
  ])('an all-day event whose length is %s ends after whole days', async (_title, line, date) => {
    expect(await importOne(formatEvent('day', 'DTSTART;VALUE=DATE:20300101', line))).toMatchObject({
      end: { date },
    });
  });

  test('a duration of days keeps the clock, one of hours does not', async () => {
    const start = `DTSTART${formatBerlinTime('20300330T120000')}`;
    const days = await importOne(formatEvent('days', start, 'DURATION:P1D'));
    expect(days).toMatchObject({ end: { dateTime: '2030-03-31T12:00:00+02:00' } });
    const hours = await importOne(formatEvent('hours', start, 'DURATION:PT24H'));
    expect(hours).toMatchObject({ end: { dateTime: '2030-03-31T13:00:00+02:00' } });
  });

  test.each([
    ['a duration that ends there', '20271030T220000', 'DURATION:PT5H', '2027-10-31T02:00:00+01:00'],
    ['a duration that begins there', '20271031T023000', 'DURATION:PT1H', '2027-10-31T02:30:00+01:00'],
    ['no end', '20271031T023000', 'SUMMARY:Short', '2027-10-31T02:30:00+01:00'],
    ['a rule', '20271031T023000', 'DURATION:PT1H\r\nRRULE:FREQ=DAILY;COUNT=2', '2027-10-31T02:30:00+01:00'],
  ])('in the hour that a clock change repeats: %s', async (_, start, line, end) => {
    const event = await importOne(formatEvent('repeated', `DTSTART;TZID=Europe/Berlin:${start}`, line));
    expect(event.end).toMatchObject({ dateTime: end });
  });

  describe('time zones', () => {
    const start = 'DTSTART;TZID=Our clock:20300101T100000';

    test('floating times are in the zone of the file, or of the calendar', async () => {
      const floatingText = formatEvent('floating', 'DTSTART:20300101T100000', 'RRULE:FREQ=DAILY;COUNT=2');
      expect(await importOne(floatingText)).toMatchObject({ start: { timeZone: 'Europe/Berlin' } });
      expect(await importOne('X-WR-TIMEZONE:Asia/Tokyo', floatingText)).toMatchObject({
        start: { dateTime: '2030-01-01T10:00:00+09:00', timeZone: 'Asia/Tokyo' },
      });
    });

    test('a single event takes the offset of an unknown zone', async () => {
      expect(
        await importOne(
          formatBerlinRulesZone(),
          formatEvent('summer', 'DTSTART;TZID=Our clock:20300701T100000'),
        ),
      ).toMatchObject({
        start: { dateTime: '2030-07-01T10:00:00+02:00' },
      });
      expect(await importOne(formatFixedOffsetZone('+0130'), formatEvent('odd', start))).toMatchObject({
        start: { dateTime: '2030-01-01T10:00:00+01:30' },
      });
    });

    test.each([
      ['its location', formatBerlinRulesZone('X-LIC-LOCATION:Europe/Vienna'), 'Europe/Vienna'],
      ['a constant offset', formatFixedOffsetZone('+0300'), 'Etc/GMT-3'],
      ['the zone of the calendar', formatBerlinRulesZone('X-LIC-LOCATION:Asia/Tokyo'), 'Europe/Berlin'],
    ])('a series takes %s', async (_title, definition, timeZone) => {
      const series = formatEvent(
        'series',
        start,
        'RRULE:FREQ=MONTHLY',
        'EXDATE;TZID=Our clock:20300201T100000',
      );
      const imported = await importOne(definition, series);
      expect(imported).toMatchObject({
        start: { timeZone },
        recurrence: ['RRULE:FREQ=MONTHLY', expect.stringMatching(/^EXDATE/)],
      });
      expect((await listOccurrences()).slice(0, 2)).toEqual([
        expect.stringContaining('2030-01-01T10:00:00'),
        expect.stringContaining('2030-03-01T10:00:00'),
      ]);
    });

    test.each([
      ['match no known zone', formatFixedOffsetZone('+0130')],
      ['follow rules that are not yearly', formatBerlinRulesZone().replaceAll('YEARLY', 'SECONDLY')],
      ['are not defined', formatComponent('VTIMEZONE', 'TZID:Our clock')],
      ['have invalid syntax', formatFixedOffsetZone('1')],
      ['begin at an invalid time', formatFixedOffsetZone('+0100').replace('19700101T000000', 'long ago')],
    ])('a series is refused if the offsets of its zone %s', async (_title, definition) => {
      const result = await importText(
        formatCalendar(definition, formatEvent('series', start, 'RRULE:FREQ=DAILY')),
      );
      expect(problemsOf(result)).toEqual(['icalendar.1.DTSTART invalid']);
    });

    test('a yearly series in winter takes the constant offset of its occurrences', async () => {
      const series = formatEvent('winters', start, 'RRULE:FREQ=YEARLY');
      expect(await importOne(formatBerlinRulesZone(), series)).toMatchObject({
        start: { timeZone: 'Etc/GMT-1' },
      });
    });

    test('an hourly series is refused if its zone changes the offset after the first thousands of occurrences', async () => {
      const lateChange = formatComponent(
        'STANDARD',
        'DTSTART:20350101T000000',
        'TZOFFSETFROM:+0300',
        'TZOFFSETTO:+0400',
      );
      const definition = formatFixedOffsetZone('+0300').replace(
        'END:VTIMEZONE',
        `${lateChange}\r\nEND:VTIMEZONE`,
      );
      const series = formatEvent('series', start, 'RRULE:FREQ=HOURLY');
      expect(problemsOf(await importText(formatCalendar(definition, series)))).toEqual([
        'icalendar.1.DTSTART invalid',
      ]);
      const endedSeries = formatEvent('ended', start, 'RRULE:FREQ=HOURLY;COUNT=3000');
      expect(await importOne(definition, endedSeries)).toMatchObject({ start: { timeZone: 'Etc/GMT-3' } });
    });

    test('a definition has at most 500 observances', async () => {
      const observance = formatComponent(
        'STANDARD',
        'DTSTART:16010101T000000',
        'TZOFFSETFROM:+0100',
        'TZOFFSETTO:+0100',
      );
      const definition = (count: number): string =>
        formatComponent('VTIMEZONE', 'TZID:Our clock', ...Array.from({ length: count }, () => observance));
      await importOne(definition(500), formatEvent('allowed', start));
      const result = await importText(formatCalendar(definition(501), formatEvent('refused', start)));
      expect(problemsOf(result)).toEqual(['icalendar.1.DTSTART invalid']);
    });

    test.each([
      [
        'more rules than one',
        (definition: string) => definition.replace('RRULE', 'RRULE:FREQ=YEARLY\r\nRRULE'),
      ],
      ['a rule of hours', (definition: string) => definition.replace('YEARLY', 'YEARLY;BYHOUR=1,2,3')],
      [
        'more than 50,000 onsets in a text',
        (definition: string) =>
          Array.from({ length: 300 }, (_, index) => definition.replace('Our clock', `${index}`))
            .concat(definition)
            .join('\r\n'),
      ],
    ])('a definition is refused with %s', async (_title, change) => {
      const result = await importText(
        formatCalendar(change(formatBerlinRulesZone()), formatEvent('refused', start)),
      );
      expect(problemsOf(result)).toEqual([expect.stringMatching(/^icalendar\.\d+\.DTSTART invalid$/)]);
    });

    test('a zone name with escaped commas matches the quoted TZID parameter', async () => {
      const definition = formatFixedOffsetZone('+0800').replace('Our clock', 'Kuala Lumpur\\, Singapore');
      expect(
        await importOne(
          definition,
          formatEvent(
            'escaped',
            'DTSTART;TZID="Kuala Lumpur, Singapore":20300101T100000',
            'RRULE:FREQ=WEEKLY',
          ),
        ),
      ).toMatchObject({ start: { dateTime: '2030-01-01T10:00:00+08:00' } });
    });

    test('rules of a zone end at their UNTIL, and its RDATEs are applied', async () => {
      const text = formatComponent(
        'VTIMEZONE',
        'TZID:Our clock',
        formatComponent(
          'STANDARD',
          'DTSTART:20000101T000000',
          'TZOFFSETFROM:+0100',
          'TZOFFSETTO:+0100',
          'RRULE:FREQ=YEARLY;UNTIL=20041231T230000Z',
        ),
        formatComponent(
          'DAYLIGHT',
          'DTSTART:20050101T000000',
          'TZOFFSETFROM:+0100',
          'TZOFFSETTO:-0200',
          'RDATE:20250101T000000',
        ),
      );
      expect(await importOne(text, formatEvent('single', start))).toMatchObject({
        start: { dateTime: '2030-01-01T10:00:00-02:00' },
      });
      expect(
        await importOne(text, formatEvent('early', 'DTSTART;TZID=Our clock:19991231T100000')),
      ).toMatchObject({
        start: { dateTime: '1999-12-31T10:00:00+01:00' },
      });
    });
  });

  describe('accepts what other programs write:', () => {
    const berlin = `DTSTART${formatBerlinTime('20300101T100000')}`;
    const day = 'DTSTART;VALUE=DATE:20300101';

    test.each([
      ['a local UNTIL', [berlin, 'RRULE:FREQ=DAILY;UNTIL=20300103T100000'], ['01', '02', '03']],
      ['a day as UNTIL', [berlin, 'RRULE:FREQ=DAILY;UNTIL=20300103'], ['01', '02']],
      ['a time as UNTIL of days', [day, 'RRULE:FREQ=DAILY;UNTIL=20300103T230000Z'], ['01', '02', '03']],
      ['a rule without text', [day, 'RRULE:'], ['01']],
      ['spaces in a rule', [berlin, 'RRULE:FREQ=DAILY;BYDAY=TU, WE;COUNT=3'], ['01', '02', '08']],
      ['a Z behind days', [day, 'RDATE:20300105Z', 'RRULE:FREQ=DAILY;COUNT=1'], ['01', '05']],
      ['days that cancel times', [berlin, 'RRULE:FREQ=DAILY;COUNT=3', 'EXDATE:20300102'], ['01', '03']],
    ])('a series with %s', async (_title, lines, days) => {
      await importOne(formatEvent('series', 'SUMMARY:S', ...lines));
      expect((await listOccurrences()).map((text) => text.slice(10, 12))).toEqual(days);
    });

    test('times are trimmed, and wrong digits are refused', async () => {
      const trimmedEvent = await importOne(formatEvent('trimmed', `${berlin} `, 'DURATION:PT2H '));
      expect(trimmedEvent.end).toMatchObject({ dateTime: '2030-01-01T12:00:00+01:00' });
      const textWithWrongDigits = formatEvent(
        'digits',
        'DTSTART:20300101T1000000Z',
        'DTEND:20300101T110000Z',
      );
      expect(problemsOf(await importText(formatCalendar(textWithWrongDigits)))).toEqual([
        'icalendar.0.DTSTART invalid',
      ]);
    });

    test('an instance of an all-day series has a time as RECURRENCE-ID', async () => {
      const result = await importText(
        formatCalendar(
          formatEvent(
            'days',
            'RECURRENCE-ID;TZID=Asia/Tokyo:20300102T000000',
            'DTSTART;VALUE=DATE:20300105',
            'SUMMARY:B',
          ),
          formatEvent('days', day, 'RRULE:FREQ=DAILY;COUNT=3', 'SUMMARY:A'),
        ),
      );
      expect(problemsOf(result)).toEqual([]);
      expect(await listOccurrences()).toEqual(['A 2030-01-01', 'A 2030-01-03', 'B 2030-01-05']);
    });

    test('an instance has a lower sequence than its series, and rules of its own', async () => {
      const text = formatCalendar(
        dailyText.replace('SUMMARY', 'SEQUENCE:4\r\nSUMMARY'),
        formatInstance('03', 'SUMMARY:Moved', 'SEQUENCE:3', 'RRULE:FREQ=DAILY'),
      );
      const { warnings, ...result } = await importText(text);
      expect([problemsOf(result), warnings]).toEqual([[], ['icalendar.1.RRULE ignored']]);
      expect((await listOccurrences())[2]).toBe('Moved 2030-01-03T12:00:00+01:00');
      expect(countsOf(await importText(text))).toEqual([0, 0, 2]);
    });
  });

  test('says where a component is wrong; others are stored', async () => {
    const result = await importText(
      formatCalendar(
        formatComponent('VTODO', 'UID:todo'),
        formatComponent('VEVENT', 'DTSTART:20300101T100000Z'),
        formatEvent('zone', 'DTSTART;TZID=Nowhere:20300101T100000'),
        formatEvent(
          'values',
          'DTSTART:tomorrow',
          'DURATION:soon',
          'SEQUENCE:-1',
          'ATTENDEE;CN="x:mailto:bob@example.com',
        ),
        formatEvent('end', 'DTSTART:20300101T100000Z', 'DURATION:-PT1H'),
        formatEvent('rule', 'DTSTART:20300101T100000Z', 'RRULE:FREQ=NEVER', 'DURATION:P1M'),
        formatEvent(
          'range',
          'RECURRENCE-ID;RANGE=THISANDFUTURE:20300101T100000Z',
          'DTSTART:20300101T110000Z',
        ),
        formatEvent('original', 'RECURRENCE-ID:20301301T100000Z', 'DTSTART:20300101T110000Z'),
        formatEvent('end date', 'DTSTART:20300101T100000Z', 'DTEND:20301301T100000Z'),
        formatEvent('end zone', 'DTSTART:20300101T100000Z', 'DTEND;TZID=Nowhere:20300101T110000'),
        formatEvent(
          'guest',
          'DTSTART:20300101T100000Z',
          ...Array.from({ length: 201 }, (_, n) => `ATTENDEE:mailto:g${n}@x.example`),
        ),
        formatEvent('no start', 'DTEND:20300101T110000Z'),
        formatComponent('VEVENT', 'DTSTART:tomorrow', 'DTEND:junk', 'RRULE:FREQ=NOPE'),
        formatEvent(
          'many',
          'DTSTART:20300101T100000Z',
          ...Array.from({ length: 1_001 }, () => `ATTENDEE:mailto:${bob}`),
        ),
        formatEvent('parameters', 'DTSTART:20300101T100000Z', `SUMMARY${';X-A=1'.repeat(2_000)}:x`),
        singleText,
      ),
    );
    expect([countsOf(result), await listOccurrences()]).toEqual([
      [1, 0, 0],
      ['Single 2030-01-05T09:00:00+01:00'],
    ]);
    expect(result.refused.map(({ uid, index }) => [index, uid])).toEqual([
      [1, null],
      [2, 'zone'],
      [3, 'values'],
      [4, 'end'],
      [5, 'rule'],
      [6, 'range'],
      [7, 'original'],
      [8, 'end date'],
      [9, 'end zone'],
      [10, 'guest'],
      [11, 'no start'],
      [12, null],
      [13, 'many'],
      [14, 'parameters'],
    ]);
    expect(problemsOf(result)).toEqual([
      'icalendar.1.UID required',
      'icalendar.2.DTSTART invalid',
      'icalendar.3.ATTENDEE invalid',
      'icalendar.3.DTSTART invalid',
      'icalendar.3.DURATION invalid',
      'icalendar.3.SEQUENCE invalid',
      'icalendar.4.DURATION timeRangeEmpty',
      'icalendar.5.DURATION invalid',
      'icalendar.5.RRULE invalid',
      'icalendar.6.RECURRENCE-ID invalid',
      'icalendar.7.RECURRENCE-ID invalid',
      'icalendar.8.DTEND invalid',
      'icalendar.9.DTEND invalid',
      'icalendar.10.ATTENDEE tooMany',
      'icalendar.11.DTSTART required',
      'icalendar.12.DTSTART invalid',
      'icalendar.12.DTEND invalid',
      'icalendar.12.UID required',
      'icalendar.12.RRULE invalid',
      'icalendar.13.ATTENDEE tooMany',
      'icalendar.14.SUMMARY invalid',
    ]);
  });

  test('a refused series takes its instances with it, a refused instance only itself', async () => {
    const badInstance = formatInstance('09', 'SUMMARY:Nowhere');
    const first = await importText(
      formatCalendar(dailyText, formatInstance('02', 'SUMMARY:Moved'), badInstance),
    );
    expect([countsOf(first), problemsOf(first)]).toEqual([[2, 0, 0], ['icalendar.2.RECURRENCE-ID invalid']]);
    const badSeries = dailyText.replace('FREQ=DAILY', 'FREQ=NEVER').replaceAll('UID:daily', 'UID:other');
    const second = await importText(
      formatCalendar(badSeries, formatInstance('02').replaceAll('UID:daily', 'UID:other'), singleText),
    );
    expect([countsOf(second), problemsOf(second)]).toEqual([
      [1, 0, 0],
      ['icalendar.0.RRULE invalid', 'icalendar.1.RECURRENCE-ID invalid'],
    ]);
  });

  test('of duplicates, the last with the highest sequence counts', async () => {
    const text = formatCalendar(
      singleText,
      singleText.replace('SUMMARY:', 'SEQUENCE:2\r\nSUMMARY:Newer '),
      singleText.replace('SUMMARY:', 'SEQUENCE:1\r\nSUMMARY:Older '),
    );
    const result = await importText(text);
    expect(result.events.map(({ summary }) => summary)).toEqual(['Newer Single']);
    expect(problemsOf(result)).toEqual(['icalendar.0.UID duplicate', 'icalendar.2.UID duplicate']);
    expect(countsOf(await importText(text))).toEqual([0, 0, 1]);
  });

  test('a component without UID is kept apart from one whose UID is a number', async () => {
    const result = await importText(
      formatCalendar(singleText.replace(/UID:.*\r\n/, ''), singleText.replace('UID:single', 'UID:0')),
    );
    expect(countsOf(result)).toEqual([1, 0, 0]);
    expect(problemsOf(result)).toEqual(['icalendar.0.UID required']);
  });

  test('warnings about guests name their ATTENDEE lines', async () => {
    const guests = ['ATTENDEE:tel:1', `ATTENDEE:mailto:${eve}`, `ATTENDEE;PARTSTAT=ACCEPTED:mailto:${bob}`];
    const { warnings } = await importText(
      formatCalendar(singleText.replace('SUMMARY', [...guests, 'SUMMARY'].join('\r\n'))),
    );
    expect(warnings).toEqual(['icalendar.0.ATTENDEE.0 ignored', 'icalendar.0.ATTENDEE.2 ignored']);
  });

  test('a list of dates that cannot be read refuses its series', async () => {
    const result = await importText(
      formatCalendar(dailyText.replace('SUMMARY', 'EXDATE;TZID="Europe:20300102T100000\r\nSUMMARY')),
    );
    expect(problemsOf(result)).toEqual(['icalendar.0.EXDATE invalid']);
  });

  test('instances missing from a later text follow the series again; manual changes stay', async () => {
    const moved = formatInstance('03', 'SUMMARY:Moved');
    const cancelled = formatEvent(
      'daily',
      `RECURRENCE-ID${formatBerlinTime('20300102T100000')}`,
      'STATUS:CANCELLED',
    );
    const { events } = await importText(formatCalendar(dailyText, moved, cancelled));
    const id = events[0]?.id ?? '';
    const syncToken = await readSyncToken(gateway, { calendarId: alice });
    await gateway.changeEvent(`${id}_20300104T090000Z`, { summary: 'By hand' });
    await gateway.changeEvent(`${id}_20300103T090000Z`, { colorId: '5' });
    expect(countsOf(await importText(formatCalendar(formatInstance('05', 'SUMMARY:Fifth'))))).toEqual([
      1, 0, 0,
    ]);
    const result = await importText(formatCalendar(dailyText, formatInstance('05', 'SUMMARY:Fifth')));
    expect([countsOf(result), result.events.map((changed) => changed.id)]).toEqual([[0, 1, 1], [id]]);
    expect(result.events[0]?.etag).toBe((await gateway.readOn(alice, id)).etag);
    expect(await listOccurrences()).toEqual([
      'Daily 2030-01-01T10:00:00+01:00',
      'Daily 2030-01-02T10:00:00+01:00',
      'Daily 2030-01-03T10:00:00+01:00',
      'By hand 2030-01-04T10:00:00+01:00',
      'Fifth 2030-01-05T12:00:00+01:00',
    ]);
    const { ids } = await readPage(gateway, { calendarId: alice, syncToken });
    expect(ids.toSorted()).toEqual(
      [id, ...['02', '03', '04', '05'].map((day) => `${id}_203001${day}T090000Z`)].toSorted(),
    );
  });

  test('instances without their series are stored together, with the owner among the guests', async () => {
    const people = [`ORGANIZER:mailto:${eve}`, `ATTENDEE:mailto:${alice}`, `ATTENDEE:mailto:${bob}`];
    const texts = ['02', '03', '04'].map((day) => formatInstance(day, `SUMMARY:Of day ${day}`, ...people));
    expect(countsOf(await importText(formatCalendar(...texts)))).toEqual([3, 0, 0]);
    const changed = [texts[0], texts[1], texts[2]?.replace('Of', 'New'), formatInstance('05', ...people)];
    expect(countsOf(await importText(formatCalendar(...(changed as string[]))))).toEqual([1, 1, 2]);
    expect(countsOf(await importText(formatCalendar(...(changed as string[]))))).toEqual([0, 0, 4]);
    expect((await listOccurrences()).slice(0, 3)).toEqual([
      'Of day 02 2030-01-02T12:00:00+01:00',
      'Of day 03 2030-01-03T12:00:00+01:00',
      'New day 04 2030-01-04T12:00:00+01:00',
    ]);
  });

  test('instances without their series join it when a later text brings it', async () => {
    const moved = formatInstance('03', 'SUMMARY:Moved');
    const otherText = formatInstance('04', 'SUMMARY:Other');
    expect(countsOf(await importText(formatCalendar(moved, otherText)))).toEqual([2, 0, 0]);
    expect(countsOf(await importText(formatCalendar(moved, otherText.replace('Other', 'New'))))).toEqual([
      0, 1, 1,
    ]);
    const refusedResult = await importText(formatCalendar(moved.replace('DTEND', 'DTEND;VALUE=DATE')));
    expect(problemsOf(refusedResult)).toEqual(['icalendar.0.DTEND invalid']);
    const { events } = await importText(formatCalendar(dailyText, otherText.replace('Other', 'Last')));
    expect(events.map(({ summary }) => summary)).toEqual(['Daily', 'Last']);
    expect((await listOccurrences()).slice(1, 5)).toEqual([
      'Daily 2030-01-02T10:00:00+01:00',
      'Moved 2030-01-03T12:00:00+01:00',
      'Last 2030-01-04T12:00:00+01:00',
      'Daily 2030-01-05T10:00:00+01:00',
    ]);
  });

  test('guests here get own instances that join their series', async () => {
    const invitedInstance = formatInstance(
      '03',
      'SUMMARY:With Bob',
      `ATTENDEE;MEMBER="mailto:a@x.example","mailto:b@x.example":mailto:${bob}`,
    );
    await importText(formatCalendar(invitedInstance));
    expect(await listOccurrences(bob)).toEqual(['With Bob 2030-01-03T12:00:00+01:00']);
    await importText(formatCalendar(dailyText));
    expect(await listOccurrences(bob)).toEqual(['With Bob 2030-01-03T12:00:00+01:00']);
    expect((await listOccurrences())[2]).toBe('With Bob 2030-01-03T12:00:00+01:00');
  });

  test('an event of somebody else that the owner removed stays as it is', async () => {
    const text = formatCalendar(
      formatEvent(
        'foreign',
        'DTSTART:20300101T100000Z',
        `ORGANIZER:mailto:${eve}`,
        `ATTENDEE;PARTSTAT=ACCEPTED:mailto:${eve}`,
        `ATTENDEE:mailto:${alice}`,
      ),
    );
    const { events } = await importText(text);
    await gateway.run(deleteDocument, { calendarId: alice, eventId: events[0]?.id });
    const syncToken = await readSyncToken(gateway, { calendarId: alice });
    expect(countsOf(await importText(text))).toEqual([0, 0, 1]);
    expect((await readPage(gateway, { calendarId: alice, syncToken })).ids).toEqual([]);
  });

  test('an event that was not imported is not replaced', async () => {
    await gateway.makeEvent({ iCalUID: 'single' });
    expect(problemsOf(await importText(formatCalendar(singleText)))).toEqual(['icalendar.0.UID duplicate']);
    expect((await listOccurrences()).length).toBe(1);
  });

  test('imports of the same text at the same time store it once', async () => {
    const text = formatCalendar(dailyText, formatInstance('03', 'SUMMARY:Moved'), singleText);
    const results = await Promise.all([importText(text), importText(text), importText(text)]);
    expect(results.map(({ created, refused }) => [created, refused.length]).toSorted()).toEqual([
      [0, 0],
      [0, 0],
      [3, 0],
    ]);
    expect((await listOccurrences()).length).toBe(6);
  });

  test('refuses a UID whose calendar changes at each attempt, and stores the others', async () => {
    const { events } = gateway.stores;
    const changeEvent = events.changeEvent.bind(events);
    const rename = `mutation ($summary: String!) { patchCalendar(calendarId: "${alice}", calendar: { summary: $summary }) { id } }`;
    let renameCount = 0;
    let isRenaming = true;
    jest.spyOn(events, 'changeEvent').mockImplementation(async (target, decide) => {
      if (isRenaming && target.iCalUID === 'single')
        await gateway.ask(rename, { summary: `${(renameCount += 1)}` }, { as: alice });
      return changeEvent(target, decide);
    });
    const result = await importText(formatCalendar(singleText, dailyText));
    isRenaming = false;
    expect([countsOf(result), problemsOf(result)]).toEqual([[1, 0, 0], ['icalendar.0.UID backendError']]);
    expect(countsOf(await importText(formatCalendar(singleText, dailyText)))).toEqual([1, 0, 1]);
  });

  test('requires the role of a writer', async () => {
    await expectRefusedText(formatCalendar(singleText), 'forbidden', { as: rita });
    await expectRefusedText(formatCalendar(singleText), 'notFound', { as: 'nobody@example.com' });
  });

  test.each([
    ['no calendar', '', 1, 1],
    ['another component', 'BEGIN:VEVENT\r\nEND:VEVENT\r\n', 1, 1],
    ['lines before it', 'SUMMARY:x\r\n', 1, 1],
    ['a line without a name', 'BEGIN:VCALENDAR\r\n:x\r\nEND:VCALENDAR', 2, 1],
    ['a line without a colon', 'BEGIN:VCALENDAR\r\nSUMMARY\r\nEND:VCALENDAR', 2, 8],
    ['an open component', 'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\n', 2, 1],
    ['another END', 'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nEND:VCALENDAR', 3, 1],
    ['many levels', 'BEGIN:VCALENDAR\n'.repeat(20), 7, 1],
  ])('says where a text is not iCalendar: %s', async (_title, text, line, column) => {
    const error = await expectRefusedText(text, 'invalid');
    expect(error?.extensions.issues).toEqual([
      { path: ['icalendar'], reason: 'invalid', message: expect.any(String), params: { line, column } },
    ]);
  });

  test('refuses a text that is too long, or has too many components or guest entries', async () => {
    await expectRefusedText(`${formatCalendar(singleText)}${' '.repeat(800_000)}`, 'tooLong');
    await expectRefusedText(
      formatCalendar(...Array.from({ length: 2_001 }, () => formatComponent('VTODO'))),
      'tooMany',
    );
    await expectRefusedText(
      formatCalendar(
        formatEvent('guests', ...Array.from({ length: 10_001 }, () => 'ATTENDEE:mailto:bob@example.com')),
      ),
      'tooMany',
    );
  });

  test('reads lines as other programs break them', async () => {
    const text = `\ufeff${formatCalendar(singleText)}\r\n\r\n`
      .replaceAll('\r\n', '\n')
      .replace('Sing', 'Si\n ng');
    expect((await importText(text)).events).toMatchObject([{ summary: 'Single' }]);
    expect(countsOf(await importText(formatCalendar(singleText).replaceAll('\r\n', '\r')))).toEqual([
      0, 0, 1,
    ]);
  });
});

test('importCalendar counts one root field per component of the text for the rate limit', async () => {
  const gateway = await startEventGateway({}, { RATE_LIMIT: '1000' });
  const text = formatCalendar(...Array.from({ length: 900 }, () => formatComponent('VTODO')));
  const reasons: unknown[] = [];
  for (let count = 0; count < 2; count += 1) {
    const { errors = [] } = await gateway.ask(importDocument, { calendarId: alice, text }, { as: alice });
    reasons.push(errors[0]?.extensions.reason);
  }
  await gateway.close();
  expect(reasons).toEqual([undefined, 'rateLimitExceeded']);
});

test('importCalendar counts changed instances of the same text towards the limit of a series', async () => {
  const gateway = await startEventGateway();
  const formatHour = (index: number): string =>
    new Date(Date.UTC(2030, 0, 1, index)).toISOString().replaceAll(/[-:]|\.000/g, '');
  const formatChangedHours = (from: number, to: number): string[] =>
    Array.from({ length: to - from }, (_, index) =>
      formatEvent(
        'hours',
        `RECURRENCE-ID:${formatHour(from + index)}`,
        `DTSTART:${formatHour(from + index)}`,
        'SUMMARY:Own',
      ),
    );
  const importHours = async (...lines: readonly string[]): Promise<ImportResult> => {
    const variables = { calendarId: alice, text: formatCalendar(...lines) };
    return (await gateway.ask(importDocument, variables, { as: alice })).data.result;
  };
  const series = formatEvent('hours', `DTSTART:${formatHour(0)}`, 'RRULE:FREQ=HOURLY');
  expect(await importHours(series, ...formatChangedHours(0, 1_900))).toMatchObject({ created: 1_901 });
  const { created, refused } = await importHours(...formatChangedHours(1_900, 2_502));
  await gateway.close();
  // A series has at most 2,500 exceptions.
  expect(created).toBe(600);
  expect(refused.map(({ index, issues }) => [index, issues.map(({ reason }) => reason)])).toEqual([
    [600, ['tooMany']],
    [601, ['tooMany']],
  ]);
});

test('importCalendar stops between two UIDs when the caller disconnects', async () => {
  const gateway = await startEventGateway();
  const { events } = gateway.stores;
  const origin = await gateway.app.listen({ port: 0, host: '127.0.0.1' });
  const caller = new AbortController();
  const changeEvent = events.changeEvent.bind(events);
  const changedUids: unknown[] = [];
  let responseClosed: Promise<unknown> = Promise.resolve();
  gateway.app.server.once('request', (_request, response) => void (responseClosed = once(response, 'close')));
  jest.spyOn(events, 'changeEvent').mockImplementation(async (target, decide) => {
    if (target.iCalUID === 'second') {
      caller.abort();
      await responseClosed;
    }
    changedUids.push(target.iCalUID);
    return changeEvent(target, decide);
  });
  const textWithUids = (...names: readonly string[]): string =>
    formatCalendar(...names.map((name) => singleText.replace('UID:single', `UID:${name}`)));
  const query = importDocument;
  const response = fetch(`${origin}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${await tokenFor(alice)}` },
    body: JSON.stringify({
      query,
      variables: { calendarId: alice, text: textWithUids('first', 'second', 'third') },
    }),
    signal: caller.signal,
  });
  await expect(response).rejects.toThrow('aborted');
  await responseClosed;
  // Another import takes many turns, so that the first one would have gone on meanwhile.
  const variables = { calendarId: alice, text: textWithUids('first', 'fourth', 'fifth', 'sixth') };
  const { data } = await gateway.ask(query, variables, { as: alice });
  await gateway.close();
  expect(data.result).toMatchObject({ created: 3, unchanged: 1 });
  expect(changedUids).toContain('second');
  expect(changedUids).not.toContain('third');
});
