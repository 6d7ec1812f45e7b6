import type { EventGateway, Outcome, Shown } from './event.harness.ts';

type Patch = EventGateway['patch'];
type Entry = { readonly email?: unknown } | null;

/** How a client says what becomes of a guest list. Both are under the same rules, so that their tests are run over both. */
export const guestListWays: readonly (readonly [way: string, patchBy: (gateway: EventGateway) => Patch])[] = [
  [
    'attendees',
    (gateway) =>
      (...sent) =>
        gateway.patch(...sent),
  ],
  ['attendeeChanges', byDifference],
];

/** Says by difference from the list that the caller sees what a body says as a list. Its paths come back as those of a list. */
function byDifference(gateway: EventGateway): Patch {
  return async (eventId, body, controls = {}) => {
    const { attendees, ...event } = body as {
      readonly attendees?: unknown;
      readonly attendeesOmitted?: boolean;
    };
    if (!Array.isArray(attendees) || event.attendeesOmitted) return gateway.patch(eventId, body, controls);
    const { as, calendarId } = controls;
    const seen: Shown = (
      await gateway.read(eventId, {
        ...(as !== undefined && { as }),
        ...(calendarId !== undefined && { calendarId }),
      })
    ).event;
    const listed = new Set((attendees as Entry[]).map((entry) => String(entry?.email).toLowerCase()));
    const remove = ((seen?.attendees ?? []) as { readonly email: string }[])
      .map(({ email }) => email)
      .filter((email) => !listed.has(email.toLowerCase()));
    return asOfList(
      await gateway.patch(eventId, event, { ...controls, attendeeChanges: { add: attendees, remove } }),
    );
  };
}

function asOfList(outcome: Outcome): Outcome {
  const renamed = (lines: readonly string[]): string[] =>
    lines.map((line) =>
      line
        .replaceAll('event.attendees', 'NOT SENT')
        .replace(/attendeeChanges(\.add)?(?=[. ])/, 'event.attendees'),
    );
  return { ...outcome, problems: renamed(outcome.problems), notes: renamed(outcome.notes) };
}

/** The event after a patch without a problem and without a warning. */
export const changeBy =
  (patch: Patch): EventGateway['change'] =>
  async (...sent) => {
    const { problems, notes, event } = await patch(...sent);
    expect({ problems, notes }).toEqual({ problems: [], notes: [] });
    return event;
  };
