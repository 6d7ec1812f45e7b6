import { canonicalJson } from '../../core/kernel/canonical-json.ts';
import { isFields } from '../../core/kernel/patch.ts';

/** Whether two values of a field say the same, although a service spells them otherwise: texts, rules of recurrence, lists in any order. */
export const sameMeaning = (one: unknown, other: unknown): boolean =>
  canonicalJson(meaningOf(one)) === canonicalJson(meaningOf(other));

function meaningOf(value: unknown): unknown {
  if (typeof value === 'string') return textOf(value);
  if (Array.isArray(value)) return value.length === 0 ? null : [...new Set(value.map(entryOf))].sort();
  return value ?? null;
}

/** Without markup, punctuation and blanks, where there is anything else. */
function textOf(text: string): string | null {
  const words = text
    .normalize('NFKC')
    .replaceAll(/<[^>]*>|&#?\w+;/g, '')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();
  return (words === '' ? text.trim() : words) || null;
}

function entryOf(entry: unknown): string {
  if (typeof entry === 'string') return lineOf(entry);
  // Of a file the service may know another title.
  return isFields(entry) && typeof entry.fileUrl === 'string' ? entry.fileUrl : canonicalJson(entry);
}

/** A line of a recurrence: the parts of a rule in any order, without those that are as usual; of dates the days. */
function lineOf(line: string): string {
  const [, name = '', rest = ''] = /^([^;:]*)(.*)$/s.exec(line.toUpperCase().trim()) ?? [];
  const days = (text: string): string => (text.match(/\d{8}/g) ?? []).sort().join();
  if (!name.endsWith('RULE')) return `${name}:${days(rest)}`;
  const parts = rest
    .replace(/^.*:/s, '')
    .split(';')
    .filter((part) => part !== '' && part !== 'INTERVAL=1' && !part.startsWith('WKST='));
  return `${name}:${parts
    .map((part) => (part.startsWith('UNTIL=') ? `UNTIL=${days(part)}` : part.split(/[=,]/).sort().join()))
    .sort()
    .join(';')}`;
}
