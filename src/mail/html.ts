import { cleanText } from './content-lines.ts';
import type { Wording } from './wording.ts';

/** Writes a mail as plain text. */
export function printText({ title, lead, details, changes, notes, link }: Wording): string {
  const blocks = [
    lead,
    [title, ...details.map(({ label, text }) => `${label}: ${indent(text)}`)].join('\n'),
    ...(changes.length > 0
      ? [
          [
            'What changed:',
            ...changes.map(
              ({ label, before, now }) => `${label}\n  before: ${indent(before)}\n  now: ${indent(now)}`,
            ),
          ].join('\n'),
        ]
      : []),
    ...notes,
    ...(link === '' ? [] : [`The event in your calendar: ${cleanText(link)}`]),
  ];
  return `${blocks.join('\n\n')}\n`;
}

/** Indents user text, so that none of its lines can imitate a line of the mail. */
const indent = (text: string): string => cleanText(text).trim().replaceAll('\n', '\n    ');

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '\n': '<br>\n',
};

const escapeHtml = (text: string): string =>
  cleanText(text)
    .trim()
    .replace(/[&<>"'\n]/g, (character) => escapes[character] as string);

/** Writes a mail as HTML that loads no remote content. */
export function printHtml({ title, lead, details, changes, notes, link }: Wording): string {
  return [
    '<!DOCTYPE html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<title>${escapeHtml(title)}</title>`,
    '</head>',
    '<body>',
    '<main>',
    `<h1>${escapeHtml(title)}</h1>`,
    `<p>${escapeHtml(lead)}</p>`,
    '<dl>',
    ...details.map(({ label, text }) => `<dt>${label}</dt>\n<dd>${escapeHtml(text)}</dd>`),
    '</dl>',
    ...changesTable(changes),
    ...notes.map((note) => `<p>${note}</p>`),
    ...eventLink(link),
    '</main>',
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

function changesTable(changes: Wording['changes']): string[] {
  if (changes.length === 0) return [];
  const rows = changes.map(
    ({ label, before, now }) =>
      `<tr><th scope="row">${label}</th><td>${escapeHtml(before)}</td><td>${escapeHtml(now)}</td></tr>`,
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

const eventLink = (link: string): string[] =>
  /^https?:\/\//i.test(link) ? [`<p><a href="${escapeHtml(link)}">The event in your calendar</a></p>`] : [];
