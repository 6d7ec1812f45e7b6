import type { Shown } from '../../../event/event.harness.ts';
import type { Answer } from '../../../harness.ts';
import { buckets, callers, newcomers } from '../../../random/cast.ts';
import { differences } from '../../../random/differences.ts';
import type { Names } from '../../../random/names.ts';
import type { Args } from '../../../random/operation.ts';
import type { Seat } from '../../../random/references.ts';
import { bodiesOf, comparable } from './bodies.ts';
import type { Driven } from './gateways.ts';
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

const problems = ({ errors = [] }: Answer): object[] =>
  errors.map(({ message, extensions: { code, issues } }) => ({ message, code, issues }));

/** What a field is through GraphQL; of a list of events with what surrounds it. */
async function read(
  gateway: Driven,
  name: string,
  as: string,
  args: Args,
): Promise<{ readonly body?: Shown; readonly errors: object[] }> {
  const answer = await gateway.field(name, args, { as });
  if (answer.errors) return { errors: problems(answer) };
  const calendar =
    name === 'events'
      ? (await gateway.field('calendar', { calendarId: args.calendarId }, { as })).data.result
      : undefined;
  return { body: bodiesOf.answered(name, args, answer.data.result, calendar), errors: [] };
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
  const { json, headers } = await rest.send(line, body, { as });
  const found = json.error
    ? other.errors.length > 0
      ? []
      : ['refused']
    : differences(comparable(other.body), comparable(json));
  if (json.etag !== headers.etag) found.push(`etag: ${json.etag} <> ${headers.etag}`);
  if (found.length > 0) throw new Error(`GraphQL <> REST on one gateway after ${there}\n${found.join('\n')}`);
  return [one.body, other.body];
}

/** Compares all that there is, as everybody sees it. */
export async function compareAll(two: Two, where: string): Promise<void> {
  for (const as of callers) {
    const [one, other] = await compareStored(two, 'calendars', as, [{}, {}], where);
    for (const [index, { id }] of (one.items as Shown[]).entries()) {
      const ids = [{ calendarId: id }, { calendarId: other.items[index].id }] as const;
      for (const name of ['calendar', 'calendarAccess']) await compareStored(two, name, as, ids, where);
      for (const how of [
        { showDeleted: true, first: 400 },
        { singleEvents: true, orderBy: 'startTime', timeMax: '2027-01-01T00:00:00Z', first: 400 },
      ]) {
        await compareStored(
          two,
          'events',
          as,
          [
            { ...ids[0], ...how },
            { ...ids[1], ...how },
          ],
          where,
        );
      }
    }
    await compareStored(two, 'buckets', as, [{ project: 'my-project' }, { project: 'my-project' }], where);
    for (const bucket of buckets)
      await compareStored(
        two,
        'notifications',
        as,
        [
          { bucket, userProject: 'my-project' },
          { bucket, userProject: 'my-project' },
        ],
        where,
      );
  }
}
