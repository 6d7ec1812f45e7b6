import { cleaned } from './plain-text.ts';
import type { Wording } from './wording.ts';

/** A mail as plain text. */
export function printText({ title, lead, facts, changes, notes, link }: Wording): string {
  const blocks = [
    lead,
    [title, ...facts.map(({ label, text }) => `${label}: ${indented(text)}`)].join('\n'),
    ...(changes.length > 0
      ? [
          [
            'What changed:',
            ...changes.map(
              ({ label, before, now }) => `${label}\n  before: ${indented(before)}\n  now: ${indented(now)}`,
            ),
          ].join('\n'),
        ]
      : []),
    ...notes,
    ...(link === '' ? [] : [`The event in your calendar: ${cleaned(link)}`]),
  ];
  return `${blocks.join('\n\n')}\n`;
}

/** So that no line of what people wrote looks like one of the mail's own. */
const indented = (text: string): string => cleaned(text).trim().replaceAll('\n', '\n    ');
