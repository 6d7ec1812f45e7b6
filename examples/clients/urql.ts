import { Client, type CombinedError, fetchExchange } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { graphcacheKeys } from 'resource-gateway/client';
import { fieldErrors, type GatewayError } from './errors.ts';
import { patchEvent } from './operations.ts';

export const createClient = (url: string, token: string): Client =>
  new Client({
    url,
    preferGetMethod: false,
    fetchOptions: { headers: { authorization: `Bearer ${token}` } },
    exchanges: [cacheExchange({ keys: graphcacheKeys }), fetchExchange],
  });

/** The gateway's errors; without a connection, that there is none. */
export const errorsOf = ({ graphQLErrors, message }: CombinedError): readonly GatewayError[] =>
  graphQLErrors.length > 0 ? graphQLErrors : [{ message: `The gateway cannot be reached. ${message}` }];

/** Saves a form; the messages by field, where the gateway refused it. */
export async function save(
  client: Client,
  eventId: string,
  event: Record<string, unknown>,
): Promise<Record<string, string>> {
  const { error } = await client.mutation(patchEvent, { calendarId: 'primary', eventId, event }).toPromise();
  return error ? fieldErrors(errorsOf(error), 'event') : {};
}
