import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSchema, parse, validate } from 'graphql';
import { edgeRows } from '../../src/faces/graphql/graph.ts';
import { readTypeDefs } from '../../src/faces/graphql/schema.ts';
import { startGateway } from '../harness.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const readRootFile = (file: string): string => readFileSync(join(root, file), 'utf8');
const pages = ['.', 'docs', 'docs/clients', 'docs/decisions'].flatMap((folder) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name)),
);

/** Reads the text of a page without its blocks of code. */
const readProse = (page: string): string => readRootFile(page).replaceAll(/^```.*?^```$/gms, '');
const readBlocks = (page: string, kind: string): string[] =>
  [...readRootFile(page).matchAll(new RegExp(`^\`\`\`${kind}\\n(.*?)^\`\`\`$`, 'gms'))].map(
    ([, text = '']) => text,
  );

/** Lists the anchors of a page's headings, as GitHub makes them. */
function listAnchors(page: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of readProse(page).matchAll(/^#+ (.+)$/gm)) {
    const anchor = heading
      .replaceAll(/\[(.*?)\]\(.*?\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-');
    let uniqueAnchor = anchor;
    for (let n = 1; anchors.has(uniqueAnchor); n += 1) uniqueAnchor = `${anchor}-${n}`;
    anchors.add(uniqueAnchor);
  }
  return anchors;
}

test.each(pages)('%s has links that work', (page) => {
  const brokenLinks = [...readProse(page).matchAll(/\]\((?!https?:)([^)#]*)#?([^)]*)\)/g)].filter(
    ([, file = '', anchor = '']) => {
      const target = file === '' ? page : relative(root, join(root, dirname(page), file));
      return !existsSync(join(root, target)) || (anchor !== '' && !listAnchors(target).has(anchor));
    },
  );
  expect(brokenLinks.map(([link]) => link)).toEqual([]);
});

// The changelog also names removed commands.
test.each(pages.filter((page) => page !== 'CHANGELOG.md'))('%s names only existing npm scripts', (page) => {
  const { scripts } = JSON.parse(readRootFile('package.json')) as { scripts: Record<string, string> };
  const namedScripts = [...readRootFile(page).matchAll(/npm run (?:-s )?([\w:]+)/g)].map(
    ([, name = '']) => name,
  );
  expect(namedScripts.filter((name) => !(name in scripts))).toEqual([]);
});

test('every operation on the pages fits the schema', () => {
  const schema = buildSchema(readTypeDefs().join('\n'));
  const faults = pages
    .filter((page) => page !== 'docs/schema.md')
    .flatMap((page) =>
      readBlocks(page, 'graphql').flatMap((text) =>
        validate(schema, parse(text)).map(({ message }) => `${page}: ${message}`),
      ),
    );
  expect(faults).toEqual([]);
});

test('docs/graph.md has a row for every edge with its root field', () => {
  const rows = [...readRootFile('docs/graph.md').matchAll(/^\| `(\w+\.\w+)[^|]*\| `(\w+)/gm)];
  const edges = Object.entries(edgeRows).map(([path, { operation }]) => [path, operation]);
  expect(rows.map(([, path, operation]) => [path, operation])).toEqual(edges);
});

const decisions = readdirSync(join(root, 'docs/decisions')).filter((name) => /^\d{4}-.*\.md$/.test(name));

test('the index of decisions has the number, title and status of each file', () => {
  const rows = [
    ...readRootFile('docs/decisions/README.md').matchAll(/^\| \[(\d{4})\]\((.*)\) \| (.*) \| (.*) \|$/gm),
  ];
  const expectedRows = decisions.map((name) => {
    const [, number, title] = /^# (\d{4})\. (.+)$/m.exec(readRootFile(join('docs/decisions', name))) ?? [];
    const [, status] =
      /^Status: ((?:accepted|superseded by \d{4}).*)$/m.exec(readRootFile(join('docs/decisions', name))) ??
      [];
    return [number, name, title, status];
  });
  expect(rows.map(([, ...cells]) => cells)).toEqual(expectedRows);
});

test.each(decisions)('decision %s has its sections', (name) => {
  const headings = [...readRootFile(join('docs/decisions', name)).matchAll(/^## (.+)$/gm)].map(
    ([, heading]) => heading,
  );
  expect(headings).toEqual(['Context', 'Decision', 'Reason', 'Overturned by']);
});

test('docs/glossary.md names files that exist, and types that they declare', () => {
  const rows = [...readRootFile('docs/glossary.md').matchAll(/^\| [^|]+ \| .+ \| (`.+`) \|$/gm)];
  const wrongRows = rows.filter(([, cell = '']) => {
    const names = [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
    const file = join('src', names.pop() as string);
    return (
      !existsSync(join(root, file)) ||
      !names.every((name) => new RegExp(`\\b${name}\\b`).test(readRootFile(file)))
    );
  });
  expect(rows.length).toBeGreaterThan(40);
  expect(wrongRows.map(([row]) => row)).toEqual([]);
});

test('the sources name only existing pages', () => {
  const namedPages = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => readRootFile(join('src', name)).match(/docs\/[\w./-]+\.(md|sql)/g) ?? []);
  expect(namedPages).not.toEqual([]);
  expect(namedPages.filter((name) => !existsSync(join(root, name)))).toEqual([]);
});

test('README.md and CI install with npm ci', () => {
  expect(readRootFile('README.md')).toMatch(/^npm ci && npm start$/m);
  expect(readRootFile('.ci/run')).toMatch(/^npm ci\b/m);
});

test('the file in docs/data.md can be loaded as a seed', async () => {
  const [seed = ''] = readBlocks('docs/data.md', 'json');
  const gateway = await startGateway({}, { seed: JSON.parse(seed) });
  const { data } = await gateway.ask(`{ event(calendarId: "primary", eventId: "kickoff") { summary }
    notifications(bucket: "my-photos") { topic } }`);
  const topic = '//pubsub.googleapis.com/projects/my-project/topics/photos';
  expect(data).toEqual({ event: { summary: 'Kick-off' }, notifications: [{ topic }] });
  await gateway.close();
});
