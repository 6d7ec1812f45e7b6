import { overrideGatewayStart } from '../../harness.ts';
import { skipTests } from './skip-tests.ts';
import { startFrontGateway } from './start-front-gateway.ts';

// Runs the gateway's tests through a second gateway in front of the first one's REST face.
const mailsReason = 'The service sends the mails and does not report how many.';
const unknownConflictReason = 'Only the service knows the conflict, and a dry run does not ask it.';
const firstProblemReason =
  'Only the first problem of a refusal by the service is reported, with its message.';
const unsentReason = 'A patch without changes is not sent, so the service cannot refuse it.';

overrideGatewayStart(startFrontGateway);

const unmatchedTitles = await skipTests(
  {
    'adds, changes and removes guests in one step and keeps all others': mailsReason,
    'inviting a hidden guest as a resource (undefined) reports the same number as a stranger': mailsReason,
    'that exists on the calendar is a conflict; another calendar may have it': unknownConflictReason,
    'of another event of the calendar is a conflict, also in a dry run': unknownConflictReason,
    'with a null for its end and without such an occurrence is refused': firstProblemReason,
    'may change from a time to a day and back': firstProblemReason,
    'insert answers a stranger as it does for a calendar that does not exist':
      'The body is validated before the calendar is read.',
    'all problems of arguments are reported at once; null counts as absent':
      'Only the service knows its sync tokens.',
    'syncToken and showDeleted, a cancelled event on the organizer’s calendar: in full':
      'A cancelled event is synced with its id only.',
    'syncToken and showDeleted, an event that the guest deleted: in full':
      'A cancelled event is synced with its id only.',
    'syncToken and showDeleted, a cancelled event for a free/busy reader: in full':
      'A cancelled event is synced with its id only.',
    'gets mail about this instance only': mailsReason,
    'keeps it when the series is divided before it': 'Series are not divided in front of a service.',
    'refuses any patch from a reader': unsentReason,
    'an organizer on another calendar who is also a guest sees all guests on the own calendar, as its readers do, except readers who are guests':
      'Calendars are not made in front of a service.',
    "restores it with the event's status":
      'A guest cannot tell a requested status from one that the service dropped.',
  },
  async () => {
    await import('../../event/attendee-changes.stores.test.ts');
    await import('../../event/free-busy.stores.test.ts');
    await import('../../event/guest-of-one-instance.stores.test.ts');
    await import('../../event/list-membership.stores.test.ts');
    await import('../../event/visibility-in-lists.stores.test.ts');
    await import('../../event/attendees.test.ts');
    await import('../../event/copies.test.ts');
    await import('../../event/creation.test.ts');
    await import('../../event/hidden-guests.test.ts');
    await import('../../event/instances.test.ts');
    await import('../../event/list.test.ts');
    await import('../../event/start-order.test.ts');
    await import('../../event/status-and-sequence.test.ts');
    await import('../../event/times.test.ts');
    await import('../../stories/patch-event.test.ts');
    await import('../../stories/week-view.test.ts');
  },
);

test('each skipped title is the title of a test', () => {
  expect(unmatchedTitles).toEqual([]);
});
