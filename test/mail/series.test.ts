import { occurrencesOf } from '../../src/recurrence/occurrences.ts';
import { originalAt, timeAt } from '../../src/recurrence/original-start.ts';
import type { MailEvent } from '../../src/mail/mail.ts';
import { fc } from '../property.ts';
import { readObject, rendered } from './mail.harness.ts';

const zones = [
  ...['Europe/Berlin', 'Europe/Dublin', 'America/New_York', 'America/St_Johns', 'America/Sao_Paulo'],
  ...['Australia/Lord_Howe', 'Pacific/Apia', 'Africa/Casablanca', 'Asia/Kathmandu', 'Asia/Tehran'],
  ...['Antarctica/Troll', 'Etc/GMT+5', 'UTC', 'Asia/Gaza', 'Pacific/Chatham'],
];
const year = 365 * 86_400_000;
const now = '2026-06-01T08:00:00Z';

const every = (intervals: readonly number[], ...rules: readonly string[]) =>
  fc
    .tuple(fc.constantFrom(...intervals), fc.constantFrom(...rules))
    .map(([interval, rule]) => `RRULE:INTERVAL=${interval};FREQ=${rule}`);
const rules = fc.oneof(
  every([1, 2, 3, 4], 'DAILY', 'WEEKLY'),
  every([1, 5, 7], 'HOURLY'),
  every([1], 'WEEKLY;BYDAY=SU', 'WEEKLY;BYDAY=SA,SU,MO', 'WEEKLY;BYDAY=TU,TH'),
  every([1, 2, 3], 'MONTHLY;BYDAY=-1SU', 'MONTHLY;BYDAY=2SU', 'MONTHLY;BYDAY=1FR'),
  every([1, 2, 3], 'MONTHLY;BYMONTHDAY=-1', 'MONTHLY;BYMONTHDAY=15'),
  every([1], 'YEARLY;BYMONTH=3;BYDAY=-1SU', 'YEARLY;BYMONTH=10;BYDAY=-1SU'),
  every([1], 'YEARLY;BYMONTH=3,11;BYMONTHDAY=8'),
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
    rule: rules,
    limit,
    isDay: fc.boolean(),
    start: fc
      .integer({ min: Date.parse('1965-01-01') / 900_000, max: Date.parse('2034-01-01') / 900_000 })
      .map((quarter) => quarter * 900_000),
  })
  .map(({ zone, rule, limit: end, isDay, start }): MailEvent => {
    const like = isDay && !rule.includes('HOURLY') ? { date: '' } : { dateTime: '', timeZone: zone };
    const occurrences = occurrencesOf({ start: timeAt(start, like), recurrence: [rule] });
    const [begin = NaN] = occurrences.between(start + 1, start + 5 * year, 1).starts;
    const until = /^until (\d+)/.exec(end);
    const stop = new Date(begin + Number(until?.[1]) * year);
    const written = (): string =>
      like.date === undefined
        ? `${stop.toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`
        : stop.toISOString().slice(0, 10).replaceAll('-', '');
    return {
      start: timeAt(begin, like),
      end: timeAt(begin + (like.date === undefined ? 3_600_000 : 86_400_000), like),
      recurrence: [rule + (until ? `;UNTIL=${written()}` : end)],
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
      const { starts } = occurrencesOf(event).between(from, before, 2000);
      expect(read?.filter((moment) => moment >= from)).toEqual([...starts]);
    }),
    { numRuns: 6 },
  );
});

test('changed instances are when they are, and cancelled ones are none', () => {
  const change = fc.tuple(fc.nat(30), fc.boolean(), fc.integer({ min: -400 * 96, max: 400 * 96 }));
  const changes = fc.array(change, { maxLength: 6 });
  fc.assert(
    fc.property(series, changes, (event, all) => {
      const starts = startsOf(event);
      const isDay = event.start?.date !== undefined;
      const unit = isDay ? 86_400_000 : 900_000;
      const chosen = new Map(
        all.flatMap(([index, off, units]) =>
          starts[index] === undefined
            ? []
            : [[starts[index], { off, to: starts[index] + units * unit }] as const],
        ),
      );
      const instances = [...chosen].map(([start, { off, to }]) => ({
        original: originalAt(start, isDay),
        event: off
          ? { status: 'cancelled' as const }
          : { summary: 'Moved', sequence: 1, start: timeAt(to, event.start ?? {}) },
      }));
      const mail = rendered({ event: { ...event, sequence: 3 }, instances, at: now });
      const [read, ...moved] = readObject(mail).events;
      const left = starts.filter((start) => !chosen.get(start)?.off);
      expect(read?.starts((starts.at(-1) as number) + 1)).toEqual(left);
      const sequenceOf = (of: (typeof moved)[number]['component']) => of.getFirstPropertyValue('sequence');
      const on = [...chosen].filter(([, { off }]) => !off);
      expect(
        moved.map(({ at, component }) => [at('recurrence-id'), at('dtstart'), sequenceOf(component)]),
      ).toEqual(on.map(([start, { to }]) => [start, to, 3]));
      for (const { component } of moved)
        for (const name of ['rrule', 'rdate', 'exdate']) expect(component.hasProperty(name)).toBe(false);
    }),
    { numRuns: 25 },
  );
});
