import type { Issue } from '../../core/errors.ts';
import type { FieldSelection, Selected } from '../../core/fields/table.ts';
import { canonicalJson } from '../../core/json.ts';
import { isFields } from '../../core/patch.ts';
import type { Seal } from '../../core/seal.ts';
import type { Property, Schemas } from '../../google/schemas.ts';
import type { MethodRow } from './method.ts';

type Given = Readonly<Record<string, unknown>>;

/** The question of a list, and where its next page begins. */
interface PageToken {
  readonly id: string;
  readonly path: Given;
  readonly given: Given;
  readonly after: string;
}

/** What a page may be asked for anew, beside what concerns every answer. */
const free = ['maxResults', 'maxAttendees', 'timeZone', 'fields'];
const apart = ['pageToken', 'alt', 'prettyPrint'];

/** What a page is asked for: its parameters, those of the pages before it included. */
interface PageQuestion {
  readonly given: Given;
  readonly after?: string;
  readonly issues: readonly Issue[];
}

/** A page's token stands for its whole question. */
export function questionOf(id: string, path: Given, given: Given, seal: Seal): PageQuestion {
  if (typeof given.pageToken !== 'string') return { given, issues: [] };
  const token = seal.open(given.pageToken) as PageToken | undefined;
  const isOwn = isFields(token) && token.id === id && canonicalJson(token.path) === canonicalJson(path);
  const isSame = ([name, value]: [string, unknown]): boolean =>
    free.includes(name) ||
    apart.includes(name) ||
    (isOwn && canonicalJson(value) === canonicalJson(token.given[name] ?? null));
  if (!isOwn || !Object.entries(given).every(isSame)) return { given, issues: [foreign] };
  return { given: { ...token.given, ...given }, after: token.after, issues: [] };
}

const foreign: Issue = {
  path: ['pageToken'],
  reason: 'invalid',
  message:
    'pageToken must be the nextPageToken of a page of the same list, and the other parameters those of that page. Leave it out to begin again.',
};

export function pageToken(id: string, path: Given, given: Given, after: string, seal: Seal): string {
  const question = Object.fromEntries(Object.entries(given).filter(([name]) => !apart.includes(name)));
  return seal.close({ id, path, given: question, after } satisfies PageToken);
}

/** What an answer has of its value whatever is asked for: its headers, and whether it is whole. */
const always: readonly string[] = ['etag', 'start'];

const whole: FieldSelection = { whole: true, fields: new Map() };

/** What the `fields` of a request ask for of the value of an operation, in the names of the fields behind the official ones. */
export function selectedOf(
  { answer }: MethodRow,
  operation: string,
  fields: FieldSelection | undefined,
  schemas: Schemas,
): Selected | undefined {
  if (!fields || (answer !== 'Event' && answer !== 'Events')) return undefined;
  return () => {
    const ofEvent =
      answer === 'Event' ? fields : (fields.fields.get('items') ?? { whole: false, fields: new Map() });
    const event = withAlways(named(schemas, { $ref: 'Event' }, fields.fields.has('*') ? whole : ofEvent));
    return operation === 'events' || operation === 'instances' ? pageOf(event) : event;
  };
}

/** Of a list everything but its entries is told as it is. */
const pageOf = (event: FieldSelection): FieldSelection => ({
  whole: false,
  fields: new Map([
    ['nodes', event],
    ['pageInfo', whole],
    ['nextSyncToken', whole],
    ['calendar', whole],
  ]),
});

function named(schemas: Schemas, property: Property, selection: FieldSelection): FieldSelection {
  if (selection.whole || selection.fields.has('*')) return whole;
  const of: Property =
    property.$ref === undefined ? (property.items ?? property) : (schemas[property.$ref] ?? {});
  if (of.$ref !== undefined) return named(schemas, of, selection);
  // The entries of a map are no fields.
  if (!of.properties) return whole;
  const { properties } = of;
  return {
    whole: false,
    fields: new Map(
      [...selection.fields].flatMap(([name, inner]) => {
        const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
        return property ? [[property.field ?? name, named(schemas, property, inner)] as const] : [];
      }),
    ),
  };
}

const withAlways = ({ whole: isWhole, fields }: FieldSelection): FieldSelection =>
  isWhole
    ? whole
    : { whole: false, fields: new Map([...fields, ...always.map((name) => [name, whole] as const)]) };
