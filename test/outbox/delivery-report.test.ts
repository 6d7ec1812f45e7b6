import type { Mail } from '../../src/mail/mail.ts';
import { createDeliveryReport, dropReasons } from '../../src/outbox/delivery-report.ts';
import type { Log } from '../../src/core/runtime/log.ts';
import { createMessage } from '../contracts/publisher.contract.ts';
import { eventually } from '../eventually.ts';

const topic = '//pubsub.test/projects/p/topics/t';
const item = createMessage(topic, { data: '{"secret":"body"}', orderingKey: `${topic} photos/secret name` });

describe('the delivery report', () => {
  /** Creates a report that records its log lines and counts. */
  function createRecordedReport(minLogIntervalMs?: number) {
    const logLines: object[] = [];
    const messageCounts: unknown[][] = [];
    const mailCounts: unknown[][] = [];
    const record = (level: string) => (details: object) => void logLines.push({ level, ...details });
    const log: Log = { info: record('info'), warn: record('warn'), error: record('error') };
    const report = createDeliveryReport({
      destinations: [
        { name: 'webhook:1', kind: 'webhook', locationFields: { host: 'hooks.test', path: '/a' } },
        { name: 'broker', kind: 'nats' },
        { name: 'mail', kind: 'mail', locationFields: { host: 'mail.test:587' } },
      ],
      log,
      countDeliveries: (...counted) => messageCounts.push(counted),
      countMails: (...counted) => mailCounts.push(counted),
      ...(minLogIntervalMs !== undefined && { minLogIntervalMs }),
    });
    return { logLines, messageCounts, mailCounts, report };
  }

  test('counts by the kind of the destination, or by the name of an unconfigured one', () => {
    const { messageCounts, report } = createRecordedReport();
    report.delivered('webhook:1', item);
    report.failed('broker', item, new Error('away'));
    for (const destination of ['webhook:1', 'webhook:gone', 'pubsub', 'webhooks', 'other'])
      report.dropped({ destination, topic, count: 2 }, 'no');
    report.close();
    expect(messageCounts).toEqual([
      ['webhook', 'delivered', 1],
      ['nats', 'retried', 1],
      ['webhook', 'dropped', 2],
      ['webhook', 'dropped', 2],
      ['pubsub', 'dropped', 2],
    ]);
  });

  test('logs one failure per destination and period, with host and reason, but no content', () => {
    const { logLines, report } = createRecordedReport(3_600_000);
    for (let index = 0; index < 3; index += 1) {
      report.failed('webhook:1', item, new Error('status 500'));
      report.failed('broker', item, Object.assign(new Error(''), { code: 'ECONNREFUSED' }));
      report.outboxFailed(new Error('store away'));
    }
    expect(logLines).toEqual([
      { level: 'warn', destination: 'webhook', host: 'hooks.test', path: '/a', topic, reason: 'status 500' },
      { level: 'warn', destination: 'nats', topic, reason: 'ECONNREFUSED' },
      { level: 'warn', err: new Error('store away') },
    ]);
    expect(JSON.stringify(logLines)).not.toContain('secret');
  });

  test('logs each failing topic, and the name of an error without a message', () => {
    const { logLines, report } = createRecordedReport();
    for (const failingTopic of [topic, `${topic}-2`, topic])
      report.failed('broker', { ...item, topic: failingTopic }, new AggregateError([], ''));
    const reason = 'AggregateError';
    expect(logLines).toMatchObject([
      { topic, reason },
      { topic: `${topic}-2`, reason },
    ]);
  });

  test('logs a failure again after the period', async () => {
    const { logLines, report } = createRecordedReport(1);
    await eventually(async () => {
      report.failed('broker', item, new Error('away'));
      expect(logLines).toHaveLength(2);
    });
  });

  test('logs all drops, with one line per topic and reason', () => {
    const { logLines, report } = createRecordedReport();
    for (const count of [1, 20, 300])
      report.dropped({ destination: 'webhook:1', topic, count }, 'too many messages wait');
    report.dropped({ destination: 'webhook:1', topic: `${topic}-2`, count: 1 }, 'too many messages wait');
    report.dropped({ destination: 'webhook:gone', count: 1 }, 'it is too old');
    report.close();
    report.close();
    const logFields = { destination: 'webhook', host: 'hooks.test', path: '/a' };
    const unknownDestination = { destination: 'webhook', name: 'webhook:gone' };
    expect(logLines).toEqual([
      { level: 'error', ...logFields, topic, reason: 'too many messages wait', messages: 321 },
      { level: 'error', ...logFields, topic: `${topic}-2`, reason: 'too many messages wait', messages: 1 },
      { level: 'error', ...unknownDestination, topic: undefined, reason: 'it is too old', messages: 1 },
    ]);
  });

  test('logs drops without being closed', async () => {
    const { logLines, report } = createRecordedReport(1);
    report.dropped({ destination: 'broker', topic, count: 1 }, 'no');
    while (logLines.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    expect(logLines).toEqual([{ level: 'error', destination: 'nats', topic, reason: 'no', messages: 1 }]);
  });

  describe('about mails', () => {
    const createMailTo = (to: string, event = 'event1'): Mail => ({
      id: 'id',
      orderingKey: `${event} ${to}`,
      attributes: { method: 'REQUEST', reason: 'updated', to, zone: 'UTC', link: '', event, trace: '' },
      data: '{"secret":"body"}',
    });
    const createSmtpError = (smtpCode?: number) => Object.assign(new Error('answered'), { smtpCode });

    test('counts by method, without mails that a full outbox dropped', () => {
      const { messageCounts, mailCounts, report } = createRecordedReport();
      report.delivered('mail', createMailTo('bob@example.com'));
      report.failed('mail', createMailTo('bob@example.com'), createSmtpError());
      report.refused('mail', createMailTo('bob@example.com'), createSmtpError(550));
      const drop = { destination: 'mail', event: 'event1', count: 3 } as const;
      report.dropped({ ...drop, method: 'CANCEL' }, dropReasons.expired);
      report.dropped({ ...drop, method: 'REPLY' }, dropReasons.full);
      report.close();
      const requestCounts = ['sent', 'retried', 'refused'].map((outcome) => ['REQUEST', outcome, 1]);
      expect(mailCounts).toEqual([...requestCounts, ['CANCEL', 'expired', 3]]);
      expect(messageCounts).toEqual([]);
    });

    test('logs all dropped mails with event and code, and one failure per period, but no guest', () => {
      const { logLines, report } = createRecordedReport(3_600_000);
      report.failed('mail', createMailTo('bob@example.com'), createSmtpError(451));
      report.failed('mail', createMailTo('carol@example.com'), createSmtpError());
      for (const [to, event, code] of [
        ['bob@example.com', 'event1', 550],
        ['carol@example.com', 'event1', 550],
        ['bob@example.com', 'event2', 554],
      ] as const)
        report.refused('mail', createMailTo(to, event), createSmtpError(code));
      const drop = { event: 'event3', method: 'CANCEL' } as const;
      report.dropped({ destination: 'mail', ...drop, count: 2 }, dropReasons.expired);
      report.close();
      const logFields = { destination: 'mail', host: 'mail.test:587', topic: undefined };
      const mailFields = { ...logFields, method: 'REQUEST', reason: 'answered' };
      expect(logLines).toEqual([
        { level: 'warn', ...mailFields, event: 'event1', code: 451 },
        { level: 'error', ...mailFields, event: 'event1', code: 550, mails: 2 },
        { level: 'error', ...mailFields, event: 'event2', code: 554, mails: 1 },
        { level: 'error', ...mailFields, ...drop, reason: dropReasons.expired, mails: 2 },
      ]);
      expect(JSON.stringify(logLines)).not.toMatch(/@|secret/);
    });
  });

  test('logs that a destination is off, with the reason', () => {
    const { logLines, report } = createRecordedReport();
    report.turnedOff('webhook:1', item, new Error('status 410'));
    expect(logLines).toEqual([
      { level: 'error', destination: 'webhook', host: 'hooks.test', path: '/a', topic, reason: 'status 410' },
    ]);
  });
});
