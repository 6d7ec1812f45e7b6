import { hash } from 'node:crypto';

const names = new Map<string, string>();

/** A name for a statement that is put together of parts: one for each text. There are as many texts as forms of requests: some dozens. */
export function namedByText(title: string, text: string): string {
  let name = names.get(text);
  if (name === undefined) names.set(text, (name = `${title} ${hash('sha256', text, 'hex').slice(0, 16)}`));
  return name;
}
