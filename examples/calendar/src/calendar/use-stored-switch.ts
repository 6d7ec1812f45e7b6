import { useState } from 'react';
import { readStored, writeStored } from '../ui/browser-storage.ts';

/** A boolean state that this browser remembers. */
export function useStoredSwitch(key: string, initialValue: boolean): [boolean, (isOn: boolean) => void] {
  const [isOn, setOn] = useState(() => (readStored('localStorage', key) ?? initialValue) === true);
  return [
    isOn,
    (next) => {
      setOn(next);
      writeStored('localStorage', key, next);
    },
  ];
}
