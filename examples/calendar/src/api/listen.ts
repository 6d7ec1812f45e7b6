/** Adds a listener of several events, and returns the function that removes it. */
export function addListeners(
  target: EventTarget,
  types: readonly string[],
  listener: () => void,
): () => void {
  for (const type of types) target.addEventListener(type, listener);
  return () => {
    for (const type of types) target.removeEventListener(type, listener);
  };
}
