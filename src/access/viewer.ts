import { addressKey } from '../core/text/email.ts';
import type { Viewer } from './permissions.ts';

/** What a token says of whom it stands for. */
export interface Claims {
  readonly sub: string;
  readonly email?: string | undefined;
  readonly email_verified?: unknown;
  /** Separated by spaces. */
  readonly scope?: string | undefined;
}

/** Values of `email_verified` with which the address counts; some identity providers send a string. */
const verifiedAddress: readonly unknown[] = [undefined, true, 'true'];

/** `expires`: when the token does (epoch ms). */
export function viewerOf<Expires extends number | undefined>(
  { sub, email, email_verified: verified, scope }: Claims,
  expires: Expires,
): Viewer & { readonly expires: Expires } {
  const isVerified = verifiedAddress.includes(verified);
  // A subject that repeats an address which is not verified does not stand for it.
  const isUnverified = !isVerified && email !== undefined && addressKey(email) === addressKey(sub);
  const identity = isUnverified
    ? `unverified ${addressKey(sub)}`
    : addressKey((isVerified ? email : undefined) ?? sub);
  const scopes = new Set(scope?.split(' ').filter(Boolean));
  return { sub, identity, key: JSON.stringify([sub, identity]), scopes, expires };
}
