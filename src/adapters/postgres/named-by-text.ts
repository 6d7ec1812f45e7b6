import { hash } from 'node:crypto';
import type { Statement } from './database.ts';

/** Adds a value to those of a statement, and gives its placeholder. */
export type Parameter = (value: unknown, type: string) => string;

const names = new Map<string, string>();

/** A statement that is put together of parts, with a name for each text. There are as many texts as forms of requests: some dozens. */
export function namedByText(title: string, textWith: (parameter: Parameter) => string): Statement {
  const values: unknown[] = [];
  const text = textWith((value, type) => `$${values.push(value)}::${type}`);
  let name = names.get(text);
  if (name === undefined) names.set(text, (name = `${title} ${hash('sha256', text, 'hex').slice(0, 16)}`));
  return { name, title, text, values };
}
