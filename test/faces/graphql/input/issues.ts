import type { Answer } from '../../../harness.ts';

/** The issues of all errors of an answer, as path and reason. */
export const allIssues = ({ errors = [] }: Answer): string[] =>
  errors
    .flatMap(({ extensions: { issues } }) => issues.map(({ path, reason }) => `${path.join('.')} ${reason}`))
    .sort();
