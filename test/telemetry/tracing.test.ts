import { execFileSync } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { startGateway } from '../harness.ts';

interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes: readonly { key: string; value: { stringValue?: string; arrayValue?: object } }[];
}

describe('traces', () => {
  let collector: Server;
  let received: { path?: string; spans: Span[]; services: string[] };
  beforeEach(async () => {
    received = { spans: [], services: [] };
    collector = createServer((request, response) => {
      void json(request).then((body) => {
        received.path = request.url;
        for (const { resource, scopeSpans } of (body as { resourceSpans: { resource: Pick<Span, 'attributes'>; scopeSpans: { spans: Span[] }[] }[] }).resourceSpans) {
          received.services.push(...resource.attributes.filter(({ key }) => key === 'service.name').map(({ value }) => value.stringValue ?? ''));
          received.spans.push(...scopeSpans.flatMap(({ spans }) => spans));
        }
        response.end('{}');
      });
    });
    await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => void collector.close());

  test('reach the collector: a span for the request, in the caller\'s trace, and one for each call of a store', async () => {
    const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
    const gateway = await startGateway({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint });
    const trace = '0af7651916cd43dd8448eb211c80319c';
    const { headers } = await gateway.ask('query Read { event(calendarId: "primary", eventId: "holiday") { id } }', {}, {
      headers: { traceparent: `00-${trace}-b7ad6b7169203331-01` },
    });
    await gateway.ask('{ event(calendarId: "primary", eventId: "nothing") { id } }');
    await gateway.app.inject('/health/live');
    await gateway.close();
    expect([received.path, new Set(received.services)]).toEqual(['/v1/traces', new Set(['resource-gateway'])]);
    expect(received.spans.map(({ name }) => name)).toContain('GET /health/live');
    const [request, failed, ...others] = received.spans.filter(({ name }) => name === 'query event');
    expect(others).toEqual([]);
    expect(failed?.attributes.find(({ key }) => key === 'error.codes')?.value.arrayValue).toEqual({ values: [{ stringValue: 'NOT_FOUND' }] });
    expect(request).toMatchObject({ traceId: trace, parentSpanId: 'b7ad6b7169203331' });
    const attributes = Object.fromEntries(request?.attributes.map(({ key, value }) => [key, value.stringValue]) ?? []);
    expect(attributes).toMatchObject({ 'graphql.operation.name': 'Read', 'enduser.id': 'sub of alice@example.com', 'request.id': headers['x-request-id'] });
    const calls = received.spans.filter(({ parentSpanId }) => parentSpanId === request?.spanId);
    expect(calls.map(({ name }) => name)).toContain('events.events');
    expect(JSON.stringify(received.spans)).not.toContain('holiday');
  });

  test('are not even loaded where no collector is configured', () => {
    const script = `
      const { compose } = await import('./dist/compose.js');
      const { readConfig } = await import('./dist/config.js');
      const { app } = await compose(readConfig({}), { logLevel: 'silent' });
      const { createRequire } = await import('node:module');
      console.log(Object.keys(createRequire(import.meta.url).cache).filter((file) => /opentelemetry.(sdk|exporter|core|context)/.test(file)).length);
      await app.close();`;
    expect(execFileSync(process.execPath, ['--input-type=module', '-e', script]).toString().trim()).toBe('0');
  });
});
