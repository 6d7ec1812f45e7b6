type StorageArea = 'localStorage' | 'sessionStorage';

/** Reads a JSON value; null if it is absent or unreadable, or if the browser blocks storage. */
export function readStoredValue(area: StorageArea, key: string): unknown {
  try {
    return JSON.parse(window[area].getItem(key) ?? 'null');
  } catch {
    return null;
  }
}

/**
 * Stores a JSON value, or removes the stored one if it is undefined. Does nothing if storage is blocked or
 * full.
 */
export function writeStoredValue(area: StorageArea, key: string, value: unknown): void {
  try {
    if (value === undefined) window[area].removeItem(key);
    else window[area].setItem(key, JSON.stringify(value));
  } catch {
    // The page works without storage.
  }
}
