import type { Fields } from '../../core/patch.ts';
import type { Issue } from '../../core/errors.ts';
import type { FieldSelection } from '../../core/fields/table.ts';
import type { Schemas } from '../../google/schemas.ts';
import type { OperationResult } from '../../operations/runner.ts';

export type Verb = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The forms that a parameter's text may have; what does not parse is refused at the parameter. */
type ParameterType = 'string' | 'integer' | 'long' | 'boolean' | 'dateTime' | 'timeZone' | 'fields';

/** A parameter of a method, by its name in the official API. */
export interface Parameter {
  /** Absent: in the query. */
  readonly in?: 'path' | 'query' | 'header';
  /** Absent: a string. */
  readonly type?: ParameterType;
  /** The argument of the operation that it becomes; absent: of the same name. `null`: it is none of the operation's. */
  readonly argument?: string | null;
  /** The argument is one that the schema does not have. */
  readonly hidden?: boolean;
  /** Accepted because clients offer it, and of no effect. */
  readonly inert?: boolean;
  /** Arguments that the method makes of it: what is wrong with them is told at it. */
  readonly makes?: readonly string[];
  readonly required?: boolean;
  /** May be given several times. */
  readonly repeated?: boolean;
  readonly values?: readonly string[];
  readonly least?: number;
  /** More counts as this. */
  readonly most?: number;
  readonly usual?: string;
  /** The header that stands for it where the query has none, in lower case. */
  readonly header?: string;
  readonly description: string;
}

export type Parameters = Readonly<Record<string, Parameter>>;

/** A body, and what becomes of it. */
export interface BodyRow {
  /** Its schema. */
  readonly schema: string;
  /** The argument of the operation that it becomes; absent: the method makes arguments of it. */
  readonly argument?: string;
  /** Where arguments that are made of it come from: paths in the body, by argument; `*` stands for the entries of a list. */
  readonly sources?: Readonly<Record<string, string>>;
  /** In a change null clears; elsewhere it is absence. */
  readonly nullClears?: boolean;
  /** Fields that are cleared where they are absent. */
  readonly clears?: readonly string[];
}

/** A method of an official API: one row, from which its route, the checks of its parameters and its discovery document are made. */
export interface MethodRow {
  /** Of the official API: `calendar.events.list`. */
  readonly id: string;
  readonly verb: Verb;
  /** Below the API's base path: `calendars/{calendarId}/events`. */
  readonly path: string;
  /** The operation that it runs: a root field of the GraphQL API. */
  readonly operation: string;
  /** Arguments that are the same for each request, and that clients cannot send. */
  readonly beside?: Fields;
  /** What a GET answers depends on more than its entity tag says: it is always answered in full. */
  readonly unconditional?: boolean;
  /** Those in the path first, in its order. */
  readonly parameters: Parameters;
  readonly body?: BodyRow;
  /** The schema of the answer; absent: there is none, and the status is 204. */
  readonly answer?: string;
  readonly description: string;
  /** How it is run, where that is not its operation once, with the parameters and the body as arguments, answered with the value. */
  readonly run?: Run;
}

/** A row as tables write it: by its id, with verb and path in one text. */
type WrittenRow = Omit<MethodRow, 'id' | 'verb' | 'path'> & { readonly route: `${Verb} ${string}` };

export const methodRows = (table: Readonly<Record<string, WrittenRow>>): readonly MethodRow[] =>
  Object.entries(table).map(([id, { route, ...row }]) => {
    const [verb, path] = route.split(' ') as [Verb, string];
    return { ...row, id, verb, path };
  });

/** One request of a method, read and checked. */
export interface Call {
  readonly row: MethodRow;
  readonly schemas: Schemas;
  /** What is in the path, decoded. */
  readonly path: Readonly<Record<string, string>>;
  /** The parameters that were given and parse, by their official names; those of the pages before included. */
  readonly given: Fields;
  /** What is asked for of the answer; absent: all. */
  readonly fields: FieldSelection | undefined;
  /** Where a page begins. */
  readonly after: string | undefined;
  /** The token of the page that begins behind a place. */
  readonly tokenOf: (after: string) => string;
  /** The body in the names of the fields behind it, without what there is not. */
  readonly body: Fields;
  /** The arguments of the method's operation. */
  readonly args: Fields;
  /** Runs an operation; the first one refuses whatever is wrong with the request, and what the method finds beside that. `optionalWhenInvalid`: arguments that need not be there then. */
  readonly operation: (
    name: string,
    args: object,
    issues?: readonly Issue[],
    optionalWhenInvalid?: readonly string[],
  ) => Promise<OperationResult>;
}

/** What a method answers. */
export interface Answered {
  /** In official names; absent: there is no body. */
  readonly json?: Fields;
  /** Where `json` holds no more than what is asked for: the entity tag of the whole. */
  readonly etagOfWhole?: string;
  /** The client has this already. */
  readonly unchanged?: boolean;
  readonly warnings?: OperationResult['warnings'];
}

export type Run = (call: Call) => Promise<Answered>;

/** An API that is served. */
export interface Api {
  readonly name: 'calendar' | 'storage';
  readonly version: 'v3' | 'v1';
  readonly title: string;
  readonly description: string;
  /** `/calendar/v3/`. */
  readonly basePath: string;
  /** `/batch/calendar/v3`. */
  readonly batchPath: string;
  readonly methods: readonly MethodRow[];
}
