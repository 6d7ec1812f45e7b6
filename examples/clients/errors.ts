/** One broken rule. */
export interface Issue {
  readonly path: readonly (string | number)[];
  readonly reason: string;
  readonly message: string;
  readonly params?: Readonly<Record<string, string | number>>;
}

/** The `extensions` of an error of the gateway. */
export interface GatewayExtensions {
  readonly code: string;
  readonly reason: string;
  readonly issues: readonly Issue[];
  readonly requestId: string;
  /** The present etag, with PRECONDITION_FAILED. */
  readonly etag?: string;
}

export interface GatewayError {
  readonly message: string;
  readonly extensions?: Partial<GatewayExtensions>;
}

/**
 * Messages by the name of a form field: `reminders.overrides.0.minutes`. What names no field of the body (an argument,
 * a refusal) stands under ''.
 */
export function fieldErrors(errors: readonly GatewayError[], argument: string): Record<string, string> {
  const issues = errors.flatMap(({ message, extensions }): readonly Pick<Issue, 'path' | 'message'>[] => extensions?.issues ?? [{ path: [], message }]);
  return Object.fromEntries(issues.map(({ path, message }) => [path[0] === argument ? path.slice(1).join('.') : '', message]));
}
