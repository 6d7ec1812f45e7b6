import type { Caller } from '../../access/caller.ts';
import type { Issue } from '../../core/kernel/errors.ts';
import type { Seal } from '../../core/kernel/seal.ts';
import { requireScopes } from '../../access/permissions.ts';
import type { RunOptions, OperationRunner } from '../../operations/runner.ts';
import { answerOf, type Form } from './answer/answer.ts';
import { errorAnswer } from './answer/errors.ts';
import { notOfferedField, unknownField, type BodyWarning } from './answer/warnings.ts';
import type { Endpoint, EndpointRequest } from './endpoint.ts';
import type { Schemas } from '../../official/schema.ts';
import type { Api, Call, MethodRow } from './method.ts';
import { argumentPath, bodyPath, namingOf } from './naming.ts';
import { pageToken, questionOf } from './pages.ts';
import { parseFields } from '../../official/partial.ts';
import { readBody } from './read/body.ts';
import { argumentsOf, readParameters } from './read/parameters.ts';
import { plainly } from './run/plain.ts';
import { selectedOf } from './selected.ts';

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
    admit: (viewer) => requireScopes(viewer, [runner.scopesOf(row.scopesOf ?? row.operation)]),
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
      const { json, etagOfWhole, unchanged, warnings = [] } = await (row.run ?? plainly)(call);
      const ofOperation = warnings.map((warning) => ({
        ...warning,
        path: bodyPath(row, parts.schemas, warning.path) ?? warning.path,
      }));
      const told: BodyWarning[] = [
        ...(body?.unknown ?? []).map(unknownField),
        ...(body?.notOffered ?? []).map(notOfferedField),
        ...ofOperation,
      ];
      return answerOf({ json, etagOfWhole, unchanged, warnings: told }, form);
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
