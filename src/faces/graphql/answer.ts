import type { Caller } from '../../access/permissions.ts';
import { AppError } from '../../core/errors.ts';
import { bounded, clientError, type ClientError, type Refusal, refusalOf } from './errors.ts';
import type { GatewayContext } from './context.ts';
import { BatchFault, jsonType } from './request/params.ts';
import { type HttpAnswer, HttpError } from '../../http/face.ts';
import { JsonWriter, TooLongError } from '../../core/json.ts';

/** The result of an operation. Without `data` and `json` it did not run. */
export interface Result {
  readonly data?: Readonly<Record<string, unknown>> | null;
  readonly errors?: readonly ClientError[];
  /** The data as JSON, of an operation without errors. */
  readonly json?: string;
}

/** Refuses a request of which nothing ran. */
export function refusalAnswer(
  error: unknown,
  type: string,
  { requestId, log, report }: Pick<Caller, 'requestId' | 'log' | 'report'>,
): HttpAnswer {
  const errors = bounded([clientError(error, requestId, log)]);
  report.codes = errors.map(({ extensions }) => extensions.code);
  const refusal = errors.map(refusalOf)[0];
  const fault = error instanceof HttpError ? error : undefined;
  const { status, headers } = refusal ?? fault ?? { status: type === jsonType ? 200 : 400, headers: {} };
  const content =
    error instanceof BatchFault ? Array.from({ length: error.entries }, () => ({ errors })) : { errors };
  return { status, headers: { 'content-type': type, ...headers }, body: `${JSON.stringify(content)}\n` };
}

/** The answer to an operation that ran, or did not fit the schema. Bodies end with a line break, for those who read them in a terminal. */
export async function answerOf(
  { data, errors = [], json }: Result,
  type: string,
  isMutation: boolean,
  context: GatewayContext,
): Promise<HttpAnswer & { readonly errors: readonly ClientError[] }> {
  const { status, headers } = statusOf(errors, json ?? data, type, isMutation);
  const late: ClientError[] = [];
  const written = json ?? (data && (await writeData(data, isMutation, context, late)));
  const all = [...errors, ...late];
  const extensions = context.notes.extensions();
  const members = [
    ...(all.length > 0 ? [`"errors":${JSON.stringify(all)}`] : []),
    ...(written === undefined ? [] : [`"data":${written}`]),
    ...(extensions ? [`"extensions":${JSON.stringify(extensions)}`] : []),
  ];
  return {
    status,
    headers: { 'content-type': type, ...headers },
    body: `{${members.join(',')}}\n`,
    errors: all,
  };
}

/** Writes the data, root field by root field. A field that cannot be written becomes null, with an error that says whether its mutation was carried out. */
async function writeData(
  data: Readonly<Record<string, unknown>>,
  isMutation: boolean,
  { requestId, log }: GatewayContext,
  late: ClientError[],
): Promise<string> {
  const writer = new JsonWriter();
  const members: string[] = [];
  for (const [key, value] of Object.entries(data)) {
    let text = 'null';
    try {
      text = await writer.write(value);
    } catch (error) {
      const cause =
        error instanceof TooLongError || error instanceof RangeError ? tooLong(isMutation) : error;
      late.push({ ...clientError(cause, requestId, log, isMutation), path: [key] });
    }
    members.push(`${JSON.stringify(key)}:${text}`);
  }
  return `{${members.join(',')}}`;
}

function tooLong(isMutation: boolean): AppError {
  const done = isMutation ? 'This was carried out, but its' : 'The';
  const message = `${done} answer is too long to be sent. Ask for fewer fields, fewer entries, or in several requests.`;
  return new AppError('BAD_USER_INPUT', 'tooLong', message, [{ path: [], reason: 'tooLong', message }]);
}

/**
 * The status of an answer, with its headers. A request of which nothing was done gets the status of its refusal; one that
 * does not fit the schema 400, or 200 where the client asks for application/json (GraphQL over HTTP, section 6.4).
 */
function statusOf(errors: readonly ClientError[], data: unknown, type: string, isMutation: boolean): Refusal {
  const [first, ...others] = errors.map(refusalOf);
  if (first && !wasDone(errors, data, isMutation) && others.every((other) => other?.status === first.status))
    return first;
  return { status: data !== undefined || type === jsonType ? 200 : 400, headers: {} };
}

/** True when a root field has a result, or when a mutation had one that could not be sent. */
function wasDone(errors: readonly ClientError[], data: unknown, isMutation: boolean): boolean {
  if (data === undefined || data === null) return false;
  return (
    Object.values(data).some((value) => value !== null) ||
    (isMutation && errors.some(({ path = [] }) => path.length > 1))
  );
}
