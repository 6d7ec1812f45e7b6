import { createStandings } from '../../src/outbox/standings.ts';
import { createMemoryDestinationStates } from '../../src/adapters/memory/destination-states.ts';
import { createMemoryOutbox } from '../../src/adapters/memory/outbox.ts';
import { brokerRoom, countDropped, droppedOf, mail, type Dropped, type OutboxItem } from '../../src/outbox/outbox.store.ts';
import type { Destination } from '../../src/outbox/destination.ts';
import { createRelay } from '../../src/outbox/relay.ts';
import { mailTo } from '../contracts/mail-samples.ts';
import { messageOn } from '../contracts/publisher.contract.ts';
import { collectReport, nothingPending, topic, until } from './relay.harness.ts';

const message = messageOn(topic, { attributes: { event: 'private', method: 'private' } });

test('of mails that are dropped event and method are told, of messages the topic alone', () => {
  const mails = [mailTo('a@example.org'), mailTo('b@example.org'), mailTo('b@example.org', { event: 'dinner' }), mailTo('b@example.org', { method: 'CANCEL' })];
  expect(countDropped([...mails.map((one) => droppedOf(mail, one)), droppedOf('broker', message), droppedOf('broker', message)])).toEqual([
    { destination: mail, event: 'lunch', method: 'REQUEST', count: 2 }, { destination: mail, event: 'dinner', method: 'REQUEST', count: 1 },
    { destination: mail, event: 'lunch', method: 'CANCEL', count: 1 }, { destination: 'broker', topic, count: 2 },
  ]);
});

test('a mail that the server refuses is reported with its event and method', async () => {
  const destination: Destination<OutboxItem> = {
    name: mail, kind: 'mail', takes: () => true, room: brokerRoom, pauses: { first: 1, longest: 4 },
    publisher: { publish: async () => ({ outcome: 'never', cause: new Error('550') }), close: async () => undefined },
  };
  const outbox = createMemoryOutbox<OutboxItem>({ clock: Date.now });
  const dropped: (readonly [Dropped, string])[] = [];
  const report = { ...collectReport().report, dropped: (one: Dropped, reason: string) => void dropped.push([one, reason]) };
  const relay = createRelay({ outbox, destinations: [destination], states: createMemoryDestinationStates(), standings: createStandings([destination], Date.now), report, clock: Date.now, delays: { idle: 5 } });
  expect(outbox.addMails('alice@example.com', [mailTo('a@example.org')])).toBe(true);
  relay.start();
  await until(nothingPending(outbox));
  await relay.stop();
  expect(dropped).toEqual([[{ destination: mail, event: 'lunch', method: 'REQUEST', count: 1 }, '550']]);
});
