import { testCalendarClient } from './clients/calendar.suite.ts';
import { hasPythonClient, testPythonClient } from './clients/python.suite.ts';
import { testStorageClient } from './clients/storage.suite.ts';

describe('official clients, unchanged:', () => {
  describe('@googleapis/calendar', testCalendarClient);
  describe('@google-cloud/storage', testStorageClient);
  const describePython = hasPythonClient ? describe : describe.skip;
  const skipReason = hasPythonClient ? '' : ' (skipped: python3-googleapi is not installed)';
  describePython(`google-api-python-client${skipReason}`, testPythonClient);
});
