import { SignJWT } from 'jose';
import type { Replacements } from '../../src/app.ts';
import type { NotificationInput } from '../../src/generated/resolvers-types.ts';
import { allScopes, secret, startGateway, type Answer, type TestGateway } from '../harness.ts';
import { selectEveryField } from '../selections.ts';

export const topic = '//pubsub.googleapis.com/projects/my-project/topics/photos';
export const manager = 'manager@example.com';
export const otherManager = 'other@example.com';
export const stranger = 'stranger@example.com';

/** `photos` is free, `paid` makes the requester pay. Only managers may see a bucket. */
const bucketsSeed = {
  buckets: [
    { name: 'photos', project: 'my-project', managers: [manager, otherManager] },
    { name: 'paid', project: 'my-project', requesterPays: true, managers: [manager] },
    { name: 'other', project: 'my-project', managers: [otherManager] },
  ],
};

const fieldSelection = selectEveryField('Notification');
const insertMutation = `mutation ($bucket: String! = "photos", $requestId: String, $userProject: String,
  $provisionalUserProject: String, $validateOnly: Boolean, $notification: NotificationInput!) {
  insertNotification(bucket: $bucket, requestId: $requestId, userProject: $userProject,
    provisionalUserProject: $provisionalUserProject, validateOnly: $validateOnly, notification: $notification) ${fieldSelection}
}`;
const listQuery = `query ($bucket: String! = "photos", $userProject: String) {
  notifications(bucket: $bucket, userProject: $userProject) ${fieldSelection} }`;
const readQuery = `query ($bucket: String! = "photos", $notificationId: String!, $userProject: String) {
  notification(bucket: $bucket, notificationId: $notificationId, userProject: $userProject) ${fieldSelection} }`;
const deleteMutation = `mutation ($bucket: String! = "photos", $notificationId: String!, $userProject: String) {
  deleteNotification(bucket: $bucket, notificationId: $notificationId, userProject: $userProject) }`;

/** Caller of an operation, by e-mail address. */
interface Caller {
  readonly as?: string;
}

/** Arguments that all operations on notifications share. */
interface BucketArgs {
  readonly bucket?: string;
  readonly userProject?: string | null;
}

interface InsertArgs extends BucketArgs {
  readonly provisionalUserProject?: string | null;
  readonly requestId?: string | null;
  readonly validateOnly?: boolean | null;
}

/** Creates a token with every scope. It expires in 2100, so it is valid for any clock of a test. */
export const createLastingToken = (email: string): Promise<string> =>
  new SignJWT({ email, scope: allScopes.join(' ') })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(`sub of ${email}`)
    .setExpirationTime(new Date('2100-01-01'))
    .sign(Buffer.from(secret));

/** Starts a gateway with `bucketsSeed`, and functions for notifications. The default caller is `manager`. */
export async function startNotificationGateway(
  replacements: Replacements = {},
  env: Record<string, string> = {},
) {
  const gateway: TestGateway = await startGateway(env, { seed: bucketsSeed, ...replacements });
  const ask = async (query: string, variables: object, { as = manager }: Caller = {}): Promise<Answer> =>
    gateway.ask(query, variables, {
      as,
      headers: { authorization: `Bearer ${await createLastingToken(as)}` },
    });
  return {
    ...gateway,
    ask,
    /** Inserts a notification; the body may be invalid. */
    insertNotification: (
      notification: NotificationInput | object = { topic },
      args: InsertArgs = {},
      options?: Caller,
    ) => ask(insertMutation, { ...args, notification }, options),
    listNotifications: (bucketArgs: BucketArgs = {}, options?: Caller) => ask(listQuery, bucketArgs, options),
    readNotification: (notificationId: string, bucketArgs: BucketArgs = {}, options?: Caller) =>
      ask(readQuery, { ...bucketArgs, notificationId }, options),
    deleteNotification: (notificationId: string, bucketArgs: BucketArgs = {}, options?: Caller) =>
      ask(deleteMutation, { ...bucketArgs, notificationId }, options),
  };
}

export type NotificationGateway = Awaited<ReturnType<typeof startNotificationGateway>>;

/** Reads the only error of a response: its code, and path and reason of each issue. */
export function readRefusal({ data, errors }: Answer) {
  if (errors?.length !== 1) throw new Error(`one error was expected, there are ${errors?.length ?? 0}`);
  const [error] = errors;
  const value: unknown = data && Object.values(data)[0];
  return {
    code: error?.extensions.code,
    value: value ?? null,
    issues: error?.extensions.issues.map(({ path, reason }) => [path.join('.'), reason].join(': ')),
  };
}

/** Result of `readRefusal` for an input with these issues, each as `path: reason`. */
export const expectedRefusal = (...issues: string[]) => ({ code: 'BAD_USER_INPUT', value: null, issues });

/** Returns path and reason of each warning. */
export const readWarnings = ({ warnings }: Answer): string[] =>
  (warnings ?? []).map(({ path, reason }) => [path.join('.'), reason].join(': '));
