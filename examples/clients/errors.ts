import type { GatewayErrorExtensions } from 'resource-gateway/client';

/** An error in a response of the gateway, or one that this client made of another failure. */
export interface GatewayError {
  readonly message: string;
  readonly extensions?: Partial<GatewayErrorExtensions>;
}

/**
 * Returns messages by the name of a form field, such as `reminders.overrides.0.minutes`. Errors of other
 * arguments and of the whole request are under ''.
 */
export function fieldErrors(errors: readonly GatewayError[], argument: string): Record<string, string> {
  const messages: Record<string, string> = {};
  for (const { message, extensions } of errors) {
    const issues = extensions?.issues?.length ? extensions.issues : [{ path: [], message }];
    for (const issue of issues) {
      const name = issue.path[0] === argument ? issue.path.slice(1).join('.') : '';
      messages[name] = name in messages ? `${messages[name]} ${issue.message}` : issue.message;
    }
  }
  return messages;
}

/** Joins the messages of all errors. */
export const messageOf = (errors: readonly GatewayError[]): string =>
  errors.map(({ message }) => message).join(' ');

/** Reads the errors in a response body. The page of a proxy is reported as an error with its HTTP status. */
export function errorsIn(body: string, status: number): readonly GatewayError[] {
  try {
    const { errors } = JSON.parse(body) as { readonly errors?: readonly GatewayError[] };
    if (errors?.length) return errors;
  } catch {
    // The body is not JSON, such as the HTML page of a proxy.
  }
  return [{ message: `The gateway cannot be reached (HTTP ${status}).` }];
}
