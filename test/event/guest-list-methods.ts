import { alice, type EventGateway, type Outcome, type EventJson } from './event.harness.ts';

type PatchEvent = EventGateway['patch'];
/** Creates a `patch` that sends the guest list of a body in one of the two ways. */
type CreatePatch = (gateway: EventGateway) => PatchEvent;
/** A guest as a test sends it; it may be invalid. */
type GuestEntry = { readonly email?: unknown } | null;

/** The two ways to change a guest list. The same rules apply to both, so tests run over both. */
export const guestListMethods: readonly (readonly [name: string, patchBy: CreatePatch])[] = [
  ['attendees', patchByList],
  ['attendeeChanges', patchByChanges],
];

function patchByList(gateway: EventGateway): PatchEvent {
  return (...args) => gateway.patch(...args);
}

/** Sends a guest list as `attendeeChanges` to the visible list, and converts paths of the outcome. */
function patchByChanges(gateway: EventGateway): PatchEvent {
  return async (eventId, body, controls = {}) => {
    const { attendees, ...event } = body as {
      readonly attendees?: unknown;
      readonly attendeesOmitted?: boolean;
    };
    if (!Array.isArray(attendees) || event.attendeesOmitted) return gateway.patch(eventId, body, controls);
    const { as = alice, calendarId = as } = controls;
    const current: EventJson = (await gateway.read(eventId, { as, calendarId })).event;
    const listedAddresses = new Set(
      (attendees as GuestEntry[]).map((guest) => String(guest?.email).toLowerCase()),
    );
    const remove = ((current?.attendees ?? []) as { readonly email: string }[])
      .map(({ email }) => email)
      .filter((email) => !listedAddresses.has(email.toLowerCase()));
    return convertToListPaths(
      await gateway.patch(eventId, event, { ...controls, attendeeChanges: { add: attendees, remove } }),
    );
  };
}

/** Converts paths in `attendeeChanges` to those in `attendees`, so that both ways share expectations. */
function convertToListPaths(outcome: Outcome): Outcome {
  const renamePaths = (problems: readonly string[]): string[] =>
    problems.map((problem) =>
      problem
        // Marks paths into the field that was not sent, so that no test expects them.
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
  (patch: PatchEvent): EventGateway['changeEvent'] =>
  async (...args) => {
    const { problems, warningTexts, event } = await patch(...args);
    expect({ problems, warningTexts }).toEqual({ problems: [], warningTexts: [] });
    return event;
  };
