import type { Caller } from '../../access/caller.ts';
import type { Issue, Path } from '../../core/kernel/errors.ts';
import type { Seal } from '../../core/kernel/seal.ts';
import type { Beside, OperationRunner } from '../../operations/runner.ts';
import { answerOf, type Form } from './answer/answer.ts';
import { errorAnswer, otherAt, type Naming } from './answer/errors.ts';
import { fixedField, unknownField, type BodyWarning } from './answer/warnings.ts';
import type { Endpoint, EndpointRequest } from './endpoint.ts';
import { atHeader, atParameter } from './faults.ts';
import type { Schemas } from '../../official/schema.ts';
import type { Api, Call, MethodRow, Parameter } from './method.ts';
import { common } from './methods/parameters.ts';
import { pageToken, questionOf } from './pages.ts';
import { parseFields } from '../../official/partial.ts';
import { officialPath } from '../../official/read.ts';
import { readBody } from './read/body.ts';
import { argumentsOf, readParameters } from './read/parameters.ts';
import { plainly } from './run/plain.ts';

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
    admit: (viewer) => runner.requireScopes(row.scopesOf ?? row.operation, viewer),
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
      const issues = [...ofParameters, ...rehearsalIssues(row, request, runner), ...question.issues, ...ofBody];
      const { args, hidden } = argumentsOf(row, given, body?.fields);
      const call: Call = {
        row, given, fields: form.fields, schemas: parts.schemas, path: request.path, after: question.after,
        tokenOf: (after) => pageToken(row.id, request.path, given, after, parts.seal),
        body: body?.fields ?? {},
        args,
        operation: operationsOf(runner, request, caller, { issues, args: hidden, excused: isPage ? Object.keys(row.parameters) : [] }),
      };
      const { json, etagOfWhole, unchanged, warnings = [] } = await (row.run ?? plainly)(call);
      const ofOperation = warnings.map((warning) => ({ ...warning, path: bodyPath(row, parts.schemas, warning.path) ?? warning.path }));
      const told: BodyWarning[] = [...(body?.unknown ?? []).map(unknownField), ...(body?.ignored ?? []).map(fixedField), ...ofOperation];
      return answerOf({ json, etagOfWhole, unchanged, warnings: told }, form);
    },
    refuse: (error, request, caller) => errorAnswer(error, caller, { ...namingOf(row, parts.schemas, request), done: request.done === true }),
  };
}

/** How the answer to a request is to be. */
export const formOf = ({ verb, unconditional }: Pick<MethodRow, 'verb' | 'unconditional'>, { headers }: EndpointRequest, { fields, prettyPrint }: Call['given']): Form => ({
  fields: typeof fields === 'string' ? parseFields(fields) : undefined,
  indented: prettyPrint === true,
  ...(verb === 'GET' && !unconditional && { ifNoneMatch: headers['if-none-match'] }),
});

/** Runs operations; with the first one comes what is wrong with the request. */
function operationsOf(runner: OperationRunner, request: EndpointRequest, caller: Caller, beside: Required<Beside>): Call['operation'] {
  let pending = beside.issues;
  return async (name, args, more = [], excused = []) => {
    const all = [...pending, ...more];
    pending = [];
    request.charged = true;
    const result = await runner.run(name, args, caller, { ...beside, issues: all, excused: [...beside.excused, ...excused] });
    if (runner.kindOf(name) === 'write') request.done = true;
    return result;
  };
}

/** Nothing is carried out that was to be validated only. */
function rehearsalIssues({ operation, parameters }: MethodRow, { query, unparsed }: EndpointRequest, runner: OperationRunner): readonly Issue[] {
  const name = 'validateOnly';
  if (parameters[name] || runner.kindOf(operation) !== 'write' || query.getAll(name).every((text) => /^(false)?$/i.test(text))) return [];
  unparsed.add(name);
  return [{ path: [name], reason: 'invalid', message: 'This method cannot be validated only. Leave validateOnly out to carry it out.' }];
}

/** How a row's requests name their parts. */
function namingOf(row: MethodRow, schemas: Schemas, { unparsed, query, headers }: EndpointRequest): Naming {
  const parameters = { ...common, ...row.parameters };
  const nameOf = (argument: string): string | undefined => Object.keys(parameters).find((name) => name === argument || parameters[name]?.argument === argument || parameters[name]?.makes?.includes(argument));
  return {
    isUnparsed: ([first]) => unparsed.has(String(first)),
    ...(row.operation === 'insertBucket' && { conflict: 'conflict' }),
    locate(path) {
      const inBody = bodyPath(row, schemas, path);
      if (inBody) return otherAt(inBody);
      const name = nameOf(String(path[0]));
      if (name === undefined) return unparsed.has(String(path[0])) ? atParameter(String(path[0])) : otherAt(path);
      const { in: place, header } = parameters[name] as Parameter;
      if (place === 'header') return atHeader(name);
      return header !== undefined && headers[header] !== undefined && !query.get(name) ? atHeader(header) : atParameter(name);
    },
  };
}

/** A path of the body's fields as one of arguments. */
function argumentPath({ body }: MethodRow, path: Path): Path {
  if (body?.argument !== undefined) return [body.argument, ...path];
  // What is refused as it is read are lists, and each is an argument.
  const argument = Object.keys(body?.sources ?? {}).find((name) => body?.sources?.[name]?.split('.')[0] === path[0]);
  return [argument ?? '', ...path.slice(1)];
}

/** A path of arguments as one of the body; undefined where it lies elsewhere. */
function bodyPath({ body }: MethodRow, schemas: Schemas, [first, ...rest]: Path): Path | undefined {
  if (body?.argument !== undefined && first === body.argument) return officialPath(schemas, body.schema, rest);
  const source = body?.sources?.[String(first)]?.split('.');
  if (!source) return undefined;
  // Below an entry of a list the rest of the source follows; the list itself has no rest.
  const list = source.indexOf('*');
  if (list < 0) return [...source, ...rest];
  const [index] = rest;
  return index === undefined ? source.slice(0, list) : [...source.slice(0, list), index, ...source.slice(list + 1)];
}

