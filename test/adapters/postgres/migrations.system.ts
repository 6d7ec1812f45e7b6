import { defaultLimits, openDatabase } from '../../../src/adapters/postgres/database.ts';
import { migrate, steps } from '../../../src/adapters/postgres/migrations/migrations.ts';
import { openPostgres } from '../../../src/adapters/postgres/open.ts';
import { startGateway } from '../../harness.ts';
import { silentLog } from '../../log-lines.ts';
import { describeWithPostgres, usePostgres } from '../../postgres-server.ts';
import { useCloser } from '../../started.ts';

describeWithPostgres('migrations', () => {
  const { empty } = usePostgres();
  const closeLater = useCloser();
  const open = (url: string, limits = defaultLimits) => closeLater(openDatabase(url, silentLog, limits));

  test('may take longer than a statement of a request', async () => {
    const url = await empty();
    await migrate(open(url, { ...defaultLimits, maxStatementMs: 1 }));
    expect(await open(url).query({ text: 'SELECT previous FROM published' })).toEqual([]);
  });

  describe('of a newer gateway', () => {
    const stepsNow = steps.length;
    const migrateToNewer = async (fitsFrom: number): Promise<string> => {
      const url = await empty();
      const laterStep = {
        name: '9999 later',
        fitsFrom,
        statements: ['ALTER TABLE events ADD COLUMN later text'],
      };
      // A later step with a lower `fitsFrom` does not lower the requirement.
      await migrate(open(url), [
        ...steps,
        laterStep,
        { name: '99991 later still', fitsFrom: 1, statements: ['SELECT 1'] },
      ]);
      return url;
    };

    test('are kept by an older gateway that still fits, and it works', async () => {
      const url = await migrateToNewer(stepsNow);
      const gateway = await startGateway({ DATABASE_URL: url });
      const patched = await gateway.ask(
        'mutation { patchEvent(calendarId: "primary", eventId: "teammeeting", event: { summary: "Moved" }) { summary } }',
        {},
        { as: 'alice@example.com' },
      );
      await gateway.close();
      expect(patched.data).toEqual({ patchEvent: { summary: 'Moved' } });
      const carriedOut = await open(url).query({ text: 'SELECT name FROM kysely_migration ORDER BY name' });
      expect(carriedOut.map(({ name }) => name)).toEqual([
        ...steps.map(({ name }) => name),
        '9999 later',
        '99991 later still',
      ]);
    });

    test('refuse to start an older gateway that does not fit', async () => {
      const url = await migrateToNewer(stepsNow + 1);
      const starting = openPostgres(url, { clock: Date.now, log: silentLog, connections: 1 });
      await expect(starting).rejects.toThrow(
        `DATABASE_URL: the database cannot be used: its tables need a gateway of schema ${stepsNow + 1} or newer, and this one is of schema ${stepsNow}: start a newer version.`,
      );
    });
  });

  test('are numbered, and `fitsFrom` never decreases nor exceeds the number of its step', () => {
    for (const [index, { name, fitsFrom }] of steps.entries()) {
      expect([
        name.slice(0, 4),
        fitsFrom <= index + 1,
        fitsFrom >= (steps[index - 1]?.fitsFrom ?? 1),
      ]).toEqual([String(index + 1).padStart(4, '0'), true, true]);
    }
  });
});
