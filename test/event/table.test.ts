import * as z from 'zod';
import type { FieldRow, FieldTable } from '../../src/core/fields/table.ts';
import { maxLengthOf, text } from '../../src/core/fields/values.ts';
import { alice, carol } from './event.harness.ts';
import {
  alterRow,
  changeClassOf,
  createGatewayWith,
  isAccepted,
  collectOutcomes,
  rows,
} from './table.harness.ts';
import { eventWithEntries, eventWithText } from './table.samples.ts';

type Alteration = Partial<Record<keyof FieldRow, unknown>>;

const rejectAll = z.custom(() => false, 'Nothing is allowed.');

/** Properties that a row may lose. */
const optionalNames = [
  'locked',
  'timeOnly',
  'shownWhenCancelled',
  'isInstant',
  'isRequired',
  'audience',
  'raisesSequence',
] as const;
/** Properties that hold the schema of a value. */
const schemaNames = ['value', 'entryName'] as const;

/** Alters each property of a row separately, by its name. */
function listAlterations(path: string, row: FieldRow): [string, Alteration][] {
  const { change, storedIn, default: defaultValue, max } = row;
  const optionals = optionalNames.filter((name) => row[name]);
  const schemas = schemaNames.filter((name) => row[name]);
  return [
    ['change', { change: changeClassOf(path) === 'readOnly' ? 'shared' : 'readOnly' }],
    ...(change && change !== 'readOnly'
      ? [['change', { change: change === 'shared' ? 'copy' : 'shared' }] as [string, Alteration]]
      : []),
    // Computed fields are never read from storage; a test below covers them.
    ...(storedIn && storedIn !== 'computed'
      ? [['storedIn', { storedIn: storedIn === 'core' ? 'copy' : 'core' }] as [string, Alteration]]
      : []),
    // `attendeesOmitted` is computed for every response; its default is documentation only.
    ...(defaultValue !== undefined && path !== 'attendeesOmitted'
      ? [['default', { default: otherValue(defaultValue, row) }] as [string, Alteration]]
      : []),
    ...(max ? [['max', { max: { ...max, entries: 0 } }] as [string, Alteration]] : []),
    ...optionals.map((name): [string, Alteration] => [name, { [name]: undefined }]),
    ...schemas.map((name): [string, Alteration] => [name, { [name]: rejectAll }]),
  ];
}

function otherValue(defaultValue: string | number | boolean, { value }: FieldRow): unknown {
  if (typeof defaultValue === 'boolean') return !defaultValue;
  return typeof defaultValue === 'number'
    ? defaultValue + 1
    : (value as z.ZodEnum).options.find((option) => option !== defaultValue);
}

describe('the field table', () => {
  test.each(Object.entries(rows))('callers notice every change of the row %s', async (path, row) => {
    const outcome = await collectOutcomes(path, rows);
    const unnoticedChanges: string[] = [];
    for (const [name, change] of listAlterations(path, row)) {
      // A time is changed through its dateTime.
      const isTime = name === 'raisesSequence' && `${path}.dateTime` in rows;
      const before = isTime ? await collectOutcomes(`${path}.dateTime`, rows) : outcome;
      if ((await collectOutcomes(isTime ? `${path}.dateTime` : path, alterRow(path, change))) === before)
        unnoticedChanges.push(`${name}: ${JSON.stringify(change)}`);
    }
    expect(unnoticedChanges).toEqual([]);
  });

  test.each([
    ['attachments[]', 'key', 'attachments[].fileId'],
    ['attendees[]', 'normalize', 'attendees[]'],
    ['conferenceData', 'normalize', 'conferenceData'],
  ])('callers notice that the row %s has no %s', async (path, property, changedPath) => {
    const alteredRows = alterRow(path, { [property]: undefined });
    expect(await collectOutcomes(changedPath, alteredRows)).not.toBe(
      await collectOutcomes(changedPath, rows),
    );
  });

  test.each([
    ['start', { change: 'organizer' }, 'start: time is for fields of class shared, immutable, not organizer'],
    ['summary', { change: 'own' }, 'summary: class own of summary is for the entries of a guest list'],
    ['summary', { change: 'request' }, 'summary: nothing carries a field of class request out'],
    ['summary', { storedIn: 'computed' }, 'summary: nothing works it out'],
    ['source', { audience: 'nobody' }, 'source: there is no audience nobody'],
  ])('a gateway does not start with an unsupported row: %s, %j', async (path, change, message) => {
    expect(await createGatewayWith(alterRow(path, change as Alteration))).toEqual({ issues: message });
  });

  test('a gateway does not start with any row that nothing normalizes', async () => {
    for (const path of Object.keys(rows).filter((name) => !/[.[]/.test(name)))
      expect(await createGatewayWith(alterRow(path, { normalize: 'nothing' }))).toEqual({
        issues: `${path}: nothing normalizes nothing`,
      });
  });

  describe('the limit of a row', () => {
    const entries = Object.entries(rows).flatMap(([path, { max }]) =>
      max ? [[path, max.entries] as const] : [],
    );
    /** Expects the limit of the row, and also a limit one higher or lower. */
    const expectLimit = async (
      limit: number,
      tableWith: (limit: number) => FieldTable,
      event: (count: number) => object,
    ) => {
      const isWithin = (table: FieldTable, count: number) => isAccepted(table, event(count));
      expect([await isWithin(rows, limit), await isWithin(rows, limit + 1)]).toEqual([true, false]);
      expect(await isWithin(tableWith(limit + 1), limit + 1)).toBe(true);
      expect(await isWithin(tableWith(limit - 1), limit)).toBe(false);
    };
    test.each(entries)('of %s is %i entries, and follows the table', (path, entries) =>
      expectLimit(
        entries,
        (limit) => alterRow(path, { max: { ...(rows[path]?.max as object), entries: limit } }),
        (count) => eventWithEntries(path, count),
      ),
    );

    // Fields with few valid values, references, and values that are not stored.
    const pathsWithoutLengthTest = [
      'conferenceData.createRequest.conferenceSolutionKey.type',
      'conferenceData.signature',
      'recurringEventId',
    ];
    const lengths = Object.entries(rows).flatMap(([path, { value }]) =>
      maxLengthOf(value) < Infinity &&
      changeClassOf(path) !== 'readOnly' &&
      !pathsWithoutLengthTest.includes(path)
        ? [[path, maxLengthOf(value)] as const]
        : [],
    );
    test.each(lengths)('of %s is %i characters, and follows the table', (path, length) =>
      expectLimit(
        length,
        (limit) => alterRow(path, { value: text(limit) }),
        (count) => eventWithText(path, count),
      ),
    );
  });

  test('the 300th guest has a copy of the event if the row allows 300 guests', async () => {
    const max = { entries: 300, label: 'attendees' };
    const gateway = await createGatewayWith(alterRow('attendees[]', { max }));
    if ('issues' in gateway) throw new Error('the table does not fit the seed');
    const guests = [...(eventWithEntries('attendees[]', 299).attendees as object[]), { email: carol }];
    const event = { attendees: guests };
    expect((await gateway.send('patch', 'id', alice, { eventId: 'bare', event })).issues).toEqual([]);
    const { data } = await gateway.send('read', 'id', carol, { eventId: 'bare' });
    expect(data).toEqual({ result: expect.objectContaining({ id: 'bare' }) });
  });

  test('an equal table gives equal outcomes', async () => {
    for (const path of ['attendees[].comment', 'conferenceData.createRequest', 'summary', 'id']) {
      expect(await collectOutcomes(path, { ...rows })).toBe(await collectOutcomes(path, rows));
    }
  });

  test('values of computed fields in the seed are ignored', async () => {
    const computedPaths = ['etag', 'htmlLink', 'kind', 'creator.self'];
    const outcomes = await Promise.all(computedPaths.map((path) => collectOutcomes(path, rows)));
    for (const text of ['\\"a\\"', 'calendar.example/1', 'calendar#one', '"self":true,"email":"wanda'])
      expect(outcomes.join()).not.toContain(text);
  });
});
