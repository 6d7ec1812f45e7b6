import { overrideGatewayStart } from '../../harness.ts';
import { skipTests } from './skip-tests.ts';
import { startFrontGateway } from './start-front-gateway.ts';

// Runs tests of notifications through a second gateway in front of the first one's REST face.
overrideGatewayStart(startFrontGateway);

const validatedFirstReason = 'Arguments and body are validated before the bucket is read.';
const unknownPayerReason =
  'Whether the requester pays is not known beforehand: an empty project counts as none.';
const unreadReason = 'The other notifications of the bucket are not read.';

const unmatchedTitles = await skipTests(
  {
    'warns about an equivalent one, since each message would be published twice': unreadReason,
    'treats an empty list of event types as all types, and never warns without a topic': unreadReason,
    'can be inserted as a new one; its server-set fields are ignored with warnings': unreadReason,
    'requires a paying project for every operation': unknownPayerReason,
    'accepts userProject or provisionalUserProject; an empty value counts as none': unknownPayerReason,
    'runs every check': validatedFirstReason,
    'reports the missing project together with other errors': validatedFirstReason,
    'cannot tell by inserting nonsense whether it exists': validatedFirstReason,
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
