import { readFileSync } from 'node:fs';
import { ConfigError, type Config } from '../config.ts';
import type { Clock } from '../core/runtime/clock.ts';
import { demoData } from '../seed/demo-data.ts';

/** What an empty store is filled with; undefined where it stays empty. A file is read when its content is needed. */
export function seedOf(
  { seedFile, demo }: Config,
  given: unknown,
  clock: Clock,
): (() => unknown) | undefined {
  if (given !== undefined) return () => given;
  if (seedFile !== undefined) return () => readJson('SEED_FILE', seedFile);
  return demo ? () => demoData(clock()) : undefined;
}

/** The content of a file that a setting names. */
export function readJson(variable: string, file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new ConfigError(`${variable}: ${file} cannot be read as JSON: ${(error as Error).message}`);
  }
}
