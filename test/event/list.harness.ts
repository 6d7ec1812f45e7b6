import { alice, type EventGateway, type Outcome, type Shown } from './event.harness.ts';
import { everyField } from '../selections.ts';

const listOf = (fields: string): string => `
  query ($calendarId: String!, $showDeleted: Boolean, $updatedMin: DateTime, $syncToken: String, $first: Int, $after: String) {
    result: events(calendarId: $calendarId, showDeleted: $showDeleted, updatedMin: $updatedMin, syncToken: $syncToken, first: $first, after: $after) {
      nodes ${fields} edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } nextSyncToken } }`;
const whole = listOf(everyField('Event'));
const short = listOf('{ id summary status colorId etag }');

export interface ListVariables {
  readonly as?: string;
  readonly calendarId?: string;
  readonly showDeleted?: boolean | null;
  readonly updatedMin?: string | null;
  readonly syncToken?: string | null;
  readonly first?: number | null;
  readonly after?: string | null;
}

export interface ListPage {
  readonly problems: readonly string[];
  readonly answer: Outcome;
  readonly nodes: Shown[];
  readonly ids: string[];
  readonly cursors: string[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  readonly startCursor: string | null;
  readonly endCursor: string | null;
  readonly nextSyncToken: string | null;
}

/** A page of the caller's own calendar unless told, with a few fields of each event; with `full` with every field. */
export async function list(
  gateway: EventGateway,
  { as = alice, ...variables }: ListVariables = {},
  full = false,
): Promise<ListPage> {
  const answer = await gateway.run(full ? whole : short, { calendarId: as, ...variables }, as);
  const { nodes = [], edges = [], pageInfo, nextSyncToken = null } = answer.event ?? {};
  const ids = nodes.map(({ id }: Shown) => id);
  return {
    problems: answer.problems,
    answer,
    nodes,
    ids,
    cursors: edges.map(({ cursor }: Shown) => cursor),
    nextSyncToken,
    ...pageInfo,
  };
}

/** The token behind everything there is now. */
export async function syncTokenOf(gateway: EventGateway, variables: ListVariables = {}): Promise<string> {
  const { nextSyncToken } = await list(gateway, { first: 2500, ...variables });
  if (nextSyncToken === null) throw new Error('there are more events than fit on a page');
  return nextSyncToken;
}
