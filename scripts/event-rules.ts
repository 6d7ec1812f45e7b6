// Writes the page of event rules from the table of fields: `npm run docs`. `--check` reports an outdated page instead.
import { readFileSync, writeFileSync } from 'node:fs';
import { descriptionOf, compileTable, type FieldNode } from '../src/core/fields/table.ts';
import { eventFields } from '../src/event/model/fields.ts';
import { eventRules } from '../src/event/rules/rules.ts';
import { changeClassTexts } from './change-class-texts.ts';

const pageFile = 'docs/event-rules.md';

/** A field with its path as in the table: `attendees[].email`. */
type FieldWithPath = readonly [path: string, node: FieldNode];

/** Lists the fields below a node, each followed by the fields below it. */
function listFields(node: FieldNode, prefix = ''): FieldWithPath[] {
  return [...node.fields.values(), ...(node.entry ? [node.entry] : [])].flatMap((field): FieldWithPath[] => {
    const path = `${prefix}${field.name}${field.kind === 'list' ? '[]' : ''}`;
    return [[path, field], ...listFields(field, `${path}.`)];
  });
}

/** Place where a field is stored (`storedIn`), in the words of the page. */
const storageNames: Readonly<Record<string, string>> = {
  core: 'the event',
  copy: 'each copy',
  viewer: 'each user of a copy',
  computed: 'nowhere: worked out',
};

function formatLimits({ value, entryName, max, isRequired }: FieldNode): string {
  return [
    ...(isRequired ? ['required in an entry'] : []),
    ...(max ? [`at most ${max.entries} ${max.label}`] : []),
    ...(entryName ? [`name: ${descriptionOf(entryName)}`] : []),
    ...(value ? [describeValue(value)].filter((limit) => limit !== '') : []),
  ].join('; ');
}

/** Describes the permitted values of a field: its options, else its format. */
function describeValue(value: NonNullable<FieldNode['value']>): string {
  const allowedValues = 'options' in value ? (value.options as readonly string[]) : undefined;
  return allowedValues ? allowedValues.map((option) => `\`${option}\``).join(', ') : descriptionOf(value);
}

const formatFlag = (isTrue: true | undefined): string => (isTrue ? 'yes' : '');

function formatRow([path, node]: FieldWithPath): string {
  const { change, storedIn, default: defaultValue, locked, timeOnly, shownWhenCancelled } = node;
  const rowCells = [
    `\`${path}\``,
    changeClassTexts[change].word,
    storageNames[storedIn],
    defaultValue === undefined ? '' : `\`${String(defaultValue)}\``,
    formatLimits(node),
    formatFlag(locked),
    formatFlag(timeOnly),
    formatFlag(shownWhenCancelled),
  ];
  return `| ${rowCells.join(' | ')} |`;
}

/** Creates the lines of a Markdown table; the first row is the head. */
const createTable = (...rows: readonly (readonly string[])[]): string[] => {
  const [head = [], ...body] = rows;
  return [
    `| ${head.join(' | ')} |`,
    `|${head.map(() => '---|').join('')}`,
    ...body.map((rowCells) => `| ${rowCells.join(' | ')} |`),
  ];
};

function createPage(): string {
  const fields = listFields(compileTable(eventFields));
  return [
    '# The rules of events',
    '',
    'Made by `npm run docs` from the table of fields (`src/event/model/fields.ts`) and the rules (`src/event/rules/`): change',
    'those, not this page.',
    '',
    '## Who may change a field',
    '',
    ...createTable(
      ['word', 'meaning'],
      ...Object.values(changeClassTexts).map(({ word, meaning }) => [word, meaning]),
    ),
    '',
    `## The ${fields.length} fields`,
    '',
    'Locked: refused on a locked copy. Time: seen by those who may know when an event is, but not what. Gone: left of an event',
    'that was cancelled, for those who follow changes. List entries are written `[]`, map entries `*`.',
    '',
    ...createTable(['field', 'who may change it', 'kept by', 'default', 'limits', 'locked', 'time', 'gone']),
    ...fields.map(formatRow),
    '',
    '## Rules over several fields',
    '',
    'Held against an event when a change touches one of these fields; against a new event always.',
    '',
    ...createTable(
      ['rule', 'fields'],
      ...eventRules.map(({ title, triggers }) => [
        title,
        triggers.map((name) => `\`${name}\``).join(', ') || 'new events only',
      ]),
    ),
    '',
  ].join('\n');
}

const pageText = createPage();
if (!process.argv.includes('--check')) writeFileSync(pageFile, pageText);
else if (readFileSync(pageFile, 'utf8') !== pageText) {
  process.stderr.write(`${pageFile} does not say what the table of fields says. Run: npm run docs\n`);
  process.exitCode = 1;
}
