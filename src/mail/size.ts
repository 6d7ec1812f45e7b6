import { bytesIn } from '../core/text/characters.ts';

/** For headers of bounded length, and the boundaries of parts. */
const frame = 4096;

interface Parts {
  /** What people wrote in headers. */
  readonly headers: readonly string[];
  readonly texts: readonly string[];
  readonly calendar: string;
}

/** How many bytes a mail takes as it is sent, at most: texts in quoted-printable or base64, the calendar in base64. */
export const sizeAsSent = ({ headers, texts, calendar }: Parts): number =>
  frame +
  sum(headers.map((text) => 4 * bytesIn(text))) +
  sum(texts.map((text) => Math.max(inQuotedPrintable(text), inBase64(text)))) +
  inBase64(calendar);

/** Lines of 76 characters. */
const inBase64 = (text: string): number => Math.ceil((bytesIn(text) + count(text, /\n/g)) / 57) * 78;

/** Lines are folded behind 73 characters or more, by three; a line break is two bytes. */
function inQuotedPrintable(text: string): number {
  const [plain, breaks] = [count(text, /[ -<>-~]/g), count(text, /\n/g)];
  return Math.ceil((plain + 3 * (bytesIn(text) - plain - breaks) + 2 * breaks) * (76 / 73));
}

const count = (text: string, of: RegExp): number => text.match(of)?.length ?? 0;
const sum = (sizes: readonly number[]): number => sizes.reduce((total, size) => total + size, 0);
