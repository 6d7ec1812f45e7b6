import { startOtherwise } from '../../harness.ts';
import { leavingOut } from './left-out.ts';
import { startThrough } from './through.ts';

startOtherwise(startThrough);

const told = 'What is wrong with the arguments and the body is told before the bucket is asked for.';

const empty = 'Whether the requester pays is not known beforehand: an empty project is none.';

const unused = await leavingOut(
  {
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
