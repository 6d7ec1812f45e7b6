import { errorAt } from '../../../core/kernel/errors.ts';
import { eventLoop } from '../../../core/runtime/event-loop.ts';
import { JsonWriter, maxLength, TooLongError } from '../../../core/runtime/json-writer.ts';

type Json = Readonly<Record<string, unknown>>;

/** Writes an answer as JSON, compact or indented; other requests have their turn meanwhile. Throws for one that is too long. */
export async function textOf(json: Json, indented: boolean): Promise<string> {
  try {
    return indented ? await indentedText(json) : await new JsonWriter().write(json);
  } catch (error) {
    if (!(error instanceof TooLongError)) throw error;
    throw errorAt(
      'BAD_USER_INPUT',
      [],
      'tooLong',
      'The answer is too long to be sent. Ask for less at once.',
    );
  }
}

/** As `JSON.stringify(json, undefined, 2)`, the entries of lists one by one. */
async function indentedText(json: Json): Promise<string> {
  let left = maxLength;
  const written = (value: unknown, margin: string): string => {
    const text = JSON.stringify(value, undefined, 2).replaceAll('\n', `\n${margin}`);
    left -= text.length;
    if (left < 0) throw new TooLongError();
    return text;
  };
  const fields: string[] = [];
  for (const [name, value] of Object.entries(json)) {
    const isList = Array.isArray(value) && value.length > 0;
    fields.push(
      `  ${JSON.stringify(name)}: ${isList ? `[\n${await entriesOf(value, written)}\n  ]` : written(value, '  ')}`,
    );
  }
  return fields.length === 0 ? '{}' : `{\n${fields.join(',\n')}\n}`;
}

async function entriesOf(
  list: readonly unknown[],
  written: (value: unknown, margin: string) => string,
): Promise<string> {
  const entries: string[] = [];
  for (const entry of list) {
    const turn = eventLoop.enter();
    if (turn) await turn;
    entries.push(`    ${written(entry, '    ')}`);
  }
  return entries.join(',\n');
}
