import type { ScopeRule } from '../../../access/scopes.ts';
import type { Api, MethodRow, Parameter, Parameters, Property, Schema, Schemas } from '../method.ts';
import { common } from '../methods/parameters.ts';

/** What documents are made of, beside the methods. */
export interface DocumentParts {
  readonly schemas: Schemas;
  /** The alternatives of scopes that open an operation. */
  readonly scopesOf: (operation: string) => ScopeRule;
}

type Json = Readonly<Record<string, unknown>>;

interface Resource {
  readonly methods?: Json;
  readonly resources?: Readonly<Record<string, Resource>>;
}

const ignored = (description: string): Parameter => ({ in: 'query', type: 'string', description: `Has no effect. ${description}` });

/** Accepted with every method, because clients offer them. */
const standard: Parameters = {
  ...common,
  key: ignored('The key of an application.'),
  quotaUser: ignored('Who is charged.'),
  userIp: ignored('The address of a user.'),
};

/** Describes an API as it is served (Google API Discovery Service, version 1). `rootUrl` ends with a slash. */
export function documentOf(api: Api, { schemas, scopesOf }: DocumentParts, rootUrl: string): Json {
  const scopesFor = ({ operation, scopesOf: of }: MethodRow): readonly string[] => [...new Set(scopesOf(of ?? operation).flat())];
  const scopes = [...new Set(api.methods.flatMap(scopesFor))].sort();
  const used = usedBy(api.methods, schemas);
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
    auth: { oauth2: { scopes: Object.fromEntries(scopes.map((scope) => [scope, { description: scope.replace(/.*\/auth\//, '') }])) } },
    schemas: Object.fromEntries(used.map((name) => [name, { id: name, ...written(schemas[name] ?? {}) }])),
    resources: resourcesOf(api.methods.map((row) => [row.id.split('.').slice(1), methodOf(row, scopesFor(row))])),
  };
}

/** The names of the schemas that methods lead to, sorted. */
function usedBy(methods: readonly MethodRow[], schemas: Schemas): readonly string[] {
  const found = new Set<string>();
  const follow = (schema: Schema | undefined): void => {
    if (!schema) return;
    if (schema.$ref !== undefined) enter(schema.$ref);
    follow(schema.items);
    follow(schema.additionalProperties);
    for (const property of Object.values(schema.properties ?? {})) follow(property);
  };
  const enter = (name: string): void => {
    if (found.has(name)) return;
    if (!Object.hasOwn(schemas, name)) throw new Error(`there is no schema ${name}`);
    found.add(name);
    follow(schemas[name]);
  };
  for (const name of methods.flatMap(({ body, answer }) => [body?.schema, answer])) if (name !== undefined) enter(name);
  return [...found].sort();
}

/** A schema without what only this gateway knows of it. */
function written({ field: _field, constant: _constant, standard: _standard, spelled: _spelled, ...schema }: Property): Schema {
  return {
    ...schema,
    ...(schema.items && { items: written(schema.items) }),
    ...(schema.additionalProperties && { additionalProperties: written(schema.additionalProperties) }),
    ...(schema.properties && { properties: Object.fromEntries(Object.entries(schema.properties).map(([name, property]) => [name, written(property)])) }),
  };
}

function methodOf({ id, verb, path, parameters, body, answer, description }: MethodRow, scopes: readonly string[]): Json {
  const shown = Object.entries(parameters).filter(([, { in: location }]) => location !== 'header');
  const required = shown.filter(([, parameter]) => parameter.required);
  return {
    id, path, flatPath: path, httpMethod: verb, description,
    parameters: parametersOf(Object.fromEntries(shown)),
    parameterOrder: required.map(([name]) => name),
    ...(body && { request: { $ref: body.schema } }),
    ...(answer !== undefined && { response: { $ref: answer } }),
    scopes,
  };
}

const types: Readonly<Record<Parameter['type'], Schema>> = {
  string: { type: 'string' },
  integer: { type: 'integer', format: 'int32' },
  boolean: { type: 'boolean' },
  dateTime: { type: 'string', format: 'date-time' },
  timeZone: { type: 'string' },
};

const parametersOf = (parameters: Parameters): Json =>
  Object.fromEntries(Object.entries(parameters).map(([name, { in: location, type, description, required, repeated, values, least, most, usual }]) => [name, {
    ...types[type], description, location,
    ...(required && { required }),
    ...(repeated && { repeated }),
    ...(values && { enum: values, enumDescriptions: values.map(() => '') }),
    ...(least !== undefined && { minimum: String(least) }),
    ...(most !== undefined && { maximum: String(most) }),
    ...(usual !== undefined && { default: usual }),
  }]));

/** Methods by the names of their resources, which may stand inside of others. */
function resourcesOf(methods: readonly (readonly [path: readonly string[], method: Json])[]): Readonly<Record<string, Resource>> {
  const names = [...new Set(methods.map(([[name = '']]) => name))];
  return Object.fromEntries(names.map((name) => {
    const own = methods.filter(([path]) => path[0] === name).map(([path, method]) => [path.slice(1), method] as const);
    const here = own.filter(([path]) => path.length === 1).map(([[last = ''], method]) => [last, method] as const);
    const below = own.filter(([path]) => path.length > 1);
    return [name, { ...(here.length > 0 && { methods: Object.fromEntries(here) }), ...(below.length > 0 && { resources: resourcesOf(below) }) }];
  }));
}
