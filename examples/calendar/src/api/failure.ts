import { errorsOf } from '../../../clients/apollo.ts';
import { fieldErrors, messageOf as messageOfErrors } from '../../../clients/errors.ts';

/** Messages by the path of their field, such as `attendees.0.email`; under '' what concerns none. */
export type FieldErrors = Readonly<Record<string, string>>;

export interface Failure {
  readonly fields: FieldErrors;
  /** Whether somebody else changed the event since it was read. */
  readonly conflict: boolean;
}

/** An error of a mutation, by the fields of its argument. */
export function failureOf(error: unknown, argument: string): Failure {
  const errors = errorsOf(error);
  return { fields: fieldErrors(errors, argument), conflict: errors.some(({ extensions }) => extensions?.code === 'PRECONDITION_FAILED') };
}

export const messageOf = (error: unknown): string => messageOfErrors(errorsOf(error));

/** The messages at these paths, once each. */
export function messagesAt(errors: FieldErrors, ...paths: readonly string[]): string | undefined {
  const found = new Set(paths.flatMap((path) => errors[path] ?? []));
  return found.size > 0 ? [...found].join(' ') : undefined;
}
