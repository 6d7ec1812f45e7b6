import { CombinedGraphQLErrors } from '@apollo/client/errors';
import { fieldErrors, type GatewayError } from '../../../clients/errors.ts';

/** Messages by the path of their field, such as `attendees.0.email`; under '' what concerns none. */
export type FieldErrors = Readonly<Record<string, string>>;

export interface Failure {
  readonly fields: FieldErrors;
  /** Whether somebody else changed the event since it was read. */
  readonly conflict: boolean;
}

/** An error of a mutation, by the fields of its argument. */
export function failureOf(error: unknown, argument: string): Failure {
  if (!CombinedGraphQLErrors.is(error)) return { fields: { '': `The gateway cannot be reached. ${messageOf(error)}` }, conflict: false };
  const errors = error.errors as readonly GatewayError[];
  return { fields: fieldErrors(errors, argument), conflict: errors.some(({ extensions }) => extensions?.code === 'PRECONDITION_FAILED') };
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The messages at these paths, once each. */
export function messagesAt(errors: FieldErrors, ...paths: readonly string[]): string | undefined {
  const found = new Set(paths.flatMap((path) => errors[path] ?? []));
  return found.size > 0 ? [...found].join(' ') : undefined;
}
