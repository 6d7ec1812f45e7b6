import type { Endpoint } from './endpoint.ts';
import { RestError } from './errors.ts';
import { groupByKey } from '../../core/json.ts';

/** Endpoint of a request, and the values of the variables in its path. */
export interface RouteMatch {
  readonly endpoint: Endpoint;
  readonly path: Readonly<Record<string, string>>;
}

/** A verb and a path template such as `/calendar/v3/calendars/{calendarId}`. */
export type Route = { readonly verb: string } & Pick<Endpoint, 'template'>;

/** Endpoints of a path template. */
interface TemplateEndpoints {
  readonly segments: readonly string[];
  readonly endpointsByVerb: Map<string, Endpoint>;
}

/** Creates the lookup of endpoints. `notOfferedRoutes`: missing methods; verb `*` means any verb, a final `*` all paths from there on. */
export function createRoutes(endpoints: readonly Endpoint[], notOfferedRoutes: readonly Route[]) {
  const endpointsByTemplate = new Map<string, TemplateEndpoints>();
  // Literal segments take precedence over variables.
  for (const endpoint of [...endpoints].sort((left, right) => countVariables(left) - countVariables(right))) {
    const { template, verb } = endpoint;
    const entry = endpointsByTemplate.get(template) ?? {
      segments: template.split('/'),
      endpointsByVerb: new Map(),
    };
    endpointsByTemplate.set(template, entry);
    entry.endpointsByVerb.set(verb, endpoint);
  }
  const templatesByLength = groupByKey(endpointsByTemplate.values(), ({ segments }) =>
    String(segments.length),
  );
  const missingRoutes = notOfferedRoutes.map(({ verb, template }) => ({
    verb,
    segments: template.split('/'),
  }));
  const isMissing = (verb: string, segments: readonly string[]): boolean =>
    missingRoutes.some(
      (route) => (route.verb === '*' || route.verb === verb) && matchesRoute(route.segments, segments),
    );

  /** Templates of a path: a literal segment may also be the value of another template's variable. */
  const findTemplates = (
    verb: string,
    path: string,
  ): { readonly matches: readonly TemplateEndpoints[]; readonly segments: readonly string[] } => {
    const segments = path.split('/').map(decodeSegment);
    const candidates = templatesByLength.get(String(segments.length)) ?? [];
    const matches = candidates.filter((candidate) => matchesTemplate(candidate.segments, segments));
    if (matches.length > 0) return { matches, segments };
    if (isMissing(verb, segments)) throw notOfferedError();
    throw new RestError(404, 'notFound', 'There is nothing at this path.');
  };
  const formatVerbs = (matches: readonly TemplateEndpoints[]): string =>
    [...new Set(matches.flatMap(({ endpointsByVerb }) => [...endpointsByVerb.keys()])), 'OPTIONS']
      .flatMap((verb) => (verb === 'GET' ? [verb, 'HEAD'] : [verb]))
      .join(', ');

  return {
    /** Lists the verbs of a path, including HEAD and OPTIONS. Throws for an unknown path. */
    listVerbs: (path: string): string => formatVerbs(findTemplates('OPTIONS', path).matches),
    /** Finds the endpoint of a path. Throws for an unknown path or verb. */
    find(verb: string, path: string): RouteMatch {
      const { matches, segments } = findTemplates(verb, path);
      const template = matches.find(({ endpointsByVerb }) => endpointsByVerb.has(verb));
      const endpoint = template?.endpointsByVerb.get(verb);
      if (!endpoint && isMissing(verb, segments)) throw notOfferedError();
      if (!template || !endpoint) {
        const verbs = formatVerbs(matches);
        throw new RestError(405, 'methodNotAllowed', `${verb} is not allowed here. Use ${verbs}.`, {
          headers: { allow: verbs },
        });
      }
      const variables: Record<string, string> = {};
      for (const [index, segment] of template.segments.entries())
        if (isVariable(segment)) variables[segment.slice(1, -1)] = segments[index] as string;
      return { endpoint, path: variables };
    },
  };
}

const countVariables = ({ template }: Endpoint): number => template.split('{').length;

const notOfferedError = (): RestError =>
  new RestError(404, 'notOffered', 'This service does not offer this part of the API.');

const matchesRoute = (template: readonly string[], segments: readonly string[]): boolean => {
  if (template.at(-1) !== '*') return matchesTemplate(template, segments);
  const prefix = template.slice(0, -1);
  return matchesTemplate(prefix, segments.slice(0, prefix.length));
};

const matchesTemplate = (template: readonly string[], segments: readonly string[]): boolean =>
  template.length === segments.length &&
  template.every((segment, index) =>
    isVariable(segment) ? segments[index] !== '' : segment === segments[index],
  );

const isVariable = (segment: string): boolean => segment.startsWith('{');

function decodeSegment(segment: string): string {
  const text = decodeEscapes(segment);
  if (text === undefined)
    throw new RestError(400, 'invalid', 'The path has a malformed escape: write a percent sign as %25.');
  return text;
}

/** Decodes percent escapes; undefined if one is malformed. */
export function decodeEscapes(text: string): string | undefined {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
