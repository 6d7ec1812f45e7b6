import { hasSessionEnded } from './session.ts';
import { makeVar } from '@apollo/client';

/** A message to the user, from any part of the page. */
export interface Notice {
  readonly id: number;
  readonly tone: 'done' | 'info' | 'warning' | 'error';
  readonly text: string;
  readonly action?: { readonly label: string; readonly run: () => void };
  /** Object that changed, as a path such as `calendar/series/instance`. */
  readonly subject?: string;
}

/** Visible notices, the newest last. */
export const notices = makeVar<readonly Notice[]>([]);
let lastId = 0;
const maxNotices = 5;
const successDurationMs = 8000;

export const dismissNotice = (id: number): void =>
  void notices(notices().filter((notice) => notice.id !== id));

/**
 * Shows a notice. Success and information disappear by themselves; warnings, errors and notices with an
 * action stay until they are dismissed, or until a newer notice reports a change of their subject or of what
 * contains it: what they offer would fail then. An ended session has a banner, so further errors are dropped.
 */
export function showNotice(
  tone: Notice['tone'],
  text: string,
  action?: Notice['action'],
  subject?: string,
): void {
  const id = (lastId += 1);
  if (tone === 'error' && hasSessionEnded()) return;
  const isReplaced = (notice: Notice): boolean =>
    subject === undefined ? notice.text === text : `${notice.subject}/`.startsWith(`${subject}/`);
  const otherNotices = notices().filter((notice) => !isReplaced(notice));
  notices([...otherNotices, { id, tone, text, action, subject }].slice(-maxNotices));
  if ((tone === 'done' || tone === 'info') && !action) setTimeout(() => dismissNotice(id), successDurationMs);
}
