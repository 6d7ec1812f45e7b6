/** Ids by which the gateway recognizes a repeated request. */
export interface RequestIds {
  /** Returns the same id for the same body, so a retry after a lost response is stored once. */
  readonly idFor: (body: unknown) => string;
  /** Marks the request as successful: the same body gets another id from now on. */
  readonly markDone: () => void;
}

export function createRequestIds(): RequestIds {
  let previous: { readonly body: string; readonly id: string } | undefined;
  return {
    idFor(body) {
      const bodyText = JSON.stringify(body);
      if (previous?.body !== bodyText) previous = { body: bodyText, id: crypto.randomUUID() };
      return previous.id;
    },
    markDone: () => (previous = undefined),
  };
}
