/** At most so many are told: what comes behind the first is seldom news. */
const most = 12;

/** Where two answers differ: each path with both values. */
export function differences(one: unknown, other: unknown, path = ''): string[] {
  if (isObject(one) && isObject(other) && Array.isArray(one) === Array.isArray(other)) {
    const names = new Set([...Object.keys(one), ...Object.keys(other)]);
    return [...names]
      .flatMap((name) => differences(one[name], other[name], path === '' ? name : `${path}.${name}`))
      .slice(0, most);
  }
  return Object.is(one, other) ? [] : [`${path}: ${print(one)} <> ${print(other)}`];
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
const print = (value: unknown): string => (JSON.stringify(value) ?? 'absent').slice(0, 300);
