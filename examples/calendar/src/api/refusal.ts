import { ApolloLink } from '@apollo/client';
import { ServerError } from '@apollo/client/errors';
import { OperationTypeNode } from 'graphql';
import { catchError, map } from 'rxjs';
import { errorsIn, type GatewayError } from '../../../clients/errors.ts';
import { showNotice } from './notices.ts';
import { hasSessionEnded } from './session.ts';

/**
 * Reason why a request failed as a whole.
 * `conflict`: somebody else changed the object first.
 * `session`: the token has expired.
 * `busy`: too many requests.
 * `down`: the gateway is unavailable and did nothing.
 * `lost`: no response came, so the result is unknown.
 * `cannot`: the page does not send the request.
 */
type RefusalKind = 'conflict' | 'session' | 'busy' | 'down' | 'lost' | 'cannot';

/** Error of a request that failed as a whole. The message is shown to the user. */
export class RefusalError extends Error {
  readonly kind: RefusalKind;

  constructor(kind: RefusalKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

/**
 * Effect of a repeated request. `once`: a `requestId` or `ifMatch` prevents a second effect. `change`: the
 * change may be stored twice.
 */
type RepeatEffect = 'read' | 'once' | 'change';

const lostMessages: Readonly<Record<RepeatEffect, string>> = {
  read: 'The gateway does not answer.',
  once: 'No answer came. It is safe to try again: nothing is done twice.',
  change: 'No answer came. It is not known whether it was saved.',
};

/** Creates a refusal with its message. `waitSeconds`: time after which the gateway accepts requests again. */
function createRefusal(
  kind: Exclude<RefusalKind, 'conflict' | 'cannot'>,
  effect: RepeatEffect,
  waitSeconds?: number,
): RefusalError {
  if (kind === 'session') hasSessionEnded(true);
  const message = {
    session: 'Your session has ended. Open the page again to sign in.',
    busy: `Too many requests: try again in ${waitSeconds === undefined ? 'a moment' : waitSeconds === 1 ? 'one second' : `${waitSeconds} seconds`}.`,
    down: 'The gateway does not answer.',
    lost: lostMessages[effect],
  }[kind];
  return new RefusalError(
    kind,
    effect === 'read' || kind === 'lost' ? message : `${message} Nothing was saved.`,
  );
}

/** Turns the failure of a whole request into a `RefusalError`. Errors of single fields pass. */
export const refusalLink = new ApolloLink((operation, forward) => {
  const { requestId, ifMatch } = operation.variables;
  const effect =
    operation.operationType !== OperationTypeNode.MUTATION
      ? 'read'
      : requestId || ifMatch
        ? 'once'
        : 'change';
  const readRetryAfterSeconds = (): number | undefined => {
    const { response } = operation.getContext() as { response?: Response };
    return Number(response?.headers.get('retry-after')) || undefined;
  };
  const findRefusal = (errors: readonly GatewayError[], status?: number): RefusalError | undefined => {
    const codes = errors.map(({ extensions }) => extensions?.code);
    if (status === 401 || codes.includes('UNAUTHENTICATED')) return createRefusal('session', effect);
    // The daily limit of a single field has no retry time; its error belongs to the field.
    if (status === 429 || (codes.includes('RATE_LIMITED') && readRetryAfterSeconds() !== undefined))
      return createRefusal('busy', effect, readRetryAfterSeconds());
    if (status === 503 || codes.includes('UNAVAILABLE')) return createRefusal('down', effect);
    return undefined;
  };
  return forward(operation).pipe(
    map((response) => {
      const refusal = hasNoData(response.data) ? findRefusal(response.errors ?? []) : undefined;
      if (refusal) throw refusal;
      return response;
    }),
    catchError((error: unknown) => {
      if (error instanceof RefusalError) throw error;
      if (!ServerError.is(error)) throw createRefusal('lost', effect);
      const errors = errorsIn(error.bodyText, error.statusCode);
      const isFromGateway = errors.some(({ extensions }) => extensions);
      throw findRefusal(errors, error.statusCode) ?? (isFromGateway ? error : createRefusal('lost', effect));
    }),
  );
});

const hasNoData = (data: unknown): boolean => !data || Object.values(data).every((value) => value === null);

/** Reports a stream that is not reopened: an expired token in the page's banner, other reasons in a notice. */
export function reportStreamRefusal({
  status,
  message,
}: {
  readonly status: number;
  readonly message: string;
}): void {
  if (status === 401) hasSessionEnded(true);
  else showNotice('error', `Live updates are off: ${message}`);
}
