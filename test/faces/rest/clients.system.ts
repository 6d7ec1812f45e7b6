import { throughCalendarClient } from './clients/calendar.suite.ts';
import { hasPythonClient, throughPythonClient } from './clients/python.suite.ts';
import { throughStorageClient } from './clients/storage.suite.ts';

describe('official clients, unchanged:', () => {
  describe('@googleapis/calendar', throughCalendarClient);
  describe('@google-cloud/storage', throughStorageClient);
  const python = hasPythonClient ? describe : describe.skip;
  const why = hasPythonClient ? '' : ' (skipped: python3-googleapi is not installed)';
  python(`google-api-python-client${why}`, throughPythonClient);
});
