/**
 * Freezes a record and all it holds, so that it can be handed out without a copy.
 * Parts that are frozen already are not walked again: a patched record shares them with its predecessor.
 */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const part of Object.values(value)) deepFreeze(part);
  return value;
}
