import type { ScopeRule } from '../../access/permissions.ts';
import { invalidInput } from '../../core/errors.ts';
import { type Fields, mapValues } from '../../core/patch.ts';
import type { Property, Schema, Schemas } from '../../google/schemas.ts';
import type { RequestHead } from '../../http/face.ts';
import type { Admission } from '../../operations/context.ts';
import { answerOf } from './answer.ts';
import { type Endpoint, readParameters } from './endpoint.ts';
import { atParameter, errorAnswer, RestFault } from './errors.ts';
import { formOf } from './method-endpoint.ts';
import type { Api, MethodRow, Parameter, Parameters } from './method.ts';
import { common } from './methods/parameters.ts';

/** What documents are made of, beside the methods. */
interface DocumentParts {
  readonly schemas: Schemas;
  /** The alternatives of scopes that open an operation. */
  readonly scopesOf: (operation: string) => ScopeRule;
}

const ignored = (description: string): Parameter => ({ description: `Has no effect. ${description}` });

/** Accepted with every method, because clients offer them. */
const standard: Parameters = {
  ...common,
  key: ignored('The key of an application.'),
  quotaUser: ignored('Who is charged.'),
  userIp: ignored('The address of a user.'),
};

/** Describes an API as it is served (Google API Discovery Service, version 1). `rootUrl` ends with a slash. */
function documentOf(api: Api, { schemas, scopesOf }: DocumentParts, rootUrl: string): Fields {
  const scopesFor = ({ operation }: MethodRow): readonly string[] => [...new Set(scopesOf(operation).flat())];
  const scopes = [...new Set(api.methods.flatMap(scopesFor))].sort();
  return {
    kind: 'discovery#restDescription',
    discoveryVersion: 'v1',
    id: `${api.name}:${api.version}`,
    name: api.name,
    version: api.version,
    title: api.title,
    description: api.description,
    protocol: 'rest',
    rootUrl,
    servicePath: api.basePath.slice(1),
    baseUrl: rootUrl + api.basePath.slice(1),
    basePath: api.basePath,
    batchPath: api.batchPath.slice(1),
    parameters: parametersOf(standard),
    auth: {
      oauth2: {
        scopes: Object.fromEntries(
          scopes.map((scope) => [scope, { description: scope.replace(/.*\/auth\//, '') }]),
        ),
      },
    },
    schemas: Object.fromEntries(
      usedBy(api.methods, schemas).map(([name, schema]) => [name, { id: name, ...written(schema) }]),
    ),
    resources: resourcesOf(api.methods.map((row) => [row.id, methodOf(row, scopesFor(row))])),
  };
}

/** The schemas that methods lead to, sorted by their names. */
function usedBy(
  methods: readonly MethodRow[],
  schemas: Schemas,
): readonly (readonly [name: string, schema: Schema])[] {
  const found = new Map<string, Schema>();
  const follow = (schema: Schema | undefined): void => {
    if (!schema) return;
    enter(schema.$ref);
    follow(schema.items);
    follow(schema.additionalProperties);
    for (const property of Object.values(schema.properties ?? {})) follow(property);
  };
  const enter = (name: string | undefined): void => {
    if (name === undefined || found.has(name)) return;
    const schema = schemas[name] as Schema;
    found.set(name, schema);
    follow(schema);
  };
  for (const { body, answer } of methods) {
    enter(body?.schema);
    enter(answer);
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** A schema without what only this gateway knows of it. */
function written({
  field: _field,
  constant: _constant,
  standard: _standard,
  spelled: _spelled,
  notOffered: _notOffered,
  ...schema
}: Property): Schema {
  const { items, additionalProperties, properties } = schema;
  return {
    ...schema,
    ...(items && { items: written(items) }),
    ...(additionalProperties && { additionalProperties: written(additionalProperties) }),
    ...(properties && { properties: mapValues(properties, written) }),
  };
}

function methodOf(
  { id, verb, path, parameters, body, answer, description }: MethodRow,
  scopes: readonly string[],
): Fields {
  const shown = Object.entries(parameters).filter(([, { in: location }]) => location !== 'header');
  const required = shown.filter(([, parameter]) => parameter.required);
  return {
    id,
    path,
    flatPath: path,
    httpMethod: verb,
    description,
    parameters: parametersOf(Object.fromEntries(shown)),
    parameterOrder: required.map(([name]) => name),
    ...(body && { request: { $ref: body.schema } }),
    ...(answer !== undefined && { response: { $ref: answer } }),
    scopes,
  };
}

const types: Readonly<Record<NonNullable<Parameter['type']>, Schema>> = {
  string: { type: 'string' },
  integer: { type: 'integer', format: 'int32' },
  long: { type: 'string', format: 'int64' },
  boolean: { type: 'boolean' },
  dateTime: { type: 'string', format: 'date-time' },
  timeZone: { type: 'string' },
  fields: { type: 'string' },
};

const parametersOf = (parameters: Parameters): Fields =>
  mapValues(parameters, ({ in: location = 'query', type = 'string', ...parameter }) => ({
    ...types[type],
    description: parameter.description,
    location,
    required: parameter.required,
    repeated: parameter.repeated,
    enum: parameter.values,
    enumDescriptions: parameter.values?.map(() => ''),
    minimum: parameter.least?.toString(),
    maximum: parameter.most?.toString(),
    default: parameter.usual,
  }));

/** Methods by the names of their resources, which stand in their ids. */
function resourcesOf(methods: readonly (readonly [id: string, method: Fields])[]): Fields {
  const resources: Record<string, { readonly methods: Record<string, Fields> }> = {};
  for (const [id, method] of methods) {
    const [, resource, name] = id.split('.') as [api: string, resource: string, name: string];
    (resources[resource] ??= { methods: {} }).methods[name] = method;
  }
  return resources;
}

const list = '/discovery/v1/apis';

const first = (header: RequestHead['headers'][string]): string => [header].flat()[0] ?? '';

/** The URL that a request was sent to, with a slash at the end: its own host, and https behind a proxy that says so. */
function rootUrlOf(headers: RequestHead['headers']): string {
  const isSecure = /^\s*https\s*(,|$)/i.test(first(headers['x-forwarded-proto']));
  return `${isSecure ? 'https' : 'http'}://${first(headers.host)}/`;
}

/** Answers for a path of the discovery service; undefined if nothing is there. */
function discover(
  path: string,
  apis: readonly Api[],
  parts: DocumentParts,
  rootUrl: string,
): object | undefined {
  if (path === list)
    return {
      kind: 'discovery#directoryList',
      discoveryVersion: 'v1',
      items: apis.map((api) => itemOf(api, rootUrl)),
    };
  const api = apis.find(({ name, version }) => path === `${list}/${name}/${version}/rest`);
  return api && documentOf(api, parts, rootUrl);
}

const itemOf = ({ name, version, title, description }: Api, rootUrl: string): object => ({
  kind: 'discovery#directoryItem',
  id: `${name}:${version}`,
  name,
  version,
  title,
  description,
  discoveryRestUrl: `${rootUrl}${list.slice(1)}/${name}/${version}/rest`,
  discoveryLink: `./apis/${name}/${version}/rest`,
  preferred: true,
});

const reads = { verb: 'GET', parameters: {} } as const;

/** Endpoints that serve the discovery documents to everybody, as the official service does. */
export function discoveryEndpoints(
  apis: readonly Api[],
  parts: DocumentParts,
  admission: Admission,
): readonly Endpoint[] {
  return ['/discovery/v1/apis', '/discovery/v1/apis/{api}/{version}/rest'].map((template): Endpoint => ({
    verb: reads.verb,
    template,
    operation: 'discovery',
    async run(request, caller) {
      admission.decide(caller, () => undefined);
      request.charged = true;
      const json = discover(request.head.path, apis, parts, rootUrlOf(request.headers));
      if (!json) throw new RestFault(404, 'notFound', 'There is no such API.');
      const { given, issues } = readParameters(reads, request);
      if (issues.length > 0) throw invalidInput(issues);
      return answerOf({ json: json as Fields }, formOf(reads, request, given));
    },
    refuse: (error, request, caller) =>
      errorAnswer(
        error,
        caller,
        {
          locate: ([name]) => atParameter(String(name)),
          isUnparsed: ([name]) => request.unparsed.has(String(name)),
        },
        request.head.search,
      ),
  }));
}
