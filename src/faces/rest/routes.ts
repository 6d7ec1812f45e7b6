import type { Endpoint } from './endpoint.ts';
import { RestFault } from './errors.ts';

export interface Found {
  readonly endpoint: Endpoint;
  /** What is in the path, decoded. */
  readonly path: Readonly<Record<string, string>>;
}

/** A verb of a path template: `/calendar/v3/calendars/{calendarId}`. */
export type Route = { readonly verb: string } & Pick<Endpoint, 'template'>;

/** The endpoints of a path template, by verb. */
interface Place {
  readonly segments: readonly string[];
  readonly verbs: Map<string, Endpoint>;
}

/** Finds what serves a path. `notOffered`: methods that this service lacks. Verb `*` is each verb, and a `*` at the end of a template that path and all below it. */
export function createRoutes(endpoints: readonly Endpoint[], notOffered: readonly Route[]) {
  const byTemplate = new Map<string, Place>();
  // What is written out goes before what is not: `users/me` is no calendar.
  for (const endpoint of [...endpoints].sort((a, b) => variablesIn(a) - variablesIn(b))) {
    const { template, verb } = endpoint;
    const place = byTemplate.get(template) ?? { segments: template.split('/'), verbs: new Map() };
    byTemplate.set(template, place);
    place.verbs.set(verb, endpoint);
  }
  const places = [...byTemplate.values()];
  const lacking = notOffered.map(({ verb, template }) => ({ verb, segments: template.split('/') }));
  const isLacking = (verb: string, segments: readonly string[]): boolean =>
    lacking.some((one) => (one.verb === '*' || one.verb === verb) && isAtOrBelow(one.segments, segments));

  const placeAt = (
    verb: string,
    path: string,
  ): { readonly place: Place; readonly segments: readonly string[] } => {
    const segments = path.split('/').map(decoded);
    const place = places.find((one) => fits(one.segments, segments));
    if (place) return { place, segments };
    if (isLacking(verb, segments)) throw lacks();
    throw new RestFault(404, 'notFound', 'There is nothing at this path.');
  };
  const allowed = ({ verbs }: Place): string =>
    [...verbs.keys(), 'OPTIONS'].flatMap((verb) => (verb === 'GET' ? [verb, 'HEAD'] : [verb])).join(', ');

  return {
    /** The verbs of a path, HEAD and OPTIONS among them. Throws for a path that nothing serves. */
    allowed: (path: string): string => allowed(placeAt('OPTIONS', path).place),
    /** Throws for a path that nothing serves, and for another verb than it has. */
    find(verb: string, path: string): Found {
      const { place, segments } = placeAt(verb, path);
      const endpoint = place.verbs.get(verb);
      if (!endpoint && isLacking(verb, segments)) throw lacks();
      if (!endpoint)
        throw new RestFault(405, 'methodNotAllowed', `${verb} is not allowed here. Use ${allowed(place)}.`, {
          headers: { allow: allowed(place) },
        });
      const within: Record<string, string> = {};
      for (const [index, part] of place.segments.entries())
        if (isVariable(part)) within[part.slice(1, -1)] = segments[index] as string;
      return { endpoint, path: within };
    },
  };
}

const variablesIn = ({ template }: Endpoint): number => template.split('{').length;

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
