import { print } from 'graphql';
import { messageOf } from './errors.ts';
import { createClient } from './fetch.ts';
import type { ChangesQuery } from './gql/graphql.ts';
import { calendarChanged, listChanges } from './operations.ts';
import { createStream } from './stream.ts';

/** Client of fetch.ts, which sends an operation. */
type Send = ReturnType<typeof createClient>;
type EventNode = NonNullable<NonNullable<ChangesQuery['events']>['nodes'][number]>;

/** Copy of a calendar on the client: its events by `nodeId`. */
export interface Replica {
  readonly events: Map<string, EventNode>;
  syncToken: string | undefined;
}

/**
 * Updates a replica with the changes since its sync token, or lists everything if the token is too old.
 * Throws an error with the gateway's message if the gateway refuses.
 */
export async function syncReplica(send: Send, calendarId: string, replica: Replica): Promise<void> {
  let after: string | null | undefined;
  do {
    const { data, errors } = await send(listChanges, { calendarId, syncToken: replica.syncToken, after });
    if (errors?.some(({ extensions }) => extensions?.issues?.some(({ path }) => path[0] === 'syncToken'))) {
      replica.events.clear();
      replica.syncToken = undefined;
      after = undefined;
      continue;
    }
    const page = data?.events;
    if (!page) throw new Error(messageOf(errors ?? []));
    for (const event of page.nodes) {
      if (event.status === 'cancelled') replica.events.delete(event.nodeId);
      else replica.events.set(event.nodeId, event);
    }
    after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : undefined;
    replica.syncToken = page.nextSyncToken ?? replica.syncToken;
  } while (after || !replica.syncToken);
}

/**
 * Syncs a replica at each event of the stream, until `signal` is aborted. The stream continues after the sync
 * token, so nothing is missed before it opens or while it is closed. Throws an error with the gateway's
 * message if the gateway refuses; the replica can be used again.
 */
export async function* followCalendar(
  url: string,
  token: string,
  calendarId: string,
  replica: Replica,
  signal: AbortSignal,
): AsyncGenerator<Replica> {
  const send = createClient(url, token);
  const stream = createStream(`${url}/stream`, () => ({
    authorization: `Bearer ${token}`,
    'last-event-id': replica.syncToken ?? '',
  }));
  signal.addEventListener('abort', () => stream.dispose());
  try {
    await syncReplica(send, calendarId, replica);
    yield replica;
    while (!signal.aborted) {
      for await (const { errors } of stream.iterate({
        query: print(calendarChanged),
        variables: { calendarId },
      })) {
        if (errors) throw new Error(messageOf(errors));
        await syncReplica(send, calendarId, replica);
        yield replica;
      }
      // The gateway stops, and another one takes its place.
      if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  } finally {
    stream.dispose();
  }
}
