import { topic } from '../../notification/notification.harness.ts';
import type { Answer } from '../../harness.ts';
import { AppError } from '../../../src/core/errors.ts';
import { problemsOf, refuseWith, startStorageFront } from '../calendar/upstream.harness.ts';
import { useForAll } from '../../use-resource.ts';

const front = useForAll(() => startStorageFront());

const operations: Readonly<Record<string, () => Promise<Answer>>> = {
  insert: () => front.insertNotification({ topic }),
  dryRun: () => front.insertNotification({ topic }, { validateOnly: true }),
  get: () => front.ask('{ notification(bucket: "photos", notificationId: "7") { id } }', {}),
  delete: () => front.ask('mutation { deleteNotification(bucket: "photos", notificationId: "7") }', {}),
  list: () => front.listNotifications(),
  bucket: () => front.ask('{ bucket(bucket: "photos") { name } }', {}),
  buckets: () => front.ask('{ buckets(project: "my-project") { nodes { name } } }', {}),
};

const requesterPaysMessage = 'Bucket is requester pays bucket but no user project provided.';
const topicForbiddenMessage =
  "The service account 'precise-1@gs-project-accounts.iam.example' does not have permission to publish messages to the Cloud Pub/Sub topic 'x', or that topic does not exist.";
const projectForbiddenMessage =
  'someone@example.com does not have serviceusage.services.use access to the Google Cloud project.';

const topicMissingMessage =
  "Cloud Pub/Sub topic 'x' not found, or user 'a@example.com' does not have permission to it.";
const bucketForbiddenMessage = 'a@example.com does not have storage.buckets.get access';
const badInput = (path: string, reason = 'invalid'): string => `BAD_USER_INPUT ${path} ${reason}`;

// Operation, refusal (status, reason, message, location), and the expected problem.
const refusalCases: readonly (readonly [string, readonly [number, string?, string?, string?], string])[] = [
  ...['insert', 'dryRun', 'get', 'delete', 'list', 'bucket'].map(
    (operation) =>
      [operation, [400, 'required', requesterPaysMessage], badInput('userProject', 'required')] as const,
  ),
  ['list', [400, 'required', 'Required', 'userProject'], 'BAD_USER_INPUT userProject required'],
  ['insert', [400, 'required', 'Required', 'topic'], 'BAD_USER_INPUT notification.topic required'],
  ['insert', [400, 'invalid', 'Invalid argument.'], 'BAD_USER_INPUT notification invalid'],
  ['insert', [400, 'somethingNew'], 'BAD_USER_INPUT notification invalid'],
  [
    'insert',
    [400, 'tooLong', '', 'custom_attributes.a'],
    badInput('notification.custom_attributes', 'tooLong'),
  ],
  ['insert', [400, 'invalid', '', 'constructor'], 'BAD_USER_INPUT notification invalid'],
  ['insert', [400, 'invalid', '', '[0]'], 'BAD_USER_INPUT notification invalid'],
  ['insert', [400, 'invalid', 'x', 'provisionalUserProject'], badInput('provisionalUserProject')],
  ['insert', [400, 'invalid', topicMissingMessage], badInput('notification.topic')],
  ['insert', [403, 'forbidden', topicForbiddenMessage], 'FORBIDDEN notification.topic forbidden'],
  ['insert', [404, 'notFound', 'No such topic'], 'NOT_FOUND notification.topic notFound'],
  ['insert', [414], 'BAD_USER_INPUT bucket tooLong'],
  ['get', [431], 'BAD_USER_INPUT notificationId tooLong'],
  ['insert', [413, 'uploadTooLarge'], 'BAD_USER_INPUT notification invalid'],
  ['insert', [403, 'forbidden', 'Forbidden'], 'NOT_FOUND bucket notFound'],
  ['insert', [404, 'notFound', 'Not Found'], 'NOT_FOUND bucket notFound'],
  ['insert', [409, 'conflict'], 'UNAVAILABLE backendError'],
  ['dryRun', [404, 'notFound'], 'NOT_FOUND bucket notFound'],
  ['get', [400, 'invalid', "Invalid bucket name: 'Photos'"], 'NOT_FOUND bucket notFound'],
  ['get', [400, 'invalid', 'Invalid value'], 'BAD_USER_INPUT notificationId invalid'],
  ['get', [404, 'notFound', 'Not Found'], 'NOT_FOUND notificationId notFound'],
  ['get', [404, 'notFound', 'The specified bucket does not exist.'], 'NOT_FOUND bucket notFound'],
  ['get', [403, 'insufficientPermissions'], 'FORBIDDEN insufficientScope'],
  ['get', [403, 'forbidden', projectForbiddenMessage], 'FORBIDDEN userProject forbidden'],
  ['delete', [404, 'notFound', 'Not Found', 'bucket'], 'NOT_FOUND bucket notFound'],
  ['delete', [403], 'NOT_FOUND bucket notFound'],
  ['list', [403, 'forbidden', bucketForbiddenMessage], 'NOT_FOUND bucket notFound'],
  ['bucket', [400, 'invalid', 'x', 'x-goog-user-project'], 'BAD_USER_INPUT userProject invalid'],
  ['bucket', [404], 'NOT_FOUND bucket notFound'],
  ['bucket', [403], 'NOT_FOUND bucket notFound'],
  ['bucket', [412], 'UNAVAILABLE backendError'],
  ['buckets', [400, 'invalid', 'Unknown project id: my-project'], 'BAD_USER_INPUT project invalid'],
  ['buckets', [403, 'forbidden', 'Forbidden'], 'FORBIDDEN project forbidden'],
  ['buckets', [404, 'notFound'], 'NOT_FOUND project notFound'],
];

test.each(refusalCases)(
  '%s with the refusal %j is %s',
  async (name, [status, reason, message, location], problem) => {
    front.intercept((call, through) =>
      call.apiMethod === 'notifications.list' && name === 'insert'
        ? Promise.resolve({})
        : refuseWith(status, reason, message, location)(call, through),
    );
    const answer = await (operations[name] as () => Promise<Answer>)();
    expect(problemsOf(answer)).toEqual([problem]);
    expect(answer.body).not.toContain('precise-1');
    expect(answer.body).not.toMatch(/\w@example/);
  },
);

test('errors other than refusals are passed on', async () => {
  for (const run of Object.values(operations)) {
    front.intercept(() => Promise.reject(new AppError('RATE_LIMITED', 'rateLimitExceeded', 'Later.')));
    expect(problemsOf(await run())).toEqual(['RATE_LIMITED rateLimitExceeded']);
  }
});

test('a refused insert keeps its problem if the notifications cannot be read', async () => {
  front.intercept(refuseWith(400, 'invalid', 'No.'));
  expect(problemsOf(await front.insertNotification({ topic }))).toEqual([
    'BAD_USER_INPUT notification invalid',
  ]);
});
