import { sessionEndedStore } from './session.ts';
import { createStore } from './store.ts';

/** A message to the user, from any part of the page. */
export interface Notice {
  readonly id: number;
  readonly tone: 'done' | 'warning' | 'error';
  readonly text: string;
  readonly action?: { readonly label: string; readonly run: () => void };
}

/** Visible notices, the newest last. */
export const notices = createStore<readonly Notice[]>([]);
let lastId = 0;
const maxNotices = 5;
const successDurationMs = 8000;

export const dismissNotice = (id: number): void =>
  notices.set(notices.get().filter((notice) => notice.id !== id));

/**
 * Shows a notice and returns its id. Success disappears by itself; warnings, errors and notices with an
 * action stay until they are dismissed. An ended session has a banner, so further errors are dropped.
 */
export function showNotice(tone: Notice['tone'], text: string, action?: Notice['action']): number {
  const id = (lastId += 1);
  if (tone === 'error' && sessionEndedStore.get()) return id;
  notices.set(
    [...notices.get().filter((notice) => notice.text !== text), { id, tone, text, action }].slice(
      -maxNotices,
    ),
  );
  if (tone === 'done' && !action) setTimeout(() => dismissNotice(id), successDurationMs);
  return id;
}
