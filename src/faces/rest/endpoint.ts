import type { Caller, Viewer } from '../../access/permissions.ts';
import type { Issue } from '../../core/errors.ts';
import { coercionError, CoercionErrors, scalarCoercers } from '../../core/fields/scalar-coercers.ts';
import { memoizeByObject } from '../../core/memoize.ts';
import { type Fields, isFields } from '../../core/json.ts';
import { isTimeZone } from '../../core/time/time-zone.ts';
import { parseFields } from '../../google/partial-response.ts';
import { BodyReader } from '../../google/body-reader.ts';
import type { Schemas } from '../../google/schemas.ts';
import { BodyError, type HttpResponse, ListBody, RawBody, type RequestHead } from '../../http/face.ts';
import { type Naming, RestError } from './errors.ts';
import type { BodyRow, MethodRow, Parameter, Verb } from './method.ts';
import { commonParameters } from './methods/parameters.ts';

const parametersOf = memoizeByObject((row: Pick<MethodRow, 'parameters'>) =>
  Object.entries({ ...commonParameters, ...row.parameters }),
);

/** Reads the parameters of a method by official name. Empty values count as absent; malformed values are issues. */
export function readParameters(row: Pick<MethodRow, 'parameters'>, request: EndpointRequest) {
  const parameters: Record<string, unknown> = {};
  const issues: Issue[] = [];
  for (const [name, parameter] of parametersOf(row)) {
    const { in: location = 'query', header, required } = parameter;
    // Fast path for absent parameters, without allocations.
    if (location === 'query' && !required && header === undefined && !request.query.has(name)) continue;
    const texts = readTexts(name, parameter, request);
    if (texts.length === 0) {
      if (required) issues.push({ path: [name], reason: 'required', message: `${name} is required.` });
      continue;
    }
    const values =
      location === 'query' && request.malformedNames.has(name)
        ? [new ParseFailure('This has a malformed escape: write a percent sign as %25.')]
        : texts.map((text) => parseText(parameter, text));
    const failure = values.find((value) => value instanceof ParseFailure);
    if (failure instanceof ParseFailure) {
      issues.push({ path: [name], reason: 'invalid', message: `${name}: ${failure.message}` });
      if (!(failure instanceof RangeFailure)) request.unparsableNames.add(name);
    } else if (!parameter.isIgnored) parameters[name] = parameter.repeated ? values : values[0];
  }
  return { parameters, issues };
}

/** Maps parameters and body to arguments; `internalArgs` are not in the schema. */
export function toArguments(
  { parameters: parameterRows, body, fixedArguments }: MethodRow,
  parameters: Fields,
  bodyFields: unknown,
): { readonly args: Record<string, unknown>; readonly internalArgs: Record<string, unknown> } {
  const args: Record<string, unknown> = {};
  const internalArgs: Record<string, unknown> = { ...fixedArguments };
  for (const [name, value] of Object.entries(parameters)) {
    const row = parameterRows[name];
    const argument = row?.argument === undefined ? name : row.argument;
    if (row && argument !== null) (row.isInternal ? internalArgs : args)[argument] = value;
  }
  if (body?.argument !== undefined) args[body.argument] = bodyFields;
  return { args, internalArgs };
}

function readTexts(
  name: string,
  { in: location = 'query', header }: Parameter,
  { path, query, headers }: EndpointRequest,
): readonly string[] {
  const readHeader = (headerName: string): readonly string[] =>
    [headers[headerName.toLowerCase()]]
      .flat()
      .filter((text) => text !== undefined && text !== '') as string[];
  if (location === 'path') return [path[name] as string];
  if (location === 'header') return readHeader(name);
  const texts = query.getAll(name).filter((text) => text !== '');
  return texts.length === 0 && header !== undefined ? readHeader(header) : texts;
}

/** Reason why the text of a parameter is not a value; returned, not thrown. */
class ParseFailure extends Error {}
/** The value is out of range, rather than malformed. */
class RangeFailure extends ParseFailure {}

/** Parses the text of a parameter. Returns a `ParseFailure` if it is not a value of the type. */
function parseText(
  { type = 'string', values, min = -Infinity, max = Infinity }: Parameter,
  text: string,
): unknown {
  if (values && !values.includes(text)) return new ParseFailure(`This must be ${values.join(', ')}.`);
  if (type === 'boolean')
    return /^(true|false)$/i.test(text)
      ? text.toLowerCase() === 'true'
      : new ParseFailure('This must be true or false.');
  if (type === 'timeZone')
    return isTimeZone(text)
      ? text
      : new ParseFailure('This must be a name of the IANA Time Zone Database, such as Europe/Berlin.');
  if (type === 'dateTime')
    return / \d\d:\d\d$/.test(text)
      ? new ParseFailure('A + in a query means a space: write %2B before the offset of this time.')
      : coerceScalar('DateTime', text);
  if (type === 'fields')
    return parseFields(text)
      ? text
      : new ParseFailure('This must be names, a/b, a(b,c/d) or *, separated by commas.');
  if (type === 'string') return text;
  if (type === 'long')
    return /^\d{1,19}$/.test(text) ? String(BigInt(text)) : new ParseFailure('This must be a whole number.');
  if (!/^[+-]?\d{1,18}$/.test(text)) return new ParseFailure('This must be a whole number.');
  if (Number(text) < min) return new RangeFailure(`This must be ${min} or more.`);
  return coerceScalar('Int', Math.min(Number(text), max));
}

function coerceScalar(name: string, value: unknown): unknown {
  const errors = new CoercionErrors();
  const coercedValue = scalarCoercers[name]?.(value, errors);
  return coercedValue === coercionError
    ? new ParseFailure((errors.issues[0] as Issue).message)
    : coercedValue;
}

/** Reads the body of a request. Returns its fields by internal name, and the problems of other fields. */
export function readBody(
  { schema, nullClears = false, fieldsClearedIfAbsent }: BodyRow,
  body: unknown,
  schemas: Schemas,
) {
  if (body instanceof RawBody)
    throw new RestError(415, 'unsupportedMediaType', 'The Content-Type must be application/json.');
  if (body !== undefined && (!isFields(body) || body instanceof ListBody))
    throw new BodyError('The body must be one JSON object.');
  const reader = new BodyReader(schemas, nullClears);
  const sentFields = reader.read({ $ref: schema }, body ?? {}, { official: [], field: [] }) as Fields;
  const fields: Fields = fieldsClearedIfAbsent
    ? { ...Object.fromEntries(fieldsClearedIfAbsent.map((name) => [name, null])), ...sentFields }
    : sentFields;
  const { unknownPaths, notOfferedPaths, issues } = reader;
  return { fields, unknownPaths, notOfferedPaths, issues };
}

/** A request that was routed to an endpoint. */
export interface EndpointRequest extends Pick<RequestHead, 'headers'> {
  readonly head: RequestHead;
  /** Values of the variables in the path, by name. */
  readonly path: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Query parameters with a malformed percent escape. */
  readonly malformedNames: ReadonlySet<string>;
  /** Parameters with malformed values. */
  readonly unparsableNames: Set<string>;
  /** Parsed JSON, a `RawBody`, or undefined. */
  readonly body: unknown;
  /** Set once an operation was called, because operations charge the caller themselves. */
  isCharged?: boolean;
  /** Set once a write was carried out; later errors concern only its response. */
  isWriteDone?: boolean;
}

/** A verb and a path of the REST face, and the function that handles their requests. */
export interface Endpoint {
  readonly verb: Verb;
  /** Path template such as `/calendar/v3/calendars/{calendarId}`. */
  readonly template: string;
  /** Name of the operation in log and metrics. */
  readonly operation: string;
  /** Throws if the caller may not use the endpoint. Runs before the body is read. */
  readonly admit?: (viewer: Viewer | undefined) => void;
  readonly run: (request: EndpointRequest, caller: Caller) => Promise<HttpResponse<string | Buffer>>;
  /** Creates the translation of issues into the names of a request; absent: errors are about the request as a whole. */
  readonly createNaming?: (request: EndpointRequest) => Naming;
}
