import { useState } from 'react';
import { readStoredValue, writeStoredValue } from '../ui/browser-storage.ts';

/** A boolean state that this browser remembers. */
export function useStoredSwitch(key: string, initialValue: boolean): [boolean, (isOn: boolean) => void] {
  const [isOn, setOn] = useState(() => (readStoredValue('localStorage', key) ?? initialValue) === true);
  return [
    isOn,
    (next) => {
      setOn(next);
      writeStoredValue('localStorage', key, next);
    },
  ];
}
