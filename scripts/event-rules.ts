import { readFileSync, writeFileSync } from 'node:fs';
import { descriptionOf } from '../src/core/fields/values.ts';
import { compileTable, type FieldNode } from '../src/core/fields/table.ts';
import { eventFields } from '../src/event/model/fields.ts';
import { eventRules } from '../src/event/rules/rules.ts';
import { ruleWords } from './rule-words.ts';

const file = 'docs/event-rules.md';

/** A field with its path as in the table: `attendees[].email`. */
type FieldWithPath = readonly [path: string, node: FieldNode];

function listFields(node: FieldNode, prefix = ''): FieldWithPath[] {
  return [...node.fields.values(), ...(node.entry ? [node.entry] : [])].flatMap((field): FieldWithPath[] => {
    const path = `${prefix}${field.name}${field.kind === 'list' ? '[]' : ''}`;
    return [[path, field], ...listFields(field, `${path}.`)];
  });
}

const storageNames: Readonly<Record<string, string>> = {
  core: 'the event',
  copy: 'each copy',
  viewer: 'each user of a copy',
  computed: 'nowhere: worked out',
};

function printLimits({ value, entryName, max, needed }: FieldNode): string {
  return [
    ...(needed ? ['required in an entry'] : []),
    ...(max ? [`at most ${max.entries} ${max.called}`] : []),
    ...(entryName ? [`name: ${descriptionOf(entryName)}`] : []),
    ...(value ? [describe(value)].filter((limit) => limit !== '') : []),
  ].join('; ');
}

function describe(value: NonNullable<FieldNode['value']>): string {
  const options = 'options' in value ? (value.options as readonly string[]) : undefined;
  return options ? options.map((option) => `\`${option}\``).join(', ') : descriptionOf(value);
}

const yesIf = (isTrue: true | undefined): string => (isTrue ? 'yes' : '');

function printRow([path, node]: FieldWithPath): string {
  const { change, storedIn, default: defaultValue, locked, timeOnly, whenGone } = node;
  const cells = [
    `\`${path}\``,
    ruleWords[change].word,
    storageNames[storedIn],
    defaultValue === undefined ? '' : `\`${String(defaultValue)}\``,
    printLimits(node),
    yesIf(locked),
    yesIf(timeOnly),
    yesIf(whenGone),
  ];
  return `| ${cells.join(' | ')} |`;
}

const table = (...rows: readonly (readonly string[])[]): string[] => {
  const [head = [], ...body] = rows;
  return [
    `| ${head.join(' | ')} |`,
    `|${head.map(() => '---|').join('')}`,
    ...body.map((cells) => `| ${cells.join(' | ')} |`),
  ];
};

function page(): string {
  const fields = listFields(compileTable(eventFields));
  return [
    '# The rules of events',
    '',
    'Made by `npm run docs` from the table of fields (`src/event/model/fields.ts`) and the rules (`src/event/rules/`): change',
    'those, not this page.',
    '',
    '## Who may change a field',
    '',
    ...table(['word', 'meaning'], ...Object.values(ruleWords).map(({ word, meaning }) => [word, meaning])),
    '',
    `## The ${fields.length} fields`,
    '',
    'Locked: refused on a locked copy. Time: seen by those who may know when an event is, but not what. Gone: left of an event',
    'that was cancelled, for those who follow changes. List entries are written `[]`, map entries `*`.',
    '',
    ...table(['field', 'who may change it', 'kept by', 'default', 'limits', 'locked', 'time', 'gone']),
    ...fields.map(printRow),
    '',
    '## Rules over several fields',
    '',
    'Held against an event when a change touches one of these fields; against a new event always.',
    '',
    ...table(
      ['rule', 'fields'],
      ...eventRules.map(({ title, on }) => [
        title,
        on.map((name) => `\`${name}\``).join(', ') || 'new events only',
      ]),
    ),
    '',
  ].join('\n');
}

const content = page();
if (!process.argv.includes('--check')) writeFileSync(file, content);
else if (readFileSync(file, 'utf8') !== content) {
  process.stderr.write(`${file} does not say what the table of fields says. Run: npm run docs\n`);
  process.exitCode = 1;
}
