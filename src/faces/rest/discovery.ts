import type { ScopeRule } from '../../access/permissions.ts';
import { requireValid } from '../../core/errors.ts';
import { type Fields, mapValues } from '../../core/json.ts';
import type { Property, Schema, Schemas } from '../../google/schemas.ts';
import type { RequestHead } from '../../http/face.ts';
import type { Admission } from '../../operations/context.ts';
import { createResponse } from './response.ts';
import { type Endpoint, readParameters } from './endpoint.ts';
import { parameterLocation, RestError } from './errors.ts';
import { responseFormatOf } from './method-endpoint.ts';
import type { Api, MethodRow, Parameter, Parameters } from './method.ts';
import { commonParameters } from './methods/parameters.ts';

interface DiscoveryDependencies {
  readonly schemas: Schemas;
  readonly scopesOf: (operation: string) => ScopeRule;
}

const createIgnoredParameter = (description: string): Parameter => ({
  description: `Has no effect. ${description}`,
});

/** Parameters that every method accepts, because clients offer them. */
const standardParameters: Parameters = {
  ...commonParameters,
  key: createIgnoredParameter('The key of an application.'),
  quotaUser: createIgnoredParameter('Who is charged.'),
  userIp: createIgnoredParameter('The address of a user.'),
};

/** Describes an API in the format of Google's API Discovery Service, version 1. `rootUrl` ends with a slash. */
function createDiscoveryDocument(
  api: Api,
  { schemas, scopesOf }: DiscoveryDependencies,
  rootUrl: string,
): Fields {
  const listMethodScopes = ({ operation }: MethodRow): readonly string[] => [
    ...new Set(scopesOf(operation).flat()),
  ];
  const scopes = [...new Set(api.methods.flatMap(listMethodScopes))].sort();
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
    parameters: describeParameters(standardParameters),
    auth: {
      oauth2: {
        scopes: Object.fromEntries(
          scopes.map((scope) => [scope, { description: scope.replace(/.*\/auth\//, '') }]),
        ),
      },
    },
    schemas: Object.fromEntries(
      collectSchemas(api.methods, schemas).map(([name, schema]) => [
        name,
        { id: name, ...toPublicSchema(schema) },
      ]),
    ),
    resources: groupByResource(
      api.methods.map((row) => [row.id, describeMethod(row, listMethodScopes(row))]),
    ),
  };
}

/** Lists the schemas of methods, with all schemas to which they refer. */
function collectSchemas(methods: readonly MethodRow[], schemas: Schemas): readonly [string, Schema][] {
  const names = new Set(
    methods
      .flatMap(({ body, responseSchema }) => [body?.schema, responseSchema])
      .filter((name) => name !== undefined),
  );
  // Names that are added meanwhile are iterated too.
  for (const name of names)
    for (const [, reference] of JSON.stringify(schemas[name]).matchAll(/"\$ref":"(\w+)"/g))
      names.add(reference as string);
  return [...names].sort().map((name) => [name, schemas[name] as Schema]);
}

/** Removes the members of a schema that only this gateway uses. */
function toPublicSchema({
  field: _field,
  constant: _constant,
  omittedDefault: _omittedDefault,
  officialValues: _officialValues,
  notOffered: _notOffered,
  ...schema
}: Property): Schema {
  const { items, additionalProperties, properties } = schema;
  return {
    ...schema,
    ...(items && { items: toPublicSchema(items) }),
    ...(additionalProperties && { additionalProperties: toPublicSchema(additionalProperties) }),
    ...(properties && { properties: mapValues(properties, toPublicSchema) }),
  };
}

function describeMethod(
  { id, verb, path, parameters, body, responseSchema, description }: MethodRow,
  scopes: readonly string[],
): Fields {
  const publicParameters = Object.entries(parameters).filter(([, { in: location }]) => location !== 'header');
  const requiredParameters = publicParameters.filter(([, parameter]) => parameter.required);
  return {
    id,
    path,
    flatPath: path,
    httpMethod: verb,
    description,
    parameters: describeParameters(Object.fromEntries(publicParameters)),
    parameterOrder: requiredParameters.map(([name]) => name),
    ...(body && { request: { $ref: body.schema } }),
    ...(responseSchema !== undefined && { response: { $ref: responseSchema } }),
    scopes,
  };
}

const schemaByType: Readonly<Record<NonNullable<Parameter['type']>, Schema>> = {
  string: { type: 'string' },
  integer: { type: 'integer', format: 'int32' },
  long: { type: 'string', format: 'int64' },
  boolean: { type: 'boolean' },
  dateTime: { type: 'string', format: 'date-time' },
  timeZone: { type: 'string' },
  fields: { type: 'string' },
};

const describeParameters = (parameters: Parameters): Fields =>
  mapValues(parameters, ({ in: location = 'query', type = 'string', ...parameter }) => ({
    ...schemaByType[type],
    description: parameter.description,
    location,
    required: parameter.required,
    repeated: parameter.repeated,
    enum: parameter.values,
    enumDescriptions: parameter.values?.map(() => ''),
    minimum: parameter.min?.toString(),
    maximum: parameter.max?.toString(),
    default: parameter.default,
  }));

/** Groups descriptions of methods by the resource in the method's id. */
function groupByResource(methods: readonly (readonly [id: string, method: Fields])[]): Fields {
  const resources: Record<string, { readonly methods: Record<string, Fields> }> = {};
  for (const [id, method] of methods) {
    const [, resource, name] = id.split('.') as [api: string, resource: string, name: string];
    (resources[resource] ??= { methods: {} }).methods[name] = method;
  }
  return resources;
}

const directoryPath = '/discovery/v1/apis';

const firstHeaderValue = (header: RequestHead['headers'][string]): string => [header].flat()[0] ?? '';

/** Returns the root URL of a request with a final slash: its host, and https if X-Forwarded-Proto says so. */
function rootUrlOf(headers: RequestHead['headers']): string {
  const isSecure = /^\s*https\s*(,|$)/i.test(firstHeaderValue(headers['x-forwarded-proto']));
  return `${isSecure ? 'https' : 'http'}://${firstHeaderValue(headers.host)}/`;
}

/** Lists the APIs in the format of Google's API Discovery Service. */
const createDirectory = (apis: readonly Api[], rootUrl: string): Fields => ({
  kind: 'discovery#directoryList',
  discoveryVersion: 'v1',
  items: apis.map((api) => describeApi(api, rootUrl)),
});

const describeApi = ({ name, version, title, description }: Api, rootUrl: string): object => ({
  kind: 'discovery#directoryItem',
  id: `${name}:${version}`,
  name,
  version,
  title,
  description,
  discoveryRestUrl: `${rootUrl}${directoryPath.slice(1)}/${name}/${version}/rest`,
  discoveryLink: `./apis/${name}/${version}/rest`,
  preferred: true,
});

/** Row of the discovery endpoints, which have only the common parameters. */
const discoveryRow = { verb: 'GET', parameters: {} } as const;

/** Creates the endpoints of the discovery documents, which are public, as in the official service. */
export function createDiscoveryEndpoints(
  apis: readonly Api[],
  dependencies: DiscoveryDependencies,
  admission: Admission,
): readonly Endpoint[] {
  return [directoryPath, `${directoryPath}/{api}/{version}/rest`].map((template): Endpoint => ({
    verb: discoveryRow.verb,
    template,
    operation: 'discovery',
    async run(request, caller) {
      admission.decide(caller, () => undefined);
      request.isCharged = true;
      const rootUrl = rootUrlOf(request.headers);
      const api = apis.find(
        ({ name, version }) => name === request.path.api && version === request.path.version,
      );
      if (!api && template !== directoryPath) throw new RestError(404, 'notFound', 'There is no such API.');
      const { parameters, issues } = readParameters(discoveryRow, request);
      requireValid(issues);
      const json = api ? createDiscoveryDocument(api, dependencies, rootUrl) : createDirectory(apis, rootUrl);
      return createResponse({ json }, responseFormatOf(discoveryRow, request, parameters));
    },
    createNaming: ({ unparsableNames }) => ({
      locate: ([name]) => parameterLocation(String(name)),
      unparsableNames,
    }),
  }));
}
