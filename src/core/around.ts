/** A list in which some keep their places, and others fill what is between them in the order in which they come; what is left over stands behind. */
export function around<T, K extends T>(
  stored: readonly K[],
  isKept: (entry: K) => boolean,
  others: readonly T[],
): T[] {
  const rest = [...others];
  const list = stored.flatMap((entry): T[] => (isKept(entry) ? [entry] : rest.splice(0, 1)));
  return [...list, ...rest];
}
