import { fc } from '../../property.ts';
import { demoNow, useGateway } from '../../harness.ts';
import { collectChecks, normalizeAnswer, generateSelection, writeSelection } from './edge-checks.ts';

const [olga, gus, rita, fred, sam] = ['olga', 'gus', 'rita', 'fred', 'sam'].map(
  (name) => `${name}@example.com`,
) as [string, string, string, string, string];
const utcTimeOn = (day: number, hour: number) => ({
  dateTime: `2026-12-${String(day).padStart(2, '0')}T${String(hour).padStart(2, '0')}:00:00Z`,
  timeZone: 'UTC',
});
const acl = [
  { email: rita, role: 'reader' },
  { email: fred, role: 'freeBusyReader' },
];
const seed = {
  calendars: [
    {
      id: olga,
      owner: olga,
      timeZone: 'UTC',
      acl,
      events: [
        {
          id: 'single',
          summary: 'A plan',
          start: utcTimeOn(1, 9),
          end: utcTimeOn(1, 10),
          attendees: [{ email: gus }],
        },
        {
          id: 'secret',
          summary: 'Hush, a plan',
          description: 'not for readers',
          visibility: 'private',
          start: utcTimeOn(2, 9),
          end: utcTimeOn(2, 10),
          extendedProperties: { private: { key: 'value' } },
        },
        {
          id: 'hidden',
          summary: 'Who else comes',
          guestsCanSeeOtherGuests: false,
          start: utcTimeOn(3, 9),
          end: utcTimeOn(3, 10),
          attendees: [{ email: gus }, { email: rita }, { email: 'eve@example.com' }],
        },
        {
          id: 'series',
          summary: 'Planning',
          start: utcTimeOn(1, 12),
          end: utcTimeOn(1, 13),
          recurrence: ['RRULE:FREQ=DAILY;COUNT=12'],
          attendees: [{ email: gus }],
        },
        {
          id: 'series_20261204T120000Z',
          recurringEventId: 'series',
          originalStartTime: utcTimeOn(4, 12),
          summary: 'Planning with Rita',
          start: utcTimeOn(4, 14),
          end: utcTimeOn(4, 15),
          attendees: [{ email: gus }, { email: rita }],
        },
        {
          id: 'series_20261205T120000Z',
          recurringEventId: 'series',
          originalStartTime: utcTimeOn(5, 12),
          status: 'cancelled',
        },
        {
          id: 'gone',
          summary: 'No plan',
          status: 'cancelled',
          start: utcTimeOn(6, 9),
          end: utcTimeOn(6, 10),
        },
      ],
    },
    { id: 'team', owner: olga, timeZone: 'Europe/Berlin', acl, events: [] },
    ...[gus, rita, fred].map((owner) => ({ id: owner, owner, timeZone: 'UTC', acl: [], events: [] })),
  ],
  buckets: [
    {
      name: 'photos',
      project: 'some-project',
      managers: [olga],
      notifications: [
        { topic: 'projects/some-project/topics/one' },
        { topic: 'projects/some-project/topics/two' },
      ],
    },
    { name: 'paid', project: 'some-project', requesterPays: true, managers: [olga, rita], notifications: [] },
  ],
};
/** Root fields that selections begin with, and the types they return. */
const typesByRootField: Readonly<Record<string, string>> = {
  calendars: 'Calendar',
  'calendar(calendarId: "primary")': 'Calendar',
  [`calendar(calendarId: "${olga}")`]: 'Calendar',
  [`event(calendarId: "${olga}", eventId: "series")`]: 'Event',
  [`event(calendarId: "${olga}", eventId: "series_20261204T120000Z")`]: 'Event',
  [`event(calendarId: "${olga}", eventId: "hidden")`]: 'Event',
  'bucket(bucket: "photos")': 'Bucket',
  'bucket(bucket: "paid", userProject: "other-project")': 'Bucket',
};

describe('edges', () => {
  // 'eager' compiles each document before its first response.
  const compiledGateway = useGateway({ COMPILED_OPERATIONS: 'eager' }, { seed, clock: () => demoNow });
  const plainGateway = useGateway({ COMPILED_OPERATIONS: 'off' }, { seed, clock: () => demoNow });

  test.each([
    ['the organizer', olga],
    ['a guest', gus],
    ['a reader', rita],
    ['a free/busy reader', fred],
    ['a stranger', sam],
  ])('show %s what their root fields show, at any depth', async (_name, as) => {
    let checkCount = 0;
    const selectionArbitrary = fc
      .constantFrom(...Object.entries(typesByRootField))
      .chain(([root, type]) =>
        fc.record({ root: fc.constant(root), type: fc.constant(type), selection: generateSelection(type) }),
      );
    await fc.assert(
      fc.asyncProperty(selectionArbitrary, async ({ root, type, selection }) => {
        const document = `{ root: ${root} ${writeSelection(type, selection)} }`;
        const answer = await compiledGateway.ask(document, {}, { as });
        expect(normalizeAnswer(answer)).toEqual(
          normalizeAnswer(await plainGateway.ask(document, {}, { as })),
        );
        // Skips operations refused for their cost: their root fields alone would pass.
        fc.pre(!answer.errors?.some(({ extensions }) => extensions.reason === 'tooMany'));
        const rootValue: unknown = answer.data?.root;
        const objects = Array.isArray(rootValue)
          ? rootValue.map((object, index) => [object, ['root', index]])
          : rootValue
            ? [[rootValue, ['root']]]
            : [];
        const checks = objects
          .flatMap(([object, path]) => collectChecks(type, selection, object, path))
          .slice(0, 60);
        for (const { rootField, path, isNull, edgeValue, stripEdges } of checks) {
          checkCount += 1;
          const rootAnswer = await plainGateway.ask(`{ root: ${rootField} }`, {}, { as });
          const [error] = rootAnswer.errors ?? [];
          const expectedError =
            error && isNull(error.extensions.code, error.extensions.reason) ? undefined : error;
          const edgeError = answer.errors?.find(
            (candidate) => JSON.stringify(candidate.path) === JSON.stringify(path),
          );
          expect([document, path, stripEdges(edgeValue)]).toEqual([document, path, rootAnswer.data.root]);
          expect(edgeError?.message).toBe(expectedError?.message);
          expect(edgeError?.extensions.code).toBe(expectedError?.extensions.code);
          expect(edgeError?.extensions.issues).toEqual(expectedError?.extensions.issues);
        }
      }),
      { numRuns: 25 },
    );
    // A stranger sees hardly any edges, so there is little to check.
    expect(checkCount > 50).toBe(as !== sam);
  });
});
