import { addressKey } from '../../core/text/email.ts';

type Fields = Readonly<Record<string, unknown>>;

const keys = new WeakMap<object, string | undefined>();

/** By what a guest is recognised: the e-mail address as `addressKey` writes it, else the profile id. */
export function attendeeKey(entry: Fields): string | undefined {
  const known = keys.get(entry);
  if (known !== undefined) return known;
  const key = keyOf(entry);
  if (Object.isFrozen(entry)) keys.set(entry, key);
  return key;
}

const keyOf = ({ email, id }: Fields): string | undefined =>
  typeof email === 'string' ? addressKey(email) : typeof id === 'string' ? id : undefined;
