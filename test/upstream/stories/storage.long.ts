import { overrideGatewayStart } from '../../harness.ts';
import { skipTests } from './left-out.ts';
import { startFrontGateway } from './through.ts';

overrideGatewayStart(startFrontGateway);

const validatedFirst = 'Arguments and body are validated before the bucket is read.';
const unknownPayer = 'Whether the requester pays is not known beforehand: an empty project counts as none.';
const unread = 'The other notifications of the bucket are not read.';

const unmatchedTitles = await skipTests(
  {
    'warns about an equivalent one, since each message would be published twice': unread,
    'treats an empty list of event types as all types, and never warns without a topic': unread,
    'can be inserted as a new one; its server-set fields are ignored with warnings': unread,
    'requires a paying project for every operation': unknownPayer,
    'accepts userProject or provisionalUserProject; an empty value counts as none': unknownPayer,
    'runs every check': validatedFirst,
    'reports the missing project together with other errors': validatedFirst,
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
  expect(unmatchedTitles).toEqual([]);
});
