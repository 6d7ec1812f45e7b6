import { isDate } from '../../core/text/rfc3339.ts';

/** How a date or a time is written in a recurrence line: a day, a time without zone, a time in UTC. */
export type ValueForm = 'date' | 'local' | 'utc';

const VALUE = /^(\d{4})(\d{2})(\d{2})(T(?:[01]\d|2[0-3])[0-5]\d[0-5]\d(Z)?)?$/i;
const HOURS = String.raw`\d{1,9}H(?:\d{1,9}M(?:\d{1,9}S)?)?|\d{1,9}M(?:\d{1,9}S)?|\d{1,9}S`;
const DURATION = new RegExp(String.raw`^\+?P(?:\d{1,9}W|\d{1,9}D(?:T(?:${HOURS}))?|T(?:${HOURS}))$`, 'i');
const LONGEST_QUOTE = 40;
const QUOTED_AT_MOST = 3;

/** Reads a DATE or DATE-TIME (RFC 5545, sections 3.3.4 and 3.3.5; no leap second); null when it is neither. */
export function formOf(text: string): ValueForm | null {
  const match = VALUE.exec(text);
  if (!match || !isDate(`${match[1]}-${match[2]}-${match[3]}`)) return null;
  if (match[4] === undefined) return 'date';
  return match[5] === undefined ? 'local' : 'utc';
}

/**
 * Reads a PERIOD (RFC 5545, section 3.3.9): a time, a slash, then a later time of the same form or a duration above
 * zero. Gives the form of its times; null when it is no such period.
 */
export function periodFormOf(text: string): ValueForm | null {
  const [from, to, ...rest] = text.split('/', 3);
  if (from === undefined || to === undefined || rest.length > 0) return null;
  const form = formOf(from);
  if (form === null || form === 'date') return null;
  if (DURATION.test(to)) return /[1-9]/.test(to) ? form : null;
  // Of two texts of one form the later time is the greater text.
  return formOf(to) === form && to.toUpperCase() > from.toUpperCase() ? form : null;
}

/** Names the offending pieces of a line in a message: the first few, cut to a readable length. */
export function quote(pieces: readonly string[]): string {
  const shown = pieces.slice(0, QUOTED_AT_MOST).map((piece) => `"${cut(piece)}"`);
  const more = pieces.length - shown.length;
  return shown.join(', ') + (more > 0 ? ` and ${more} more` : '');
}

const cut = (text: string): string =>
  text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text;
