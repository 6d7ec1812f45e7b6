import { createHmac, timingSafeEqual } from 'node:crypto';
import type { NodeKey } from './nodes.ts';

/** What a cursor or a sync token says: where to go on, for which calendar and which selection. */
export interface Marker {
  readonly kind: 'page' | 'sync';
  readonly calendarId: string;
  /** The calendar's state when the first page was read. */
  readonly mark: string;
  readonly since?: string;
  /** The arguments that it came from: a cursor goes on with the same ones, a sync token with the same singleEvents. */
  readonly chosen: string;
  /** Of a cursor: behind which entry to go on. */
  readonly key?: NodeKey;
}

/** The marker as a string that nobody else can make up: its JSON and a seal (HMAC-SHA-256, RFC 2104), as base64url. */
export function writeMarker(marker: Marker, secret: string): string {
  const content = Buffer.from(JSON.stringify(marker)).toString('base64url');
  return `${content}.${seal(content, secret)}`;
}

/** The marker in a token, when this gateway made it for this purpose and this calendar. */
export function readMarker(token: string | null | undefined, kind: Marker['kind'], calendarId: string, secret: string): Marker | undefined {
  if (typeof token !== 'string') return undefined;
  const [content, sealed = '', ...rest] = token.split('.') as [string, ...string[]];
  if (rest.length > 0) return undefined;
  const expected = Buffer.from(seal(content, secret));
  const given = Buffer.from(sealed);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  const marker = JSON.parse(Buffer.from(content, 'base64url').toString()) as Marker;
  return marker.kind === kind && marker.calendarId === calendarId ? marker : undefined;
}

const seal = (content: string, secret: string): string =>
  createHmac('sha256', secret).update(`list marker\n${content}`).digest('base64url').slice(0, 22);

