import { createRequestRecords } from '../../../src/adapters/memory/request-records.ts';
import { estimateBytes } from '../../../src/core/json.ts';
import { dayMs, createSampleRequest } from '../../contracts/samples.ts';

test('beyond the shared limit, the request records of the least recently active caller are evicted first', () => {
  const requests = ['ada 1', 'bob 1', 'ada 2', 'eve 1'].map((key) => ({
    ...createSampleRequest(key),
    caller: key.slice(0, 3),
  }));
  const recordBytes =
    estimateBytes('ada 1') + estimateBytes({ fingerprint: 'the input', until: dayMs, outcome: 'x' });
  // Three of the four records fit.
  const limits = {
    maxBytes: 3 * recordBytes + 2 * estimateBytes('ada'),
    maxBytesPerCaller: 10 * recordBytes,
  };
  const records = createRequestRecords(() => 0, limits);
  for (const request of requests) records.add(request, 'x');
  const storedRequests = requests.filter((request) => records.find(request));
  expect(storedRequests.map(({ key }) => key)).toEqual(['ada 1', 'ada 2', 'eve 1']);
});
