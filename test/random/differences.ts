/** Maximum of listed differences. Later ones mostly follow from the first ones. */
const maxDifferences = 12;

/** Lists the paths where two values differ, with both values. */
export function findDifferences(a: unknown, b: unknown, path = ''): string[] {
  if (isObject(a) && isObject(b) && Array.isArray(a) === Array.isArray(b)) {
    const names = new Set([...Object.keys(a), ...Object.keys(b)]);
    return [...names]
      .flatMap((name) => findDifferences(a[name], b[name], path === '' ? name : `${path}.${name}`))
      .slice(0, maxDifferences);
  }
  return Object.is(a, b) ? [] : [`${path}: ${formatValue(a)} <> ${formatValue(b)}`];
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
const formatValue = (value: unknown): string => (JSON.stringify(value) ?? 'absent').slice(0, 300);
