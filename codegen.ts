import type { CodegenConfig } from '@graphql-codegen/cli';
import forClients from './examples/clients/codegen.ts';

/** TypeScript types of parsed scalars. `StringMap` is a patch as input (null removes a key) and a record as output. */
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

/** Domain types that resolvers return in place of the GraphQL types. */
const mappers = {
  Event: '../event/visibility/event-view.ts#EventView',
  CalendarImport: '../event/event.calendar-import.ts#CalendarImportView',
  Calendar: '../calendar/calendar.view.ts#CalendarView',
  Bucket: '../bucket/bucket.view.ts#BucketView',
  CalendarBusy: '../event/visibility/event-view.ts#CalendarBusyView',
  Notification: '../notification/notification.ts#NotificationView',
  PublishedMessage: '../notification/publishing/message.ts#MessageView',
};

/** Generates typed operations with the options of the client examples. */
const typedOperations = (documents: string) => ({ ...forClients.generates['src/gql/'], documents });

const config: CodegenConfig = {
  schema: ['schema/*.graphql', '!schema/{federation,released}.graphql'],
  // Node.js runs the sources, so imports end in `.ts`.
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
        // An absent field keeps its value, null clears it.
        inputMaybeValue: 'T | null | undefined',
        contextType: '../operations/context.ts#OperationContext',
        mappers,
        useIndexSignature: false,
        federation: false,
      },
    },
  },
};

// graphql-codegen requires a default export.
export default config;
