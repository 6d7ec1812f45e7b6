import type { EventJson } from '../../../event/event.harness.ts';
import { buckets, callers, newcomers } from '../../../random/cast.ts';
import { findDifferences } from '../../../random/differences.ts';
import type { Placeholders } from '../../../random/placeholders.ts';
import type { Args } from '../../../random/operation.ts';
import type { Caller } from '../../../random/references.ts';
import { normalizeResource } from './bodies.ts';
import { readExpectedRestBody, problemsOf, type FaceGateway } from './gateways.ts';
import { toRestRequest } from './requests.ts';

/** A gateway whose operations go through GraphQL, and one whose operations go through REST. */
export type GatewayPair = readonly [graphql: FaceGateway, rest: FaceGateway];

/** Throws if the values of two gateways differ, apart from ids, times and etags. */
export function expectSame(
  [graphql, rest]: GatewayPair,
  graphqlValue: unknown,
  restValue: unknown,
  position: string,
): void {
  const differences = findDifferences(
    graphql.placeholders.replaceIn(sortKeys(graphqlValue)),
    rest.placeholders.replaceIn(sortKeys(restValue)),
  );
  if (differences.length > 0) throw new Error(`GraphQL <> REST ${position}\n${differences.join('\n')}`);
}

/** Sorts the fields of objects: placeholders are numbered in order of appearance. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, inner]) => [name, sortKeys(inner)]),
  );
}

/** Normalizes a body. On calendars created on first use, events have no defined order. */
export function normalizeBody(
  placeholders: Placeholders,
  { as, calendarId }: Caller,
  body: EventJson,
): EventJson {
  const { items, ...otherFields } = normalizeResource(body) ?? {};
  if (
    items === undefined ||
    body.kind !== 'calendar#events' ||
    !(newcomers as readonly string[]).includes(calendarId === 'primary' ? as : calendarId)
  )
    return normalizeResource(body);
  return {
    ...otherFields,
    items: otherFields.hasMore ? items.length : placeholders.sortEntries(items.map(sortKeys)),
  };
}

/** Reads a root field through GraphQL, as the body that REST should return. */
async function readField(gateway: FaceGateway, name: string, as: string, args: Args) {
  const { answer, body } = await readExpectedRestBody(gateway, name, args, { as });
  return { body, errors: problemsOf(answer) };
}

/** Compares what GraphQL shows on both gateways, and what GraphQL and REST show on the second one. */
export async function compareStored(
  gateways: GatewayPair,
  name: string,
  as: string,
  args: readonly [Args, Args],
  occasion: string,
): Promise<readonly [EventJson, EventJson]> {
  const [graphql, rest] = gateways;
  const [graphqlRead, restRead] = [
    await readField(graphql, name, as, args[0]),
    await readField(rest, name, as, args[1]),
  ];
  const caller = { as, calendarId: String(args[0].calendarId) };
  const description = `${occasion}, of ${name} as ${as} sees it: ${JSON.stringify(args)}`;
  expectSame(
    gateways,
    { ...graphqlRead, body: normalizeBody(graphql.placeholders, caller, graphqlRead.body) },
    { ...restRead, body: normalizeBody(rest.placeholders, caller, restRead.body) },
    `after ${description}`,
  );
  const { line, body } = toRestRequest(name, args[1]);
  const { json, headers } = await rest.as(as).send(line, body);
  const faceDifferences = json.error
    ? restRead.errors.length > 0
      ? []
      : ['refused']
    : findDifferences(normalizeResource(restRead.body), normalizeResource(json));
  if (json.etag !== headers.etag) faceDifferences.push(`etag: ${json.etag} <> ${headers.etag}`);
  if (faceDifferences.length > 0)
    throw new Error(`GraphQL <> REST on one gateway after ${description}\n${faceDifferences.join('\n')}`);
  return [graphqlRead.body, restRead.body];
}

/** Compares all calendars and buckets, as every caller sees them. */
export async function compareAll(gateways: GatewayPair, occasionText: string): Promise<void> {
  for (const as of callers) {
    const compare = (name: string, graphqlFieldArgs: Args, restFieldArgs = graphqlFieldArgs) =>
      compareStored(gateways, name, as, [graphqlFieldArgs, restFieldArgs], occasionText);
    const [graphqlCalendars, restCalendars] = await compare('calendars', {});
    for (const [index, { id }] of (graphqlCalendars.items as EventJson[]).entries()) {
      const [graphqlArgs, restArgs] = [{ calendarId: id }, { calendarId: restCalendars.items[index].id }];
      for (const name of ['calendar', 'calendarAccess']) await compare(name, graphqlArgs, restArgs);
      for (const listArgs of [
        { showDeleted: true, first: 400 },
        { singleEvents: true, orderBy: 'startTime', timeMax: '2027-01-01T00:00:00Z', first: 400 },
      ])
        await compare('events', { ...graphqlArgs, ...listArgs }, { ...restArgs, ...listArgs });
    }
    await compare('buckets', { project: 'my-project' });
    for (const bucket of buckets) await compare('notifications', { bucket, userProject: 'my-project' });
  }
}
