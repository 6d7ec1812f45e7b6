// Attacks by iCalendar files: malformed ones, and those made to be expensive.
import { signToken, withGateway } from './gateway.js';
import { smallSeed } from './seed.js';

const owner = 'mike@example.com';
const importMutation =
  'mutation ($text: String!) { importCalendar(calendarId: "primary", icalendar: $text) { created refused { index } } }';

// Functions that create the text of a calendar, an event and a time zone from their lines.
const createCalendar = (...lines) =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', ...lines, 'END:VCALENDAR', ''].join('\r\n');
const createEvent = (uid, ...lines) => ['BEGIN:VEVENT', `UID:${uid}`, ...lines, 'END:VEVENT'].join('\r\n');
const startLine = 'DTSTART:20300101T100000Z';
const repeatLines = (count, createLine) =>
  Array.from({ length: count }, (_, index) => createLine(index)).join('\r\n');
const createZone = (...lines) =>
  ['BEGIN:VTIMEZONE', 'TZID:Own', 'BEGIN:STANDARD', ...lines, 'END:STANDARD', 'END:VTIMEZONE'].join('\r\n');

/** Files by what is wrong with them. None may stop the gateway or other requests. */
export const hostileFiles = {
  'not iCalendar': 'x'.repeat(790_000),
  'a line break after each character': 'B\r\n '.repeat(120_000),
  'forty thousand unclosed levels': 'BEGIN:VCALENDAR\r\n'.repeat(40_000),
  'thousands of unclosed components': createCalendar(
    repeatLines(1_900, (index) => `BEGIN:VEVENT\r\nUID:${index}`),
  ),
  'one event of 700,000 characters': createCalendar(
    createEvent('long', startLine, `DESCRIPTION:${'y'.repeat(700_000)}`),
  ),
  'twenty thousand parameters': createCalendar(
    createEvent('parameters', startLine, `SUMMARY${';X-A=1'.repeat(20_000)}:x`),
  ),
  'forty thousand dates': createCalendar(
    createEvent('dates', startLine, `RDATE:${'20300101T100000Z,'.repeat(40_000)}`),
  ),
  'ten thousand rules': createCalendar(
    createEvent(
      'rules',
      startLine,
      repeatLines(10_000, () => 'RRULE:FREQ=SECONDLY'),
    ),
  ),
  'one UID in thousands of events': createCalendar(repeatLines(1_900, () => createEvent('same', startLine))),
  'a zone with a rule for each second': createCalendar(
    createZone('DTSTART:19700101T000000', 'TZOFFSETFROM:+0100', 'TZOFFSETTO:+0100', 'RRULE:FREQ=SECONDLY'),
    createEvent('zone', 'DTSTART;TZID=Own:20300101T100000', 'RRULE:FREQ=DAILY'),
  ),
  'a zone of thirty thousand rules': createCalendar(
    createZone(
      'DTSTART:19700101T000000',
      'TZOFFSETFROM:+0100',
      'TZOFFSETTO:+0100',
      repeatLines(28_000, () => 'RRULE:FREQ=YEARLY;BYDAY=MO'),
    ),
    createEvent('zone', 'DTSTART;TZID=Own:20300101T100000', 'RRULE:FREQ=DAILY'),
  ),
  'thousands of zones': createCalendar(
    repeatLines(1_900, (index) =>
      createZone(
        'DTSTART:19700101T000000',
        'TZOFFSETFROM:+0100',
        'TZOFFSETTO:+0100',
        'RRULE:FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR,SA,SU',
      ).replace('TZID:Own', `TZID:Own${index}`),
    ),
    createEvent('zone', 'DTSTART;TZID=Own1800:20300101T100000', 'RRULE:FREQ=DAILY'),
  ),
  'hourly series in an unknown zone': createCalendar(
    createZone('DTSTART:19700101T000000', 'TZOFFSETFROM:+0130', 'TZOFFSETTO:+0130'),
    repeatLines(1_900, (index) =>
      createEvent(
        `hourly${index}`,
        'DTSTART;TZID=Own:20300101T100000',
        'RRULE:FREQ=HOURLY;BYMINUTE=1,2,3,4,5,6',
      ),
    ),
  ),
  'ten thousand guests': createCalendar(
    createEvent(
      'guests',
      startLine,
      repeatLines(9_900, (guest) => `ATTENDEE:mailto:g${guest}@x.example`),
    ),
  ),
};

const maxStallMs = 1_000;
const maxGrowthMb = 200;

const checkFiles = () =>
  withGateway({ seed: smallSeed, env: { RATE_LIMIT: 'off' } }, async (gateway) => {
    const token = await signToken(owner);
    await gateway.readStallMs();
    const { currentMb } = gateway.readMemory();
    gateway.resetPeak();
    const faults = [];
    for (const [title, text] of Object.entries(hostileFiles)) {
      const { status, fault, body } = await gateway.sendGraphql(importMutation, { text }, { token });
      if (fault || status !== 200 || /INTERNAL|UNAVAILABLE/.test(body))
        faults.push(`${title}: ${fault ?? status} ${body?.slice(0, 100)}`);
    }
    const stallMs = await gateway.readStallMs();
    const growthMb = Math.round(gateway.readMemory().peakMb - currentMb);
    return {
      attack: `${Object.keys(hostileFiles).length} malformed or expensive files`,
      criterion: `a response for each, stalls < ${maxStallMs} ms, < ${maxGrowthMb} MB more`,
      figure: faults.join('; ') || `${stallMs} ms, ${growthMb} MB`,
      isMet: faults.length === 0 && stallMs < maxStallMs && growthMb < maxGrowthMb,
    };
  });

export const fileChecks = { files: checkFiles };
