/** An object that stands for one request: it lives as long as the request does. */
export type RequestKey = object;

/** Makes something once for each request; it is forgotten together with the request. */
export function perRequest<T extends object>(make: (request: RequestKey) => T): (request: RequestKey) => T {
  const made = new WeakMap<RequestKey, T>();
  return (request) => {
    let value = made.get(request);
    if (!value) made.set(request, (value = make(request)));
    return value;
  };
}
