import { useState } from 'react';

/** A switch that this browser remembers. */
export function useRemembered(key: string, initial: boolean): [boolean, (value: boolean) => void] {
  const [value, setValue] = useState(() => {
    try {
      return JSON.parse(localStorage.getItem(key) ?? `${initial}`) === true;
    } catch {
      return initial;
    }
  });
  return [
    value,
    (next) => {
      setValue(next);
      try {
        localStorage.setItem(key, `${next}`);
      } catch {
        // A browser without storage forgets it with the page.
      }
    },
  ];
}
