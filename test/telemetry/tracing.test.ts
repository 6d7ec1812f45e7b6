import { readFileSync } from 'node:fs';
import { startGateway } from '../harness.ts';
import { startMailbox } from '../mail/mailbox.ts';
import { attributesOf, startCollector } from './collector.ts';
import { useForEach } from '../use-resource.ts';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};
const callerTraceId = '0af7651916cd43dd8448eb211c80319c';
const eventQuery = (eventId: string): string =>
  `query Read { event(calendarId: "primary", eventId: "${eventId}") { id } }`;
const sampledCaller = { headers: { traceparent: `00-${callerTraceId}-b7ad6b7169203331-01` } };
const unsampledCaller = { headers: { traceparent: `00-${callerTraceId}-b7ad6b7169203331-00` } };

describe('traces', () => {
  const collector = useForEach(() => startCollector());
  const startTracedGateway = (env: Readonly<Record<string, string>> = {}) =>
    startGateway({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint, ...env });

  test("have a span for the request in the caller's trace, and one for each store call", async () => {
    const gateway = await startTracedGateway();
    const { headers } = await gateway.ask(eventQuery('holiday'), {}, sampledCaller);
    await gateway.ask('{ event(calendarId: "primary", eventId: "nothing") { id } }');
    await collector.closeGateway(gateway, 2);
    expect(collector.lastPath()).toBe('/v1/traces');
    const [requestSpan, failedSpan, ...furtherSpans] = collector.spans.filter(
      ({ name }) => name === 'query event',
    );
    expect(furtherSpans).toEqual([]);
    expect(attributesOf(failedSpan)).toMatchObject({
      'error.codes': ['NOT_FOUND'],
      'http.response.status_code': 200,
    });
    expect(attributesOf(failedSpan)).not.toHaveProperty(['error.type']);
    expect(requestSpan).toMatchObject({ traceId: callerTraceId, parentSpanId: 'b7ad6b7169203331' });
    expect(attributesOf(requestSpan)).toMatchObject({
      'http.request.method': 'POST',
      'url.path': '/graphql',
      'url.scheme': 'http',
      'http.route': '/graphql',
      'http.response.status_code': 200,
      'graphql.operation.type': 'query',
      'graphql.operation.name': 'Read',
      'request.id': headers['x-request-id'],
    });
    const calls = collector.spans.filter(({ parentSpanId }) => parentSpanId === requestSpan?.spanId);
    expect(calls.map(({ name }) => name)).toContain('events.events');
    // No arguments and no addresses of callers; the token's subject contains one.
    expect(JSON.stringify(collector.spans)).not.toMatch(/holiday|alice|127\.0\.0\.1|::1/);
  });

  test('have the delivery of a mail in the trace of its change, with the same sampling and without content', async () => {
    const mailbox = await startMailbox();
    const gateway = await startTracedGateway({ SMTP_URL: mailbox.url, MAIL_FROM: 'calendar@example.com' });
    const insertMutation = `mutation { insertEvent(calendarId: "primary", sendUpdates: all, event: {
      summary: "HIDDEN", start: { date: "2027-01-01" }, end: { date: "2027-01-02" }, attendees: [{ email: "gus@guests.example" }, { email: "ida@guests.example" }] }) { id } }`;
    await gateway.ask(insertMutation, {}, sampledCaller);
    await mailbox.waitForMails(2);
    await gateway.ask(insertMutation, {}, unsampledCaller);
    await mailbox.waitForMails(4);
    await collector.closeGateway(gateway, 1);
    await mailbox.stop();
    const publishSpans = collector.spans.filter(({ name }) => name === 'publisher.publish');
    const changeSpan = collector.spans.find(({ name }) => name === 'events.changeEvent');
    expect(publishSpans.map(({ traceId, parentSpanId }) => [traceId, parentSpanId])).toEqual([
      [callerTraceId, changeSpan?.spanId],
      [callerTraceId, changeSpan?.spanId],
    ]);
    expect(changeSpan?.parentSpanId).toBe(
      collector.spans.find(({ name }) => name === 'mutation insertEvent')?.spanId,
    );
    for (const publishSpan of publishSpans)
      expect(attributesOf(publishSpan)).toEqual({ 'network.protocol.name': 'smtp' });
    expect(JSON.stringify(collector.spans)).not.toMatch(/HIDDEN|guests\.example|calendar@/);
  });

  test('do not include health probes; an unknown path has no route', async () => {
    const gateway = await startTracedGateway();
    for (const path of ['/health/live', '/health/ready', '/nowhere?secret=1']) await gateway.app.inject(path);
    await collector.closeGateway(gateway, 1);
    expect(collector.spans.map(({ name }) => name).filter((name) => !name.includes('.'))).toEqual(['GET']);
    expect(attributesOf(collector.spans.find(({ name }) => name === 'GET'))).toMatchObject({
      'url.path': '/nowhere',
      'http.response.status_code': 404,
    });
    expect(JSON.stringify(collector.spans)).not.toMatch(/secret|http\.route/);
  });

  test('have the resource attributes of the environment, and the version', async () => {
    const gateway = await startTracedGateway({
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=staging,team=a%20b,service.name=other',
      OTEL_SERVICE_NAME: 'mine',
    });
    await gateway.ask(eventQuery('holiday'));
    await collector.closeGateway(gateway, 1);
    expect(collector.lastResource()).toMatchObject({
      'service.name': 'mine',
      'service.version': version,
      'deployment.environment.name': 'staging',
      team: 'a b',
      'telemetry.sdk.language': 'nodejs',
    });
  });

  test.each<[Record<string, string>, object, number]>([
    [{}, {}, 1],
    [{}, unsampledCaller, 0],
    [{ OTEL_TRACES_SAMPLER: 'always_off' }, sampledCaller, 0],
    [{ OTEL_TRACES_SAMPLER: 'always_on' }, unsampledCaller, 1],
    [{ OTEL_TRACES_SAMPLER: 'parentbased_always_off' }, {}, 0],
    [{ OTEL_TRACES_SAMPLER: 'parentbased_always_off' }, sampledCaller, 1],
    [{ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' }, sampledCaller, 0],
    [{ OTEL_TRACES_SAMPLER: 'traceidratio' }, {}, 1],
    [{ OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' }, {}, 0],
    [{ OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' }, sampledCaller, 1],
    [{ OTEL_SDK_DISABLED: 'true' }, sampledCaller, 0],
  ])('with %j and %j are sampled by the rules of OpenTelemetry', async (env, options, count) => {
    const gateway = await startTracedGateway(env);
    await gateway.ask(eventQuery('holiday'), {}, options);
    await collector.closeGateway(gateway, count);
  });
});
