import { bytesIn } from '../core/text/characters.ts';

/** For the headers and the boundaries of a mail, fields of unbounded length aside. */
const frame = 4096;

/** About how many bytes a mail takes as it is sent, and hardly more than that: its headers, and its parts in an encoding for mail. */
export const sizeAsSent = (headers: readonly string[], parts: readonly string[]): number =>
  [...headers.map((text) => 4 * bytesIn(text)), ...parts.map(encodedSize)].reduce((sum, size) => sum + size, frame);

/** The longer one of quoted-printable, where a line break is two bytes and folded lines are 73 to 76 long, and base64. */
function encodedSize(text: string): number {
  const bytes = bytesIn(text);
  const plain = text.match(/[ -<>-~]/g)?.length ?? 0;
  const breaks = text.match(/\n/g)?.length ?? 0;
  const quoted = plain + 3 * (bytes - plain - breaks) + 2 * breaks;
  return Math.ceil(Math.max(quoted * (76 / 73), ((bytes + breaks) * 4 / 3) * (78 / 76)));
}
