import { errorsOf as errorsOfAnswer } from '../../../clients/apollo.ts';
import type { Issue } from 'resource-gateway/client';
import { fieldErrors, messageOf as messageOfErrors, type GatewayError } from '../../../clients/errors.ts';
import { Refused } from './refusal.ts';

/** Messages by the path of their field, such as `attendees.0.email`; under '' what concerns none. */
export type FieldErrors = Readonly<Record<string, string>>;

export interface Failure {
  readonly fields: FieldErrors;
  /** Whether somebody else changed it since it was read. */
  readonly conflict: boolean;
  /** Whether it is not there any more. */
  readonly missing: boolean;
}

type Path = Issue['path'];

/** An error of a mutation, by the fields of its argument; `inForm` says where a form has what is wrong. */
export function failureOf(
  error: unknown,
  argument: string,
  inForm: (path: Path) => Path = (path) => path,
): Failure {
  const errors = errorsOf(error).map((one) => placed(one, inForm));
  const has = (code: string): boolean => errors.some(({ extensions }) => extensions?.code === code);
  return {
    fields: fieldErrors(errors, argument),
    conflict: has('PRECONDITION_FAILED') || (error instanceof Refused && error.kind === 'conflict'),
    missing: has('NOT_FOUND'),
  };
}

export const messageOf = (error: unknown): string => messageOfErrors(errorsOf(error));

const errorsOf = (error: unknown): readonly GatewayError[] =>
  error instanceof Refused ? [{ message: error.message }] : errorsOfAnswer(error);

const placed = ({ message, extensions }: GatewayError, inForm: (path: Path) => Path): GatewayError => ({
  message,
  extensions: extensions && {
    ...extensions,
    issues: extensions.issues?.map((issue) => ({ ...issue, path: inForm(issue.path) })),
  },
});

/** The messages at these paths, once each. */
export function messagesAt(errors: FieldErrors, ...paths: readonly string[]): string | undefined {
  const found = new Set(paths.flatMap((path) => errors[path] ?? []));
  return found.size > 0 ? [...found].join(' ') : undefined;
}
