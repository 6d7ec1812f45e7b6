import { type Caller, requireScopes } from '../../access/permissions.ts';
import type { Issue, Path } from '../../core/errors.ts';
import type { Seal } from '../../core/seal.ts';
import { parseFields } from '../../google/partial.ts';
import { officialPath } from '../../google/read.ts';
import type { Schemas } from '../../google/schemas.ts';
import type { OperationRunner, RunOptions } from '../../operations/runner.ts';
import { answerOf, type BodyWarning, type Form, notOfferedField, unknownField } from './answer.ts';
import { argumentsOf, type Endpoint, type EndpointRequest, readBody, readParameters } from './endpoint.ts';
import { atHeader, atParameter, errorAnswer, type Location, type Naming, otherAt } from './errors.ts';
import type { Api, Call, MethodRow, Parameter, Parameters } from './method.ts';
import { common } from './methods/parameters.ts';
import { runOperation } from './run/operation.ts';
import { selectedOf } from './selected.ts';
import { pageToken, questionOf } from './page-token.ts';

/** How a row's requests name their parts. */
function namingOf(row: MethodRow, schemas: Schemas, { unparsed, query, headers }: EndpointRequest): Naming {
  const parameters: Parameters = { ...common, ...row.parameters };
  const nameOf = (argument: string): string | undefined =>
    Object.keys(parameters).find(
      (name) =>
        name === argument ||
        parameters[name]?.argument === argument ||
        parameters[name]?.makes?.includes(argument),
    );
  const locate = (path: Path): Location | undefined => {
    const inBody = bodyPath(row, schemas, path);
    if (inBody) return otherAt(inBody);
    const name = nameOf(String(path[0]));
    if (name === undefined)
      return unparsed.has(String(path[0])) ? atParameter(String(path[0])) : otherAt(path);
    const { in: place, header } = parameters[name] as Parameter;
    if (place === 'header') return atHeader(name);
    return header !== undefined && headers[header] !== undefined && !query.get(name)
      ? atHeader(header)
      : atParameter(name);
  };
  return {
    isUnparsed: ([first]) => unparsed.has(String(first)),
    ...(row.operation === 'insertBucket' && { conflict: 'conflict' }),
    locate,
    reword({ path: [argument], message }: Issue) {
      if (argument === undefined)
        return message.replace(/"(\w+)"/g, (quoted, name: string) =>
          renamed[name] === undefined ? quoted : `"${renamed[name]}"`,
        );
      const name =
        renamed[argument] ?? Object.keys(parameters).find((one) => parameters[one]?.argument === argument);
      return name === undefined ? message : message.replace(new RegExp(`\\b${argument}\\b`, 'g'), name);
    },
  };
}

/** Arguments whose parameters have other names, wherever they are: as an operation tells of them. */
const renamed: Readonly<Record<string, string>> = {
  first: 'maxResults',
  after: 'pageToken',
  ifMatch: 'If-Match',
};

/** A path of the body's fields as one of arguments. */
function argumentPath({ body }: MethodRow, path: Path): Path {
  if (body?.argument !== undefined) return [body.argument, ...path];
  // Only lists are refused while they are read, and each is an argument.
  const argument = Object.keys(body?.sources ?? {}).find(
    (name) => body?.sources?.[name]?.split('.')[0] === path[0],
  );
  return [argument ?? '', ...path.slice(1)];
}

/** A path of arguments as one of the body; undefined where it lies elsewhere. */
function bodyPath({ body }: MethodRow, schemas: Schemas, [first, ...rest]: Path): Path | undefined {
  if (body?.argument !== undefined && first === body.argument)
    return officialPath(schemas, body.schema, rest);
  const source = body?.sources?.[String(first)]?.split('.');
  if (!source) return undefined;
  // Below an entry of a list the rest of the source follows; the list itself has no rest.
  const list = source.indexOf('*');
  if (list < 0) return [...source, ...rest];
  const [index] = rest;
  return index === undefined
    ? source.slice(0, list)
    : [...source.slice(0, list), index, ...source.slice(list + 1)];
}

export interface MethodParts {
  readonly runner: OperationRunner;
  readonly schemas: Schemas;
  /** Of page tokens. */
  readonly seal: Seal;
}

/** What serves a row of the table. */
export function methodEndpoint({ basePath }: Api, row: MethodRow, parts: MethodParts): Endpoint {
  const { runner } = parts;
  return {
    verb: row.verb,
    template: basePath + row.path,
    operation: row.operation,
    admit: (viewer) => requireScopes(viewer, [runner.scopesOf(row.operation)]),
    async run(request, caller) {
      const read = readParameters(row, request);
      const question = questionOf(row.id, request.path, read.given, parts.seal);
      const { given } = question;
      const form = formOf(row, request, given);
      const body = row.body && readBody(row.body, request.body, parts.schemas);
      const ofBody = (body?.issues ?? []).map((issue) => ({ ...issue, path: argumentPath(row, issue.path) }));
      // Absent parameters are those of the page before.
      const isPage = read.given.pageToken !== undefined;
      const ofParameters = read.issues.filter(({ reason }) => reason !== 'required' || !isPage);
      const issues = [...ofParameters, ...dryRunIssues(row, request, runner), ...question.issues, ...ofBody];
      const { args, hidden } = argumentsOf(row, given, body?.fields);
      const call: Call = {
        row,
        given,
        fields: form.fields,
        schemas: parts.schemas,
        path: request.path,
        after: question.after,
        tokenOf: (after) => pageToken(row.id, request.path, given, after, parts.seal),
        body: body?.fields ?? {},
        args,
        operation: operationsOf(
          row,
          parts,
          request,
          caller,
          { issues, args: hidden, optionalWhenInvalid: isPage ? Object.keys(row.parameters) : [] },
          form.fields,
        ),
      };
      const answered = await (row.run ?? runOperation)(call);
      const ofOperation = (answered.warnings ?? []).map((warning) => ({
        ...warning,
        path: bodyPath(row, parts.schemas, warning.path) ?? warning.path,
      }));
      const warnings: BodyWarning[] = [
        ...(body?.unknown ?? []).map(unknownField),
        ...(body?.notOffered ?? []).map(notOfferedField),
        ...ofOperation,
      ];
      return answerOf({ ...answered, warnings }, form);
    },
    refuse: (error, request, caller) =>
      errorAnswer(
        error,
        caller,
        { ...namingOf(row, parts.schemas, request), done: request.done === true },
        request.head.search,
      ),
  };
}

/** How the answer to a request is to be. */
export const formOf = (
  { verb, unconditional }: Pick<MethodRow, 'verb' | 'unconditional'>,
  { headers }: EndpointRequest,
  { fields, prettyPrint }: Call['given'],
): Form => ({
  fields: typeof fields === 'string' ? parseFields(fields) : undefined,
  indented: prettyPrint === true,
  ...(verb === 'GET' && !unconditional && { ifNoneMatch: headers['if-none-match'] }),
});

/** Runs operations; with the first one comes what is wrong with the request. */
function operationsOf(
  row: MethodRow,
  { runner, schemas }: MethodParts,
  request: EndpointRequest,
  caller: Caller,
  beside: Required<Omit<RunOptions, 'selected'>>,
  fields: Form['fields'],
): Call['operation'] {
  let pending = beside.issues;
  return async (name, args, more = [], optional = []) => {
    const all = [...pending, ...more];
    pending = [];
    request.charged = true;
    const result = await runner.run(name, args, caller, {
      selected: selectedOf(row, name, fields, schemas),
      ...beside,
      issues: all,
      optionalWhenInvalid: [...beside.optionalWhenInvalid, ...optional],
    });
    if (runner.kindOf(name) === 'write') request.done = true;
    return result;
  };
}

/** Nothing is carried out that was to be validated only. */
function dryRunIssues(
  { operation, parameters }: MethodRow,
  { query, unparsed }: EndpointRequest,
  runner: OperationRunner,
): readonly Issue[] {
  const name = 'validateOnly';
  if (
    parameters[name] ||
    runner.kindOf(operation) !== 'write' ||
    query.getAll(name).every((text) => /^(false)?$/i.test(text))
  )
    return [];
  unparsed.add(name);
  return [
    {
      path: [name],
      reason: 'invalid',
      message: 'This method cannot be validated only. Leave validateOnly out to carry it out.',
    },
  ];
}
