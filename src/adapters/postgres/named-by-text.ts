import { hash } from 'node:crypto';
import type { Statement } from './database.ts';

/** Adds a value to those of a statement, and gives its placeholder. */
export type Parameter = (value: unknown, type: string) => string;

const names = new Map<string, string>();

/** A statement that is put together of parts, with a name for each text. There are as many texts as forms of requests: some dozens. */
export function namedByText(title: string, textWith: (parameter: Parameter) => string): Statement {
  const values: unknown[] = [];
  const text = textWith((value, type) => `$${values.push(value)}::${type}`);
  return named(title, text, values);
}

/** Several statements that are put together of the same parts: each with those of the values that it names. */
export function namedByTexts(
  title: string,
  textsWith: (parameter: Parameter) => readonly string[],
): Statement[] {
  const values: unknown[] = [];
  return textsWith((value, type) => `$${values.push(value)}::${type}`).map((text) => {
    const own: string[] = [];
    const renumbered = text.replaceAll(
      /\$\d+/g,
      (placeholder) =>
        `$${(own.includes(placeholder) ? own.indexOf(placeholder) : own.push(placeholder) - 1) + 1}`,
    );
    return named(
      title,
      renumbered,
      own.map((placeholder) => values[Number(placeholder.slice(1)) - 1]),
    );
  });
}

function named(title: string, text: string, values: readonly unknown[]): Statement {
  let name = names.get(text);
  if (name === undefined) names.set(text, (name = `${title} ${hash('sha256', text, 'hex').slice(0, 16)}`));
  return { name, title, text, values };
}
