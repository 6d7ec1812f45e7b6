import { AppError, type ErrorCode } from '../../src/core/kernel/errors.ts';
import { HttpError, type Face, type HttpAnswer } from '../../src/http/face.ts';
import type { OperationRunner } from '../../src/operations/runner.ts';

const statuses: Readonly<Record<ErrorCode, number>> = {
  BAD_USER_INPUT: 400,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  CONFLICT: 409,
  PRECONDITION_FAILED: 412,
  RATE_LIMITED: 429,
  UNAVAILABLE: 503,
  INTERNAL_SERVER_ERROR: 500,
};

const answerOf = (status: number, content: object, headers: HttpAnswer['headers'] = {}): HttpAnswer => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(content),
});

const refuse: Face['refuse'] = (error, _request, { requestId, log, report }) => {
  const masked = new AppError('INTERNAL_SERVER_ERROR', 'internalError', 'Something went wrong.');
  const { code, reason, message, issues } = error instanceof AppError ? error : masked;
  if (!(error instanceof AppError)) log.error({ err: error, requestId }, 'an unexpected error was masked');
  report.codes = [code];
  const problems = issues.map((issue) => `${issue.path.join('.')}: ${issue.reason}`);
  return answerOf(
    error instanceof HttpError ? error.status : statuses[code],
    { failed: { code, reason, message, problems } },
    error instanceof HttpError ? error.headers : {},
  );
};

/** Operations as plain JSON: their arguments are posted to `/rpc/<operation>`. */
export const createRpcFace = (runner: OperationRunner): Face => ({
  routes: [
    {
      path: '/rpc/*',
      methods: ['POST'],
      async execute(request, caller) {
        const name = request.path.slice('/rpc/'.length);
        if ([undefined, 'stream'].includes(runner.kindOf(name)))
          throw new HttpError(404, 'notFound', `There is no operation ${name}.`);
        try {
          return answerOf(200, await runner.run(name, request.body, caller));
        } catch (error) {
          return refuse(error, request, caller);
        }
      },
    },
  ],
  refuse,
});
