import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../../../src/adapters/postgres', import.meta.url));
const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => readFileSync(join(folder, file), 'utf8'));

test('the name of a statement stands for one text, as a connection prepares it once', () => {
  const texts = new Map<string, Set<string>>();
  for (const source of sources) {
    for (const [, name = '', text = ''] of source.matchAll(
      /\bname: '([^']+)',\s*text: (.*?)(?:,? values| \}|,\n)/gs,
    ))
      texts.set(name, (texts.get(name) ?? new Set()).add(text));
    for (const [, name = ''] of source.matchAll(/\bforTables\('([^']+)'/g))
      texts.set(`${name} …`, (texts.get(`${name} …`) ?? new Set()).add(String(texts.size)));
  }
  expect(texts.size).toBeGreaterThan(60);
  expect([...texts].filter(([, of]) => of.size > 1)).toEqual([]);
});
