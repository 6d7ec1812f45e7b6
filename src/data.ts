import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { formatShellCommand, readArguments, runCommand } from './command-line.ts';
import { withDatabase } from './app/stores.ts';
import { readConfig } from './config.ts';
import { StartError } from './core/errors.ts';
import { exportData } from './seed/export.ts';
import { importData } from './seed/import.ts';
import { createProgressLine } from './seed/import-report.ts';

const usage = `Writes what the database in DATABASE_URL holds as a seed file, or loads such a file into it.

  ${formatShellCommand('data')} export [--calendar ID] > FILE
  ${formatShellCommand('data')} import FILE

  --calendar  only this calendar, with nothing of others and without buckets

An import replaces what the file names and leaves the rest. Exit status: 0 if all entries
were imported, 1 if some were refused, 2 if none was imported or the command failed. docs/data.md describes the file.`;

const terminal = process.stderr.isTTY ? process.stderr : undefined;

/** Writes a seed file to standard output, line by line, with a counter on a terminal. */
async function exportAll(calendarId: string | undefined): Promise<void> {
  const onProgress = terminal && createProgressLine(terminal, 'Exporting');
  await withDatabase(readConfig(), async (target) => {
    for await (const line of exportData(target, { calendarId, onProgress })) {
      if (!process.stdout.write(line)) await once(process.stdout, 'drain');
    }
  });
}

/** Loads a seed file into the database and prints what was refused. */
async function importFile(file: string): Promise<void> {
  const data = readJsonFile(file);
  const onProgress = terminal && createProgressLine(terminal, 'Importing');
  const report = await withDatabase(readConfig(), (target) => importData(data, { ...target, onProgress }));
  console.log(report.format());
  process.exitCode = report.exitCode;
}

function readJsonFile(file: string): unknown {
  try {
    // Some editors write a byte order mark.
    return JSON.parse(readFileSync(file, 'utf8').replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new StartError(`${file} cannot be read as JSON: ${(error as Error).message}`);
  }
}

async function runDataCommand(): Promise<void> {
  const args = readArguments(usage, { calendar: { type: 'string' } }, /* allowPositionals */ true);
  if (!args) return;
  const {
    values: { calendar },
    positionals: [command, file, ...extraArguments],
  } = args;
  if (command === 'export' && file === undefined) await exportAll(calendar);
  else if (
    command === 'import' &&
    file !== undefined &&
    extraArguments.length === 0 &&
    calendar === undefined
  )
    await importFile(file);
  else throw new StartError('Usage: export, or import FILE. See --help.');
}

// Status 2: nothing was imported.
await runCommand(runDataCommand, 2);
