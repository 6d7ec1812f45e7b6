import { isBuiltin } from 'node:module';
import { dirname, relative, resolve, sep } from 'node:path';
import graphqlPlugin from '@graphql-eslint/eslint-plugin';
import tseslint from 'typescript-eslint';
import { findImportCircles } from './scripts/import-circles.js';

/** Layers of other resources that a resource may import; the reverse is forbidden. */
const uses = {
  event: ['calendar'],
  notification: ['bucket'],
  channel: ['calendar', 'event/requests'],
};

/** Layers in event/, lowest first: each may import those before it. The port uses `model`. */
const EVENT_LAYERS = Object.entries({
  'event/model': /^src\/event\/model\//,
  'event/requests': /^src\/event\/event\.requests\.ts$/,
  'event/instances': /^src\/event\/instances\//,
  'event/visibility': /^src\/event\/visibility\//,
  'event/projection': /^src\/event\/projection\//,
  'event/conference': /^src\/event\/conference\//,
  'event/rules': /^src\/event\/rules\//,
  'event/draft': /^src\/event\/draft\.ts$/,
  'event/attendees': /^src\/event\/attendees\//,
  'event/write': /^src\/event\/write\//,
  'event/transfer': /^src\/event\/transfer\//,
  'event/list': /^src\/event\/list\//,
  'event.service':
    /^src\/event\/event\.(service|tools|writes|following-events|find|import|calendar-import|move|file-import|file-entries|exported-import|export|jobs)\.ts$/,
});
const EVENT = EVENT_LAYERS.map(([layer]) => layer);

/** Layers in adapters/postgres, lowest first: each may import those before it. */
const POSTGRES_LAYERS = Object.entries({
  'postgres/tables': /^src\/adapters\/postgres\/(?!(open|rebuild|seeding|housekeeping)\.ts$)[\w-]+\.ts$/,
  'postgres/migrations': /^src\/adapters\/postgres\/migrations\//,
  'postgres/outbox': /^src\/adapters\/postgres\/outbox\//,
  'postgres/events': /^src\/adapters\/postgres\/events\//,
  'postgres/calendars': /^src\/adapters\/postgres\/calendars\//,
  'postgres/buckets': /^src\/adapters\/postgres\/buckets\//,
  'postgres/notifications': /^src\/adapters\/postgres\/notifications\//,
  'postgres/channels': /^src\/adapters\/postgres\/channels\//,
});
const POSTGRES = POSTGRES_LAYERS.map(([layer]) => layer);
const ADAPTERS = { imports: ['ports', 'event/projection', 'mail', 'core'], types: ['notification'] };

/**
 * Allowed imports of each layer. A file of src/ belongs to the first layer whose `files` match its path from the root.
 * `imports`: layers for any import. `types`: layers for `import type` only. `packages`: allowed npm packages (absent: all but
 * GRAPHQL_PACKAGES; 'graphql too': all). `typePackages`: packages for `import type` only. Node's modules are always allowed.
 */
const ARROWS = [
  {
    layer: 'main',
    files: /^src\/(bin|main|migrate|token|data|command-line)\.ts$/,
    imports: ['main', 'app', 'config', 'http', 'telemetry', 'access', 'adapters', 'seed', 'core'],
  },
  {
    layer: 'app',
    files: /^src\/app(\/[\w-]+)?\.ts$/,
    imports: [
      'app',
      'config',
      'http',
      'face',
      'graphql',
      'rest',
      'feed',
      'google',
      'upstream',
      'operations',
      'adapters',
      'access',
      ...['bucket', 'calendar', 'channel', 'event', 'notification'].flatMap((resource) => [
        resource,
        `${resource}.service`,
        `${resource}.module`,
      ]),
      'event/model',
      'mail',
      'outbox',
      'ports',
      'seed',
      'telemetry',
      'core',
      'generated',
    ],
  },
  {
    layer: 'seed',
    files: /^src\/seed\//,
    imports: [
      ...['seed', 'event.service', 'notification', 'bucket', 'calendar'],
      ...['ports', 'google/differences', 'core'],
    ],
  },
  {
    layer: 'validation',
    files: /^src\/validation\//,
    imports: [
      'validation',
      ...EVENT,
      'recurrence',
      'notification',
      'ports',
      'google/differences',
      'core',
      'generated',
    ],
    packages: ['zod'],
  },
  { layer: 'client', files: /^src\/client\//, imports: ['client'], types: ['core'], packages: [] },
  { layer: 'config', files: /^src\/config(\/[\w-]+)?\.ts$/, imports: ['config', 'core'] },
  {
    layer: 'core',
    files: /^src\/core\//,
    imports: ['core'],
    packages: ['zod', 'temporal-polyfill', 'dataloader'],
  },
  { layer: 'recurrence', files: /^src\/recurrence\//, imports: ['recurrence', 'core'], packages: [] },
  {
    layer: 'icalendar',
    files: /^src\/icalendar\//,
    imports: ['icalendar', 'recurrence', 'core'],
    packages: ['ical.js'],
  },
  { layer: 'access', files: /^src\/access\//, imports: ['access', 'core'] },
  { layer: 'telemetry', files: /^src\/telemetry\//, imports: ['telemetry', 'core'], types: ['ports'] },
  // Ports are in the folder of their resource; the layer includes the records that they use.
  {
    layer: 'ports',
    files:
      /^src\/((bucket|calendar|channel|event|notification|outbox)\/\w+\.store|outbox\/destination|event\/model\/record|mail\/mail)\.ts$/,
    imports: ['ports', 'core'],
    types: ['access', 'event/model', 'notification'],
  },
  {
    layer: 'mail',
    files: /^src\/mail\//,
    imports: ['mail', 'icalendar', 'event/model', 'recurrence', 'ports', 'core'],
  },
  { layer: 'outbox', files: /^src\/outbox\//, imports: ['outbox', 'ports', 'core'] },
  ...EVENT_LAYERS.map(([layer, files], index) => ({
    layer,
    files,
    imports: [
      ...[layer, ...EVENT.slice(0, index), ...uses.event],
      ...['icalendar', 'recurrence', 'ports', 'core', 'access'],
      ...(layer === 'event.service' ? ['google/differences'] : []),
    ],
  })),
  { layer: 'operations', files: /^src\/operations\//, imports: ['operations', 'access', 'core'] },
  ...['bucket', 'calendar', 'channel', 'event', 'notification'].flatMap((resource) => {
    const resourceImports = [
      resource,
      ...(resource === 'event' ? [...EVENT, 'recurrence'] : []),
      `${resource}.service`,
      'ports',
      'core',
      'access',
      ...(uses[resource] ?? []),
    ];
    return [
      {
        layer: `${resource}.module`,
        files: new RegExp(`^src/${resource}/.+\\.module\\.ts$`),
        imports: [...resourceImports, 'operations'],
      },
      {
        layer: `${resource}.service`,
        files: new RegExp(`^src/${resource}/.+\\.service\\.ts$`),
        imports: resourceImports,
      },
      { layer: resource, files: new RegExp(`^src/${resource}/`), imports: resourceImports },
    ];
  }),
  {
    layer: 'generated',
    files: /^src\/generated\//,
    imports: [],
    types: ['bucket', 'calendar', 'event/visibility', 'event.service', 'notification', 'operations'],
    packages: [],
    typePackages: ['graphql'],
  },
  {
    layer: 'graphql',
    files: /^src\/faces\/graphql\//,
    imports: ['graphql', 'face', 'operations', 'google/differences', 'access', 'core', 'generated'],
    packages: 'graphql too',
  },
  {
    layer: 'feed',
    files: /^src\/feed\//,
    imports: [
      ...[
        'feed',
        'face',
        'operations',
        'icalendar',
        'calendar',
        'event.service',
        'event/list',
        'event/visibility',
      ],
      ...['recurrence', 'ports', 'access', 'core'],
    ],
  },
  { layer: 'google/differences', files: /^src\/google\/api-differences\.ts$/, imports: ['core'] },
  { layer: 'google', files: /^src\/google\//, imports: ['google', 'google/differences', 'core'] },
  {
    layer: 'rest',
    files: /^src\/faces\/rest\//,
    imports: ['rest', 'google', 'face', 'operations', 'access', 'core'],
  },
  { layer: 'face', files: /^src\/http\/(face|html-page)\.ts$/, imports: ['face', 'core'], types: ['access'] },
  {
    layer: 'http',
    files: /^src\/http\//,
    imports: ['http', 'face', 'access', 'telemetry', 'core'],
    types: ['config', 'ports'],
  },
  {
    layer: 'upstream',
    files: /^src\/upstream\//,
    imports: [
      'upstream',
      'google',
      ...EVENT,
      'recurrence',
      'calendar',
      'notification',
      'bucket',
      'operations',
      'ports',
      'access',
      'core',
    ],
    types: ['calendar.service', 'channel.service', 'notification.service', 'bucket.service', 'event.service'],
    packages: ['dataloader', 'lru-cache', 'zod'],
  },
  ...POSTGRES_LAYERS.map(([layer, files], index) => ({
    layer,
    files,
    imports: [...POSTGRES.slice(0, index + 1), ...ADAPTERS.imports],
    types: ADAPTERS.types,
  })),
  {
    layer: 'adapters',
    files: /^src\/adapters\//,
    imports: ['adapters', ...POSTGRES, ...ADAPTERS.imports],
    types: ADAPTERS.types,
  },
];

/** GraphQL packages, allowed only in layers that name them, so that the domain never depends on them. */
const GRAPHQL_PACKAGES = /^(@apollo\/server|@graphql-tools\/|(graphql|dataloader)$)/;

const layerOf = (path) => ARROWS.find(({ files }) => files.test(path));
const packageOf = (specifier) => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');

/** Whether an import disappears when types are stripped. */
function isTypeOnly(node) {
  if (node.type === 'TSImportType' || node.importKind === 'type' || node.exportKind === 'type') return true;
  const specifiers = node.specifiers ?? [];
  return (
    specifiers.length > 0 &&
    specifiers.every(({ importKind, exportKind }) => (importKind ?? exportKind) === 'type')
  );
}

function mayUsePackage(from, name, typeOnly) {
  if (typeOnly && from.typePackages?.includes(name)) return true;
  if (Array.isArray(from.packages)) return from.packages.includes(name);
  return from.packages === 'graphql too' || !GRAPHQL_PACKAGES.test(name);
}

function mayImport(from, to, typeOnly) {
  return from.imports.includes(to.layer) || (typeOnly && (from.types ?? []).includes(to.layer));
}

const arrowsRule = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      homeless: '{{path}} belongs to no layer of ARROWS.',
      arrow: '{{from}} may not import {{kind}} from {{to}}.',
      package: '{{from}} may not import {{kind}} from the package {{to}}.',
    },
  },
  create(context) {
    const toPath = (file) => relative(context.cwd, file).split(sep).join('/');
    const path = toPath(context.filename);
    const from = layerOf(path);
    const check = (node, source) => {
      const specifier = source?.value;
      if (!from || typeof specifier !== 'string' || isBuiltin(specifier)) return;
      const typeOnly = isTypeOnly(node);
      const kind = typeOnly ? 'types' : 'values';
      if (!specifier.startsWith('.')) {
        const name = packageOf(specifier);
        if (mayUsePackage(from, name, typeOnly)) return;
        context.report({ node: source, messageId: 'package', data: { from: from.layer, kind, to: name } });
        return;
      }
      const target = toPath(resolve(dirname(context.filename), specifier));
      const to = layerOf(target);
      if (to && mayImport(from, to, typeOnly)) return;
      const data = { from: from.layer, kind, to: to?.layer ?? target };
      context.report({ node: source, messageId: 'arrow', data });
    };
    return {
      Program: (node) => from ?? context.report({ node, messageId: 'homeless', data: { path } }),
      ImportDeclaration: (node) => check(node, node.source),
      ExportNamedDeclaration: (node) => check(node, node.source),
      ExportAllDeclaration: (node) => check(node, node.source),
      ImportExpression: (node) => check(node, node.source),
      TSImportType: (node) => check(node, node.source),
    };
  },
};

let circles;
/** Forbids circular imports, including type imports. */
const circlesRule = {
  meta: { type: 'problem', schema: [], messages: { circle: 'A circle of imports: {{cycle}}.' } },
  create: (context) => ({
    Program(node) {
      circles ??= findImportCircles(resolve(context.cwd, 'src'));
      const cycle = circles
        .get(context.filename)
        ?.map((file) => relative(context.cwd, file))
        .join(' → ');
      if (cycle) context.report({ node, messageId: 'circle', data: { cycle } });
    },
  }),
};

/** First words that do not name the subject of a comment: pronouns, question words, some prepositions. */
const NO_SUBJECT =
  /^(what(ever)?|who(m|se|ever)?|which|how|where(ver)?|the same|all that|th(at|is|ose|ese|ey|eir|ere|em)|its?|one|so|such|both|n?either|others?|of|as|by|beside|(some|any|every|no)(thing|body|one)|none)\b(?!-)/i;

/** Lists the comments of a file. Consecutive line comments count as one comment. */
function commentsOf(sourceCode) {
  const continues = (comment, previous) =>
    comment.type === 'Line' &&
    previous?.type === 'Line' &&
    previous.loc.end.line === comment.loc.start.line - 1 &&
    previous.loc.start.column === comment.loc.start.column;
  return sourceCode.getAllComments().filter((comment, index, all) => !continues(comment, all[index - 1]));
}

/** Requires that a comment begins with its subject, or with a verb and its object. */
const commentsRule = {
  meta: { type: 'problem', schema: [], messages: { subject: 'A comment begins with its subject: {{text}}' } },
  create: (context) => ({
    Program() {
      for (const comment of commentsOf(context.sourceCode)) {
        const text = comment.value.replace(/^[\s*]+/, '');
        if (!NO_SUBJECT.test(text)) continue;
        context.report({ loc: comment.loc, messageId: 'subject', data: { text: text.slice(0, 40) } });
      }
    },
  }),
};

/**
 * Names of fields, arguments and enum values as in Google's REST APIs (`iCalUID`, `custom_attributes`, `needsAction`, `default`,
 * `OBJECT_FINALIZE`), so that clients find them in Google's documentation. This is the only exception to the naming convention.
 */
const WIRE_FIELD = /^[a-z][\dA-Za-z]*(_[\da-z]+)*$/;
const WIRE_ENUM_VALUE = /^([a-z][\dA-Za-z]*|[A-Z][\dA-Z]*(_[\dA-Z]+)*)$/;

const TYPED = ['{src,test,bench,scripts,examples}/**/*.{ts,tsx}', 'codegen.ts'];
const GENERATED = [
  'src/generated/**',
  'src/core/time/windows-zones.ts',
  'examples/{clients,calendar/src}/gql/**',
];
/** Files that are linted with type information. */
export const LINTED_WITH_TYPES = { files: TYPED, ignores: GENERATED };
export const PROJECTS = ['./tsconfig.json', './examples/calendar/tsconfig.json'];
/** Files in schema/ that are not part of the schema. */
const EXCLUDED_SCHEMA_FILES = ['schema/federation.graphql', 'schema/released.graphql'];
const BARREL = { selector: 'ExportAllDeclaration', message: 'No barrels: import from the declaring file.' };
const DEFAULT_EXPORT = {
  selector: 'ExportDefaultDeclaration, ExportSpecifier[exported.name="default"]',
  message: 'No default exports: a name is the same in each file.',
};
const ENTRY_POINTS_OF_TOOLS = [
  '*.config.js',
  '{,examples/clients/}codegen.ts',
  'examples/calendar/vite.config.ts',
  'test/runner/{summary-reporter,sequencer}.js',
];

export default tseslint.config(
  { ignores: ['dist/', 'coverage/', 'reports/', '**/node_modules/'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  { plugins: { house: { rules: { comments: commentsRule, arrows: arrowsRule, circles: circlesRule } } } },

  { files: ['**/*.{js,mjs}'], extends: [tseslint.configs.recommended] },
  {
    ...LINTED_WITH_TYPES,
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: {
      // `projectService` would take a fifth longer.
      parserOptions: {
        project: PROJECTS,
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-import-type-side-effects': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      // Adapters implement asynchronous ports with `async` methods even if they do not wait.
      '@typescript-eslint/require-await': 'off',
    },
  },
  {
    files: ['**/*.{js,mjs}', ...TYPED],
    ignores: GENERATED,
    rules: {
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-empty': 'error',
      'no-unsafe-finally': 'error',
      'no-useless-catch': 'error',
      'no-constant-condition': ['error', { checkLoops: false }],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      'no-restricted-syntax': ['error', BARREL, DEFAULT_EXPORT],
    },
  },
  {
    files: ['**/*.{js,mjs,ts,tsx}'],
    ignores: GENERATED,
    rules: { 'house/comments': 'error' },
  },
  { files: ENTRY_POINTS_OF_TOOLS, rules: { 'no-restricted-syntax': ['error', BARREL] } },
  {
    files: ['src/**/*.ts'],
    languageOptions: { parser: tseslint.parser },
    rules: { 'house/arrows': 'error', 'house/circles': 'error' },
  },
  {
    files: ['src/**/*.ts'],
    ignores: ['src/config.ts', 'src/generated/**'],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Only src/config.ts reads the environment.' },
      ],
      'no-restricted-imports': [
        'error',
        ...['node:process', 'process'].map((name) => ({
          name,
          importNames: ['env'],
          message: 'Only src/config.ts reads the environment.',
        })),
      ],
    },
  },
  {
    files: ['{test,bench}/**/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        { patterns: [{ regex: '/src/main\\.ts$', message: 'Nothing imports main: start it as a process.' }] },
      ],
      // `expect.any()` and parsed responses have the type `any`.
      ...Object.fromEntries(
        ['argument', 'assignment', 'call', 'member-access', 'return'].map((use) => [
          `@typescript-eslint/no-unsafe-${use}`,
          'off',
        ]),
      ),
      '@typescript-eslint/unbound-method': 'off',
    },
  },

  {
    files: ['schema/*.graphql'],
    ignores: EXCLUDED_SCHEMA_FILES,
    languageOptions: {
      parser: graphqlPlugin.parser,
      parserOptions: {
        graphQLConfig: {
          schema: ['./schema/*.graphql', ...EXCLUDED_SCHEMA_FILES.map((file) => `!./${file}`)],
        },
      },
    },
    plugins: { '@graphql-eslint': graphqlPlugin },
    rules: {
      ...graphqlPlugin.configs['flat/schema-recommended'].rules,
      '@graphql-eslint/require-description': [
        'error',
        {
          types: true,
          rootField: true,
          FieldDefinition: true,
          InputValueDefinition: true,
          EnumValueDefinition: true,
          DirectiveDefinition: true,
        },
      ],
      '@graphql-eslint/naming-convention': [
        'error',
        {
          types: { style: 'PascalCase', ignorePattern: '^federation__Scope$' },
          DirectiveDefinition: 'camelCase',
          FieldDefinition: { requiredPattern: WIRE_FIELD },
          InputValueDefinition: { requiredPattern: WIRE_FIELD },
          EnumValueDefinition: { requiredPattern: WIRE_ENUM_VALUE },
          'FieldDefinition[parent.name.value=Query]': {
            style: 'camelCase',
            forbiddenPrefixes: ['query', 'get'],
          },
          'FieldDefinition[parent.name.value=Mutation]': {
            style: 'camelCase',
            forbiddenPrefixes: ['mutation'],
          },
        },
      ],
      // Names of Google's APIs such as `Event.eventType` repeat the type.
      '@graphql-eslint/no-typename-prefix': 'off',
      // Embedded types (`EventDateTime`, `EventAttendee`) have no identity of their own.
      '@graphql-eslint/strict-id-in-types': 'off',
    },
  },
);
