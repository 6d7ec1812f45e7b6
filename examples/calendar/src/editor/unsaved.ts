import { readStored, writeStored } from '../ui/browser-storage.ts';
import type { Editing } from './use-editor.ts';

/** The form's input survives a reload (for a new session) in the tab's storage, until it is saved or discarded. */
const storageKey = 'unsaved-event';

export const storeUnsaved = (editing: Editing): void => writeStored('sessionStorage', storageKey, editing);

export const forgetUnsaved = (): void => writeStored('sessionStorage', storageKey, undefined);

export function readUnsaved(): Editing | undefined {
  const editing = readStored('sessionStorage', storageKey) as Editing | null;
  return editing ? { ...editing, restored: true } : undefined;
}
