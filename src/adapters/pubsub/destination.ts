import { canonicalHost } from '../../core/text/host.ts';
import type { OutgoingMessage } from '../../notification/message.store.ts';
import type { Destination } from '../../outbox/destination.ts';
import { brokerRoom } from '../../outbox/outbox.store.ts';
import { googleCredentials, nobody } from './credentials.ts';
import { createPubSubPublisher } from './publisher.ts';
import { hostOf } from './request.ts';

export interface PubSubSettings {
  /** The host of the topics that go to Pub/Sub, which is where they are published. */
  readonly host: string;
  /** Host and port of an emulator, which takes the place of the host and asks for no credentials. */
  readonly emulatorHost?: string;
}

/** Google Cloud Pub/Sub. Throws StartError where what its credentials need is not installed. */
export async function pubsubDestination({
  host,
  emulatorHost,
}: PubSubSettings): Promise<Destination<OutgoingMessage>> {
  const endpoint = emulatorHost === undefined ? `https://${host}` : `http://${emulatorHost}`;
  const authorize = emulatorHost === undefined ? await googleCredentials() : nobody;
  const own = canonicalHost(host);
  return {
    name: 'pubsub',
    kind: 'pubsub',
    publisher: createPubSubPublisher({ endpoint, authorize }),
    takes: ({ topic }) => hostOf(topic) === own,
    room: brokerRoom,
    // Google's own clients wait for a minute at most.
    pauses: { first: 500, longest: 60_000 },
    mostAtOnce: 1000,
  };
}
