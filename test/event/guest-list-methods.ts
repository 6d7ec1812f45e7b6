import { alice, type EventGateway, type Outcome, type EventJson } from './event.harness.ts';

type Patch = EventGateway['patch'];
type PatchBy = (gateway: EventGateway) => Patch;
type Entry = { readonly email?: unknown } | null;

/** The two ways to change a guest list. The same rules apply to both, so tests run over both. */
export const guestListMethods: readonly (readonly [name: string, patchBy: PatchBy])[] = [
  ['attendees', patchByList],
  ['attendeeChanges', patchByChanges],
];

function patchByList(gateway: EventGateway): Patch {
  return (...args) => gateway.patch(...args);
}

/** Sends a guest list as `attendeeChanges` to the visible list, and converts paths of the outcome. */
function patchByChanges(gateway: EventGateway): Patch {
  return async (eventId, body, controls = {}) => {
    const { attendees, ...event } = body as {
      readonly attendees?: unknown;
      readonly attendeesOmitted?: boolean;
    };
    if (!Array.isArray(attendees) || event.attendeesOmitted) return gateway.patch(eventId, body, controls);
    const { as = alice, calendarId = as } = controls;
    const current: EventJson = (await gateway.read(eventId, { as, calendarId })).event;
    const listed = new Set((attendees as Entry[]).map((entry) => String(entry?.email).toLowerCase()));
    const remove = ((current?.attendees ?? []) as { readonly email: string }[])
      .map(({ email }) => email)
      .filter((email) => !listed.has(email.toLowerCase()));
    return withListPaths(
      await gateway.patch(eventId, event, { ...controls, attendeeChanges: { add: attendees, remove } }),
    );
  };
}

function withListPaths(outcome: Outcome): Outcome {
  const renamePaths = (problems: readonly string[]): string[] =>
    problems.map((problem) =>
      problem
        .replaceAll('event.attendees', 'NOT SENT')
        .replace(/attendeeChanges(\.add)?(?=[. ])/, 'event.attendees'),
    );
  return {
    ...outcome,
    problems: renamePaths(outcome.problems),
    warningTexts: renamePaths(outcome.warningTexts),
  };
}

/** Wraps `patch` to expect no problems or warnings and return the event. */
export const expectChangeBy =
  (patch: Patch): EventGateway['changeEvent'] =>
  async (...args) => {
    const { problems, warningTexts, event } = await patch(...args);
    expect({ problems, warningTexts }).toEqual({ problems: [], warningTexts: [] });
    return event;
  };
