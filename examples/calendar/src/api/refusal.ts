import { ApolloLink } from '@apollo/client';
import { ServerError } from '@apollo/client/errors';
import { OperationTypeNode } from 'graphql';
import { catchError, map, throwError } from 'rxjs';
import { errorsIn, type GatewayError } from '../../../clients/errors.ts';
import { notify } from './notices.ts';
import { sessionEnded } from './session.ts';

/**
 * Reason why a request has no answer of its own. `conflict`: somebody else was faster; `session`: the token has expired; `busy`: too
 * many requests; `down`: the gateway cannot answer, and did nothing; `lost`: no answer came, whatever was done; `cannot`: the
 * page does not send it.
 */
export type RefusalKind = 'conflict' | 'session' | 'busy' | 'down' | 'lost' | 'cannot';

/** A request that was not carried out, or of which that is not known. The message is for people. */
export class Refused extends Error {
  readonly kind: RefusalKind;

  constructor(kind: RefusalKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

/** Effect of sending a request again: a read changes nothing, `once` has a requestId or an ifMatch and is stored once, `change` may be stored twice. */
type Sent = 'read' | 'once' | 'change';

const lostWords: Readonly<Record<Sent, string>> = {
  read: 'The gateway does not answer.',
  once: 'No answer came. It is safe to try again: nothing is done twice.',
  change: 'No answer came. It is not known whether it was saved.',
};

function refused(kind: 'session' | 'busy' | 'down' | 'lost', sent: Sent, seconds?: number): Refused {
  if (kind === 'session') sessionEnded.set(true);
  const words = {
    session: 'Your session has ended. Open the page again to sign in.',
    busy: `Too many requests: try again in ${seconds === undefined ? 'a moment' : seconds === 1 ? 'one second' : `${seconds} seconds`}.`,
    down: 'The gateway does not answer.',
    lost: lostWords[sent],
  }[kind];
  return new Refused(kind, sent === 'read' || kind === 'lost' ? words : `${words} Nothing was saved.`);
}

/** Turns the refusal of a whole request into a message for people. Errors of single fields pass. */
export const sayRefusals = new ApolloLink((operation, forward) => {
  const { requestId, ifMatch } = operation.variables;
  const sent =
    operation.operationType !== OperationTypeNode.MUTATION
      ? 'read'
      : requestId || ifMatch
        ? 'once'
        : 'change';
  const seconds = (): number | undefined => {
    const { response } = operation.getContext() as { response?: Response };
    return Number(response?.headers.get('retry-after')) || undefined;
  };
  const refusalIn = (errors: readonly GatewayError[], status?: number): Refused | undefined => {
    const codes = errors.map(({ extensions }) => extensions?.code);
    if (status === 401 || codes.includes('UNAUTHENTICATED')) return refused('session', sent);
    // The bound of one field by the day comes without a time: it is said at that field.
    if (status === 429 || (codes.includes('RATE_LIMITED') && seconds() !== undefined))
      return refused('busy', sent, seconds());
    if (status === 503 || codes.includes('UNAVAILABLE')) return refused('down', sent);
    return undefined;
  };
  return forward(operation).pipe(
    map((answer) => {
      const refusal = hasNothing(answer.data) ? refusalIn(answer.errors ?? []) : undefined;
      if (refusal) throw refusal;
      return answer;
    }),
    catchError((error: unknown) => {
      if (error instanceof Refused) return throwError(() => error);
      if (!ServerError.is(error)) return throwError(() => refused('lost', sent));
      const errors = errorsIn(error.bodyText, error.statusCode);
      const isGateways = errors.some(({ extensions }) => extensions);
      return throwError(
        () => refusalIn(errors, error.statusCode) ?? (isGateways ? error : refused('lost', sent)),
      );
    }),
  );
});

const hasNothing = (data: unknown): boolean => !data || Object.values(data).every((value) => value === null);

/** Reports a stream that is not opened again: an expired token in the page's banner, other reasons in a notice. */
export function sayStreamRefusal({
  status,
  message,
}: {
  readonly status: number;
  readonly message: string;
}): void {
  if (status === 401) sessionEnded.set(true);
  else notify('error', `Live updates are off: ${message}`);
}
