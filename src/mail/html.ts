import { cleaned } from './plain-text.ts';
import type { Wording } from './wording.ts';

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
