import { anyBody, anyControls, kinds, rarely, writers } from './any-body.ts';
import { alice, day, hour, zoned, type Controls, type Outcome, useEvents } from './event.harness.ts';
import { fc } from '../property.ts';

const withEverything = { conferenceDataVersion: 1, supportsAttachments: true };
const codes = /^(BAD_USER_INPUT|FORBIDDEN|NOT_FOUND|CONFLICT|PRECONDITION_FAILED)$/;

describe('any body', () => {
  const gateway = useEvents();
  const done = { applied: 0, refused: 0 };

  /** An answer that a client can work with: the event, or errors that tell where and why. */
  function expectAnswer({ status, event, errors, warnings = [] }: Outcome): void {
    expect([status, (event ?? null) === null]).toEqual([200, errors !== undefined]);
    done[errors ? 'refused' : 'applied'] += 1;
    for (const { message, extensions } of errors ?? []) {
      expect([extensions.code, message]).toEqual([expect.stringMatching(codes), expect.stringMatching(/./)]);
      expect(extensions.issues.length).toBeGreaterThan(0);
      for (const { path, reason } of extensions.issues)
        expect([path.length > 0, reason]).toEqual([true, expect.stringMatching(/^[a-z]/i)]);
    }
    for (const { path, reason } of warnings)
      expect([path[0], reason]).toEqual(['event', expect.stringMatching(/^[a-z]/i)]);
  }

  /** What was answered goes back in, changes nothing and warns of nothing: it keeps every rule. */
  async function expectSameBack(
    id: string,
    { event }: Outcome,
    { as, maxAttendees, alwaysIncludeEmail }: Controls,
  ): Promise<void> {
    const view = { as, maxAttendees, alwaysIncludeEmail };
    expect(await gateway.change(id, event, { ...view, ...withEverything })).toEqual(event);
    expect((await gateway.read(id, view)).event).toEqual(event);
  }

  test('in a patch gives an event that goes back in as it is, or an error with paths; an error and a dry run store nothing', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...writers),
        anyBody,
        anyControls,
        rarely<unknown>('*', '"no such etag"', null),
        async ({ kind, as }, body, options, ifMatch) => {
          const { id } = (await gateway.insert({ ...hour, ...kinds[kind] }, withEverything)).event;
          const before = await gateway.on(as, id);
          const outcome = await gateway.patch(id, body, { ...options, as, ifMatch });
          expectAnswer(outcome);
          if (outcome.errors || options.validateOnly === true)
            expect(await gateway.on(as, id)).toEqual(before);
          else await expectSameBack(id, outcome, { ...options, as });
        },
      ),
      { numRuns: 200 },
    );
    // A generator that only ever makes one sort of body would prove little.
    expect(Math.min(done.applied, done.refused)).toBeGreaterThan(60);
  });

  test('in an insert does so, too', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom<object>(hour, day, zoned, {}),
        anyBody,
        anyControls,
        async (times, body, options) => {
          const outcome = await gateway.insert({ ...body, ...times }, options);
          expectAnswer(outcome);
          if (outcome.errors) return;
          if (options.validateOnly === true)
            expect((await gateway.read(outcome.event.id)).problems).toEqual(['NOT_FOUND eventId notFound']);
          else await expectSameBack(outcome.event.id, outcome, { ...options, as: alice });
        },
      ),
      { numRuns: 100 },
    );
  });
});
