import { startOtherwise } from '../../harness.ts';
import { leavingOut } from './left-out.ts';
import { startThrough } from './through.ts';

// What holds for a gateway holds in front of another one's REST face: the same tests, run through both.
const mails = "Mails are the service's, which does not say how many it sends.";
const onlyThere = 'Only the service knows, and it is not asked for a trial.';
const first = 'Of what the service refuses the first is told, in its words.';
const unsent = 'Nothing is sent that changes nothing, so that the service does not say that it would refuse.';

startOtherwise(startThrough);

const unused = await leavingOut(
  {
    'adds, changes and removes in one step and leaves all others as they are': mails,
    'who invites a hidden guest as a resource (undefined) is told the same number as of a stranger': mails,
    'that the calendar has is a conflict, and changes nothing; another calendar may have it': onlyThere,
    'that another event of the calendar has is a conflict, made by the server or chosen, also in a dry run':
      onlyThere,
    'with a null for its end and no such occurrence it is refused': first,
    'says what the occurrence is: times of the other kind take the place of the series’ own': first,
    'insert answers a stranger as it does for a calendar that does not exist':
      'What is wrong with the body is told before the calendar is asked for.',
    'all that is wrong with them comes at once; null counts as absent':
      'Only the service knows its sync tokens.',
    'syncToken and showDeleted, a cancelled one, on the organizer’s calendar: in full':
      'What is cancelled is synced by its id.',
    'syncToken and showDeleted, one that the guest removed: in full':
      'What is cancelled is synced by its id.',
    'syncToken and showDeleted, a cancelled one, for a free/busy reader: in full':
      'What is cancelled is synced by its id.',
    'gets mail of it, and of no other': mails,
    'keeps it where the series is divided before it': 'Series are not divided in front of a service.',
    'takes no patch at all from one who only reads': unsent,
    'who organizes on another calendar, and is a guest, sees all on the own one, and so do its readers: but not guests among them':
      'Calendars are not made in front of a service.',
    'gets it back with the status that it has':
      'What a guest wants the status to be is not told from what the service left out.',
  },
  async () => {
    await import('../../event/attendee-changes.stores.test.ts');
    await import('../../event/free-busy.stores.test.ts');
    await import('../../event/instance-alone.stores.test.ts');
    await import('../../event/right-lists.stores.test.ts');
    await import('../../event/seen-by-whom.stores.test.ts');
    await import('../../event/attendees.test.ts');
    await import('../../event/copies.test.ts');
    await import('../../event/creation.test.ts');
    await import('../../event/hidden-guests.test.ts');
    await import('../../event/instances.test.ts');
    await import('../../event/list.test.ts');
    await import('../../event/start-order.test.ts');
    await import('../../event/states.test.ts');
    await import('../../event/times.test.ts');
    await import('../../stories/patch-event.test.ts');
    await import('../../stories/week-view.test.ts');
  },
);

test('each test that is left out is one', () => {
  expect(unused).toEqual([]);
});
