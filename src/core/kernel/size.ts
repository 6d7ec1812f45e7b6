/** Estimates the memory of a JSON value in bytes, rather too high: strings count two bytes for each UTF-16 unit. */
export function bytesOf(value: unknown): number {
  if (typeof value === 'string') return 16 + 2 * value.length;
  if (typeof value !== 'object' || value === null) return 8;
  let bytes = 32;
  for (const key of Object.keys(value))
    bytes += bytesOf(key) + bytesOf((value as Record<string, unknown>)[key]);
  return bytes;
}

export const mebibyte = 1024 * 1024;
