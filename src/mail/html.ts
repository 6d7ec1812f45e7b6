import { cleaned } from './content-lines.ts';
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

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '\n': '<br>\n',
};

const escaped = (text: string): string =>
  cleaned(text)
    .trim()
    .replace(/[&<>"'\n]/g, (character) => escapes[character] as string);

/** A mail as HTML that loads nothing. */
export function printHtml({ title, lead, facts, changes, notes, link }: Wording): string {
  return [
    '<!DOCTYPE html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<title>${escaped(title)}</title>`,
    '</head>',
    '<body>',
    '<main>',
    `<h1>${escaped(title)}</h1>`,
    `<p>${escaped(lead)}</p>`,
    '<dl>',
    ...facts.map(({ label, text }) => `<dt>${label}</dt>\n<dd>${escaped(text)}</dd>`),
    '</dl>',
    ...tableOf(changes),
    ...notes.map((note) => `<p>${note}</p>`),
    ...linkTo(link),
    '</main>',
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

function tableOf(changes: Wording['changes']): string[] {
  if (changes.length === 0) return [];
  const rows = changes.map(
    ({ label, before, now }) =>
      `<tr><th scope="row">${label}</th><td>${escaped(before)}</td><td>${escaped(now)}</td></tr>`,
  );
  return [
    '<h2>What changed</h2>',
    '<table>',
    '<thead><tr><th scope="col">Field</th><th scope="col">Before</th><th scope="col">Now</th></tr></thead>',
    '<tbody>',
    ...rows,
    '</tbody>',
    '</table>',
  ];
}

const linkTo = (link: string): string[] =>
  /^https?:\/\//i.test(link) ? [`<p><a href="${escaped(link)}">The event in your calendar</a></p>`] : [];
