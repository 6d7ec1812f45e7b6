import { randomUUID } from 'node:crypto';

/**
 * Creates an id of 32 characters in the base32hex alphabet (RFC 4648, section 7). Without the replacement, Node would keep it as
 * a tree of a dozen strings.
 */
export const newId = (): string => randomUUID().replaceAll('-', '');
