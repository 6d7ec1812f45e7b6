import type { Editing } from './use-editor.ts';

/** The key of the form's input, which survives a reload (for a new session) until it is saved or discarded. */
const place = 'unsaved-event';

export function keepUnsaved(editing: Editing): void {
  try {
    sessionStorage.setItem(place, JSON.stringify(editing));
  } catch {
    // A browser without storage keeps no input.
  }
}

export function forgetUnsaved(): void {
  try {
    sessionStorage.removeItem(place);
  } catch {
    // A browser without storage kept nothing.
  }
}

export function readUnsaved(): Editing | undefined {
  try {
    const text = sessionStorage.getItem(place);
    return text === null ? undefined : { ...(JSON.parse(text) as Editing), restored: true };
  } catch {
    return undefined;
  }
}
