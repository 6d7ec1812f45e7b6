import * as z from 'zod';
import type { FieldRow } from '../../src/core/fields/table.ts';
import { altered, changeClassOf, outcomeOf, rows } from './table.harness.ts';

type Alteration = Partial<Record<keyof FieldRow, unknown>>;

const nothing = z.custom(() => false, 'Nothing is allowed.');

/** Every single thing that a row says, turned into something else: by name of what is said. */
function alterations(path: string, row: FieldRow): [string, Alteration][] {
  const { change, kept, default: standard, max } = row;
  const flags = (['locked', 'timeOnly', 'whenGone', 'instant', 'needed'] as const).filter((name) => row[name]);
  const limits = (['value', 'entryName'] as const).filter((name) => row[name]);
  return [
    ['change', { change: changeClassOf(path) === 'readOnly' ? 'shared' : 'readOnly' }],
    ...(change && change !== 'readOnly' ? [['change', { change: change === 'shared' ? 'copy' : 'shared' }] as [string, Alteration]] : []),
    // What is worked out is never read from where it is kept: see below.
    ...(kept && kept !== 'computed' ? [['kept', { kept: kept === 'core' ? 'copy' : 'core' }] as [string, Alteration]] : []),
    // Whether guests were left out is worked out for every answer: this default only documents.
    ...(standard !== undefined && path !== 'attendeesOmitted' ? [['default', { default: otherThan(standard, row) }] as [string, Alteration]] : []),
    ...(max ? [['max', { max: { ...max, entries: 0 } }] as [string, Alteration]] : []),
    ...flags.map((name): [string, Alteration] => [name, { [name]: undefined }]),
    ...limits.map((name): [string, Alteration] => [name, { [name]: nothing }]),
  ];
}

function otherThan(standard: string | number | boolean, { value }: FieldRow): unknown {
  if (typeof standard === 'boolean') return !standard;
  return typeof standard === 'number' ? standard + 1 : (value as z.ZodEnum).options.find((option) => option !== standard);
}

describe('the table of fields rules: whatever a row says, callers notice when it says something else', () => {
  test.each(Object.entries(rows))('%s', async (path, row) => {
    const outcome = await outcomeOf(path, rows);
    const unnoticed: string[] = [];
    for (const [name, change] of alterations(path, row)) {
      if ((await outcomeOf(path, altered(path, change))) === outcome) unnoticed.push(`${name}: ${JSON.stringify(change)}`);
    }
    expect(unnoticed).toEqual([]);
  });

  test('over the same table the same comes of the same', async () => {
    for (const path of ['attendees[].comment', 'conferenceData.createRequest', 'summary', 'id']) {
      expect(await outcomeOf(path, { ...rows })).toBe(await outcomeOf(path, rows));
    }
  });

  test('what is worked out is not what a body said', async () => {
    const shown = await Promise.all(['etag', 'htmlLink', 'kind', 'creator.self'].map((path) => outcomeOf(path, rows)));
    for (const text of ['\\"a\\"', 'calendar.example/1', 'calendar#one', '"self":true,"email":"wanda']) expect(shown.join()).not.toContain(text);
  });
});
