/** Fields whose strings differ from run to run. */
const opaqueFields = new Set([
  ...['nodeId', 'htmlLink', 'callLink', 'hangoutLink', 'signature', 'conferenceId', 'uri', 'label', 'pin'],
  ...['cursor', 'startCursor', 'endCursor', 'nextSyncToken', 'requestId'],
]);
/** Server-generated IDs, anywhere in a string. */
const generatedId =
  /[0-9a-v]{26}(?=@group\.)|[0-9a-f]{32}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/**
 * Replaces values that differ from run to run by numbered placeholders, in order of appearance and equal for equal values,
 * so that responses of two worlds can be compared, unchanged etags included.
 */
export class Placeholders {
  readonly #placeholders = new Map<string, string>();
  readonly #counts = new Map<string, number>();

  /** Replaces values in a response. */
  replaceIn(responseBody: unknown): unknown {
    return replaceStrings(responseBody, (kind, value) => this.#placeholderFor(kind, value));
  }

  /** Sorts entries the same in every world: by their content with the placeholders assigned so far. */
  sortEntries(entries: readonly unknown[]): unknown[] {
    const sortKey = (entry: unknown): string =>
      JSON.stringify(replaceStrings(entry, (kind, value) => this.#placeholders.get(kind + value) ?? ''));
    return entries
      .map((entry) => [sortKey(entry), entry] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, entry]) => entry);
  }

  #placeholderFor(kind: string, value: string): string {
    const existing = this.#placeholders.get(kind + value);
    if (existing !== undefined) return existing;
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    const placeholder = `${kind} ${count}`;
    this.#placeholders.set(kind + value, placeholder);
    return placeholder;
  }
}

/** Replaces opaque strings, generated IDs and etags in a value. */
function replaceStrings(
  value: unknown,
  placeholderOf: (kind: string, text: string) => string,
  field = '',
): unknown {
  if (Array.isArray(value)) return value.map((entry) => replaceStrings(entry, placeholderOf, field));
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).map(([name, inner]) => [
      name,
      replaceStrings(inner, placeholderOf, name),
    ]);
    return Object.fromEntries(entries);
  }
  if (typeof value !== 'string') return value;
  if (opaqueFields.has(field)) return placeholderOf(field, value);
  return value
    .replace(generatedId, (id) => placeholderOf('id', id))
    .replace(etagPattern, (text) => placeholderOf('etag', text));
}

/** An etag with its quotes, also inside messages. */
const etagPattern = /"[\w.+/=-]+"/g;
