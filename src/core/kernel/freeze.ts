/**
 * Freezes a record deeply, so that it can be returned without a copy. Frozen parts are skipped: a patched record shares
 * them with its predecessor.
 */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const part of Object.values(value)) deepFreeze(part);
  return value;
}
