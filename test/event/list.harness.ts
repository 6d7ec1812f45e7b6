import { alice, bob, type EventGateway, type Outcome } from './event-http.harness.ts';
import { everyField } from '../selections.ts';

const page = `pageInfo { hasNextPage hasPreviousPage startCursor endCursor } nextSyncToken`;
const listDocument = (fields: string): string => `
  query ($calendarId: String!, $showDeleted: Boolean, $updatedMin: DateTime, $syncToken: String, $first: Int, $after: String) {
    result: events(calendarId: $calendarId, showDeleted: $showDeleted, updatedMin: $updatedMin, syncToken: $syncToken,
      first: $first, after: $after) { nodes ${fields} edges { cursor node { id } } ${page} } }`;
const whole = listDocument(everyField('Event'));
const short = listDocument('{ id summary status colorId etag }');

export interface ListVariables {
  readonly as?: string;
  readonly calendarId?: string;
  readonly showDeleted?: boolean | null;
  readonly updatedMin?: string | null;
  readonly syncToken?: string | null;
  readonly first?: number | null;
  readonly after?: string | null;
}

/** What a test reads of a page. */
export interface ListPage {
  readonly problems: readonly string[];
  readonly answer: Outcome;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- as the answer's data
  readonly nodes: any[];
  readonly ids: string[];
  readonly cursors: string[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  readonly endCursor: string | null;
  readonly nextSyncToken: string | null;
}

/** Lists the events of the caller's own calendar unless told, every field of them. */
export const listEvents = (gateway: EventGateway, variables: ListVariables = {}): Promise<ListPage> => listWith(whole, gateway, variables);

/** The same with a few fields, for long lists. */
export const listShort = (gateway: EventGateway, variables: ListVariables = {}): Promise<ListPage> => listWith(short, gateway, variables);

async function listWith(document: string, gateway: EventGateway, { as = alice, ...variables }: ListVariables): Promise<ListPage> {
  const answer = await gateway.run(document, { calendarId: as, ...variables }, as);
  const { nodes = [], edges = [], pageInfo, nextSyncToken = null } = answer.event ?? {};
  return {
    problems: answer.problems,
    answer,
    nodes,
    ids: nodes.map(({ id }: { id: string }) => id),
    cursors: edges.map(({ cursor }: { cursor: string }) => cursor),
    nextSyncToken,
    ...pageInfo,
  };
}

/** The token behind everything there is now. */
export async function syncTokenOf(gateway: EventGateway, variables: ListVariables = {}): Promise<string> {
  const { nextSyncToken } = await listShort(gateway, { first: 2500, ...variables });
  if (nextSyncToken === null) throw new Error('there are more events than fit on a page');
  return nextSyncToken;
}

/** A calendar of Alice and one of Bob. */
export const twoCalendars = (timeZone: string, events: readonly object[] = [], acl: readonly object[] = []) => ({
  calendars: [
    { id: alice, owner: alice, timeZone, acl, events },
    { id: bob, owner: bob, timeZone },
  ],
});
