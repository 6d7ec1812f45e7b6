import { anyBody, anyControls, bodiesByKind, rarelyOneOf, writers } from './body-generators.ts';
import {
  alice,
  oneDay,
  oneHour,
  zonedHour,
  type Controls,
  type Outcome,
  useEventGateway,
} from './event.harness.ts';
import { fc } from '../property.ts';

const allControls = { conferenceDataVersion: 1, supportsAttachments: true };
const errorCodes = /^(BAD_USER_INPUT|FORBIDDEN|NOT_FOUND|CONFLICT|PRECONDITION_FAILED)$/;

describe('a random body', () => {
  const gateway = useEventGateway();
  const outcomeCounts = { applied: 0, refused: 0 };

  /** Expects the event, or errors with path and reason. */
  function expectEventOrErrors({ status, event, errors, warnings = [] }: Outcome): void {
    expect([status, (event ?? null) === null]).toEqual([200, errors !== undefined]);
    outcomeCounts[errors ? 'refused' : 'applied'] += 1;
    for (const { message, extensions } of errors ?? []) {
      expect([extensions.code, message]).toEqual([
        expect.stringMatching(errorCodes),
        expect.stringMatching(/./),
      ]);
      expect(extensions.issues.length).toBeGreaterThan(0);
      for (const { path, reason } of extensions.issues)
        expect([path.length > 0, reason]).toEqual([true, expect.stringMatching(/^[a-z]/i)]);
    }
    for (const { path, reason } of warnings)
      expect([path[0], reason]).toEqual(['event', expect.stringMatching(/^[a-z]/i)]);
  }

  /** Expects that the returned event can be sent back without a change or warning. */
  async function expectRoundTrip(
    id: string,
    { event }: Outcome,
    { as, maxAttendees, alwaysIncludeEmail }: Controls,
  ): Promise<void> {
    const readOptions = { as, maxAttendees, alwaysIncludeEmail };
    expect(await gateway.changeEvent(id, event, { ...readOptions, ...allControls })).toEqual(event);
    expect((await gateway.read(id, readOptions)).event).toEqual(event);
  }

  test('in a patch gives an event that can be sent back, or errors with paths; errors and dry runs store nothing', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...writers),
        anyBody,
        anyControls,
        rarelyOneOf<unknown>('*', '"no such etag"', null),
        async ({ kind, as }, body, options, ifMatch) => {
          const { id } = (await gateway.insert({ ...oneHour, ...bodiesByKind[kind] }, allControls)).event;
          const before = await gateway.readOn(as, id);
          const outcome = await gateway.patch(id, body, { ...options, as, ifMatch });
          expectEventOrErrors(outcome);
          if (outcome.errors || options.validateOnly === true)
            expect(await gateway.readOn(as, id)).toEqual(before);
          else await expectRoundTrip(id, outcome, { ...options, as });
        },
      ),
      { numRuns: 200 },
    );
    // The generator must produce enough valid and invalid bodies.
    expect(Math.min(outcomeCounts.applied, outcomeCounts.refused)).toBeGreaterThan(60);
  });

  test('in an insert gives an event that can be sent back, or errors with paths', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom<object>(oneHour, oneDay, zonedHour, {}),
        anyBody,
        anyControls,
        async (times, body, options) => {
          const outcome = await gateway.insert({ ...body, ...times }, options);
          expectEventOrErrors(outcome);
          if (outcome.errors) return;
          if (options.validateOnly === true)
            expect((await gateway.read(outcome.event.id)).problems).toEqual(['NOT_FOUND eventId notFound']);
          else await expectRoundTrip(outcome.event.id, outcome, { ...options, as: alice });
        },
      ),
      { numRuns: 100 },
    );
  });
});
