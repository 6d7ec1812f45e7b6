/** An object that stands for one request: it lives as long as the request does. */
export type RequestKey = object;

/** Makes something once for each request; it is forgotten together with the request. */
export function perRequest<T>(make: () => T): (request: RequestKey) => T {
  const made = new WeakMap<RequestKey, { readonly value: T }>();
  return (request) => {
    let entry = made.get(request);
    if (!entry) made.set(request, (entry = { value: make() }));
    return entry.value;
  };
}
