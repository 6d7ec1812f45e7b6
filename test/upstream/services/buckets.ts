import { notFound, Refusal, type Answer, type ServiceRequest, type Json, type Method } from './answers.ts';

/** Fake storage service: buckets and their notifications. */
export class Buckets {
  readonly #buckets = new Map<string, Map<string, Json>>();
  #lastId = 0;

  readonly methods: readonly Method[] = [
    {
      name: 'notifications.insert',
      verb: 'POST',
      path: 'b/{}/notificationConfigs',
      run: (request) => this.#insert(request),
    },
    {
      name: 'notifications.list',
      verb: 'GET',
      path: 'b/{}/notificationConfigs',
      run: (request) => this.#list(request),
    },
    {
      name: 'notifications.delete',
      verb: 'DELETE',
      path: 'b/{}/notificationConfigs/{}',
      run: (request) => this.#delete(request),
    },
  ];

  open(name: string): void {
    this.#buckets.set(name, new Map());
  }

  notificationsOf(name: string): readonly Json[] {
    return [...(this.#buckets.get(name)?.values() ?? [])];
  }

  #findBucket({ pathParameters: [name = ''] }: ServiceRequest): Map<string, Json> {
    const bucket = this.#buckets.get(name);
    if (!bucket) throw new Refusal(404, 'notFound', 'The specified bucket does not exist.');
    return bucket;
  }

  #insert(request: ServiceRequest): Answer {
    const bucket = this.#findBucket(request);
    for (const name of ['topic', 'payload_format'])
      if (typeof request.body[name] !== 'string') throw new Refusal(400, 'required', 'Required', name);
    const id = `${(this.#lastId += 1)}`;
    const members = Object.entries(request.body).filter(([, value]) => value !== null);
    const json = { ...Object.fromEntries(members), kind: 'storage#notification', id, etag: id };
    bucket.set(id, json);
    return { json };
  }

  #list(request: ServiceRequest): Answer {
    const items = [...this.#findBucket(request).values()];
    return { json: { kind: 'storage#notifications', ...(items.length > 0 && { items }) } };
  }

  #delete(request: ServiceRequest): Answer {
    if (!this.#findBucket(request).delete(request.pathParameters[1] ?? '')) throw notFound();
    return { status: 204 };
  }
}
