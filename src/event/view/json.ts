/** The fields of a view by name, in the table's order; those without a value are left out. */
export function jsonOf(view: object, names: Iterable<string>): object {
  const json: Record<string, unknown> = {};
  for (const name of names) {
    const value = (view as Record<string, unknown>)[name];
    if (value !== undefined) json[name] = value;
  }
  return json;
}
