import { createMemoryOutbox } from '../../src/adapters/memory/outbox.ts';
import { createMemoryStores } from '../../src/adapters/memory/stores.ts';
import { openDestinations, createOutboxRules } from '../../src/app/stores.ts';
import { readConfig } from '../../src/config.ts';
import type { Mail } from '../../src/mail/mail.ts';
import type { OutgoingMessage } from '../../src/notification/notification.store.ts';
import { mailTo } from '../adapters/smtp/smtp.harness.ts';
import { createMessage } from '../contracts/publisher.contract.ts';
import { eventually } from '../eventually.ts';
import { startGateway } from '../harness.ts';
import { collectLog } from '../log-lines.ts';
import { startMailbox, type Mailbox } from '../mail/mailbox.ts';
import { createRecordingReport } from '../outbox/relay.harness.ts';

/** Starts a gateway with a mail server and mails in its outbox. */
async function startWithMails(mailbox: Mailbox, mails: readonly Mail[]) {
  const destinationsOf = () => ['mail'];
  const outbox = createMemoryOutbox<OutgoingMessage | Mail>({ clock: Date.now, destinationsOf });
  const log = collectLog();
  outbox.add('alice', mails);
  const gateway = await startGateway(
    { SMTP_URL: mailbox.url, MAIL_FROM: 'Gateway <gateway@example.com>', LOG_LEVEL: 'warn' },
    { logTarget: log.logTo, stores: { ...createMemoryStores(Date.now), outbox } },
  );
  const readMetrics = async (): Promise<string[]> =>
    (await gateway.app.inject('/metrics')).body
      .split('\n')
      .filter((line) => /^(mail|delivery)_/.test(line) && !line.endsWith(' 0'));
  return { gateway, outbox, log, readMetrics };
}

describe('mails', () => {
  test('go to the mail server only, and messages never do', async () => {
    const { report } = createRecordingReport();
    const env = { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'gateway@example.com' };
    const brokers = { BROKER_URL: 'nats://127.0.0.1:1', PUBSUB: 'on', PUBSUB_EMULATOR_HOST: '127.0.0.1:1' };
    const destinations = await openDestinations(readConfig({ ...env, ...brokers }), Date.now);
    const { destinationsOf, capacityOf } = createOutboxRules(destinations, { isOff: () => false }, report);
    expect(destinationsOf(mailTo('bob@example.com'))).toEqual(['mail']);
    expect(destinationsOf(createMessage('//pubsub.test/projects/p/topics/t'))).toEqual(['broker']);
    const [maxBytes, maxBytesPerOwner] = [64 * 1024 * 1024, 16 * 1024 * 1024];
    expect(capacityOf('mail')).toEqual({ maxBytes, maxBytesPerOwner, whenFull: 'drop' });
    expect(destinations.find(({ kind }) => kind === 'mail')).toMatchObject({
      name: 'mail',
      locationFields: { host: '127.0.0.1:1' },
      pauses: { firstMs: 2000, maxMs: 600_000 },
      maxConcurrentKeys: 10,
    });
    await Promise.all(destinations.map(({ publisher }) => publisher.close()));
  });

  test('are not stored without a mail server', async () => {
    const destinations = await openDestinations(readConfig({}), Date.now);
    const { destinationsOf } = createOutboxRules(
      destinations,
      { isOff: () => false },
      createRecordingReport().report,
    );
    expect(destinationsOf(mailTo('bob@example.com'))).toEqual([]);
  });

  test('are sent over at most ten connections, and counted separately from messages', async () => {
    const mailbox = await startMailbox();
    const mails = Array.from({ length: 60 }, (_, index) => mailTo(`guest${index}@example.com`));
    const { gateway, readMetrics } = await startWithMails(mailbox, mails);
    await mailbox.waitForMails(60);
    await eventually(async () =>
      expect(await readMetrics()).toEqual(['mail_total{method="REQUEST",outcome="sent"} 60']),
    );
    expect(mailbox.connections.maxOpen).toBeLessThanOrEqual(10);
    await gateway.close();
    await mailbox.stop();
  });

  test("that are refused are dropped or retried, which is counted and logged without the guest's address", async () => {
    const mailbox = await startMailbox();
    mailbox.setReplyCode('bob@example.com', 550);
    const countAttempts = mailbox.setReplyCode('carol@example.com', 451);
    const mails = ['bob', 'carol', 'dora'].map((name) => mailTo(`${name}@example.com`));
    const { gateway, readMetrics, log, outbox } = await startWithMails(mailbox, mails);
    await eventually(async () => expect(countAttempts()).toBeGreaterThan(0));
    mailbox.setReplyCode('carol@example.com', 250);
    await eventually(async () => expect((await outbox.backlog()).count).toBe(0));
    expect(mailbox.mails.map(({ to: [to] }) => to).sort()).toEqual(['carol@example.com', 'dora@example.com']);
    // The number of retries depends on timing.
    for (const outcome of ['sent"} 2', 'refused"} 1', 'retried"} '])
      expect((await readMetrics()).join()).toContain(`mail_total{method="REQUEST",outcome="${outcome}`);
    await gateway.close();
    const host = mailbox.url.slice('smtp://'.length);
    const commonFields = { destination: 'mail', host, event: mails[0]?.attributes.event, method: 'REQUEST' };
    const droppedLine = {
      level: 50,
      code: 550,
      reason: 'answered with 550',
      mails: 1,
      msg: 'mails were dropped',
    };
    for (const line of [droppedLine, { level: 40, code: 451, reason: 'answered with 451' }])
      expect(log.lines).toContainEqual(expect.objectContaining({ ...commonFields, ...line }));
    expect(JSON.stringify(log.lines)).not.toMatch(/example\.com|Prüfung/);
    await mailbox.stop();
  });
});
