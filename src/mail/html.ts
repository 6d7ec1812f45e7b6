import { escapeHtml } from '../core/text/html.ts';
import { cleanText } from '../icalendar/content-lines.ts';
import type { Wording } from './wording.ts';

/** Writes a mail as plain text. */
export function formatText({ title, lead, details, changes, notes, link }: Wording): string {
  const paragraphs = [
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
  return `${paragraphs.join('\n\n')}\n`;
}

/** Indents user text, so that none of its lines can imitate a line of the mail. */
const indent = (text: string): string => cleanText(text).trim().replaceAll('\n', '\n    ');

/** Cleans and escapes user text, and keeps its line breaks. */
const toHtml = (text: string): string => escapeHtml(cleanText(text).trim()).replaceAll('\n', '<br>\n');

/** Writes a mail as HTML that loads no remote content. */
export function formatHtml({ title, lead, details, changes, notes, link }: Wording): string {
  return [
    '<!DOCTYPE html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<title>${toHtml(title)}</title>`,
    '</head>',
    '<body>',
    '<main>',
    `<h1>${toHtml(title)}</h1>`,
    `<p>${toHtml(lead)}</p>`,
    '<dl>',
    ...details.map(({ label, text }) => `<dt>${label}</dt>\n<dd>${toHtml(text)}</dd>`),
    '</dl>',
    ...formatChangesTable(changes),
    ...notes.map((note) => `<p>${note}</p>`),
    ...formatEventLink(link),
    '</main>',
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

function formatChangesTable(changes: Wording['changes']): string[] {
  if (changes.length === 0) return [];
  const rows = changes.map(
    ({ label, before, now }) =>
      `<tr><th scope="row">${label}</th><td>${toHtml(before)}</td><td>${toHtml(now)}</td></tr>`,
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

/** Formats the link to the event, unless it is no web address. */
const formatEventLink = (link: string): string[] =>
  /^https?:\/\//i.test(link) ? [`<p><a href="${toHtml(link)}">The event in your calendar</a></p>`] : [];
