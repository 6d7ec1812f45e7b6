import type { Shown } from '../../../event/event.harness.ts';
import { buckets, callers, newcomers } from '../../../random/cast.ts';
import { differences } from '../../../random/differences.ts';
import type { Names } from '../../../random/names.ts';
import type { Args } from '../../../random/operation.ts';
import type { Seat } from '../../../random/references.ts';
import { comparable } from './bodies.ts';
import { owedBody, problemsOf, type Driven } from './gateways.ts';
import { restRequest } from './requests.ts';

/** The gateway that is driven through GraphQL, and the one that is driven through REST. */
export type Two = readonly [graphql: Driven, rest: Driven];

/** Throws where what the two gateways show is not the same, ids, times and etags aside. */
export function expectSame([graphql, rest]: Two, one: unknown, other: unknown, where: string): void {
  const found = differences(graphql.names.of(ordered(one)), rest.names.of(ordered(other)));
  if (found.length > 0) throw new Error(`GraphQL <> REST ${where}\n${found.join('\n')}`);
}

/** With the fields of objects by name, since names are given in the order of appearance. */
function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, inner]) => [name, ordered(inner)]),
  );
}

/** A body without what differs each time. To the calendars of newcomers events come in any order. */
export function settledBody(names: Names, { as, calendarId }: Seat, body: Shown): Shown {
  const { items, ...rest } = comparable(body) ?? {};
  if (
    items === undefined ||
    body.kind !== 'calendar#events' ||
    !(newcomers as readonly string[]).includes(calendarId === 'primary' ? as : calendarId)
  )
    return comparable(body);
  return { ...rest, items: rest.hasMore ? items.length : names.sorted(items.map(ordered)) };
}

/** A root field through GraphQL, as REST owes it. */
async function read(gateway: Driven, name: string, as: string, args: Args) {
  const { answer, body } = await owedBody(gateway, name, args, { as });
  return { body, errors: problemsOf(answer) };
}

/** Compares what is stored, as GraphQL shows it, on both gateways; and what both faces show of it on the one that is driven through REST. */
export async function compareStored(
  two: Two,
  name: string,
  as: string,
  args: readonly [Args, Args],
  where: string,
): Promise<readonly [Shown, Shown]> {
  const [graphql, rest] = two;
  const [one, other] = [await read(graphql, name, as, args[0]), await read(rest, name, as, args[1])];
  const seat = { as, calendarId: String(args[0].calendarId) };
  const there = `${where}, of ${name} as ${as} sees it: ${JSON.stringify(args)}`;
  expectSame(
    two,
    { ...one, body: settledBody(graphql.names, seat, one.body) },
    { ...other, body: settledBody(rest.names, seat, other.body) },
    `after ${there}`,
  );
  const { line, body } = restRequest(name, args[1]);
  const { json, headers } = await rest.as(as).send(line, body);
  const found = json.error
    ? other.errors.length > 0
      ? []
      : ['refused']
    : differences(comparable(other.body), comparable(json));
  if (json.etag !== headers.etag) found.push(`etag: ${json.etag} <> ${headers.etag}`);
  if (found.length > 0) throw new Error(`GraphQL <> REST on one gateway after ${there}\n${found.join('\n')}`);
  return [one.body, other.body];
}

/** Compares everything that is stored, as every caller sees it. */
export async function compareAll(two: Two, where: string): Promise<void> {
  for (const as of callers) {
    const compare = (name: string, one: Args, other = one) =>
      compareStored(two, name, as, [one, other], where);
    const [one, other] = await compare('calendars', {});
    for (const [index, { id }] of (one.items as Shown[]).entries()) {
      const [here, there] = [{ calendarId: id }, { calendarId: other.items[index].id }];
      for (const name of ['calendar', 'calendarAccess']) await compare(name, here, there);
      for (const how of [
        { showDeleted: true, first: 400 },
        { singleEvents: true, orderBy: 'startTime', timeMax: '2027-01-01T00:00:00Z', first: 400 },
      ])
        await compare('events', { ...here, ...how }, { ...there, ...how });
    }
    await compare('buckets', { project: 'my-project' });
    for (const bucket of buckets) await compare('notifications', { bucket, userProject: 'my-project' });
  }
}
