/** Opaque strings by the fields that hold them. */
const opaque = new Set([
  'nodeId',
  'htmlLink',
  'callLink',
  'hangoutLink',
  'cursor',
  'startCursor',
  'endCursor',
  'nextSyncToken',
  'requestId',
  'signature',
  'conferenceId',
  'uri',
  'label',
  'pin',
]);
/** Ids that a server makes up, wherever they stand. */
const madeUp =
  /[0-9a-v]{26}(?=@group\.)|[0-9a-f]{32}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/**
 * Names for what differs from run to run, in the order of its appearance, the same for the same value: so that the answers of
 * two worlds can be compared, and whether an etag stayed as well.
 */
export class Names {
  readonly #names = new Map<string, string>();
  readonly #counts = new Map<string, number>();

  /** The answer with names in it. */
  of(answer: unknown): unknown {
    return written(answer, (kind, value) => this.#name(kind, value));
  }

  /** Entries in an order that every world has: by what they hold, with the names that were given so far. */
  sorted(entries: readonly unknown[]): unknown[] {
    const textOf = (entry: unknown): string =>
      JSON.stringify(written(entry, (kind, value) => this.#names.get(kind + value) ?? ''));
    return entries
      .map((entry) => [textOf(entry), entry] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, entry]) => entry);
  }

  #name(kind: string, value: string): string {
    const known = this.#names.get(kind + value);
    if (known !== undefined) return known;
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    const name = `${kind} ${count}`;
    this.#names.set(kind + value, name);
    return name;
  }
}

/** A value in which something else stands for what differs from run to run. */
function written(value: unknown, nameOf: (kind: string, text: string) => string, field = ''): unknown {
  if (Array.isArray(value)) return value.map((entry) => written(entry, nameOf, field));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, written(inner, nameOf, name)]),
    );
  if (typeof value !== 'string') return value;
  if (opaque.has(field)) return nameOf(field, value);
  return value.replace(madeUp, (id) => nameOf('id', id)).replace(etag, (text) => nameOf('etag', text));
}

/** As it is read, quotes included; messages tell it too. */
const etag = /"[\w.+/=-]+"/g;
