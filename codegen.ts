import type { CodegenConfig } from '@graphql-codegen/cli';
import forClients from './examples/clients/codegen.ts';

/**
 * Scalars arrive in resolvers already parsed, so each has a plain TypeScript shape. `StringMap` is a patch
 * when it comes in (null removes a key) and a record when it goes out.
 */
const scalars = {
  ID: 'string',
  StringMap: { input: 'Record<string, string | null>', output: 'Record<string, string>' },
  JSONObject: 'Readonly<Record<string, unknown>>',
  DateTime: 'string',
  ZonedDateTime: 'string',
  LocalDate: 'string',
  PathSegment: 'string | number',
  federation__Scope: 'string',
};

/** What a resolver returns for these types is the domain's own record, not the GraphQL type. */
const mappers = {
  Event: '../event/visibility/event-view.ts#EventView',
  Calendar: '../calendar/calendar.view.ts#CalendarView',
  Bucket: '../bucket/bucket.view.ts#BucketView',
  CalendarBusy: '../event/visibility/event-view.ts#CalendarBusyView',
  Notification: '../notification/notification.ts#NotificationView',
  PublishedMessage: '../notification/publishing/message.ts#MessageView',
};

/** Typed operations with the options that clients are shown. */
const typedOperations = (documents: string) => ({ ...forClients.generates['src/gql/'], documents });

const config: CodegenConfig = {
  schema: ['schema/*.graphql', '!schema/{federation,released}.graphql'],
  // `.ts` endings in imports, as everywhere in src/.
  emitLegacyCommonJSImports: false,
  importExtension: '.ts',
  generates: {
    'examples/clients/gql/': typedOperations('examples/clients/operations.ts'),
    'examples/calendar/src/gql/': typedOperations('examples/calendar/src/api/operations.ts'),
    'src/generated/input-shapes.ts': { plugins: ['./scripts/input-shapes.js'] },
    'src/core/time/windows-zones.ts': { plugins: ['./scripts/windows-zones.js'] },
    'docs/schema.md': { plugins: ['./scripts/schema-page.js'] },
    'src/generated/resolvers-types.ts': {
      plugins: ['typescript', 'typescript-resolvers'],
      config: {
        enumsAsTypes: true,
        useTypeImports: true,
        scalars,
        defaultScalarType: 'unknown',
        maybeValue: 'T | null',
        // Absent and null stay two things: absent keeps, null clears.
        inputMaybeValue: 'T | null | undefined',
        contextType: '../operations/context.ts#OperationContext',
        mappers,
        useIndexSignature: false,
        federation: false,
      },
    },
  },
};

// The loader reads the default export: with eslint.config.js and jest.config.js one of the three allowed.
export default config;
