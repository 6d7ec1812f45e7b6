import { ClientError, GraphQLClient } from 'graphql-request';
import { fieldErrors } from './errors.ts';
import { patchEvent } from './operations.ts';

/** Creates a client of graphql-request for the gateway. */
export const createClient = (url: string, token: string): GraphQLClient =>
  new GraphQLClient(url, { headers: { authorization: `Bearer ${token}` } });

/** Saves a form, and returns messages by field if the gateway refused it. */
export async function saveEvent(
  client: GraphQLClient,
  eventId: string,
  event: Record<string, unknown>,
): Promise<Record<string, string>> {
  try {
    await client.request(patchEvent, { calendarId: 'primary', eventId, event });
    return {};
  } catch (error) {
    if (error instanceof ClientError)
      return fieldErrors(error.response.errors ?? [{ message: error.message }], 'event');
    throw error;
  }
}
