import type { Fields } from '../../core/json.ts';
import type { Issue } from '../../core/errors.ts';
import type { Schemas } from '../../google/schemas.ts';
import type { OperationResult } from '../../operations/runner.ts';

export type Verb = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Types of parameters; a malformed value is an issue of the parameter. */
type ParameterType = 'string' | 'integer' | 'long' | 'boolean' | 'dateTime' | 'timeZone' | 'fields';

/** A parameter of a method; by default a string in the query. */
export interface Parameter {
  readonly in?: 'path' | 'query' | 'header';
  readonly type?: ParameterType;
  /** Argument of the operation; absent: the same name; `null`: none, as the method's `run` or the face reads the parameter. */
  readonly argument?: string | null;
  /** Whether the argument is not in the schema. */
  readonly isInternal?: boolean;
  /** Whether the parameter is accepted without effect, because clients offer it. */
  readonly isIgnored?: boolean;
  /** Arguments that the method derives; their issues are reported at this parameter. */
  readonly derivedArguments?: readonly string[];
  readonly required?: boolean;
  readonly repeated?: boolean;
  readonly values?: readonly string[];
  readonly min?: number;
  /** Maximum value; larger values are reduced to it. */
  readonly max?: number;
  readonly default?: string;
  /** Header (in lower case) that is read if the query lacks the parameter. */
  readonly header?: string;
  readonly description: string;
}

/** Parameters by their official names. */
export type Parameters = Readonly<Record<string, Parameter>>;

export interface BodyRow {
  readonly schema: string;
  /** Argument of the operation; absent: the method derives arguments from the body. */
  readonly argument?: string;
  /** Paths in the body from which arguments are derived, by argument; `*` is any entry of a list. */
  readonly sources?: Readonly<Record<string, string>>;
  /** Whether null clears a field (in a patch), instead of counting as absent. */
  readonly nullClears?: boolean;
  /** Fields that are cleared if absent. */
  readonly fieldsClearedIfAbsent?: readonly string[];
}

/** Declares a method of an official API: its route, parameters, operation and discovery document. */
export interface MethodRow {
  /** Official id such as `calendar.events.list`. */
  readonly id: string;
  readonly verb: Verb;
  /** Path below the API's base path, such as `calendars/{calendarId}/events`. */
  readonly path: string;
  /** Operation to run: the name of a GraphQL root field. */
  readonly operation: string;
  /** Constant arguments, which clients cannot send. */
  readonly fixedArguments?: Fields;
  /** Whether If-None-Match has no effect, because the response depends on more than the entity tag. */
  readonly ignoresIfNoneMatch?: boolean;
  /** Parameters; those in the path come first, in its order. */
  readonly parameters: Parameters;
  readonly body?: BodyRow;
  /** Schema of the response; absent: status 204. */
  readonly responseSchema?: string;
  readonly description: string;
  /** Custom implementation; by default the operation runs once and its value is the response. */
  readonly run?: RunMethod;
}

/** A row in the tables of methods: keyed by id, with verb and path in one string. */
type TableRow = Omit<MethodRow, 'id' | 'verb' | 'path'> & { readonly route: `${Verb} ${string}` };

export const toMethodRows = (table: Readonly<Record<string, TableRow>>): readonly MethodRow[] =>
  Object.entries(table).map(([id, { route, ...row }]) => {
    const [verb, path] = route.split(' ') as [Verb, string];
    return { ...row, id, verb, path };
  });

/** A request to a method, and the functions to answer it. */
export interface MethodCall {
  readonly row: MethodRow;
  readonly schemas: Schemas;
  /** Values of the variables in the path, by name. */
  readonly path: Readonly<Record<string, string>>;
  /** Valid parameters by official name, including those in the page token. */
  readonly parameters: Fields;
  /** Cursor before the page. */
  readonly after: string | undefined;
  readonly createPageToken: (after: string) => string;
  readonly body: Fields;
  readonly args: Fields;
  /** Runs an operation. The first call throws all issues of the request together with `issues`; `optionalWhenInvalid` may then be absent. */
  readonly callOperation: (
    name: string,
    args: object,
    issues?: readonly Issue[],
    optionalWhenInvalid?: readonly string[],
  ) => Promise<OperationResult>;
}

export interface MethodResult {
  /** Response body in official names; absent: no body. */
  readonly json?: Fields;
  /** Whether the client's copy is current (status 304). */
  readonly isUnchanged?: boolean;
  readonly warnings?: OperationResult['warnings'];
}

/** Runs a method that needs more than one call of its operation, or another form of the response. */
export type RunMethod = (call: MethodCall) => Promise<MethodResult>;

/** An official API, with its methods that the gateway offers. */
export interface Api {
  readonly name: 'calendar' | 'storage';
  readonly version: 'v3' | 'v1';
  readonly title: string;
  readonly description: string;
  readonly basePath: string;
  readonly batchPath: string;
  readonly methods: readonly MethodRow[];
}
