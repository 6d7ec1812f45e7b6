import type { Answer } from '../../../harness.ts';

/** The issues of all errors of a response, as `path reason`. */
export const listAllIssues = ({ errors = [] }: Answer): string[] =>
  errors
    .flatMap(({ extensions: { issues } }) => issues.map(({ path, reason }) => `${path.join('.')} ${reason}`))
    .sort();
