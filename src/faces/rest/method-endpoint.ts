import { type FieldSelection, type GetSelection, wholeSelection } from '../../core/fields/table.ts';
import type { Schemas } from '../../google/schemas.ts';
import type { MethodRow, Api, MethodCall, Parameter, Parameters, RunMethod } from './method.ts';
import { requireScopes } from '../../access/permissions.ts';
import type { Issue, Path } from '../../core/errors.ts';
import type { Seal } from '../../core/seal.ts';
import { parseFields } from '../../google/partial-response.ts';
import { toOfficialPath } from '../../google/body-reader.ts';
import type { OperationRunner } from '../../operations/runner.ts';
import {
  createResponse,
  type BodyWarning,
  type ResponseFormat,
  notOfferedFieldWarning,
  unknownFieldWarning,
} from './response.ts';
import { toArguments, type Endpoint, type EndpointRequest, readBody, readParameters } from './endpoint.ts';
import { headerLocation, parameterLocation, type Location, type Naming, otherLocation } from './errors.ts';
import { commonParameters } from './methods/parameters.ts';
import { sealPageToken, openPageToken } from './list-pages.ts';
import { writeEvent, writeResource } from '../../google/json-writer.ts';
import { writeListEntry } from './run/calendars.ts';

/** Fields that are always selected: the ETag header and the writer of events need them. */
const requiredNames = ['etag', 'start'];
/** Fields that decide whether a list contains an instance that was read by its id. */
const listingNames = ['status', 'end', 'originalStartTime'];

/** Converts the parameter `fields` to a selection of the operation's value. Undefined: all fields. */
function toOperationSelection(
  { responseSchema }: MethodRow,
  operation: string,
  fields: FieldSelection | undefined,
  schemas: Schemas,
): GetSelection | undefined {
  if (!fields || (responseSchema !== 'Event' && responseSchema !== 'Events')) return undefined;
  return () => {
    const officialFields =
      responseSchema === 'Event' || fields.fields.has('*') ? fields : fields.fields.get('items');
    const eventFields = [...(officialFields?.fields ?? [])].map(
      ([name, innerFields]) => [schemas.Event?.properties?.[name]?.field ?? name, innerFields] as const,
    );
    const isListed = operation === 'events' || operation === 'instances';
    const isPicked = responseSchema === 'Events' && !isListed;
    const addedFields = selectWhole(isPicked ? [...requiredNames, ...listingNames] : requiredNames);
    const event: FieldSelection = {
      isWhole: officialFields?.isWhole === true,
      fields: new Map([...eventFields, ...addedFields]),
    };
    if (!isListed) return event;
    const otherMembers = selectWhole(['pageInfo', 'nextSyncToken', 'calendar']);
    return { isWhole: false, fields: new Map([['nodes', event], ...otherMembers]) };
  };
}

const selectWhole = (names: readonly string[]) => names.map((name) => [name, wholeSelection] as const);

/** Creates the translation of issues into the names of a method's request. */
function createNaming(
  row: MethodRow,
  schemas: Schemas,
  { unparsableNames, query, headers, isWriteDone }: EndpointRequest,
): Naming {
  const parameters: Parameters = { ...commonParameters, ...row.parameters };
  const parameterNameOf = (argument: string): string | undefined =>
    Object.keys(parameters).find(
      (name) =>
        name === argument ||
        parameters[name]?.argument === argument ||
        parameters[name]?.derivedArguments?.includes(argument),
    );
  const locate = (path: Path): Location | undefined => {
    const pathInBody = toBodyPath(row, schemas, path);
    if (pathInBody) return otherLocation(pathInBody);
    const name = parameterNameOf(String(path[0]));
    if (name === undefined)
      return unparsableNames.has(String(path[0])) ? parameterLocation(String(path[0])) : otherLocation(path);
    const { in: location, header } = parameters[name] as Parameter;
    if (location === 'header') return headerLocation(name);
    return header !== undefined && headers[header] !== undefined && !query.get(name)
      ? headerLocation(header)
      : parameterLocation(name);
  };
  return {
    unparsableNames,
    isWriteDone,
    ...(row.operation === 'insertBucket' && { conflictReason: 'conflict' }),
    locate,
    reword({ path: [argument], message }: Issue) {
      if (argument === undefined)
        return message.replace(/"(\w+)"/g, (quoted, name: string) =>
          officialNames[name] === undefined ? quoted : `"${officialNames[name]}"`,
        );
      const name =
        officialNames[argument] ??
        Object.keys(parameters).find((key) => parameters[key]?.argument === argument);
      return name === undefined ? message : message.replace(new RegExp(`\\b${argument}\\b`, 'g'), name);
    },
  };
}

/** Official names of arguments that messages of operations mention. */
const officialNames: Readonly<Record<string, string>> = {
  first: 'maxResults',
  after: 'pageToken',
  ifMatch: 'If-Match',
};

/** Converts a path in the body to a path in the arguments. */
function toArgumentPath({ body }: MethodRow, path: Path): Path {
  if (body?.argument !== undefined) return [body.argument, ...path];
  // The reader reports issues only for lists, and each list is an argument.
  const argument = Object.keys(body?.sources ?? {}).find(
    (name) => body?.sources?.[name]?.split('.')[0] === path[0],
  );
  return [argument ?? '', ...path.slice(1)];
}

/** Converts a path in the arguments to a path in the body; undefined for other arguments. */
function toBodyPath({ body }: MethodRow, schemas: Schemas, [argument, ...valuePath]: Path): Path | undefined {
  if (body?.argument !== undefined && argument === body.argument)
    return toOfficialPath(schemas, body.schema, valuePath);
  const source = body?.sources?.[String(argument)]?.split('.');
  if (!source) return undefined;
  // The part of the source after `*` follows the index of an entry.
  const wildcardIndex = source.indexOf('*');
  if (wildcardIndex < 0) return [...source, ...valuePath];
  const [index] = valuePath;
  return index === undefined
    ? source.slice(0, wildcardIndex)
    : [...source.slice(0, wildcardIndex), index, ...source.slice(wildcardIndex + 1)];
}

export interface MethodDependencies {
  readonly runner: OperationRunner;
  readonly schemas: Schemas;
  readonly seal: Seal;
}

/**
 * Creates the endpoint of a method: it reads parameters and body, runs the operation, and writes the result.
 */
export function createMethodEndpoint(
  { basePath }: Api,
  row: MethodRow,
  { runner, schemas, seal }: MethodDependencies,
): Endpoint {
  return {
    verb: row.verb,
    template: basePath + row.path,
    operation: row.operation,
    admit: (viewer) => requireScopes(viewer, [runner.scopesOf(row.operation)]),
    async run(request, caller) {
      const { parameters: sentParameters, issues: parameterIssues } = readParameters(row, request);
      const pageRequest = openPageToken(row.id, request.path, sentParameters, seal);
      const { parameters } = pageRequest;
      const format = responseFormatOf(row, request, parameters);
      const body = row.body && readBody(row.body, request.body, schemas);
      const bodyIssues = (body?.issues ?? []).map((issue) => ({
        ...issue,
        path: toArgumentPath(row, issue.path),
      }));
      // The page token supplies required parameters that are absent.
      const isNextPage = sentParameters.pageToken !== undefined;
      const sentIssues = parameterIssues.filter(({ reason }) => reason !== 'required' || !isNextPage);
      const { args, internalArgs } = toArguments(row, parameters, body?.fields);
      let unreportedIssues: readonly Issue[] = [
        ...sentIssues,
        ...refuseUnsupportedDryRun(row, request, runner),
        ...pageRequest.issues,
        ...bodyIssues,
      ];
      const call: MethodCall = {
        row,
        parameters,
        schemas,
        path: request.path,
        after: pageRequest.after,
        createPageToken: (after) => sealPageToken(row.id, request.path, parameters, after, seal),
        body: body?.fields ?? {},
        args,
        async callOperation(name, operationArgs, moreIssues = [], optionalNames = []) {
          const issues = [...unreportedIssues, ...moreIssues];
          unreportedIssues = [];
          request.isCharged = true;
          const result = await runner.run(name, operationArgs, caller, {
            selected: toOperationSelection(row, name, format.fields, schemas),
            args: internalArgs,
            issues,
            optionalWhenInvalid: [...(isNextPage ? Object.keys(row.parameters) : []), ...optionalNames],
          });
          if (runner.kindOf(name) === 'write') request.isWriteDone = true;
          return result;
        },
      };
      const result = await (row.run ?? runOperation)(call);
      const operationWarnings = (result.warnings ?? []).map((warning) => ({
        ...warning,
        path: toBodyPath(row, schemas, warning.path) ?? warning.path,
      }));
      const warnings: BodyWarning[] = [
        ...(body?.unknownPaths ?? []).map(unknownFieldWarning),
        ...(body?.notOfferedPaths ?? []).map(notOfferedFieldWarning),
        ...operationWarnings,
      ];
      return createResponse({ ...result, warnings }, format);
    },
    createNaming: (request) => createNaming(row, schemas, request),
  };
}

/** Format of a response, from the parameters and headers of the request. */
export const responseFormatOf = (
  { verb, ignoresIfNoneMatch }: Pick<MethodRow, 'verb' | 'ignoresIfNoneMatch'>,
  { headers }: EndpointRequest,
  { fields, prettyPrint }: MethodCall['parameters'],
): ResponseFormat => ({
  fields: typeof fields === 'string' ? parseFields(fields) : undefined,
  isIndented: prettyPrint === true,
  ...(verb === 'GET' && !ignoresIfNoneMatch && { ifNoneMatch: headers['if-none-match'] }),
});

/** Refuses `validateOnly` for a write that does not support it, instead of carrying the write out. */
function refuseUnsupportedDryRun(
  { operation, parameters }: MethodRow,
  { query, unparsableNames }: EndpointRequest,
  runner: OperationRunner,
): readonly Issue[] {
  const name = 'validateOnly';
  if (
    parameters[name] ||
    runner.kindOf(operation) !== 'write' ||
    query.getAll(name).every((text) => /^(false)?$/i.test(text))
  )
    return [];
  unparsableNames.add(name);
  return [
    {
      path: [name],
      reason: 'invalid',
      message: 'This method does not support validateOnly. Leave it out to run the method.',
    },
  ];
}

/** Runs the operation of a method once, and writes its value by the method's response schema. */
const runOperation: RunMethod = async ({ row, schemas, args, parameters, callOperation }) => {
  const schema = row.responseSchema;
  const { value, warnings } = await callOperation(row.operation, args);
  if (schema === undefined) return { warnings };
  const resource = value as object;
  if (schema === 'CalendarListEntry') return { json: writeListEntry(schemas, resource), warnings };
  if (schema === 'Event') return { json: writeEvent(schemas, resource, parameters.timeZone), warnings };
  return { json: writeResource(schemas, schema, resource), warnings };
};
