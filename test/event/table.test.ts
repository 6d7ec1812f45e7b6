import * as z from 'zod';
import type { FieldRow, FieldTable } from '../../src/core/fields/table.ts';
import { longestOf, text } from '../../src/core/fields/values.ts';
import { alice, carol } from './event.harness.ts';
import { altered, changeClassOf, gatewayOver, isAccepted, outcomeOf, rows } from './table.harness.ts';
import { listed, long } from './table.samples.ts';

type Alteration = Partial<Record<keyof FieldRow, unknown>>;

const nothing = z.custom(() => false, 'Nothing is allowed.');

/** Every single thing that a row says, turned into something else: by name of what is said. */
function alterations(path: string, row: FieldRow): [string, Alteration][] {
  const { change, storedIn, default: standard, max } = row;
  const flags = (
    ['locked', 'timeOnly', 'whenGone', 'instant', 'needed', 'seenBy', 'revises'] as const
  ).filter((name) => row[name]);
  const limits = (['value', 'entryName'] as const).filter((name) => row[name]);
  return [
    ['change', { change: changeClassOf(path) === 'readOnly' ? 'shared' : 'readOnly' }],
    ...(change && change !== 'readOnly'
      ? [['change', { change: change === 'shared' ? 'copy' : 'shared' }] as [string, Alteration]]
      : []),
    // Computed fields are never read from storage: see below.
    ...(storedIn && storedIn !== 'computed'
      ? [['storedIn', { storedIn: storedIn === 'core' ? 'copy' : 'core' }] as [string, Alteration]]
      : []),
    // Whether guests were left out is worked out for every answer: this default only documents.
    ...(standard !== undefined && path !== 'attendeesOmitted'
      ? [['default', { default: otherThan(standard, row) }] as [string, Alteration]]
      : []),
    ...(max ? [['max', { max: { ...max, entries: 0 } }] as [string, Alteration]] : []),
    ...flags.map((name): [string, Alteration] => [name, { [name]: undefined }]),
    ...limits.map((name): [string, Alteration] => [name, { [name]: nothing }]),
  ];
}

function otherThan(standard: string | number | boolean, { value }: FieldRow): unknown {
  if (typeof standard === 'boolean') return !standard;
  return typeof standard === 'number'
    ? standard + 1
    : (value as z.ZodEnum).options.find((option) => option !== standard);
}

describe('the table of fields rules: whatever a row says, callers notice when it says something else', () => {
  test.each(Object.entries(rows))('%s', async (path, row) => {
    const outcome = await outcomeOf(path, rows);
    const unnoticed: string[] = [];
    for (const [name, change] of alterations(path, row)) {
      // A time is changed by a part of it.
      const isPart = name === 'revises' && `${path}.dateTime` in rows;
      const before = isPart ? await outcomeOf(`${path}.dateTime`, rows) : outcome;
      if ((await outcomeOf(isPart ? `${path}.dateTime` : path, altered(path, change))) === before)
        unnoticed.push(`${name}: ${JSON.stringify(change)}`);
    }
    expect(unnoticed).toEqual([]);
  });

  test.each([
    ['attachments[]', { key: undefined }, 'attachments[].fileId'],
    ['attendees[]', { normalize: undefined }, 'attendees[]'],
    ['conferenceData', { normalize: undefined }, 'conferenceData'],
  ])('%s with %j', async (path, change, seenAt) => {
    expect(await outcomeOf(seenAt, altered(path, change))).not.toBe(await outcomeOf(seenAt, rows));
  });

  test.each([
    ['start', { normalize: 'nothing' }, 'start: nothing normalizes nothing'],
    ['start', { change: 'organizer' }, 'start: time is for fields of class shared, immutable, not organizer'],
    ['summary', { change: 'own' }, 'summary: class own of summary is for the entries of a guest list'],
    ['summary', { change: 'request' }, 'summary: nothing carries a field of class request out'],
    ['summary', { storedIn: 'computed' }, 'summary: nothing works it out'],
    ['source', { seenBy: 'nobody' }, 'source: there is no audience nobody'],
  ])('a gateway does not start where nothing does what a row asks: %s, %j', async (path, change, message) => {
    expect(await gatewayOver(altered(path, change as Alteration))).toEqual({ issues: message });
  });

  describe('each limit', () => {
    const entries = Object.entries(rows).flatMap(([path, { max }]) =>
      max ? [[path, max.entries] as const] : [],
    );
    /** Whether as much fits as the row says and no more, and one more or less where it says so. */
    const expectLimit = async (
      most: number,
      over: (most: number) => FieldTable,
      event: (count: number) => object,
    ) => {
      const fits = (table: FieldTable, count: number) => isAccepted(table, event(count));
      expect(await Promise.all([fits(rows, most), fits(over(most + 1), most + 1)])).toEqual([true, true]);
      expect(await Promise.all([fits(rows, most + 1), fits(over(most - 1), most)])).toEqual([false, false]);
    };
    test.each(entries)('%s takes %i entries, and more or fewer where the row says so', (path, entries) =>
      expectLimit(
        entries,
        (most) => altered(path, { max: { ...(rows[path]?.max as object), entries: most } }),
        (count) => listed(path, count),
      ),
    );

    // Of these few values are allowed, they name what has to be there, or are read and not kept.
    const named = [
      'conferenceData.createRequest.conferenceSolutionKey.type',
      'conferenceData.signature',
      'recurringEventId',
    ];
    const lengths = Object.entries(rows).flatMap(([path, { value }]) =>
      longestOf(value) < Infinity && changeClassOf(path) !== 'readOnly' && !named.includes(path)
        ? [[path, longestOf(value)] as const]
        : [],
    );
    test.each(lengths)('%s takes %i characters, and more or fewer where the row says so', (path, length) =>
      expectLimit(
        length,
        (most) => altered(path, { value: text(most) }),
        (count) => long(path, count),
      ),
    );
  });

  test('the last guest of a list that is longer than today has a copy too, where the row takes that many', async () => {
    const gateway = await gatewayOver(altered('attendees[]', { max: { entries: 300, called: 'attendees' } }));
    if ('issues' in gateway) throw new Error('the table does not fit the seed');
    const guests = [...(listed('attendees[]', 299).attendees as object[]), { email: carol }];
    const event = { attendees: guests };
    expect((await gateway.send('patch', 'id', alice, { eventId: 'bare', event })).issues).toEqual([]);
    const { data } = await gateway.send('read', 'id', carol, { eventId: 'bare' });
    expect(data).toEqual({ result: expect.objectContaining({ id: 'bare' }) });
  });

  test('over the same table the same comes of the same', async () => {
    for (const path of ['attendees[].comment', 'conferenceData.createRequest', 'summary', 'id']) {
      expect(await outcomeOf(path, { ...rows })).toBe(await outcomeOf(path, rows));
    }
  });

  test('what is worked out is not what a body said', async () => {
    const shown = await Promise.all(
      ['etag', 'htmlLink', 'kind', 'creator.self'].map((path) => outcomeOf(path, rows)),
    );
    for (const text of ['\\"a\\"', 'calendar.example/1', 'calendar#one', '"self":true,"email":"wanda'])
      expect(shown.join()).not.toContain(text);
  });
});
