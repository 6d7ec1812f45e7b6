import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startGateway, tokenFor } from '../harness.ts';
import { listenOnFreePort } from '../http/raw-http.ts';

const rootUrl = new URL('../../', import.meta.url);
const recipePath = (name: string): string => fileURLToPath(new URL(`examples/clients/${name}`, rootUrl));
const runProgram = promisify(execFile);

/** Code blocks of the pages with the file of their recipe, without shell and JSON blocks of the README. */
const codeBlocks = ['docs/clients/README.md', 'README.md'].flatMap((page) =>
  [...readFileSync(new URL(page, rootUrl), 'utf8').matchAll(/^```(\w*) ?(\S*)\n([^]*?)^```$/gm)]
    .map(([, language = '', file = '', code = '']) => ({ page, language, file, code }))
    .filter(
      ({ language, file }) => page.startsWith('docs') || file !== '' || !['json', 'sh'].includes(language),
    ),
);

describe('the pages for front ends', () => {
  test('show at least 16 code blocks', () => expect(codeBlocks.length).toBeGreaterThan(15));

  test.each(codeBlocks)('show in $page code of the tested file $file', ({ file, code }) => {
    expect(file).not.toBe('');
    expect(readFileSync(recipePath(file), 'utf8')).toContain(code);
  });

  test('name a type for every scalar', () => {
    const scalars = JSON.parse(readFileSync(recipePath('codegen-scalars.json'), 'utf8')) as object;
    const schemaScalars = [
      ...readFileSync(new URL('schema/base.graphql', rootUrl), 'utf8').matchAll(/^scalar (\w+)/gm),
    ].map(([, name]) => name);
    expect(Object.keys(scalars).sort()).toEqual(['ID', ...schemaScalars].sort());
    const { customScalarTypes } = JSON.parse(readFileSync(recipePath('relay/relay.config.json'), 'utf8')) as {
      readonly customScalarTypes: object;
    };
    // The scalar of the federation occurs only in arguments of directives.
    const selectableScalars = schemaScalars.filter((name) => name !== 'federation__Scope');
    expect(Object.keys(customScalarTypes).sort()).toEqual(selectableScalars.sort());
  });

  test('download the schema, and write no file if it is refused', async () => {
    const gateway = await startGateway({ INTROSPECTION: 'authenticated' });
    const cwd = mkdtempSync(join(tmpdir(), 'schema-'));
    try {
      const env = {
        PATH: process.env.PATH,
        GATEWAY_URL: `http://127.0.0.1:${await listenOnFreePort(gateway)}`,
      };
      const download = (TOKEN: string) =>
        runProgram('sh', [recipePath('schema.sh')], { cwd, env: { ...env, TOKEN } });
      await expect(download('none')).rejects.toMatchObject({ stderr: expect.stringContaining('401') });
      expect(existsSync(join(cwd, 'schema.graphql'))).toBe(false);
      await download(await tokenFor('alice@example.com'));
      expect(readFileSync(join(cwd, 'schema.graphql'), 'utf8')).toContain('input EventInput');
    } finally {
      rmSync(cwd, { recursive: true });
      await gateway.close();
    }
  });
});
