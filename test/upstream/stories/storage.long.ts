import { overrideGatewayStart } from '../../harness.ts';
import { skipTests } from './left-out.ts';
import { startFrontGateway } from './through.ts';

overrideGatewayStart(startFrontGateway);

const validatedFirst = 'Arguments and body are validated before the bucket is read.';
const unknownPayer = 'Whether the requester pays is not known beforehand: an empty project counts as none.';
const unread = 'The other notifications of the bucket are not read.';

const unused = await skipTests(
  {
    'warns of another one that says the same, as each message then comes twice': unread,
    'repeats one of all event types with an empty list of them, and none without a topic': unread,
    'goes back in as a new one; what belongs to the first is ignored, with warnings': unread,
    'wants to know who pays, for every operation': unknownPayer,
    'takes either of the two projects, an empty one beside it counting as none': unknownPayer,
    'runs every check': validatedFirst,
    'says so beside everything else that is wrong': validatedFirst,
    'cannot tell by inserting nonsense whether it exists': validatedFirst,
    'cannot tell by inserting with a used request id whether it exists':
      'A used requestId is recognized before the bucket is read.',
  },
  async () => {
    await import('../../stories/notification.test.ts');
    await import('../../stories/notification-access.test.ts');
    await import('../../stories/notification-request-id.test.ts');
  },
);

test('each skipped title is the title of a test', () => {
  expect(unused).toEqual([]);
});
