/** Ids by which the gateway recognizes a repeated request. */
export interface RequestIds {
  /** Returns the same id for the same body, so a retry after a lost response is stored once. */
  readonly idFor: (body: unknown) => string;
  /** Marks the request as successful: the same body gets another id from now on. */
  readonly markDone: () => void;
}

export function createRequestIds(): RequestIds {
  let lastRequest: { readonly body: string; readonly id: string } | undefined;
  return {
    idFor(body) {
      const bodyText = JSON.stringify(body);
      if (lastRequest?.body !== bodyText) lastRequest = { body: bodyText, id: crypto.randomUUID() };
      return lastRequest.id;
    },
    markDone: () => (lastRequest = undefined),
  };
}
