import type { Issue, Path } from '../../core/kernel/errors.ts';
import { officialPath } from '../../official/read.ts';
import type { Schemas } from '../../official/schema.ts';
import { otherAt, type Naming } from './answer/errors.ts';
import type { EndpointRequest } from './endpoint.ts';
import { atHeader, atParameter, type Location } from './faults.ts';
import type { MethodRow, Parameter, Parameters } from './method.ts';
import { common } from './methods/parameters.ts';

/** How a row's requests name their parts. */
export function namingOf(
  row: MethodRow,
  schemas: Schemas,
  { unparsed, query, headers }: EndpointRequest,
): Naming {
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
export function argumentPath({ body }: MethodRow, path: Path): Path {
  if (body?.argument !== undefined) return [body.argument, ...path];
  // What is refused as it is read are lists, and each is an argument.
  const argument = Object.keys(body?.sources ?? {}).find(
    (name) => body?.sources?.[name]?.split('.')[0] === path[0],
  );
  return [argument ?? '', ...path.slice(1)];
}

/** A path of arguments as one of the body; undefined where it lies elsewhere. */
export function bodyPath({ body }: MethodRow, schemas: Schemas, [first, ...rest]: Path): Path | undefined {
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
