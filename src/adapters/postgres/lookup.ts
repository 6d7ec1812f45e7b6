import { hash } from 'node:crypto';
import { isStorable } from '../../core/text/storable.ts';

/** An identifier as a parameter of a query. Those that cannot be stored find nothing, as the empty one does. */
export const lookupKey = (id: string): string => (isStorable(id) ? id : '');

/** An index takes 2,704 bytes a row. */
const mostBytes = 1024;
const digested = 'sha256:';

/** The form in which an identifier of any length is stored in an index, and looked up: itself, or a digest where it is too long. */
export function indexKey(id: string): string {
  const isDigested = Buffer.byteLength(id) > mostBytes || id.startsWith(digested);
  return isDigested ? `${digested}${hash('sha256', id, 'hex')}` : lookupKey(id);
}
