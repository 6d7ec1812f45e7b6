import type { Client } from 'graphql-sse';
import { print } from 'graphql';
import type { GatewayErrorExtensions } from 'resource-gateway/client';
import type { createClient } from './fetch.ts';
import type { CalendarsChangedSubscription } from './gql/graphql.ts';
import { calendarsChanged } from './operations.ts';
import { syncReplica, type Replica } from './sync.ts';

/** Client of fetch.ts, which sends an operation. */
type Send = ReturnType<typeof createClient>;

/**
 * Keeps replicas of several calendars up to date with one stream, and yields the id of each calendar that
 * changed. The stream begins with an event for each calendar, so nothing is missed. A calendar that is no
 * longer readable is removed from `replicas`, and its id is yielded.
 */
export async function* followCalendars(
  stream: Client,
  send: Send,
  replicas: Map<string, Replica>,
): AsyncGenerator<string> {
  const calendarIds = [...replicas.keys()];
  const results = stream.iterate<CalendarsChangedSubscription, GatewayErrorExtensions>({
    query: print(calendarsChanged),
    variables: { calendarIds },
  });
  for await (const { data, errors = [] } of results) {
    if (!data) throw new Error(errors[0]?.message); // The stream was refused or has ended.
    const changedId = data.calendarsChanged?.calendarId;
    const replica = replicas.get(changedId ?? '');
    if (changedId !== undefined && replica) {
      await syncReplica(send, changedId, replica);
      yield changedId;
    }
    // The path of an issue consists of `calendarIds` and the index of the calendar.
    for (const { path } of errors.flatMap(
      ({ extensions }) => (extensions as Partial<GatewayErrorExtensions>).issues ?? [],
    )) {
      const lostId = calendarIds[path[1] as number] ?? '';
      if (replicas.delete(lostId)) yield lostId;
    }
  }
}
