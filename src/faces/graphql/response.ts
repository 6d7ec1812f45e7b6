import { OperationTypeNode } from 'graphql';
import type { Caller } from '../../access/permissions.ts';
import { AppError } from '../../core/errors.ts';
import { limitErrors, toClientError, type ClientError, type ResponseHead, refusalHead } from './errors.ts';
import type { GatewayContext } from './context.ts';
import { BatchError, jsonType } from './request/params.ts';
import { type HttpResponse, HttpError } from '../../http/face.ts';
import { JsonWriter, TooLongError, type Fields } from '../../core/json.ts';

/** Result of a GraphQL operation. Without `data` and `json` the operation did not run. */
export interface ExecutionResult {
  readonly data?: Fields | null;
  readonly errors?: readonly ClientError[];
  /** Data as JSON text; set only when there are no errors. */
  readonly json?: string;
}

/** Converts an error to the response of a request that did not run. */
export function refusalResponse(
  error: unknown,
  mediaType: string,
  { requestId, log, report }: Pick<Caller, 'requestId' | 'log' | 'report'>,
): HttpResponse {
  const errors = limitErrors([toClientError(error, requestId, log)]);
  report.codes = errors.map(({ extensions }) => extensions.code);
  const refusal = errors.map(refusalHead)[0];
  const httpError = error instanceof HttpError ? error : undefined;
  const { status, headers } = refusal ??
    httpError ?? { status: mediaType === jsonType ? 200 : 400, headers: {} };
  const content =
    error instanceof BatchError ? Array.from({ length: error.entryCount }, () => ({ errors })) : { errors };
  return { status, headers: { 'content-type': mediaType, ...headers }, body: `${JSON.stringify(content)}\n` };
}

/** Creates the response of an operation that ran, or that failed validation. Bodies end with a line break for terminals. */
export async function createResponse(
  { data, errors = [], json }: ExecutionResult,
  responseType: string,
  context: GatewayContext,
): Promise<HttpResponse & { readonly errors: readonly ClientError[] }> {
  const isMutation = context.admittedRequest.operation.node.operation === OperationTypeNode.MUTATION;
  const { status, headers } = chooseResponseHead(
    errors,
    json === undefined ? data : {},
    responseType,
    isMutation,
  );
  const serializationErrors: ClientError[] = [];
  const dataJson = json ?? (data && (await writeData(data, isMutation, context, serializationErrors)));
  const allErrors = [...errors, ...serializationErrors];
  const extensions = context.writeReports.toExtensions();
  const members = [
    ...(allErrors.length > 0 ? [`"errors":${JSON.stringify(allErrors)}`] : []),
    ...(dataJson === undefined ? [] : [`"data":${dataJson}`]),
    ...(extensions ? [`"extensions":${JSON.stringify(extensions)}`] : []),
  ];
  return {
    status,
    headers: { 'content-type': responseType, ...headers },
    body: `{${members.join(',')}}\n`,
    errors: allErrors,
  };
}

/** Writes the data one root field at a time. A field that cannot be written becomes null, with an error that says whether its mutation was carried out. */
async function writeData(
  data: Fields,
  isMutation: boolean,
  { requestId, log }: GatewayContext,
  serializationErrors: ClientError[],
): Promise<string> {
  const writer = new JsonWriter();
  const members: string[] = [];
  for (const [key, value] of Object.entries(data)) {
    let json = 'null';
    try {
      json = await writer.write(value);
    } catch (error) {
      const cause =
        error instanceof TooLongError || error instanceof RangeError
          ? createResponseTooLongError(isMutation)
          : error;
      serializationErrors.push({ ...toClientError(cause, requestId, log, isMutation), path: [key] });
    }
    members.push(`${JSON.stringify(key)}:${json}`);
  }
  return `{${members.join(',')}}`;
}

function createResponseTooLongError(isMutation: boolean): AppError {
  const prefix = isMutation ? 'This was carried out, but its' : 'The';
  const message = `${prefix} response is too long to be sent. Ask for fewer fields or entries, or in several requests.`;
  return new AppError('BAD_USER_INPUT', 'tooLong', message, [{ path: [], reason: 'tooLong', message }]);
}

/**
 * Chooses status and headers. If nothing has a result, they are those of the errors; for an invalid document,
 * the status is 400, or 200 with application/json (GraphQL over HTTP, 6.4).
 */
function chooseResponseHead(
  errors: readonly ClientError[],
  data: ExecutionResult['data'],
  mediaType: string,
  isMutation: boolean,
): ResponseHead {
  const [refusal, ...otherRefusals] = errors.map(refusalHead);
  const isRefused = refusal !== undefined && !hasResult(errors, data, isMutation);
  if (isRefused && otherRefusals.every((other) => other?.status === refusal.status)) return refusal;
  return { status: data !== undefined || mediaType === jsonType ? 200 : 400, headers: {} };
}

/** Whether a root field has a value, or a mutation was carried out and only its value is missing. */
function hasResult(
  errors: readonly ClientError[],
  data: ExecutionResult['data'],
  isMutation: boolean,
): boolean {
  if (!data) return false;
  return (
    Object.values(data).some((value) => value !== null) ||
    (isMutation && errors.some(({ path = [] }) => path.length > 1))
  );
}
