import type { GatewayErrorExtensions } from 'resource-gateway/client';

export interface GatewayError {
  readonly message: string;
  readonly extensions?: Partial<GatewayErrorExtensions>;
}

/**
 * Messages by the name of a form field: `reminders.overrides.0.minutes`. What names no field of the body (another argument,
 * a refusal of the whole request, which has no issues) stands under ''. Only without errors there are no messages.
 */
export function fieldErrors(errors: readonly GatewayError[], argument: string): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const { message, extensions } of errors) {
    const issues = extensions?.issues?.length ? extensions.issues : [{ path: [], message }];
    for (const issue of issues) {
      const name = issue.path[0] === argument ? issue.path.slice(1).join('.') : '';
      fields[name] = name in fields ? `${fields[name]} ${issue.message}` : issue.message;
    }
  }
  return fields;
}

/** All errors in words for a person. */
export const messageOf = (errors: readonly GatewayError[]): string =>
  errors.map(({ message }) => message).join(' ');

/** The errors in the body of an answer; what is no answer of the gateway, but of a proxy before it, is an error, too. */
export function errorsIn(body: string, status: number): readonly GatewayError[] {
  try {
    const { errors } = JSON.parse(body) as { readonly errors?: readonly GatewayError[] };
    if (errors?.length) return errors;
  } catch {
    // A page in HTML.
  }
  return [{ message: `The gateway cannot be reached (HTTP ${status}).` }];
}
