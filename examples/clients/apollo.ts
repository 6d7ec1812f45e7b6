import { ApolloClient, HttpLink, InMemoryCache } from '@apollo/client';
import { CombinedGraphQLErrors, ServerError } from '@apollo/client/errors';
import { typePolicies } from 'resource-gateway/client';
import { errorsIn, type GatewayError } from './errors.ts';
import { patchEvent, patchGuests, readEvent } from './operations.ts';

/** A cache with the gateway's policies. Without them it would confuse copies of an event on several calendars, which share an `id`. */
export const createCache = (): InMemoryCache => new InMemoryCache({ typePolicies });

export const createClient = (uri: string, token: string): ApolloClient =>
  new ApolloClient({
    cache: createCache(),
    link: new HttpLink({ uri, headers: { authorization: `Bearer ${token}` } }),
    clientAwareness: { name: 'my-app', version: '1.0.0' },
  });

export interface Target {
  readonly calendarId: string;
  readonly eventId: string;
}

/** Renames an event, and shows the new title at once. The response replaces it, and an error reverts it. */
export async function rename(client: ApolloClient, target: Target, summary: string): Promise<void> {
  const known = client.readQuery({ query: readEvent, variables: target })?.event;
  await client.mutate({
    mutation: patchEvent,
    variables: { ...target, event: { summary }, ifMatch: known?.etag },
    ...(known && { optimisticResponse: { patchEvent: { ...known, summary } } }),
  });
}

/** Adds and removes guests, and shows the new list at once. Without `ifMatch`, concurrent changes of other guests are kept. */
export async function changeGuests(
  client: ApolloClient,
  target: Target,
  add: readonly string[],
  remove: readonly string[] = [],
): Promise<void> {
  const known = client.readQuery({ query: readEvent, variables: target })?.event;
  const added = add.map((email) => ({
    __typename: 'EventAttendee' as const,
    id: null,
    email,
    displayName: null,
    responseStatus: 'needsAction' as const,
  }));
  const attendees = [
    ...(known?.attendees ?? []).filter((guest) => !remove.includes(guest?.email ?? '')),
    ...added,
  ];
  await client.mutate({
    mutation: patchGuests,
    variables: { ...target, attendeeChanges: { add: add.map((email) => ({ email })), remove: [...remove] } },
    ...(known && { optimisticResponse: { patchEvent: { ...known, attendees } } }),
  });
}

/**
 * Changes an event if it is still as it was read. After a conflict the event is read again, and `decide` returns the title
 * for its new state; undefined gives up.
 */
export async function change(
  client: ApolloClient,
  target: Target,
  decide: (summary: string | null | undefined) => string | undefined,
): Promise<boolean> {
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const { data } = await client.query({
      query: readEvent,
      variables: target,
      fetchPolicy: attempt === 0 ? 'cache-first' : 'network-only',
    });
    const summary = decide(data?.event?.summary);
    if (summary === undefined) return false;
    try {
      await rename(client, target, summary);
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
