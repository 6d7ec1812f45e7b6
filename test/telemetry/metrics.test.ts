import { compose } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { createMetrics } from '../../src/telemetry/metrics.ts';
import { startGateway } from '../harness.ts';
import { useForEach } from '../use-resource.ts';

describe('metrics', () => {
  const gateway = useForEach(() => startGateway());
  const readMetrics = async (): Promise<string> => {
    const { headers, body } = await gateway.app.inject('/metrics');
    expect(headers['content-type']).toMatch(/^text\/plain/);
    return body;
  };

  test('count operations by kind, root field (or several) and code', async () => {
    const selectEvent = (eventId: string): string =>
      `event(calendarId: "primary", eventId: "${eventId}") { id }`;
    await gateway.ask(`{ a: ${selectEvent('holiday')} b: ${selectEvent('holiday')} }`);
    await gateway.ask(`{ ${selectEvent('none')} }`);
    await gateway.ask(`{ ${selectEvent('holiday')} __typename }`);
    const lines = (await readMetrics()).split('\n');
    for (const [field, code] of Object.entries({ event: 'OK', several: 'OK' }).concat([
      ['event', 'NOT_FOUND'],
    ]))
      expect(lines).toContain(
        `graphql_operation_duration_seconds_count{kind="query",root_field="${field}",code="${code}"} 1`,
      );
  });

  test('count requests by route and status, with unknown paths as "other"', async () => {
    await gateway.app.inject('/made/up');
    await gateway.app.inject('/health/live');
    const body = await readMetrics();
    expect(body).toMatch(/^http_request_duration_seconds_count\{route="other",status="404"\} 1$/m);
    expect(body).toMatch(/^http_request_duration_seconds_count\{route="\/health\/live",status="200"\} 1$/m);
    expect(body).not.toContain('made');
  });

  test('have the backlog of messages and of mails', async () => {
    const backlogs = {
      messages: async () => ({ count: 2, oldestAt: 1000 }),
      mails: async () => ({ count: 3, oldestAt: 4000 }),
    };
    const destinationKinds = ['nats', 'mail'] as const;
    const { registry } = createMetrics({
      backlogs,
      clock: () => 5000,
      destinationKinds,
      includesProcess: false,
    });
    const lines = (await registry.metrics()).split('\n');
    expect(lines).toEqual(expect.arrayContaining(['outbox_messages 2', 'outbox_oldest_seconds 4']));
    expect(lines).toEqual(expect.arrayContaining(['mail_waiting 3', 'mail_oldest_seconds 1']));
    expect(lines.filter((line) => /^(mail|delivery)_total/.test(line))).toEqual([
      ...['delivered', 'retried', 'dropped'].map(
        (outcome) => `delivery_total{destination="nats",outcome="${outcome}"} 0`,
      ),
      ...['REQUEST', 'CANCEL', 'REPLY'].flatMap((method) =>
        ['sent', 'retried', 'refused', 'expired'].map(
          (outcome) => `mail_total{method="${method}",outcome="${outcome}"} 0`,
        ),
      ),
    ]);
  });

  test('count the calls of the stores', async () => {
    await gateway.ask('{ notifications(bucket: "demo-photos") { id } }');
    expect(await readMetrics()).toMatch(
      /^port_call_duration_seconds_count\{call="buckets.buckets",outcome="ok"\} 1$/m,
    );
  });

  test.each<[string, { remoteAddress?: string; headers?: Record<string, string> }]>([
    ['another machine', { remoteAddress: '192.0.2.1' }],
    ['a proxy on this machine', { headers: { 'x-forwarded-for': '192.0.2.1' } }],
    ['a proxy on this machine, by the standard', { headers: { forwarded: 'for=192.0.2.1' } }],
  ])('are not shown to %s', async (_who, request) => {
    const { statusCode, body } = await gateway.app.inject({ url: '/metrics', ...request });
    expect([statusCode, body.includes('process_cpu')]).toEqual([404, false]);
  });

  test('are served only on METRICS_PORT if configured', async () => {
    const { app, metricsServer } = await compose(readConfig({ METRICS_PORT: '0' }), { logLevel: 'silent' });
    const response = await metricsServer?.inject({ url: '/metrics', remoteAddress: '192.0.2.1' });
    expect([response?.statusCode, response?.body.includes('process_cpu')]).toEqual([200, true]);
    expect((await app.inject('/metrics')).statusCode).toBe(404);
    await app.close();
  });
});
