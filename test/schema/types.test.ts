import type { EventPatch } from '../../src/event/model/fields.ts';
import type * as Schema from '../../src/generated/resolvers-types.ts';
import type * as Requests from '../../src/notification/notification.requests.ts';

// The compiler is what tests here: each constant compiles only with the value its type works out to be.

type Filled<T> = NonNullable<T>;

/** The names of a type's fields at every level; a list counts as its entries, a map as one thing. */
type Names<T> = T extends readonly (infer E)[]
  ? { entry: Names<Filled<E>> }
  : T extends object
    ? string extends keyof T
      ? 'map'
      : { -readonly [K in keyof T]-?: Names<Filled<T[K]>> }
    : 'value';

type Fits<A, B> = [A] extends [B] ? true : false;
type SameNames<A, B> = [Names<A>, Names<B>] extends [Names<B>, Names<A>] ? true : false;
/** Absent and null are two things in every field: a type that loses one of them turns "clear" into "keep". */
type Clearable<T> = {
  [K in keyof T]-?: null extends T[K] ? (undefined extends T[K] ? never : K) : K;
}[keyof T];

const event: [
  SameNames<Schema.EventInput, EventPatch>,
  Fits<Schema.EventInput, EventPatch>,
  Fits<Clearable<EventPatch>, never>,
] = [true, true, true];

/** Whether a service takes arguments as the schema gives them, and knows each of them. */
type Knows<Own extends { readonly [Name in keyof Own]: unknown }, Generated extends Own> =
  Exclude<keyof Generated, keyof Own> extends never ? true : never;
const notifications: [
  Knows<Requests.GetNotificationArgs, Schema.QueryNotificationArgs>,
  Knows<Requests.ListNotificationsArgs, Schema.QueryNotificationsArgs>,
  Knows<Requests.InsertNotificationArgs, Schema.MutationInsertNotificationArgs>,
  Knows<Requests.DeleteNotificationArgs, Schema.MutationDeleteNotificationArgs>,
  Knows<Requests.PublishObjectChangeArgs, Schema.MutationPublishObjectChangeArgs>,
  Knows<Requests.ListMessagesArgs, Schema.QueryMessagesArgs>,
  Knows<Requests.FollowMessagesArgs, Schema.SubscriptionMessagePublishedArgs>,
  Knows<Requests.NotificationBody, Schema.NotificationInput>,
  Knows<Requests.ObjectChangeBody, Schema.ObjectChangeInput>,
] = [true, true, true, true, true, true, true, true, true];

/** The measures themselves: each tells a difference when there is one. */
interface Left {
  readonly a?: readonly { readonly b: string | null }[] | null;
}
const measures: [
  SameNames<Left, { a: { b: number }[] }>,
  SameNames<Left, { a: { b: string; c: string }[] }>,
  SameNames<Left, { a: { c: string }[] }>,
  SameNames<Left, { a: { b: string } }>,
  SameNames<{ m: Record<string, string> }, { m: { x: string } }>,
  Fits<{ a: string | null }, { a: string }>,
  Fits<Clearable<{ a?: string; b?: string | null }>, never>,
] = [true, false, false, false, false, false, false];

test('the inputs of the schema are the inputs of the services, says the compiler', () => {
  expect([...event, ...notifications]).not.toContain(false);
  expect(measures.filter(Boolean)).toHaveLength(1);
});
