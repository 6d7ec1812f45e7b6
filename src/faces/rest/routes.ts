import type { Endpoint } from './endpoint.ts';
import { RestError } from './errors.ts';

/** Endpoint of a request, and the values of the variables in its path. */
export interface RouteMatch {
  readonly endpoint: Endpoint;
  readonly path: Readonly<Record<string, string>>;
}

/** A verb and a path template such as `/calendar/v3/calendars/{calendarId}`. */
export type Route = { readonly verb: string } & Pick<Endpoint, 'template'>;

/** Creates the lookup of endpoints. `notOfferedRoutes`: missing methods; verb `*` means any verb, a final `*` all paths from there on. */
export function createRoutes(endpoints: readonly Endpoint[], notOfferedRoutes: readonly Route[]) {
  // Literal segments take precedence over variables.
  const routes = [...endpoints]
    .sort((left, right) => countVariables(left) - countVariables(right))
    .map((endpoint) => ({ endpoint, template: endpoint.template.split('/') }));
  const missingRoutes = notOfferedRoutes.map(({ verb, template }) => ({
    verb,
    template: template.split('/'),
  }));
  const isMissing = (verb: string, segments: readonly string[]): boolean =>
    missingRoutes.some(
      (route) => (route.verb === '*' || route.verb === verb) && matchesRoute(route.template, segments),
    );

  /** Finds the routes of a path: a literal segment may also be the value of another template's variable. */
  const findRoutes = (verb: string, path: string) => {
    const segments = path.split('/').map(decodeSegment);
    const matches = routes.filter(({ template }) => matchesTemplate(template, segments));
    if (!matches.some(({ endpoint }) => endpoint.verb === verb) && isMissing(verb, segments))
      throw new RestError(404, 'notOffered', 'This service does not offer this part of the API.');
    if (matches.length === 0) throw new RestError(404, 'notFound', 'There is nothing at this path.');
    return { matches, segments };
  };

  const formatVerbs = (matches: typeof routes): string =>
    [...new Set([...matches.map(({ endpoint }) => endpoint.verb), 'OPTIONS'])]
      .flatMap((verb) => (verb === 'GET' ? [verb, 'HEAD'] : [verb]))
      .join(', ');

  return {
    /** Lists the verbs of a path, including HEAD and OPTIONS. Throws for an unknown path. */
    listVerbs: (path: string): string => formatVerbs(findRoutes('OPTIONS', path).matches),
    /** Finds the endpoint of a path. Throws for an unknown path or verb. */
    find(verb: string, path: string): RouteMatch {
      const { matches, segments } = findRoutes(verb, path);
      const match = matches.find(({ endpoint }) => endpoint.verb === verb);
      if (!match) {
        const verbs = formatVerbs(matches);
        throw new RestError(405, 'methodNotAllowed', `${verb} is not allowed here. Use ${verbs}.`, {
          headers: { allow: verbs },
        });
      }
      const variables: Record<string, string> = {};
      for (const [index, name] of match.template.entries())
        if (isVariable(name)) variables[name.slice(1, -1)] = segments[index] as string;
      return { endpoint: match.endpoint, path: variables };
    },
  };
}

const countVariables = ({ template }: Endpoint): number => template.split('{').length;

const matchesRoute = (template: readonly string[], segments: readonly string[]): boolean => {
  if (template.at(-1) !== '*') return matchesTemplate(template, segments);
  const prefix = template.slice(0, -1);
  return matchesTemplate(prefix, segments.slice(0, prefix.length));
};

const matchesTemplate = (template: readonly string[], segments: readonly string[]): boolean =>
  template.length === segments.length &&
  template.every(
    (segment, index) => segment === segments[index] || (isVariable(segment) && segments[index] !== ''),
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
