import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { postOperation } from './gateway-process.ts';

const execute = promisify(execFile);
const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly version: string;
  readonly exports: object;
  readonly sideEffects: readonly string[];
};

/** A folder with nothing but the package, as `npm pack` makes it, and its dependencies. */
let installFolder: string;
const packagePath = (...path: readonly string[]): string =>
  join(installFolder, 'node_modules/resource-gateway', ...path);
const commandPath = (): string => join(installFolder, 'node_modules/.bin/resource-gateway');
const commandEnv = (): Record<string, string | undefined> => ({
  PATH: process.env.PATH,
  XDG_STATE_HOME: installFolder,
  PORT: '0',
});
const listFiles = (): string[] =>
  readdirSync(packagePath(), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(packagePath().length + 1))
    .filter((name) => !name.startsWith('node_modules/'));

/** Runs a module in the folder and parses the JSON that it prints. */
const evaluateModule = async (script: string): Promise<unknown> =>
  JSON.parse(
    (
      await execute(process.execPath, ['--input-type=module', '-e', script], {
        cwd: installFolder,
        env: commandEnv(),
      })
    ).stdout,
  ) as unknown;

beforeAll(async () => {
  installFolder = mkdtempSync(join(tmpdir(), 'package-'));
  // Packs the existing build: `prepare` would rebuild it while other tests run.
  const packArguments = 'pack --ignore-scripts --json --loglevel=error --pack-destination'.split(' ');
  const { stdout } = await execute('npm', [...packArguments, installFolder]);
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  writeFileSync(join(installFolder, 'package.json'), '{ "private": true }');
  const installArguments = 'install --prefer-offline --no-audit --no-fund --loglevel=error --prefix'.split(
    ' ',
  );
  await execute('npm', [...installArguments, installFolder, `./${filename}`], { cwd: installFolder });
});
afterAll(() => rmSync(installFolder, { recursive: true }));

describe('the package that npm pack makes, installed in an empty folder', () => {
  test('contains no tests, no build files, and no paths of this machine', () => {
    const fileNames = listFiles();
    // npm runs this script before it installs the package.
    const packagedFiles = fileNames.filter((name) => name !== 'scripts/check-node.js');
    expect(
      packagedFiles.filter((name) =>
        /(^|\/)(test|bench|scripts|with-scripts)\/|\.(test|system|process|random|map|tsbuildinfo)\b|^src\/.*\.ts$/.test(
          name,
        ),
      ),
    ).toEqual([]);
    expect(
      fileNames.filter((name) =>
        [process.cwd(), 'file:///'].some((machinePath) =>
          readFileSync(packagePath(name), 'utf8').includes(machinePath),
        ),
      ),
    ).toEqual([]);
  });

  test('contains the files that its documents link to, except pictures and those for contributors', () => {
    const linkTargets = listFiles()
      .filter((name) => name.endsWith('.md'))
      .flatMap((name) => {
        const links = [...readFileSync(packagePath(name), 'utf8').matchAll(/\]\((?!\w+:|#)([^)#]+)/g)].map(
          ([, link]) => link as string,
        );
        return links.map((link) => resolve(packagePath(dirname(name)), link).slice(packagePath().length + 1));
      });
    const missingTargets = linkTargets.filter(
      (name) =>
        !/^(docs\/images\/.*|CONTRIBUTING\.md|examples\/calendar)$/.test(name) &&
        !existsSync(packagePath(name)),
    );
    expect(linkTargets.length).toBeGreaterThan(20);
    expect(missingTargets).toEqual([]);
  });

  test('loads each module with its declared dependencies alone', async () => {
    const entryPoints = manifest.sideEffects.map((name) => resolve(packagePath(), name));
    const modules = listFiles()
      .filter((name) => /^dist\/(?!demo\/).*\.js$/.test(name))
      .map((name) => packagePath(name))
      .filter((name) => !entryPoints.includes(name));
    expect(modules.length).toBeGreaterThan(100);
    expect(
      await evaluateModule(`
      const failed = [];
      for (const name of ${JSON.stringify(modules)}) await import(name).catch((error) => failed.push(error.message));
      console.log(JSON.stringify(failed));
      process.exit();`),
    ).toEqual([]);
  });

  test('exports the validation rules and files by their names', async () => {
    const [issues, existingNames] = (await evaluateModule(`
      import { existsSync } from 'node:fs';
      import { eventIssues } from 'resource-gateway/validation';
      const names = ${JSON.stringify(Object.keys(manifest.exports))}.map((name) => name.replace('.', 'resource-gateway'));
      console.log(JSON.stringify([
        eventIssues({ start: { date: '2030-01-01' }, end: { date: '2030-01-01' } }),
        names.filter((name) => existsSync(new URL(import.meta.resolve(name)))),
      ]));`)) as [unknown, string[]];
    expect(issues).toEqual([expect.objectContaining({ path: ['event', 'end'], reason: 'timeRangeEmpty' })]);
    expect(existingNames).toEqual(
      [
        'client',
        'validation',
        'validation/json-schema',
        'schema.graphql',
        'codegen-scalars.json',
        'package.json',
      ].map((name) => `resource-gateway/${name}`),
    );
  });

  test.each(['nodenext', 'bundler'])('has types with moduleResolution %s', async (moduleResolution) => {
    mkdirSync(join(installFolder, moduleResolution));
    const file = join(installFolder, moduleResolution, 'form.mts');
    writeFileSync(
      file,
      `
      import { attendeeChangesIssues, eventIssues, notificationIssues, type Issue } from 'resource-gateway/validation';
      import { eventJsonSchema } from 'resource-gateway/validation/json-schema';
      import { graphcacheKeys, issuesOf, typePolicies, type GatewayErrorExtensions, type Warning, warningsOf } from 'resource-gateway/client';
      export const warnings: readonly Warning[] = warningsOf({});
      export const extensions: Partial<GatewayErrorExtensions> = { issues: issuesOf(undefined), code: 'NOT_FOUND' };
      export const event: readonly string[] | false = typePolicies.Event.keyFields({}, { storeObject: {} });
      export const key: string | null | undefined = graphcacheKeys.Event?.({});
      export const issues: readonly Issue[] = [...eventIssues({}, { patch: true }), ...attendeeChangesIssues({}), ...notificationIssues({})];
      // @ts-expect-error: a list of issues is no number, and no type here is any.
      export const wrong: number = eventIssues({});
      export const schema: object = eventJsonSchema();`,
    );
    const module = moduleResolution === 'bundler' ? 'esnext' : moduleResolution;
    const options = `--noEmit --strict --target es2022 --module ${module} --moduleResolution ${moduleResolution}`;
    const tscArguments = [resolve('node_modules/typescript/bin/tsc'), ...options.split(' '), file];
    await expect(execute(process.execPath, tscArguments, { cwd: installFolder })).resolves.toMatchObject({
      stdout: '',
    });
  });

  test('starts by npx, and --help shows how to start the other commands', async () => {
    const { stdout } = await execute('npx', ['--no-install', 'resource-gateway', '--help'], {
      cwd: installFolder,
    });
    expect(stdout).toMatch(/^Starts the gateway\./);
    for (const command of ['token', 'migrate', 'data']) {
      expect(stdout).toContain(`npx resource-gateway ${command} --help\n`);
      expect((await execute(commandPath(), [command, '--help'], { env: commandEnv() })).stdout).toContain(
        `\n  npx resource-gateway ${command} `,
      );
    }
    await expect(execute(commandPath(), ['serve'], { env: commandEnv() })).rejects.toMatchObject({
      code: 1,
      stderr: "Unexpected argument 'serve'. See --help.\n",
    });
    await expect(execute(commandPath(), ['data', 'load'], { env: commandEnv() })).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^Usage: export, or import/),
    });
  });

  test('runs the demo: accepts the printed tokens, serves its pages and the exported schema, ends with 0 on SIGTERM', async () => {
    const child = spawn(commandPath(), { env: commandEnv(), stdio: ['ignore', 'pipe', 'inherit'] });
    const closeEvent = once(child, 'close');
    try {
      let output = '';
      for await (const chunk of child.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false }))
        if (/else: .*\n/.test((output += chunk))) break;
      child.stdout.resume();
      const [url = '', printedToken, tokenCommand] = [
        /http:\/\/127\.0\.0\.1:\d+/,
        /TOKEN=(\S+)/,
        /else: npx resource-gateway (.*)\n/,
      ].map((pattern) => pattern.exec(output)?.at(-1));
      const { stdout: token = '' } = await execute(commandPath(), tokenCommand?.split(' '), {
        env: commandEnv(),
      });
      for (const [bearer, query, data] of [
        [
          printedToken,
          'mutation { patchEvent(calendarId: "primary", eventId: "teammeeting", event: { summary: "Moved" }) { summary } }',
          { patchEvent: { summary: 'Moved' } },
        ],
        [token.trim(), '{ calendar(calendarId: "primary") { id } }', { calendar: { id: 'bob@example.com' } }],
      ] as const) {
        expect(await (await postOperation(url, bearer ?? '', query)).json()).toEqual({ data });
      }
      for (const path of ['/demo/', '/explorer/']) {
        const page = await fetch(url + path, { headers: { accept: 'text/html' } });
        const script = /<script[^>]* src="([^"]+)"/.exec(await page.text())?.[1] ?? 'none';
        expect([page.status, (await fetch(new URL(script, url + path))).status]).toEqual([200, 200]);
      }
      expect(readFileSync(packagePath('dist/schema.graphql'), 'utf8')).toBe(
        await (await fetch(`${url}/schema.graphql`)).text(),
      );
      expect(await (await fetch(`${url}/metrics`)).text()).toContain(
        `build_info{version="${manifest.version}"} 1`,
      );
    } finally {
      child.kill('SIGTERM');
    }
    expect(await closeEvent).toEqual([0, null]);
  });
});
