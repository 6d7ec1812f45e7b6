/** Opaque strings by the fields that hold them. */
const opaque = new Set([
  'nodeId', 'htmlLink', 'callLink', 'cursor', 'startCursor', 'endCursor', 'nextSyncToken', 'requestId', 'signature', 'conferenceId', 'uri', 'label', 'pin',
]);
/** Ids that a server makes up, wherever they stand. */
const madeUp = /[0-9a-f]{32}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/**
 * Names for what differs from run to run, in the order of its appearance, the same for the same value: so that the answers of
 * two worlds can be compared, and whether an etag stayed as well.
 */
export class Names {
  readonly #names = new Map<string, string>();
  readonly #counts = new Map<string, number>();

  /** The answer with names in it. */
  of(answer: unknown, field = ''): unknown {
    if (Array.isArray(answer)) return answer.map((entry) => this.of(entry, field));
    if (typeof answer === 'object' && answer !== null) return Object.fromEntries(Object.entries(answer).map(([name, value]) => [name, this.of(value, name)]));
    if (typeof answer !== 'string') return answer;
    if (opaque.has(field)) return this.#name(field, answer);
    return answer.replace(madeUp, (id) => this.#name('id', id)).replace(etag, (value) => this.#name('etag', value));
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

/** As it is read, quotes included; messages tell it too. */
const etag = /"[\w.+/=-]+"/g;
