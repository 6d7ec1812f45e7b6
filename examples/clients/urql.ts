import { Client, type CombinedError, fetchExchange } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { graphcacheKeys } from 'resource-gateway/client';
import { fieldErrors, type GatewayError } from './errors.ts';
import { patchEvent } from './operations.ts';

/** Creates a client of urql whose cache identifies objects as the gateway does. */
export const createClient = (url: string, token: string): Client =>
  new Client({
    url,
    preferGetMethod: false,
    fetchOptions: { headers: { authorization: `Bearer ${token}` } },
    exchanges: [cacheExchange({ keys: graphcacheKeys }), fetchExchange],
  });

/** Returns the gateway's errors, or one that says that the gateway cannot be reached. */
export const errorsOf = ({ graphQLErrors, message }: CombinedError): readonly GatewayError[] =>
  graphQLErrors.length > 0 ? graphQLErrors : [{ message: `The gateway cannot be reached. ${message}` }];

/** Saves a form, and returns messages by field if the gateway refused it. */
export async function saveEvent(
  client: Client,
  eventId: string,
  event: Record<string, unknown>,
): Promise<Record<string, string>> {
  const { error } = await client.mutation(patchEvent, { calendarId: 'primary', eventId, event }).toPromise();
  return error ? fieldErrors(errorsOf(error), 'event') : {};
}
