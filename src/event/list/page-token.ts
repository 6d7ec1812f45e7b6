import type { Seal } from '../../core/kernel/seal.ts';
import type { NodeKey } from './nodes.ts';

/** What a cursor or a sync token says: where to go on, for which calendar and which selection. */
export interface PageToken {
  readonly kind: 'page' | 'sync';
  readonly calendarId: string;
  /** The calendar's revision when the first page was begun. */
  readonly revision: string;
  readonly since?: string;
  /** The arguments that it came from: a cursor goes on with the same ones, a sync token with the same singleEvents. */
  readonly chosen: string;
  /** How much of events the caller's role showed when the first page was begun; absent in tokens that were given out before it was kept. */
  readonly sight?: string;
  /** When the first page was begun (RFC 3339); absent in tokens that were given out before it was kept. */
  readonly at?: string;
  /** Of a cursor: behind which entry to go on. */
  readonly key?: NodeKey;
}

/** A page token in JSON: its numbers, which may be infinite and count what callers do not see, are equally long texts. */
type Written = Omit<PageToken, 'key' | 'revision'> & {
  readonly mark: string;
  readonly key?: readonly [at: string, position: string, original?: string];
};

const digits = 16;

/** A page token, sealed. */
export function writePageToken({ key, revision, ...rest }: PageToken, seal: Seal): string {
  const written: Written = {
    ...rest,
    mark: revision,
    ...(key && { key: [String(key.at), String(key.position).padStart(digits, '0'), key.original] }),
  };
  return seal.close(written);
}

/** The page token in what a client sent, when this gateway made it for this purpose and this calendar. */
export function readPageToken(
  token: string | null | undefined,
  kind: PageToken['kind'],
  calendarId: string,
  seal: Seal,
): PageToken | undefined {
  const written = typeof token === 'string' ? (seal.open(token) as Written | undefined) : undefined;
  if (written?.kind !== kind || written.calendarId !== calendarId) return undefined;
  const { key, mark: revision, ...rest } = written;
  return {
    ...rest,
    revision,
    ...(key && {
      key: { at: Number(key[0]), position: Number(key[1]), ...(key[2] && { original: key[2] }) },
    }),
  };
}

/** An entry of a page with its cursor, which is sealed when it is first read. */
export class Edge<N> {
  readonly node: N;
  readonly #token: PageToken;
  readonly #seal: Seal;
  #cursor: string | undefined;

  constructor(token: PageToken, seal: Seal, node: N) {
    this.node = node;
    this.#token = token;
    this.#seal = seal;
  }

  get cursor(): string {
    return (this.#cursor ??= writePageToken(this.#token, this.#seal));
  }
}
