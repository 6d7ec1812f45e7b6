import { occurrencesOf } from '../../src/event/recurrence/occurrences.ts';
import { originalAt, timeAt } from '../../src/event/recurrence/instance-id.ts';
import type { MailEvent } from '../../src/mail/mail.ts';
import { fc } from '../property.ts';
import { readObject, rendered } from './mail.harness.ts';

const zones = [
  'Europe/Berlin',
  'Europe/Dublin',
  'America/New_York',
  'America/St_Johns',
  'America/Sao_Paulo',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Africa/Casablanca',
  'Asia/Kathmandu',
  'Asia/Tehran',
  'Antarctica/Troll',
  'Etc/GMT+5',
  'UTC',
  'Asia/Gaza',
  'Pacific/Chatham',
];
const year = 365 * 86_400_000;
const now = '2026-06-01T08:00:00Z';

const rule = fc.oneof(
  fc.record({
    freq: fc.constantFrom('DAILY', 'WEEKLY'),
    interval: fc.integer({ min: 1, max: 4 }),
    by: fc.constant(''),
  }),
  fc.record({ freq: fc.constant('HOURLY'), interval: fc.constantFrom(1, 5, 7), by: fc.constant('') }),
  fc.record({
    freq: fc.constant('WEEKLY'),
    interval: fc.constant(1),
    by: fc.constantFrom(';BYDAY=SU', ';BYDAY=SA,SU,MO', ';BYDAY=TU,TH'),
  }),
  fc.record({
    freq: fc.constant('MONTHLY'),
    interval: fc.integer({ min: 1, max: 3 }),
    by: fc.constantFrom(';BYDAY=-1SU', ';BYDAY=2SU', ';BYDAY=1FR', ';BYMONTHDAY=-1', ';BYMONTHDAY=15'),
  }),
  fc.record({
    freq: fc.constant('YEARLY'),
    interval: fc.constant(1),
    by: fc.constantFrom(';BYMONTH=3;BYDAY=-1SU', ';BYMONTH=10;BYDAY=-1SU', ';BYMONTH=3,11;BYMONTHDAY=8'),
  }),
);
const limit = fc.oneof(
  fc.constant(''),
  fc.integer({ min: 1, max: 400 }).map((count) => `;COUNT=${count}`),
  fc.constantFrom(1, 3, 12).map((years) => `until ${years}`),
);

/** A series whose start is one of its rule. */
const series = fc
  .record({
    zone: fc.constantFrom(...zones),
    rule,
    limit,
    isDay: fc.boolean(),
    start: fc
      .integer({ min: Date.parse('1965-01-01') / 900_000, max: Date.parse('2034-01-01') / 900_000 })
      .map((quarter) => quarter * 900_000),
  })
  .map(({ zone, rule: { freq, interval, by }, limit: end, isDay, start }): MailEvent => {
    const isHourly = freq === 'HOURLY';
    const like = isDay && !isHourly ? { date: '' } : { dateTime: '', timeZone: zone };
    const lineFor = (text: string): string => `RRULE:INTERVAL=${interval};FREQ=${freq}${by}${text}`;
    const first = timeAt(start, like);
    const begin = occurrencesOf({ start: first, recurrence: [lineFor('')] }).between(
      start + 1,
      start + 5 * year,
      1,
    ).starts[0] as number;
    const until = /^until (\d+)/.exec(end);
    const stop = new Date(begin + Number(until?.[1]) * year);
    const written = (): string =>
      like.date === undefined
        ? `${stop.toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`
        : stop.toISOString().slice(0, 10).replaceAll('-', '');
    return {
      start: timeAt(begin, like),
      end: timeAt(begin + (like.date === undefined ? 3_600_000 : 86_400_000), like),
      recurrence: [lineFor(until ? `;UNTIL=${written()}` : end)],
    };
  });

/** The first starts that an event has here, within the next ten years. */
const startsOf = (event: MailEvent): number[] => [
  ...occurrencesOf(event).between(-Infinity, Date.parse(now) + 10 * year, 150).starts,
];

test('who reads the object alone finds each occurrence when it is', () => {
  fc.assert(
    fc.property(series, (event) => {
      const [read] = readObject(rendered({ event, at: now })).events;
      const starts = startsOf(event);
      const before = (starts.at(-1) as number) + 1;
      expect(read?.starts(before)).toEqual(starts);
      expect((read?.at('dtend') as number) - (read?.at('dtstart') as number)).toBe(
        event.start?.date === undefined ? 3_600_000 : 86_400_000,
      );
    }),
    { numRuns: 45 },
  );
});

test('an endless series has the clocks of the ten years from now', () => {
  fc.assert(
    fc.property(fc.constantFrom(...zones), fc.integer({ min: 0, max: 23 }), (timeZone, hour) => {
      const at = `${String(hour).padStart(2, '0')}:30:00`;
      const start = timeAt(Date.parse(`2025-01-01T${at}Z`), { timeZone });
      const event = { start, recurrence: ['RRULE:FREQ=DAILY'] };
      const [from, before] = [Date.parse('2035-08-01'), Date.parse('2036-05-31')];
      const read = readObject(rendered({ event, at: now })).events[0]?.starts(before);
      expect(read?.filter((moment) => moment >= from)).toEqual([
        ...occurrencesOf(event).between(from, before, 2000).starts,
      ]);
    }),
    { numRuns: 6 },
  );
});

test('changed instances are when they are, and cancelled ones are none', () => {
  const changes = fc.array(
    fc.tuple(fc.nat(30), fc.boolean(), fc.integer({ min: -400 * 96, max: 400 * 96 })),
    { maxLength: 6 },
  );
  fc.assert(
    fc.property(series, changes, (event, all) => {
      const starts = startsOf(event);
      const isDay = event.start?.date !== undefined;
      const chosen = new Map(
        all.flatMap(([index, off, quarters]) =>
          starts[index] === undefined ? [] : [[starts[index], { off, quarters }] as const],
        ),
      );
      const instances = [...chosen].map(([start, { off, quarters }]) => ({
        original: originalAt(start, isDay),
        event: off
          ? { status: 'cancelled' as const }
          : {
              summary: 'Moved',
              sequence: 1,
              start: timeAt(start + quarters * (isDay ? 86_400_000 : 900_000), event.start ?? {}),
            },
      }));
      const [read, ...moved] = readObject(
        rendered({ event: { ...event, sequence: 3 }, instances, at: now }),
      ).events;
      const off = [...chosen].filter(([, one]) => one.off).map(([start]) => start);
      expect(read?.starts((starts.at(-1) as number) + 1)).toEqual(
        starts.filter((start) => !off.includes(start)),
      );
      const on = [...chosen].filter(([, one]) => !one.off);
      expect(
        moved.map((one) => [
          one.at('recurrence-id'),
          one.at('dtstart'),
          one.component.getFirstPropertyValue('sequence'),
        ]),
      ).toEqual(
        on.map(([start, { quarters }]) => [start, start + quarters * (isDay ? 86_400_000 : 900_000), 3]),
      );
      expect(
        moved.flatMap(({ component }) =>
          ['rrule', 'rdate', 'exdate'].filter((name) => component.hasProperty(name)),
        ),
      ).toEqual([]);
    }),
    { numRuns: 25 },
  );
});
