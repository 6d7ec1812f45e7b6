export interface RequestIds {
  /** The same body gets the same id: sent again because no answer came, it is stored once. */
  readonly of: (body: unknown) => string;
  /** It was stored: the same body is another request from now on. */
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
