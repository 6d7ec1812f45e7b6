import { startGateway } from '../harness.ts';
import { createDatabase, describeWithPostgres, queryOnce } from '../postgres-server.ts';
import { attributesOf, startCollector } from './collector.ts';
import { useForAll, useForEach } from '../use-resource.ts';

const eventQuery = (eventId: string): string =>
  `query Read { event(calendarId: "primary", eventId: "${eventId}") { id } }`;

describeWithPostgres('traces of a gateway with a database', () => {
  const database = useForAll(() => createDatabase());
  const collector = useForEach(() => startCollector());

  test('have the database system and the error type', async () => {
    const gateway = await startGateway({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
      DATABASE_URL: database.url,
    });
    await gateway.ask(eventQuery('teammeeting'));
    // Makes the next read fail.
    await queryOnce(database.url, 'ALTER TABLE places RENAME TO elsewhere');
    await gateway.ask(eventQuery('teammeeting'));
    await collector.closeGateway(gateway, 2);
    const calls = collector.spans.filter(({ name }) => name === 'events.events').map(attributesOf);
    expect(calls).toEqual([
      { 'db.system.name': 'postgresql' },
      { 'db.system.name': 'postgresql', 'error.type': '42P01' },
    ]);
    const requests = collector.spans.filter(({ name }) => name === 'query event').map(attributesOf);
    expect(requests.map((attributes) => attributes['error.type'])).toEqual([
      undefined,
      'INTERNAL_SERVER_ERROR',
    ]);
  });
});
