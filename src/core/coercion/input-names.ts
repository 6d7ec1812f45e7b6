import type { Path, Warning } from '../kernel/errors.ts';
import { isFields } from '../kernel/patch.ts';
import type { Report } from '../kernel/report.ts';
import { shorten } from '../text/characters.ts';
import { coercionError, type CoercionErrors } from './leaves.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Names that Google's clients use for the fields and values of an input type. */
export interface InputNames {
  /** Fields by their other names. */
  readonly renamed?: Readonly<Record<string, string>>;
  /** Official fields with one fixed value, dropped without a warning if they have it. */
  readonly always?: Readonly<Record<string, string | boolean>>;
  /** Official fields that the schema lacks: dropped with the warning `notOffered`. */
  readonly notOffered?: ReadonlySet<string>;
  /** Values of fields by their other names. */
  readonly values?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Names inside of the objects in fields. */
  readonly inside?: Readonly<Record<string, InputNames>>;
}

/** Warns of a dropped name. */
export const notOffered = (name: string): Omit<Warning, 'path'> => ({
  reason: 'notOffered',
  message: `${shorten(name)} is not offered here: it was left out.`,
});

/** Puts an input into the names of the schema; gives the very same one where it was. Unknown names stay; dropped ones are warned of. */
export function renameFields(
  sent: Fields,
  names: InputNames,
  errors: Pick<CoercionErrors, 'addAt' | 'warnOf'>,
): Fields {
  const { renamed = {}, always = {}, notOffered: known, values = {} } = names;
  let own: Record<string, unknown> | undefined;
  for (const name of Object.keys(sent)) {
    const field = Object.hasOwn(renamed, name) ? renamed[name] : undefined;
    if (field !== undefined) {
      own ??= { ...sent };
      delete own[name];
      if (sent[field] === undefined) own[field] = sent[name];
      else if (sent[field] !== sent[name])
        errors.addAt(name, 'invalid', `${name} and ${field} are the same here, with two values: send one.`);
    } else if (known?.has(name)) {
      own ??= { ...sent };
      delete own[name];
      const isSaid = (sent[name] ?? null) !== null && sent[name] !== always[name];
      if (isSaid) errors.warnOf(name, notOffered(name));
    }
  }
  for (const name of Object.keys(values)) {
    const value = sent[name];
    const spelled = typeof value === 'string' && Object.hasOwn(values[name] ?? {}, value);
    if (spelled) (own ??= { ...sent })[name] = values[name]?.[value];
  }
  return own ?? sent;
}

/** Renames the fields of a body that no schema coerces, nested objects included; warns of dropped ones. */
export function renameFieldsDeep(sent: Fields, names: InputNames, path: Path, report: Report): Fields {
  let own = renameFields(sent, names, {
    addAt(name, reason, message) {
      report.issue([...path, name], reason, message);
      return coercionError;
    },
    warnOf: (name, { reason, message }) => report.warn([...path, name], reason, message),
  });
  for (const [field, inside] of Object.entries(names.inside ?? {})) {
    const value = own[field];
    const named = isFields(value) ? renameFieldsDeep(value, inside, [...path, field], report) : value;
    if (named !== value) own = { ...own, [field]: named };
  }
  return own;
}
