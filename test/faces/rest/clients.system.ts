import { testCalendarClient } from './clients/calendar.suite.ts';
import { python, testPythonClient } from './clients/python.suite.ts';
import { testStorageClient } from './clients/storage.suite.ts';

describe('official clients, unchanged:', () => {
  describe('@googleapis/calendar', testCalendarClient);
  describe('@google-cloud/storage', testStorageClient);
  python.describe('google-api-python-client', testPythonClient);
});
