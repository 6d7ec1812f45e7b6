import { startOtherwise } from '../../harness.ts';
import { leavingOut } from './left-out.ts';
import { startThrough } from './through.ts';

startOtherwise(startThrough);

const told = 'What is wrong with the arguments and the body is told before the bucket is asked for.';

const empty = 'Whether the requester pays is not known beforehand: an empty project is none.';

const unread = 'The other notifications of the bucket are not read.';

const unused = await leavingOut(
  {
    'warns of another one that says the same, as each message then comes twice': unread,
    'repeats one of all event types with an empty list of them, and none without a topic': unread,
    'goes back in as a new one; what belongs to the first is ignored, with warnings': unread,
    'wants to know who pays, for every operation': empty,
    'takes either of the two projects, an empty one beside it counting as none': empty,
    'runs every check': told,
    'says so beside everything else that is wrong': told,
    'cannot tell by inserting nonsense whether it exists': told,
    'cannot tell by inserting with a used request id whether it exists':
      'What a requestId was used for is known before the bucket is asked for.',
  },
  async () => {
    await import('../../stories/notification.test.ts');
    await import('../../stories/notification-access.test.ts');
    await import('../../stories/notification-request-id.test.ts');
  },
);

test('each test that is left out is one', () => {
  expect(unused).toEqual([]);
});
