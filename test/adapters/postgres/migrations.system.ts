import { defaultLimits, openDatabase } from '../../../src/adapters/postgres/database.ts';
import { migrate, steps } from '../../../src/adapters/postgres/migrations/migrations.ts';
import { openPostgres } from '../../../src/adapters/postgres/open.ts';
import { startGateway } from '../../harness.ts';
import { silentLog } from '../../log-lines.ts';
import { describeWithPostgres, usePostgres } from '../../postgres-server.ts';
import { useCloser } from '../../use-resource.ts';

describeWithPostgres('migrations', () => {
  const { createEmptyUrl } = usePostgres();
  const closeLater = useCloser();
  const openAndCloseLater = (url: string, limits = defaultLimits) =>
    closeLater(openDatabase(url, silentLog, limits));

  test('may take longer than statements of requests may', async () => {
    const url = await createEmptyUrl();
    await migrate(openAndCloseLater(url, { ...defaultLimits, maxStatementMs: 1 }));
    expect(await openAndCloseLater(url).query({ text: 'SELECT previous FROM published' })).toEqual([]);
  });

  describe('of a newer gateway', () => {
    const stepCount = steps.length;
    /** Migrates a new database as a newer gateway would. `fitsFrom`: the oldest schema that fits its last step. */
    const migrateToNewer = async (fitsFrom: number): Promise<string> => {
      const url = await createEmptyUrl();
      const newerStep = {
        name: '9999 later',
        fitsFrom,
        statements: ['ALTER TABLE events ADD COLUMN later text'],
      };
      // A later step with a lower `fitsFrom` does not lower the requirement.
      await migrate(openAndCloseLater(url), [
        ...steps,
        newerStep,
        { name: '99991 later still', fitsFrom: 1, statements: ['SELECT 1'] },
      ]);
      return url;
    };

    test('stay applied while an older gateway that still fits starts and writes', async () => {
      const url = await migrateToNewer(stepCount);
      const gateway = await startGateway({ DATABASE_URL: url });
      const patched = await gateway.ask(
        'mutation { patchEvent(calendarId: "primary", eventId: "teammeeting", event: { summary: "Moved" }) { summary } }',
        {},
        { as: 'alice@example.com' },
      );
      await gateway.close();
      expect(patched.data).toEqual({ patchEvent: { summary: 'Moved' } });
      const appliedSteps = await openAndCloseLater(url).query({
        text: 'SELECT name FROM kysely_migration ORDER BY name',
      });
      expect(appliedSteps.map(({ name }) => name)).toEqual([
        ...steps.map(({ name }) => name),
        '9999 later',
        '99991 later still',
      ]);
    });

    test('refuse to start an older gateway that does not fit', async () => {
      const url = await migrateToNewer(stepCount + 1);
      const gatewayStart = openPostgres(url, { clock: Date.now, log: silentLog, maxConnections: 1 });
      await expect(gatewayStart).rejects.toThrow(
        `DATABASE_URL: the database cannot be used: its tables need a gateway of schema ${stepCount + 1} or newer, and this one is of schema ${stepCount}: start a newer version.`,
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
