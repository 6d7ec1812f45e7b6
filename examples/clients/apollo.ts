import { ApolloClient, HttpLink, InMemoryCache } from '@apollo/client';
import { CombinedGraphQLErrors, ServerError } from '@apollo/client/errors';
import { typePolicies } from 'resource-gateway/client';
import { errorsIn, type GatewayError } from './errors.ts';
import { patchEvent, patchGuests, readEvent } from './operations.ts';

/**
 * Creates a cache with the gateway's policies. Without them, it would confuse the copies of an event on
 * several calendars, which share an `id`.
 */
export const createCache = (): InMemoryCache => new InMemoryCache({ typePolicies });

/** Creates a client of @apollo/client for the gateway. */
export const createClient = (uri: string, token: string): ApolloClient =>
  new ApolloClient({
    cache: createCache(),
    link: new HttpLink({ uri, headers: { authorization: `Bearer ${token}` } }),
    clientAwareness: { name: 'my-app', version: '1.0.0' },
  });

/** Names an event by its calendar and its id. */
export interface EventTarget {
  readonly calendarId: string;
  readonly eventId: string;
}

/** Renames an event, and shows the new title at once. The response replaces it, and an error reverts it. */
export async function renameEvent(client: ApolloClient, target: EventTarget, summary: string): Promise<void> {
  const cachedEvent = client.readQuery({ query: readEvent, variables: target })?.event;
  await client.mutate({
    mutation: patchEvent,
    variables: { ...target, event: { summary }, ifMatch: cachedEvent?.etag },
    ...(cachedEvent && { optimisticResponse: { patchEvent: { ...cachedEvent, summary } } }),
  });
}

/**
 * Adds and removes guests, and shows the new list at once. Sends no `ifMatch`: concurrent changes of other
 * guests are kept.
 */
export async function changeGuests(
  client: ApolloClient,
  target: EventTarget,
  addedEmails: readonly string[],
  removedEmails: readonly string[] = [],
): Promise<void> {
  const cachedEvent = client.readQuery({ query: readEvent, variables: target })?.event;
  const addedGuests = addedEmails.map((email) => ({
    __typename: 'EventAttendee' as const,
    id: null,
    email,
    displayName: null,
    responseStatus: 'needsAction' as const,
  }));
  const attendees = [
    ...(cachedEvent?.attendees ?? []).filter((guest) => !removedEmails.includes(guest?.email ?? '')),
    ...addedGuests,
  ];
  await client.mutate({
    mutation: patchGuests,
    variables: {
      ...target,
      attendeeChanges: { add: addedEmails.map((email) => ({ email })), remove: [...removedEmails] },
    },
    ...(cachedEvent && { optimisticResponse: { patchEvent: { ...cachedEvent, attendees } } }),
  });
}

/** Attempts of `changeTitle` before it gives up. */
const maxAttempts = 3;

/**
 * Changes the title of an event unless somebody else has changed the event since it was read. After a
 * conflict the event is read again. `decideTitle`: returns the new title for the current one; undefined gives
 * up. Resolves to whether the title was changed.
 */
export async function changeTitle(
  client: ApolloClient,
  target: EventTarget,
  decideTitle: (summary: string | null | undefined) => string | undefined,
): Promise<boolean> {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const { data } = await client.query({
      query: readEvent,
      variables: target,
      fetchPolicy: attempt === 0 ? 'cache-first' : 'network-only',
    });
    const summary = decideTitle(data?.event?.summary);
    if (summary === undefined) return false;
    try {
      await renameEvent(client, target, summary);
      return true;
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
  }
  return false;
}

const isConflict = (error: unknown): boolean =>
  errorsOf(error).some(({ extensions }) => extensions?.code === 'PRECONDITION_FAILED');

/** Returns the gateway's errors from an error of @apollo/client, which may contain the response as text only. */
export function errorsOf(error: unknown): readonly GatewayError[] {
  if (CombinedGraphQLErrors.is(error)) return error.errors;
  if (ServerError.is(error)) return errorsIn(error.bodyText, error.statusCode);
  return [
    { message: `The gateway cannot be reached. ${error instanceof Error ? error.message : String(error)}` },
  ];
}
