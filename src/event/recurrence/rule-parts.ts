/** Parts of the value of a rule by name, all in upper case. */
export const ruleParts = (value: string): Map<string, string> =>
  new Map(
    value
      .toUpperCase()
      .split(';')
      .map((part) => [part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1)]),
  );

/** Replaces parts of a rule's line; undefined takes one away. */
export function withParts(line: string, changes: ReadonlyMap<string, string | undefined>): string {
  const colon = line.indexOf(':');
  const [name, value] = [line.slice(0, colon), line.slice(colon + 1)];
  const nameIn = (part: string): string => part.slice(0, part.indexOf('=')).toUpperCase();
  const given = new Set(value.split(';').map(nameIn));
  const kept = value.split(';').flatMap((part) => {
    if (!changes.has(nameIn(part))) return [part];
    const changed = changes.get(nameIn(part));
    return changed === undefined ? [] : [`${nameIn(part)}=${changed}`];
  });
  const added = [...changes].flatMap(([part, text]) =>
    given.has(part) || text === undefined ? [] : [`${part}=${text}`],
  );
  return `${name}:${[...kept, ...added].join(';')}`;
}
