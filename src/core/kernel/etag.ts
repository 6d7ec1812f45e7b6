import { hash } from 'node:crypto';

/** The entity tag of a content that counts its changes, or never changes: a digest of its text, quoted. */
export const etagOfText = (text: string): string => `"${hash('sha256', text, 'base64url').slice(0, 16)}"`;
