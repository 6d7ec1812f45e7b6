import { useSyncExternalStore } from 'react';

/** Something the user should know, wherever it comes from. */
export interface Notice {
  readonly id: number;
  readonly tone: 'done' | 'warning' | 'error';
  readonly text: string;
  readonly action?: { readonly label: string; readonly run: () => void };
}

let notices: readonly Notice[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function change(next: readonly Notice[]): void {
  notices = next;
  for (const listener of listeners) listener();
}

export const dismiss = (id: number): void => change(notices.filter((notice) => notice.id !== id));

/** What went well disappears by itself; what can be acted upon, warnings and errors stay until they are dismissed. */
export function notify(tone: Notice['tone'], text: string, action?: Notice['action']): void {
  const id = (lastId += 1);
  change([...notices.filter((notice) => notice.text !== text), { id, tone, text, action }].slice(-5));
  if (tone === 'done' && !action) setTimeout(() => dismiss(id), 8000);
}

export function useNotices(): readonly Notice[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => notices,
  );
}
