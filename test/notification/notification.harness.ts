import { SignJWT } from 'jose';
import type { Replacements } from '../../src/app.ts';
import type { NotificationInput } from '../../src/generated/resolvers-types.ts';
import { allScopes, secret, startGateway, type Answer, type TestGateway } from '../harness.ts';
import { everyField } from '../selections.ts';

export const topic = '//pubsub.googleapis.com/projects/my-project/topics/photos';
export const manager = 'manager@example.com';
export const other = 'other@example.com';
export const stranger = 'stranger@example.com';

/** `photos` is free, `paid` makes the requester pay; nobody but the two managers knows of either. */
const bucketsSeed = {
  buckets: [
    { name: 'photos', project: 'my-project', managers: [manager, other] },
    { name: 'paid', project: 'my-project', requesterPays: true, managers: [manager] },
    { name: 'other', project: 'my-project', managers: [other] },
  ],
};

const all = everyField('Notification');
const insertNotification = `mutation ($bucket: String! = "photos", $requestId: String, $userProject: String,
  $provisionalUserProject: String, $validateOnly: Boolean, $notification: NotificationInput!) {
  insertNotification(bucket: $bucket, requestId: $requestId, userProject: $userProject,
    provisionalUserProject: $provisionalUserProject, validateOnly: $validateOnly, notification: $notification) ${all}
}`;
const list = `query ($bucket: String! = "photos", $userProject: String) {
  notifications(bucket: $bucket, userProject: $userProject) ${all} }`;
const read = `query ($bucket: String! = "photos", $notificationId: String!, $userProject: String) {
  notification(bucket: $bucket, notificationId: $notificationId, userProject: $userProject) ${all} }`;
const remove = `mutation ($bucket: String! = "photos", $notificationId: String!, $userProject: String) {
  deleteNotification(bucket: $bucket, notificationId: $notificationId, userProject: $userProject) }`;

interface Caller {
  readonly as?: string;
}

interface Place {
  readonly bucket?: string;
  readonly userProject?: string | null;
}

interface InsertArgs extends Place {
  readonly provisionalUserProject?: string | null;
  readonly requestId?: string | null;
  readonly validateOnly?: boolean | null;
}

/** A token of every scope that outlasts whatever clock a test sets. */
export const lastingToken = (email: string): Promise<string> =>
  new SignJWT({ email, scope: allScopes.join(' ') })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(`sub of ${email}`)
    .setExpirationTime(new Date('2100-01-01'))
    .sign(Buffer.from(secret));

/** A gateway with the buckets above, and its notification operations; the caller is the manager unless told. */
export async function startBuckets(
  replacements: Replacements = {},
  env: Readonly<Record<string, string>> = {},
) {
  const gateway: TestGateway = await startGateway(env, { seed: bucketsSeed, ...replacements });
  const ask = async (query: string, variables: object, { as = manager }: Caller = {}): Promise<Answer> =>
    gateway.ask(query, variables, { as, headers: { authorization: `Bearer ${await lastingToken(as)}` } });
  return {
    ...gateway,
    ask,
    /** The body may be anything a client can send. */
    insert: (notification: NotificationInput | object = { topic }, args: InsertArgs = {}, options?: Caller) =>
      ask(insertNotification, { ...args, notification }, options),
    list: (place: Place = {}, options?: Caller) => ask(list, place, options),
    read: (notificationId: string, place: Place = {}, options?: Caller) =>
      ask(read, { ...place, notificationId }, options),
    remove: (notificationId: string, place: Place = {}, options?: Caller) =>
      ask(remove, { ...place, notificationId }, options),
  };
}

export type Buckets = Awaited<ReturnType<typeof startBuckets>>;

/** What an answer says is wrong: its code, and the place and reason of each issue. */
export function refusal({ data, errors }: Answer) {
  if (errors?.length !== 1) throw new Error(`one error was expected, there are ${errors?.length ?? 0}`);
  const [error] = errors;
  const value: unknown = data && Object.values(data)[0];
  return {
    code: error?.extensions.code,
    value: value ?? null,
    issues: error?.extensions.issues.map(({ path, reason }) => [path.join('.'), reason].join(': ')),
  };
}

export const refused = (...issues: string[]) => ({ code: 'BAD_USER_INPUT', value: null, issues });

/** Where each warning points, and why. */
export const warned = ({ warnings }: Answer): string[] =>
  (warnings ?? []).map(({ path, reason }) => [path.join('.'), reason].join(': '));
