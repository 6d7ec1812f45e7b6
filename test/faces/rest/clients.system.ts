import { describeWithPostgres } from '../../postgres-server.ts';
import { usePostgres } from '../../postgres-server.ts';
import { throughCalendarClient } from './clients/calendar.suite.ts';
import { hasPythonClient, throughPythonClient } from './clients/python.suite.ts';
import type { EnvironmentOf } from './clients/official.ts';
import { throughStorageClient } from './clients/storage.suite.ts';

function clients(environmentOf: EnvironmentOf): void {
  describe('@googleapis/calendar', () => throughCalendarClient(environmentOf));
  describe('@google-cloud/storage', () => throughStorageClient(environmentOf));
  const python = hasPythonClient ? describe : describe.skip;
  const why = hasPythonClient ? '' : ' (skipped: python3-googleapi is not installed)';
  python(`google-api-python-client${why}`, () => throughPythonClient(environmentOf));
}

describe('official clients, unchanged, in memory', () => clients(async () => ({})));

describeWithPostgres('official clients, unchanged, on PostgreSQL', () => {
  const { fresh } = usePostgres();
  clients(async () => ({ DATABASE_URL: await fresh() }));
});
