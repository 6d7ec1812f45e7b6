import { notFound, Refusal, type Answer, type Asked, type Json, type Method } from './answers.ts';

/** Buckets, and the notifications of each. */
export class Buckets {
  readonly #buckets = new Map<string, Map<string, Json>>();
  #made = 0;

  readonly methods: readonly Method[] = [
    {
      name: 'notifications.insert',
      verb: 'POST',
      path: 'b/{}/notificationConfigs',
      run: (asked) => this.#insert(asked),
    },
    {
      name: 'notifications.list',
      verb: 'GET',
      path: 'b/{}/notificationConfigs',
      run: (asked) => this.#list(asked),
    },
    {
      name: 'notifications.delete',
      verb: 'DELETE',
      path: 'b/{}/notificationConfigs/{}',
      run: (asked) => this.#delete(asked),
    },
  ];

  open(name: string): void {
    this.#buckets.set(name, new Map());
  }

  notificationsOf(name: string): readonly Json[] {
    return [...(this.#buckets.get(name)?.values() ?? [])];
  }

  #bucket({ named: [name = ''] }: Asked): Map<string, Json> {
    const bucket = this.#buckets.get(name);
    if (!bucket) throw new Refusal(404, 'notFound', 'The specified bucket does not exist.');
    return bucket;
  }

  #insert(asked: Asked): Answer {
    const bucket = this.#bucket(asked);
    for (const name of ['topic', 'payload_format'])
      if (typeof asked.body[name] !== 'string') throw new Refusal(400, 'required', 'Required', name);
    const id = `${(this.#made += 1)}`;
    const given = Object.entries(asked.body).filter(([, value]) => value !== null);
    const json = { ...Object.fromEntries(given), kind: 'storage#notification', id, etag: id };
    bucket.set(id, json);
    return { json };
  }

  #list(asked: Asked): Answer {
    const items = [...this.#bucket(asked).values()];
    return { json: { kind: 'storage#notifications', ...(items.length > 0 && { items }) } };
  }

  #delete(asked: Asked): Answer {
    if (!this.#bucket(asked).delete(asked.named[1] ?? '')) throw notFound();
    return { status: 204 };
  }
}
