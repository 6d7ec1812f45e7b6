import type { Client } from 'graphql-sse';
import { print } from 'graphql';
import type { ChangesQuery } from './gql/graphql.ts';
import type { createClient } from './fetch.ts';
import { calendarChanged, changes } from './operations.ts';

type Send = ReturnType<typeof createClient>;
type Node = NonNullable<NonNullable<ChangesQuery['events']>['nodes'][number]>;

/** A calendar as a client keeps it. */
export interface Replica {
  readonly events: Map<string, Node>;
  syncToken: string | undefined;
}

/** Brings a replica up to date: by what changed since the last time, or from the start where the token is too old. */
export async function sync(send: Send, calendarId: string, replica: Replica): Promise<void> {
  let after: string | null | undefined;
  do {
    const { data, errors } = await send(changes, { calendarId, syncToken: replica.syncToken, after });
    if (errors?.some(({ extensions }) => extensions?.issues?.some(({ path }) => path[0] === 'syncToken'))) {
      replica.events.clear();
      replica.syncToken = undefined;
      after = undefined;
      continue;
    }
    const page = data?.events;
    if (!page) throw new Error(errors?.[0]?.message);
    for (const event of page.nodes) {
      if (event.status === 'cancelled') replica.events.delete(event.nodeId);
      else replica.events.set(event.nodeId, event);
    }
    after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : undefined;
    replica.syncToken = page.nextSyncToken ?? replica.syncToken;
  } while (after || !replica.syncToken);
}

/** Syncs whenever something changed, as long as nobody returns the iterator. The stream says that, and never what. */
export async function* follow(stream: Client, send: Send, calendarId: string, replica: Replica): AsyncGenerator<Replica> {
  await sync(send, calendarId, replica);
  yield replica;
  for await (const _change of stream.iterate({ query: print(calendarChanged), variables: { calendarId } })) {
    await sync(send, calendarId, replica);
    yield replica;
  }
}
