import ICAL from 'ical.js';
import { occurrencesOf } from '../../src/recurrence/occurrences.ts';
import { formatOriginalStart, eventTimeAt } from '../../src/recurrence/original-start.ts';
import type { MailEvent } from '../../src/mail/mail.ts';
import { fc } from '../property.ts';
import { berlinTimes, readICalendar, renderSampleMail } from './mail.harness.ts';

const zones = [
  ...['Europe/Berlin', 'Europe/Dublin', 'America/New_York', 'America/St_Johns', 'America/Sao_Paulo'],
  ...['Australia/Lord_Howe', 'Pacific/Apia', 'Africa/Casablanca', 'Asia/Kathmandu', 'Asia/Tehran'],
  ...['Antarctica/Troll', 'Etc/GMT+5', 'UTC', 'Asia/Gaza', 'Pacific/Chatham'],
];
const yearMs = 365 * 86_400_000;
const changedAt = '2026-06-01T08:00:00Z';

const anyRuleOf = (intervals: readonly number[], ...rules: readonly string[]) =>
  fc
    .tuple(fc.constantFrom(...intervals), fc.constantFrom(...rules))
    .map(([interval, rule]) => `RRULE:INTERVAL=${interval};FREQ=${rule}`);
const anyRule = fc.oneof(
  anyRuleOf([1, 2, 3, 4], 'DAILY', 'WEEKLY'),
  anyRuleOf([1, 5, 7], 'HOURLY'),
  anyRuleOf([1], 'WEEKLY;BYDAY=SU', 'WEEKLY;BYDAY=SA,SU,MO', 'WEEKLY;BYDAY=TU,TH'),
  anyRuleOf([1, 2, 3], 'MONTHLY;BYDAY=-1SU', 'MONTHLY;BYDAY=2SU', 'MONTHLY;BYDAY=1FR'),
  anyRuleOf([1, 2, 3], 'MONTHLY;BYMONTHDAY=-1', 'MONTHLY;BYMONTHDAY=15'),
  anyRuleOf([1], 'YEARLY;BYMONTH=3;BYDAY=-1SU', 'YEARLY;BYMONTH=10;BYDAY=-1SU'),
  anyRuleOf([1], 'YEARLY;BYMONTH=3,11;BYMONTHDAY=8'),
);
/** End of a rule: none, a COUNT, or `until N`, which stands for an UNTIL N years after the first start. */
const anyLimit = fc.oneof(
  fc.constant(''),
  fc.integer({ min: 1, max: 400 }).map((count) => `;COUNT=${count}`),
  fc.constantFrom(1, 3, 12).map((years) => `until ${years}`),
);

/** A random series that starts with an occurrence of its rule. */
const anySeries = fc
  .record({
    zone: fc.constantFrom(...zones),
    rule: anyRule,
    limit: anyLimit,
    isDay: fc.boolean(),
    start: fc
      .integer({ min: Date.parse('1965-01-01') / 900_000, max: Date.parse('2034-01-01') / 900_000 })
      .map((quarterHours) => quarterHours * 900_000),
  })
  .map(({ zone, rule, limit, isDay, start }): MailEvent => {
    const timeTemplate = isDay && !rule.includes('HOURLY') ? { date: '' } : { dateTime: '', timeZone: zone };
    const occurrences = occurrencesOf({ start: eventTimeAt(start, timeTemplate), recurrence: [rule] });
    const [firstStart = NaN] = occurrences.between(start + 1, start + 5 * yearMs, 1).starts;
    const until = /^until (\d+)/.exec(limit);
    const untilTime = new Date(firstStart + Number(until?.[1]) * yearMs);
    const formatUntil = (): string =>
      timeTemplate.date === undefined
        ? `${untilTime.toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`
        : untilTime.toISOString().slice(0, 10).replaceAll('-', '');
    return {
      start: eventTimeAt(firstStart, timeTemplate),
      end: eventTimeAt(firstStart + (timeTemplate.date === undefined ? 3_600_000 : 86_400_000), timeTemplate),
      recurrence: [rule + (until ? `;UNTIL=${formatUntil()}` : limit)],
    };
  });

/** First occurrences of an event in the gateway, within ten years. */
const listFirstStarts = (event: MailEvent): number[] => [
  ...occurrencesOf(event).between(-Infinity, Date.parse(changedAt) + 10 * yearMs, 150).starts,
];

test('the iCalendar object alone gives the same occurrences', () => {
  fc.assert(
    fc.property(anySeries, (event) => {
      const [readEvent] = readICalendar(renderSampleMail({ event, at: changedAt })).events;
      const starts = listFirstStarts(event);
      const endInstant = (starts.at(-1) as number) + 1;
      expect(readEvent?.starts(endInstant)).toEqual(starts);
      expect(
        (readEvent?.readInstant('dtend') as number) - (readEvent?.readInstant('dtstart') as number),
      ).toBe(event.start?.date === undefined ? 3_600_000 : 86_400_000);
    }),
    { numRuns: 45 },
  );
});

test('an endless series has a VTIMEZONE for ten years', () => {
  fc.assert(
    fc.property(fc.constantFrom(...zones), fc.integer({ min: 0, max: 23 }), (timeZone, hour) => {
      const localTime = `${String(hour).padStart(2, '0')}:30:00`;
      const start = eventTimeAt(Date.parse(`2025-01-01T${localTime}Z`), { timeZone });
      const event = { start, recurrence: ['RRULE:FREQ=DAILY'] };
      const [rangeStartMs, rangeEndMs] = [Date.parse('2035-08-01'), Date.parse('2036-05-31')];
      const readStarts = readICalendar(renderSampleMail({ event, at: changedAt })).events[0]?.starts(
        rangeEndMs,
      );
      const { starts } = occurrencesOf(event).between(rangeStartMs, rangeEndMs, 2000);
      expect(readStarts?.filter((instant) => instant >= rangeStartMs)).toEqual([...starts]);
    }),
    { numRuns: 6 },
  );
});

test('ical.js gives every occurrence its time by the VTIMEZONE alone, from the first onset on', () => {
  for (const timeZone of [...zones, 'Asia/Tokyo']) {
    const start = eventTimeAt(Date.parse('2025-01-01T12:00:00Z'), { timeZone });
    const event = { start, recurrence: ['RRULE:FREQ=DAILY;COUNT=1500'] };
    const { root } = readICalendar(renderSampleMail({ event, at: changedAt }));
    const icalIterator = new ICAL.Event(root.getFirstSubcomponent('vevent') as ICAL.Component).iterator();
    const icalStarts = Array.from({ length: 1500 }, () => icalIterator.next().toUnixTime() * 1000);
    expect(icalStarts).toEqual([...occurrencesOf(event).between(0, Infinity, 1500).starts]);
  }
});

test('each observance names its first onset in RDATE too', () => {
  const { root } = readICalendar(
    renderSampleMail({ event: { ...berlinTimes, recurrence: ['RRULE:FREQ=DAILY;COUNT=9'] } }),
  );
  const observances = root.getAllSubcomponents('vtimezone').flatMap((zone) => zone.getAllSubcomponents());
  expect(observances.map(({ name }) => name).sort()).toEqual(['daylight', 'standard']);
  for (const observance of observances)
    expect(String(observance.getFirstPropertyValue('rdate'))).toBe(
      String(observance.getFirstPropertyValue('dtstart')),
    );
});

test('moved instances have their new start, and cancelled ones are excluded', () => {
  // Index of an occurrence, whether it is cancelled, and its shift in days or quarter-hours.
  const anyChange = fc.tuple(fc.nat(30), fc.boolean(), fc.integer({ min: -400 * 96, max: 400 * 96 }));
  const anyChanges = fc.array(anyChange, { maxLength: 6 });
  fc.assert(
    fc.property(anySeries, anyChanges, (event, instanceChanges) => {
      const starts = listFirstStarts(event);
      const isAllDay = event.start?.date !== undefined;
      const unitMs = isAllDay ? 86_400_000 : 900_000;
      const changedInstances = new Map(
        instanceChanges.flatMap(([index, isCancelled, shiftUnits]) =>
          starts[index] === undefined
            ? []
            : [[starts[index], { isCancelled, newStart: starts[index] + shiftUnits * unitMs }] as const],
        ),
      );
      const instances = [...changedInstances].map(([start, { isCancelled, newStart }]) => ({
        original: formatOriginalStart(start, isAllDay),
        event: isCancelled
          ? { status: 'cancelled' as const }
          : { summary: 'Moved', sequence: 1, start: eventTimeAt(newStart, event.start ?? {}) },
      }));
      const mail = renderSampleMail({ event: { ...event, sequence: 3 }, instances, at: changedAt });
      const [readEvent, ...movedEvents] = readICalendar(mail).events;
      const remainingStarts = starts.filter((start) => !changedInstances.get(start)?.isCancelled);
      expect(readEvent?.starts((starts.at(-1) as number) + 1)).toEqual(remainingStarts);
      const movedInstances = [...changedInstances].filter(([, { isCancelled }]) => !isCancelled);
      const describeMoved = ({ readInstant, component }: (typeof movedEvents)[number]) => [
        readInstant('recurrence-id'),
        readInstant('dtstart'),
        component.getFirstPropertyValue('sequence'),
      ];
      expect(movedEvents.map(describeMoved)).toEqual(
        movedInstances.map(([start, { newStart }]) => [start, newStart, 3]),
      );
      for (const { component } of movedEvents)
        for (const name of ['rrule', 'rdate', 'exdate']) expect(component.hasProperty(name)).toBe(false);
    }),
    { numRuns: 25 },
  );
});
