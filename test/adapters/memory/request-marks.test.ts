import { createRequestRecords } from '../../../src/adapters/memory/request-records.ts';
import type { RequestRecordLimits } from '../../../src/core/kernel/request-record.ts';
import { bytesOf } from '../../../src/core/kernel/size.ts';

const day = 24 * 60 * 60 * 1000;
const record = (caller: string, key: string, until = day) => ({
  caller,
  key,
  fingerprint: 'the input',
  until,
});
const size = bytesOf('key 1') + bytesOf({ fingerprint: 'the input', until: day, outcome: 'x' });

describe('request records in memory', () => {
  /** Which of these are found, after each of them was added in turn. */
  const keptOf = (requests: readonly ReturnType<typeof record>[], limits: RequestRecordLimits): string[] => {
    const records = createRequestRecords<string>(() => 0, limits);
    for (const request of requests) records.add(request, 'x');
    return requests.filter((request) => records.find(request)).map(({ caller, key }) => `${caller} ${key}`);
  };

  test('beyond the limit of all those of the caller go who sent none for longest', () => {
    const requests = [
      record('ada', 'key 1'),
      record('bob', 'key 1'),
      record('ada', 'key 2'),
      record('eve', 'key 1'),
    ];
    const limits = { bytes: 3 * size + 2 * bytesOf('ada'), bytesPerCaller: 10 * size };
    expect(keptOf(requests, limits)).toEqual(['ada key 1', 'ada key 2', 'eve key 1']);
  });
});
