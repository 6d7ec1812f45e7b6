import { RestFault } from './errors.ts';

/** Something at a path template: `/calendar/v3/calendars/{calendarId}`, with one entry for each verb. */
interface Place<T> {
  readonly segments: readonly string[];
  /** The names of its variables, and which segments they are. */
  readonly variables: readonly (readonly [string, number])[];
  readonly verbs: Map<string, T>;
}

export interface Found<T> {
  readonly entry: T;
  /** What is in the path, decoded. */
  readonly path: Readonly<Record<string, string>>;
}

/** Finds what serves a path. */
interface Routes<T> {
  /** Throws for a path that nothing serves, and for another verb than it has. */
  find(verb: string, path: string): Found<T>;
  /** The verbs of a path, HEAD and OPTIONS among them. Throws for a path that nothing serves. */
  allowed(path: string): string;
}

/** A verb of a path template. */
export interface Route {
  readonly verb: string;
  readonly template: string;
}

/**
 * `notOffered`: methods of the official APIs that this service lacks. Verb `*` is each verb, and a template that ends in
 * `*` stands for that path and all below it.
 */
export function createRoutes<T>(
  entries: readonly (Route & { readonly entry: T })[],
  notOffered: readonly Route[],
): Routes<T> {
  const places = new Map<string, Place<T>>();
  for (const { verb, template, entry } of entries) {
    const place = places.get(template) ?? placeOf(template.split('/'), new Map<string, T>());
    places.set(template, place);
    place.verbs.set(verb, entry);
  }
  // What is written out goes before what is not: `users/me` is no calendar.
  const byLength = new Map<number, Place<T>[]>();
  for (const place of [...places.values()].sort((a, b) => a.variables.length - b.variables.length))
    byLength.set(place.segments.length, [...(byLength.get(place.segments.length) ?? []), place]);

  const lacking = notOffered.map(({ verb, template }) => ({ verb, segments: template.split('/') }));
  const isLacking = (verb: string, segments: readonly string[]): boolean =>
    lacking.some((one) => (one.verb === '*' || one.verb === verb) && isAtOrBelow(one.segments, segments));

  const placeAt = (
    verb: string,
    path: string,
  ): { readonly place: Place<T>; readonly segments: readonly string[] } => {
    const segments = path.split('/').map(decoded);
    const place = byLength.get(segments.length)?.find((one) => fits(one.segments, segments));
    if (place) return { place, segments };
    if (isLacking(verb, segments)) throw lacks();
    throw new RestFault(404, 'notFound', 'There is nothing at this path.');
  };
  const allowed = ({ verbs }: Place<T>): string =>
    [...[...verbs.keys()].flatMap((verb) => (verb === 'GET' ? [verb, 'HEAD'] : [verb])), 'OPTIONS'].join(
      ', ',
    );

  return {
    allowed: (path) => allowed(placeAt('OPTIONS', path).place),
    find(verb, path) {
      const { place, segments } = placeAt(verb, path);
      const entry = place.verbs.get(verb);
      if (entry === undefined && isLacking(verb, segments)) throw lacks();
      if (entry === undefined)
        throw new RestFault(405, 'methodNotAllowed', `${verb} is not allowed here. Use ${allowed(place)}.`, {
          headers: { allow: allowed(place) },
        });
      const within: Record<string, string> = {};
      for (const [name, index] of place.variables) within[name] = segments[index] as string;
      return { entry, path: within };
    },
  };
}

const placeOf = <T>(segments: readonly string[], verbs: Map<string, T>): Place<T> => ({
  segments,
  verbs,
  variables: segments.flatMap((part, index) =>
    isVariable(part) ? [[part.slice(1, -1), index] as const] : [],
  ),
});

const lacks = (): RestFault =>
  new RestFault(404, 'notOffered', 'This service does not offer this part of the API.');

const isAtOrBelow = (template: readonly string[], segments: readonly string[]): boolean => {
  if (template.at(-1) !== '*') return fits(template, segments);
  const above = template.slice(0, -1);
  return fits(above, segments.slice(0, above.length));
};

const fits = (template: readonly string[], segments: readonly string[]): boolean =>
  template.length === segments.length &&
  template.every((part, index) => (isVariable(part) ? segments[index] !== '' : part === segments[index]));

const isVariable = (part: string): boolean => part.startsWith('{');

/** A segment, decoded once. */
function decoded(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new RestFault(400, 'invalid', 'The path holds a malformed escape: write a percent sign as %25.');
  }
}
