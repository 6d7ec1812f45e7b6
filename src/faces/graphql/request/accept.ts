import Negotiator from 'negotiator';
import type { Framing, RequestHead } from '../../../http/face.ts';
import { multipart, serverSentEvents } from '../answer/framing.ts';
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

/** How a request is answered that is no subscription. */
interface AnswerType {
  /** The media type of answers and errors; JSON where the client accepts none. */
  readonly type: string;
  readonly isAccepted: boolean;
  /** True for a client that accepts server-sent events only. */
  readonly asEvents: boolean;
}

const acceptOf = (headers: RequestHead['headers']): string => headerOf(headers.accept)?.trim() || '*/*';

/** Wildcards mean JSON. */
export function answerType(headers: RequestHead['headers']): AnswerType {
  const accept = acceptOf(headers);
  const known = accept === '*/*' ? jsonType : types.get(accept);
  if (known !== undefined) return { type: known, isAccepted: true, asEvents: false };
  const type = types.get(new Negotiator({ headers: { accept } }).mediaType(spellings) ?? '');
  const ranges = rangesOf(accept);
  const isAccepted = type !== undefined || readQuality(ranges, 'text/*') > 0;
  const asEvents = !isAccepted && readQuality(ranges, eventType) > 0 && multipartQuality(ranges) === 0;
  return { type: type ?? jsonType, isAccepted, asEvents };
}

export const jsonTypes = 'application/json or application/graphql-response+json';
const eventType = 'text/event-stream';
const streamTypes = `multipart/mixed with subscriptionSpec=1.0, or ${eventType}`;

export const notAcceptable = (wanted: string): RequestFault =>
  new RequestFault(`The Accept header must allow ${wanted}.`, 406);

/** Names both protocols of subscriptions. */
export const howToSubscribe = `A subscription is answered with a stream over HTTP: the Accept header must allow ${streamTypes}. WebSocket is not offered.`;

/** Whether server-sent events are accepted, by a wildcard too. */
export const acceptsEvents = (headers: RequestHead['headers']): boolean =>
  eventQuality(rangesOf(acceptOf(headers))) > 0;

/** How the events of a subscription are written; undefined for a client that accepts neither protocol. */
export function framingFor(headers: RequestHead['headers']): Framing | undefined {
  const ranges = rangesOf(acceptOf(headers));
  const [parts, events] = [multipartQuality(ranges), eventQuality(ranges)];
  if (events === 0 && parts === 0) return undefined;
  return parts >= events ? multipart : serverSentEvents;
}

const eventQuality = (ranges: readonly MediaRange[]): number =>
  readQuality(ranges, '*/*', 'text/*', eventType);

const multipartQuality = (ranges: readonly MediaRange[]): number =>
  readQuality(
    ranges.filter(({ parameters }) => parameters.get('subscriptionspec') === '1.0'),
    'multipart/mixed',
  );

/** Media range of an Accept header (RFC 9110, section 12.5.1), in lower case. */
interface MediaRange {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/** Quoted strings may hold commas and semicolons. */
const rangesOf = (accept: string): MediaRange[] =>
  (accept.toLowerCase().match(/(?:"(?:[^"\\]|\\.)*"|[^,])+/g) ?? []).map((range) => {
    const [type = '', ...parameters] = (range.match(/(?:"(?:[^"\\]|\\.)*"|[^;])+/g) ?? []).map((part) =>
      part.trim(),
    );
    const pairs = parameters.map((parameter): [string, string] => {
      const [name = '', value = ''] = parameter.split('=').map((part) => part.trim());
      return [name, value.replaceAll('"', '')];
    });
    return { type, parameters: new Map(pairs) };
  });

/** The quality of the last of these types that the client names, 0 to 1. */
function readQuality(ranges: readonly MediaRange[], ...named: readonly string[]): number {
  const of = named.map((type) => ranges.find((range) => range.type === type)).findLast((range) => range);
  return of ? Math.min(1, Math.max(0, Number(of.parameters.get('q') ?? 1) || 0)) : 0;
}

/** True when a browser asks for a page. */
export const wantsPage = ({ method, headers, search }: RequestHead): boolean =>
  method === 'GET' &&
  !new URLSearchParams(search).has('query') &&
  new Negotiator({ headers: { accept: headerOf(headers.accept) ?? '' } }).mediaType([
    'application/json',
    'application/graphql-response+json',
    'text/html',
  ]) === 'text/html';
