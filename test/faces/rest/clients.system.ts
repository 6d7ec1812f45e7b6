import { describeWithPostgres } from '../../postgres-server.ts';
import { usePostgres } from '../../random/worlds.ts';
import { throughCalendarClient } from './clients/calendar.suite.ts';
import { hasPythonClient, throughPythonClient } from './clients/python.suite.ts';
import { throughStorageClient } from './clients/storage.suite.ts';

function clients(envOf: () => Promise<Readonly<Record<string, string>>>): void {
  describe('@googleapis/calendar', () => throughCalendarClient(envOf));
  describe('@google-cloud/storage', () => throughStorageClient(envOf));
  if (hasPythonClient) describe('google-api-python-client', () => throughPythonClient(envOf));
  else
    describe.skip('google-api-python-client (skipped: python3-googleapi is not installed)', () =>
      throughPythonClient(envOf));
}

describe('official clients, unchanged, in memory', () => clients(async () => ({})));

describeWithPostgres('official clients, unchanged, on PostgreSQL', () => {
  const { fresh } = usePostgres();
  clients(async () => ({ DATABASE_URL: await fresh() }));
});
