import type { Caller, Viewer } from '../../access/permissions.ts';
import type { Issue } from '../../core/errors.ts';
import { coercionError, CoercionErrors, leaves } from '../../core/fields/leaves.ts';
import { type Fields, isFields } from '../../core/patch.ts';
import { isTimeZone } from '../../core/time/time-zone.ts';
import { parseFields } from '../../google/partial.ts';
import { BodyReader } from '../../google/read.ts';
import type { Schemas } from '../../google/schemas.ts';
import { BodyFault, type HttpAnswer, ListBody, RawBody, type RequestHead } from '../../http/face.ts';
import { RestFault } from './errors.ts';
import type { BodyRow, MethodRow, Parameter, Verb } from './method.ts';
import { common } from './methods/parameters.ts';

const rows = new WeakMap<Pick<MethodRow, 'parameters'>, readonly (readonly [string, Parameter])[]>();

/** The parameters of a method, worked out once. */
function parametersOf(row: Pick<MethodRow, 'parameters'>): readonly (readonly [string, Parameter])[] {
  let known = rows.get(row);
  if (!known) rows.set(row, (known = Object.entries({ ...common, ...row.parameters })));
  return known;
}

/** Reads the parameters of a method, by official names. An empty value counts as absent; one that does not parse is an issue. */
export function readParameters(row: Pick<MethodRow, 'parameters'>, request: EndpointRequest) {
  const given: Record<string, unknown> = {};
  const issues: Issue[] = [];
  for (const [name, parameter] of parametersOf(row)) {
    const { in: place = 'query', header, required } = parameter;
    // The usual case, which allocates nothing.
    if (place === 'query' && !required && header === undefined && !request.query.has(name)) continue;
    const texts = textsOf(name, parameter, request);
    if (texts.length === 0) {
      if (required) issues.push({ path: [name], reason: 'required', message: `${name} is required.` });
      continue;
    }
    const values =
      place === 'query' && request.malformed.has(name)
        ? [new Fault('This holds a malformed escape: write a percent sign as %25.')]
        : texts.map((text) => parse(parameter, text));
    const fault = values.find((value) => value instanceof Fault);
    if (fault instanceof Fault) {
      issues.push({ path: [name], reason: 'invalid', message: `${name}: ${fault.message}` });
      if (fault.unparsed) request.unparsed.add(name);
    } else if (!parameter.inert) given[name] = parameter.repeated ? values : values[0];
  }
  return { given, issues };
}

/** The arguments that the parameters become, and the body; those that the schema does not have apart. */
export function argumentsOf(
  { parameters, body, beside }: MethodRow,
  given: Fields,
  fields: unknown,
): { readonly args: Record<string, unknown>; readonly hidden: Record<string, unknown> } {
  const args: Record<string, unknown> = {};
  const hidden: Record<string, unknown> = { ...beside };
  for (const [name, value] of Object.entries(given)) {
    const argument = parameters[name]?.argument === undefined ? name : parameters[name].argument;
    if (parameters[name] && argument !== null) (parameters[name].hidden ? hidden : args)[argument] = value;
  }
  if (body?.argument !== undefined) args[body.argument] = fields;
  return { args, hidden };
}

function textsOf(
  name: string,
  { in: place = 'query', header }: Parameter,
  { path, query, headers }: EndpointRequest,
): readonly string[] {
  const inHeader = (of: string): readonly string[] =>
    [headers[of.toLowerCase()]].flat().filter((text) => text !== undefined && text !== '') as string[];
  if (place === 'path') return [path[name] as string];
  if (place === 'header') return inHeader(name);
  const texts = query.getAll(name).filter((text) => text !== '');
  return texts.length === 0 && header !== undefined ? inHeader(header) : texts;
}

class Fault {
  readonly message: string;
  /** True if the value does not have the form of its type. */
  readonly unparsed: boolean;

  constructor(message: string, unparsed = true) {
    this.message = message;
    this.unparsed = unparsed;
  }
}

function parse(
  { type = 'string', values, least = -Infinity, most = Infinity }: Parameter,
  text: string,
): unknown {
  if (values && !values.includes(text)) return new Fault(`This must be ${values.join(', ')}.`);
  if (type === 'boolean')
    return /^(true|false)$/i.test(text)
      ? text.toLowerCase() === 'true'
      : new Fault('This must be true or false.');
  if (type === 'timeZone')
    return isTimeZone(text)
      ? text
      : new Fault('This must be a name of the IANA Time Zone Database, such as Europe/Berlin.');
  if (type === 'dateTime')
    return / \d\d:\d\d$/.test(text)
      ? new Fault('A + in a query means a blank: write %2B before the offset of this time.')
      : leaf('DateTime', text);
  if (type === 'fields')
    return parseFields(text)
      ? text
      : new Fault('This must be names, a/b, a(b,c/d) or *, separated by commas.');
  if (type === 'string') return text;
  if (type === 'long')
    return /^\d{1,19}$/.test(text) ? String(BigInt(text)) : new Fault('This must be a whole number.');
  if (!/^[+-]?\d{1,18}$/.test(text)) return new Fault('This must be a whole number.');
  if (Number(text) < least) return new Fault(`This must be ${least} or more.`, false);
  return leaf('Int', Math.min(Number(text), most));
}

function leaf(name: string, value: unknown): unknown {
  const errors = new CoercionErrors();
  const read = leaves[name]?.(value, errors);
  return read === coercionError ? new Fault((errors.issues[0] as Issue).message) : read;
}

/** Reads the body of a request: its fields in the names of those behind it, and what the reader says of others. */
export function readBody(
  { schema, nullClears = false, clears = [] }: BodyRow,
  body: unknown,
  schemas: Schemas,
) {
  if (body instanceof RawBody)
    throw new RestFault(415, 'unsupportedMediaType', 'The Content-Type must be application/json.');
  if (body !== undefined && (!isFields(body) || body instanceof ListBody))
    throw new BodyFault('The body must be one JSON object.');
  const reader = new BodyReader(schemas, nullClears);
  const read = reader.read({ $ref: schema }, body ?? {}, { official: [], field: [] }) as Fields;
  const cleared = clears.filter((name) => read[name] === undefined).map((name) => [name, null] as const);
  const fields: Fields = cleared.length > 0 ? { ...Object.fromEntries(cleared), ...read } : read;
  const { unknown, notOffered, issues } = reader;
  return { fields, unknown, notOffered, issues };
}

/** A request at an endpoint. */
export interface EndpointRequest extends Pick<RequestHead, 'headers'> {
  /** As it was sent, with the names of the endpoint's variables for what stood there. */
  readonly head: RequestHead;
  readonly path: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The parameters in the query that hold a malformed escape. */
  readonly malformed: ReadonlySet<string>;
  /** The parameters that were refused for their form. */
  readonly unparsed: Set<string>;
  /** JSON, a `RawBody`, or nothing. */
  readonly body: unknown;
  /** Set when an operation was asked for, which charges its caller itself. */
  charged?: boolean;
  /** Set when a write was carried out: what fails then is its answer. */
  done?: boolean;
}

/** What serves one verb of one path. Throws what `refuse` words. */
export interface Endpoint {
  readonly verb: Verb;
  /** `/calendar/v3/calendars/{calendarId}`. */
  readonly template: string;
  /** What it runs, for the metrics. */
  readonly operation: string;
  /** Throws for a caller to whom it is closed. */
  readonly admit?: (viewer: Viewer | undefined) => void;
  readonly run: (request: EndpointRequest, caller: Caller) => Promise<HttpAnswer<string | Buffer>>;
  /** Words what went wrong; absent: as the face does. */
  readonly refuse?: (error: unknown, request: EndpointRequest, caller: Caller) => HttpAnswer;
}
