import { countDropped, droppedOf, mail } from '../../src/outbox/outbox.store.ts';
import { mailTo } from '../contracts/mail-samples.ts';
import { messageOn } from '../contracts/publisher.contract.ts';
import { topic } from './relay.harness.ts';

const message = messageOn(topic, { attributes: { event: 'private', method: 'private' } });

test('of mails that are dropped event and method are told, of messages the topic alone', () => {
  const mails = [
    mailTo('a@example.org'),
    mailTo('b@example.org'),
    mailTo('b@example.org', { event: 'dinner' }),
    mailTo('b@example.org', { method: 'CANCEL' }),
  ];
  expect(
    countDropped([
      ...mails.map((one) => droppedOf(mail, one)),
      droppedOf('broker', message),
      droppedOf('broker', message),
    ]),
  ).toEqual([
    { destination: mail, event: 'lunch', method: 'REQUEST', count: 2 },
    { destination: mail, event: 'dinner', method: 'REQUEST', count: 1 },
    { destination: mail, event: 'lunch', method: 'CANCEL', count: 1 },
    { destination: 'broker', topic, count: 2 },
  ]);
});
