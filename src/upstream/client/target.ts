import { toUSVString } from 'node:util';
import { ServiceRefusal, type Call, type Query } from './call.ts';

const encode = (value: string): string => encodeURIComponent(toUSVString(value));

/** Path and query of a call below a base. */
export function targetOf(base: string, { path, query = {} }: Pick<Call, 'path' | 'query'>): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    valuesOf(value).map((one) => `${encode(name)}=${encode(String(one))}`),
  );
  return [base, ...path.map(segment)].join('/') + (pairs.length === 0 ? '' : `?${pairs.join('&')}`);
}

const valuesOf = (value: Query[string]): readonly (string | number | boolean)[] =>
  value == null ? [] : typeof value === 'object' ? value : [value];

/** No service has ids of more characters. */
const longestId = 1024;

/** Segments that would lead elsewhere, or that no URL has room for, are the id of nothing. */
function segment(id: string): string {
  if (id.length > longestId || /^\.{0,2}$/.test(id))
    throw new ServiceRefusal(404, 'notFound', 'There is nothing of this id.', undefined);
  return encode(id);
}
