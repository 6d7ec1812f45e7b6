import { cleaned } from './plain-text.ts';

/** Lines of iCalendar objects (RFC 5545, section 3.1). */

export type Parameters = Readonly<Record<string, string | undefined>>;

const mostOctets = 75;
const inText: Readonly<Record<string, string>> = { '\\': '\\\\', ';': '\\;', ',': '\\,', '\n': '\\n' };
const inParameter: Readonly<Record<string, string>> = { '^': '^^', '"': "^'", '\n': '^n' };

/** A value of type TEXT. */
export const textValue = (text: string): string =>
  cleaned(text).replace(/[\\;,\n]/g, (character) => inText[character] as string);

/** By RFC 6868. */
function parameterValue(text: string): string {
  const value = cleaned(text).replace(/[\^"\n]/g, (character) => inParameter[character] as string);
  return /[:;,]/.test(value) ? `"${value}"` : value;
}

/** A line that is not folded yet; its value must be written already. */
export function contentLine(name: string, value: string, parameters: Parameters = {}): string {
  const written = Object.entries(parameters).map(([key, text]) =>
    text === undefined ? '' : `;${key}=${parameterValue(text)}`,
  );
  return `${name}${written.join('')}:${value}`;
}

export const textLine = (name: string, text: string): string => contentLine(name, textValue(text));

/** The address as a URI (RFC 6068). */
export function mailtoUri(address: string): string {
  const [local = '', domain = ''] = cleaned(address)
    .split(/@(?=[^@]*$)/)
    .map((part) => encodeURIComponent(part).replace(/%(?:2B|24)/g, decodeURIComponent));
  return `mailto:${local}@${domain}`;
}

export const component = (name: string, lines: readonly string[]): string[] => [
  `BEGIN:${name}`,
  ...lines,
  `END:${name}`,
];

export const printLines = (lines: readonly string[]): string =>
  lines.map((line) => `${folded(line)}\r\n`).join('');

/** Folded between characters. */
function folded(line: string): string {
  if (line.length * 3 <= mostOctets) return line;
  const pieces: string[] = [];
  let [from, octets] = [0, 0];
  for (let at = 0; at < line.length;) {
    const point = line.codePointAt(at) as number;
    const size = octetsOf(point);
    if (octets + size > mostOctets) {
      pieces.push(line.slice(from, at));
      [from, octets] = [at, 1];
    }
    octets += size;
    at += point < 0x10000 ? 1 : 2;
  }
  return [...pieces, line.slice(from)].join('\r\n ');
}

/** In UTF-8. */
function octetsOf(point: number): number {
  if (point < 0x80) return 1;
  if (point < 0x800) return 2;
  return point < 0x10000 ? 3 : 4;
}
