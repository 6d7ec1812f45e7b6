import { notFound, Refusal, type Answer, type Asked, type Json, type Method } from './answers.ts';

/** Buckets, and what is told of them. */
export class Buckets {
  readonly #buckets = new Map<
    string,
    { readonly project: string; readonly notifications: Map<string, Json> }
  >();
  #made = 0;

  open(name: string, project: string): void {
    this.#buckets.set(name, { project, notifications: new Map() });
  }

  notificationsOf(name: string): readonly Json[] {
    return [...(this.#buckets.get(name)?.notifications.values() ?? [])];
  }

  bucket({ named: [name = ''] }: Asked): {
    readonly project: string;
    readonly notifications: Map<string, Json>;
  } {
    const bucket = this.#buckets.get(name);
    if (!bucket) throw new Refusal(404, 'notFound', 'The specified bucket does not exist.');
    return bucket;
  }

  bucketsOf(project: string): readonly string[] {
    return [...this.#buckets].filter(([, bucket]) => bucket.project === project).map(([name]) => name);
  }

  nextId(): string {
    return `${(this.#made += 1)}`;
  }
}

/** The methods of the Storage API that the gateway calls. */
export function storageMethods(buckets: Buckets): readonly Method[] {
  const resource = (name: string): Json => ({
    kind: 'storage#bucket',
    id: name,
    name,
    selfLink: `https://www.googleapis.com/storage/v1/b/${name}`,
    projectNumber: '1',
    metageneration: '1',
    location: 'EU',
    storageClass: 'STANDARD',
    etag: 'CAE=',
    timeCreated: '2026-11-01T00:00:00.000Z',
    updated: '2026-11-01T00:00:00.000Z',
  });

  function insert(asked: Asked): Answer {
    const { notifications } = buckets.bucket(asked);
    const { topic, payload_format, event_types, object_name_prefix, custom_attributes } = asked.body;
    if (typeof topic !== 'string') throw new Refusal(400, 'required', 'Required', 'topic');
    if (typeof payload_format !== 'string') throw new Refusal(400, 'required', 'Required', 'payload_format');
    const id = buckets.nextId();
    const all = {
      kind: 'storage#notification',
      id,
      etag: id,
      selfLink: `https://www.googleapis.com/storage/v1/b/${asked.named[0]}/notificationConfigs/${id}`,
      topic,
      payload_format,
      event_types,
      object_name_prefix,
      custom_attributes,
    };
    const json = Object.fromEntries(
      Object.entries(all).filter(([, value]) => value !== undefined && value !== null),
    );
    notifications.set(id, json);
    return { json };
  }

  function found(asked: Asked): Json {
    const json = buckets.bucket(asked).notifications.get(asked.named[1] ?? '');
    if (!json) throw notFound();
    return json;
  }

  function remove(asked: Asked): Answer {
    const { id } = found(asked);
    buckets.bucket(asked).notifications.delete(String(id));
    return { status: 204 };
  }

  function list(asked: Asked): Answer {
    const items = [...buckets.bucket(asked).notifications.values()];
    return { json: { kind: 'storage#notifications', ...(items.length > 0 && { items }) } };
  }

  return [
    { name: 'notifications.insert', verb: 'POST', path: 'b/{}/notificationConfigs', run: insert },
    {
      name: 'notifications.get',
      verb: 'GET',
      path: 'b/{}/notificationConfigs/{}',
      run: (asked) => ({ json: found(asked) }),
    },
    { name: 'notifications.list', verb: 'GET', path: 'b/{}/notificationConfigs', run: list },
    { name: 'notifications.delete', verb: 'DELETE', path: 'b/{}/notificationConfigs/{}', run: remove },
    {
      name: 'buckets.get',
      verb: 'GET',
      path: 'b/{}',
      run: (asked) => (buckets.bucket(asked), { json: resource(asked.named[0] ?? '') }),
    },
    {
      name: 'buckets.list',
      verb: 'GET',
      path: 'b',
      run: ({ query }) => ({
        json: { kind: 'storage#buckets', items: buckets.bucketsOf(query.get('project') ?? '').map(resource) },
      }),
    },
  ];
}
