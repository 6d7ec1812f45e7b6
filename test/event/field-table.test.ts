import * as z from 'zod';
import { type FieldRow, type FieldTable, maxLengthOf, text } from '../../src/core/fields/table.ts';
import { alice, carol } from './event.harness.ts';
import {
  alterRow,
  changeClassOf,
  createTableGateway,
  isAccepted,
  collectOutcomes,
  eventRows,
} from './field-table.harness.ts';
import { eventWithEntries, eventWithText } from './field-table.samples.ts';

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
      ? [['default', { default: createOtherValue(defaultValue, row) }] as [string, Alteration]]
      : []),
    ...(max ? [['max', { max: { ...max, entries: 0 } }] as [string, Alteration]] : []),
    ...optionals.map((name): [string, Alteration] => [name, { [name]: undefined }]),
    ...schemas.map((name): [string, Alteration] => [name, { [name]: rejectAll }]),
  ];
}

function createOtherValue(defaultValue: string | number | boolean, { value }: FieldRow): unknown {
  if (typeof defaultValue === 'boolean') return !defaultValue;
  return typeof defaultValue === 'number'
    ? defaultValue + 1
    : (value as z.ZodEnum).options.find((option) => option !== defaultValue);
}

describe('the field table', () => {
  test.each(Object.entries(eventRows))('callers notice every change of the row %s', async (path, row) => {
    const expectedOutcome = await collectOutcomes(path, eventRows);
    const unnoticedChanges: string[] = [];
    for (const [name, alteration] of listAlterations(path, row)) {
      // Times have no value of their own: changes of their `dateTime` raise the sequence.
      const usesDateTimeField = name === 'raisesSequence' && `${path}.dateTime` in eventRows;
      const unalteredOutcome = usesDateTimeField
        ? await collectOutcomes(`${path}.dateTime`, eventRows)
        : expectedOutcome;
      if (
        (await collectOutcomes(usesDateTimeField ? `${path}.dateTime` : path, alterRow(path, alteration))) ===
        unalteredOutcome
      )
        unnoticedChanges.push(`${name}: ${JSON.stringify(alteration)}`);
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
      await collectOutcomes(changedPath, eventRows),
    );
  });

  test.each([
    ['start', { change: 'organizer' }, 'start: time is for fields of class shared, immutable, not organizer'],
    ['summary', { change: 'own' }, 'summary: class own of summary is for the entries of a guest list'],
    ['summary', { change: 'request' }, 'summary: nothing carries a field of class request out'],
    ['summary', { storedIn: 'computed' }, 'summary: nothing works it out'],
    ['source', { audience: 'nobody' }, 'source: there is no audience nobody'],
  ])('a gateway does not start with an unsupported row: %s, %j', async (path, change, message) => {
    expect(await createTableGateway(alterRow(path, change as Alteration))).toEqual({ issues: message });
  });

  test('a gateway does not start if any row names an unknown normalizer', async () => {
    for (const path of Object.keys(eventRows).filter((name) => !/[.[]/.test(name)))
      expect(await createTableGateway(alterRow(path, { normalize: 'nothing' }))).toEqual({
        issues: `${path}: nothing normalizes nothing`,
      });
  });

  describe('the limit of a row', () => {
    const entryLimits = Object.entries(eventRows).flatMap(([path, { max }]) =>
      max ? [[path, max.entries] as const] : [],
    );
    /** Expects the limit of the row, and also a limit one higher or lower. */
    const expectLimit = async (
      limit: number,
      createTable: (limit: number) => FieldTable,
      createEvent: (count: number) => object,
    ) => {
      const isWithin = (table: FieldTable, count: number) => isAccepted(table, createEvent(count));
      expect([await isWithin(eventRows, limit), await isWithin(eventRows, limit + 1)]).toEqual([true, false]);
      expect(await isWithin(createTable(limit + 1), limit + 1)).toBe(true);
      expect(await isWithin(createTable(limit - 1), limit)).toBe(false);
    };
    test.each(entryLimits)('of %s is %i entries, and follows the table', (path, maxEntries) =>
      expectLimit(
        maxEntries,
        (limit) => alterRow(path, { max: { ...(eventRows[path]?.max as object), entries: limit } }),
        (count) => eventWithEntries(path, count),
      ),
    );

    // Fields with few valid values, references, and values that are not stored.
    const pathsWithoutLengthTest = [
      'conferenceData.createRequest.conferenceSolutionKey.type',
      'conferenceData.signature',
      'recurringEventId',
    ];
    const lengthLimits = Object.entries(eventRows).flatMap(([path, { value }]) =>
      maxLengthOf(value) < Infinity &&
      changeClassOf(path) !== 'readOnly' &&
      !pathsWithoutLengthTest.includes(path)
        ? [[path, maxLengthOf(value)] as const]
        : [],
    );
    test.each(lengthLimits)('of %s is %i characters, and follows the table', (path, maxLength) =>
      expectLimit(
        maxLength,
        (limit) => alterRow(path, { value: text(limit) }),
        (count) => eventWithText(path, count),
      ),
    );
  });

  test('the 300th guest has a copy of the event if the row allows 300 guests', async () => {
    const maxGuests = { entries: 300, label: 'attendees' };
    const gateway = await createTableGateway(alterRow('attendees[]', { max: maxGuests }));
    if ('issues' in gateway) throw new Error('the table does not fit the seed');
    const guests = [...(eventWithEntries('attendees[]', 299).attendees as object[]), { email: carol }];
    const event = { attendees: guests };
    expect((await gateway.send('patch', 'id', alice, { eventId: 'bare', event })).issues).toEqual([]);
    const { data } = await gateway.send('read', 'id', carol, { eventId: 'bare' });
    expect(data).toEqual({ result: expect.objectContaining({ id: 'bare' }) });
  });

  test('an equal table gives equal outcomes', async () => {
    for (const path of ['attendees[].comment', 'conferenceData.createRequest', 'summary', 'id']) {
      expect(await collectOutcomes(path, { ...eventRows })).toBe(await collectOutcomes(path, eventRows));
    }
  });

  test('values of computed fields in the seed are ignored', async () => {
    const computedPaths = ['etag', 'htmlLink', 'kind', 'creator.self'];
    const outcomes = await Promise.all(computedPaths.map((path) => collectOutcomes(path, eventRows)));
    for (const seededText of ['\\"a\\"', 'calendar.example/1', 'calendar#one', '"self":true,"email":"wanda'])
      expect(outcomes.join()).not.toContain(seededText);
  });
});
