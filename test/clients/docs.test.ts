import { readFileSync } from 'node:fs';

const root = new URL('../../', import.meta.url);
const page = readFileSync(new URL('docs/clients/README.md', root), 'utf8');
const blocks = [...page.matchAll(/^```ts (\S+)\n([^]*?)^```$/gm)].map(([, file = '', code = '']) => ({ file, code }));

describe('the page for front ends', () => {
  test('shows recipes', () => expect(blocks.length).toBeGreaterThan(7));

  test.each(blocks)('shows of $file what is tested', ({ file, code }) => {
    expect(readFileSync(new URL(`examples/clients/${file}`, root), 'utf8')).toContain(code);
  });

  test('names a type for every scalar', () => {
    const scalars = JSON.parse(readFileSync(new URL('docs/clients/codegen-scalars.json', root), 'utf8')) as object;
    const own = [...readFileSync(new URL('schema/base.graphql', root), 'utf8').matchAll(/^scalar (\w+)/gm)].map(([, name]) => name);
    expect(Object.keys(scalars).sort()).toEqual(['ID', ...own].sort());
  });
});
