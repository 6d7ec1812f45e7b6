export interface RequestIds {
  /** Returns an id, and the same one for the same body: a retry after a lost answer is stored once. */
  readonly of: (body: unknown) => string;
  /** Ends the request after its success: the same body gets another id from now on. */
  readonly done: () => void;
}

export function createRequestIds(): RequestIds {
  let last: { readonly body: string; readonly id: string } | undefined;
  return {
    of(body) {
      const text = JSON.stringify(body);
      if (last?.body !== text) last = { body: text, id: crypto.randomUUID() };
      return last.id;
    },
    done: () => (last = undefined),
  };
}
