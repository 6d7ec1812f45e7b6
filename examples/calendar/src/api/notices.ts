import { sessionEnded } from './session.ts';
import { createStore } from './store.ts';

/** Something the user should know, wherever it comes from. */
export interface Notice {
  readonly id: number;
  readonly tone: 'done' | 'warning' | 'error';
  readonly text: string;
  readonly action?: { readonly label: string; readonly run: () => void };
}

export const notices = createStore<readonly Notice[]>([]);
let lastId = 0;

export const dismiss = (id: number): void => notices.set(notices.get().filter((notice) => notice.id !== id));

/**
 * What went well disappears by itself; what can be acted upon, warnings and errors stay until they are dismissed. A session
 * that has ended has its banner, and no error beside it for each part of the page.
 */
export function notify(tone: Notice['tone'], text: string, action?: Notice['action']): void {
  if (tone === 'error' && sessionEnded.get()) return;
  const id = (lastId += 1);
  notices.set(
    [...notices.get().filter((notice) => notice.text !== text), { id, tone, text, action }].slice(-5),
  );
  if (tone === 'done' && !action) setTimeout(() => dismiss(id), 8000);
}
