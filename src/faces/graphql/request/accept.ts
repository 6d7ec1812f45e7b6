import Negotiator from 'negotiator';
import type { RequestHead } from '../../../http/face.ts';
import { headerOf, RequestFault } from './params.ts';

export const jsonType = 'application/json; charset=utf-8';
const responseType = 'application/graphql-response+json; charset=utf-8';

/** The media types as clients write them, with and without charset. */
const types = new Map(
  [jsonType, responseType].flatMap((type) => [
    [type.replace(/;.*/, ''), type],
    [type, type],
  ]),
);
const spellings = [...types.keys()];

/**
 * The media type of all answers and errors of this face. Clients that accept neither type are told so in JSON.
 */
export function answerType(headers: RequestHead['headers']): {
  readonly type: string;
  readonly isAccepted: boolean;
} {
  const accept = headerOf(headers.accept);
  if (accept === undefined || accept === '*/*') return { type: jsonType, isAccepted: true };
  const type =
    types.get(accept) ?? types.get(new Negotiator({ headers: { accept } }).mediaType(spellings) ?? '');
  return { type: type ?? jsonType, isAccepted: type !== undefined };
}

export const notAcceptable = (): RequestFault =>
  new RequestFault(
    'The Accept header must allow application/json or application/graphql-response+json.',
    406,
  );

/** True when the client accepts server-sent events. */
export const takesEvents = ({ headers }: RequestHead): boolean =>
  new Negotiator({ headers: { accept: headerOf(headers.accept) ?? '*/*' } }).mediaType([
    'text/event-stream',
  ]) !== undefined;

/** True when a browser asks for a page. */
export const wantsPage = ({ method, headers, search }: RequestHead): boolean =>
  method === 'GET' &&
  !new URLSearchParams(search).has('query') &&
  new Negotiator({ headers: { accept: headerOf(headers.accept) ?? '' } }).mediaType([
    'application/json',
    'application/graphql-response+json',
    'text/html',
  ]) === 'text/html';
