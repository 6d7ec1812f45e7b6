import type { Path } from './errors.ts';
import { isFields } from './patch.ts';

/** The value at a path; undefined if there is none. */
export function valueAt(value: unknown, path: Path): unknown {
  let current = value;
  for (const step of path) {
    if (Array.isArray(current)) current = typeof step === 'number' ? current[step] : undefined;
    else if (isFields(current) && Object.hasOwn(current, step)) current = current[String(step)];
    else return undefined;
  }
  return current;
}

/** A path in readable form: `reminders.overrides[0].minutes`. */
export function printPath(path: Path): string {
  return path
    .map((step, i) => (typeof step === 'number' ? `[${step}]` : i === 0 ? step : `.${step}`))
    .join('');
}

/** Whether a path leads to, or through, the place of another one. */
export const startsWith = (path: Path, start: Path): boolean =>
  start.every((step, index) => path[index] === step);
