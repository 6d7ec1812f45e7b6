import { startGateway } from '../harness.ts';
import { describeWithNats, startNats, streamOf } from '../nats-server.ts';

const topic = '//pubsub.googleapis.com/projects/my-project/topics/photos';
const as = 'manager@example.com';
const seed = {
  buckets: [{ name: 'photos', project: 'my-project', managers: [as], notifications: [{ topic }] }],
};
const publish = `mutation ($change: ObjectChangeInput!) {
  publishObjectChange(bucket: "photos", change: $change) { messages { messageId } }
}`;

describeWithNats('changes while the NATS server is stopped for three seconds', () => {
  test('500 of 500 arrive, in order for each object, none twice with another id', async () => {
    const server = await startNats();
    const gateway = await startGateway({ BROKER_URL: server.url }, { seed });
    const acknowledged: string[] = [];
    try {
      let outage: Promise<void> | undefined;
      for (let index = 0; index < 500; index += 1) {
        if (index === 100) {
          outage = server.stop().then(async () => {
            await new Promise((resolve) => setTimeout(resolve, 3000));
            await server.start();
          });
        }
        const change = {
          eventType: 'OBJECT_FINALIZE',
          objectId: `object-${index % 10}`,
          objectGeneration: String(index),
        };
        const answer = await gateway.ask(publish, { change }, { as });
        acknowledged.push(answer.data.publishObjectChange.messages[0].messageId);
      }
      await outage;
      while ((await gateway.stores.outbox.backlog()).count > 0)
        await new Promise((resolve) => setTimeout(resolve, 20));

      const arrived = await streamOf(server.url);
      expect(new Set(arrived.map(({ id }) => id))).toEqual(new Set(acknowledged));
      for (let object = 0; object < 10; object += 1) {
        const first = new Map<string, number>();
        for (const { id, attributes } of arrived) {
          if (attributes.objectId === `object-${object}` && !first.has(id))
            first.set(id, Number(attributes.objectGeneration));
        }
        const generations = [...first.values()];
        expect(generations).toHaveLength(50);
        expect(generations).toEqual([...generations].sort((a, b) => a - b));
      }
    } finally {
      await gateway.close();
      await server.remove();
    }
  });
});
