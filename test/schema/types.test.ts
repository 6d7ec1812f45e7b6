import type { EventPatch } from '../../src/event/model/fields.ts';
import type * as Schema from '../../src/generated/resolvers-types.ts';
import type * as Requests from '../../src/notification/notification.fields.ts';

// Compile-time tests: each constant compiles only if its type evaluates to the given values.

type WithoutNull<T> = NonNullable<T>;

/** Names of a type's fields at every level; lists by their entries, maps as a whole. */
type Keys<T> = T extends readonly (infer E)[]
  ? { entry: Keys<WithoutNull<E>> }
  : T extends object
    ? string extends keyof T
      ? 'map'
      : { -readonly [K in keyof T]-?: Keys<WithoutNull<T[K]>> }
    : 'value';

type IsAssignable<A, B> = [A] extends [B] ? true : false;
type SameNames<A, B> = [Keys<A>, Keys<B>] extends [Keys<B>, Keys<A>] ? true : false;
/** Names of fields whose type lacks undefined or null. A patch needs both: null clears, absent keeps. */
type UnclearableNames<T> = {
  [K in keyof T]-?: null extends T[K] ? (undefined extends T[K] ? never : K) : K;
}[keyof T];

const eventChecks: [
  SameNames<Schema.EventInput, EventPatch>,
  IsAssignable<Schema.EventInput, EventPatch>,
  IsAssignable<UnclearableNames<EventPatch>, never>,
] = [true, true, true];

/** Whether a service accepts the generated arguments, and has each of them. */
type AcceptsGenerated<Own extends { readonly [Name in keyof Own]: unknown }, Generated extends Own> =
  Exclude<keyof Generated, keyof Own> extends never ? true : never;
const notificationChecks: [
  AcceptsGenerated<Requests.GetNotificationArgs, Schema.QueryNotificationArgs>,
  AcceptsGenerated<Requests.ListNotificationsArgs, Schema.QueryNotificationsArgs>,
  AcceptsGenerated<Requests.InsertNotificationArgs, Schema.MutationInsertNotificationArgs>,
  AcceptsGenerated<Requests.DeleteNotificationArgs, Schema.MutationDeleteNotificationArgs>,
  AcceptsGenerated<Requests.PublishObjectChangeArgs, Schema.MutationPublishObjectChangeArgs>,
  AcceptsGenerated<Requests.ListMessagesArgs, Schema.QueryMessagesArgs>,
  AcceptsGenerated<Requests.FollowMessagesArgs, Schema.SubscriptionMessagePublishedArgs>,
  AcceptsGenerated<Requests.NotificationBody, Schema.NotificationInput>,
  AcceptsGenerated<Requests.ObjectChangeBody, Schema.ObjectChangeInput>,
] = [true, true, true, true, true, true, true, true, true];

/** Checks that the helper types detect differences. */
interface ExampleInput {
  readonly a?: readonly { readonly b: string | null }[] | null;
}
const helperChecks: [
  SameNames<ExampleInput, { a: { b: number }[] }>,
  SameNames<ExampleInput, { a: { b: string; c: string }[] }>,
  SameNames<ExampleInput, { a: { c: string }[] }>,
  SameNames<ExampleInput, { a: { b: string } }>,
  SameNames<{ m: Record<string, string> }, { m: { x: string } }>,
  IsAssignable<{ a: string | null }, { a: string }>,
  IsAssignable<UnclearableNames<{ a?: string; b?: string | null }>, never>,
] = [true, false, false, false, false, false, false];

test('inputs of the schema and of the services have the same types (checked by the compiler)', () => {
  expect([...eventChecks, ...notificationChecks]).not.toContain(false);
  // Only the first check compares equal names.
  expect(helperChecks.filter(Boolean)).toHaveLength(1);
});
