import { readStoredValue, writeStoredValue } from '../ui/browser-storage.ts';
import type { Editing } from './use-editor.ts';

/**
 * Key of the form's input in the tab's storage. It survives a reload, and is removed once it is saved or
 * discarded.
 */
const storageKey = 'unsaved-event';

export const storeUnsavedInput = (editing: Editing): void =>
  writeStoredValue('sessionStorage', storageKey, editing);

export const forgetUnsavedInput = (): void => writeStoredValue('sessionStorage', storageKey, undefined);

/** Reads the input from before a reload; undefined if there is none. */
export function readUnsavedInput(): Editing | undefined {
  const editing = readStoredValue('sessionStorage', storageKey) as Editing | null;
  return editing ? { ...editing, isRestored: true } : undefined;
}
