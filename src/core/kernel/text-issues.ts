import { isStorable, unstorableMessage } from '../text/characters.ts';
import type { Issue, Path } from './errors.ts';
import { maxIssues } from './report.ts';

/** Reports texts that cannot be stored, in values and in keys, up to 100 issues. */
export function textIssues(value: unknown, path: Path): Issue[] {
  const issues: Issue[] = [];
  collectTextIssues(value, [...path], issues);
  return issues;
}

/** `path` leads to the value, and is the same again afterwards. */
function collectTextIssues(value: unknown, path: (string | number)[], issues: Issue[]): void {
  if (typeof value === 'string' && !isStorable(value)) issues.push(textIssue(path));
  if (typeof value !== 'object' || value === null) return;
  for (const key of Object.keys(value)) {
    if (issues.length >= maxIssues) return;
    path.push(Array.isArray(value) ? Number(key) : key);
    if (!Array.isArray(value) && !isStorable(key)) issues.push(textIssue(path));
    else collectTextIssues((value as Record<string, unknown>)[key], path, issues);
    path.pop();
  }
}

const textIssue = (path: Path): Issue => ({ path: [...path], reason: 'invalid', message: unstorableMessage });
