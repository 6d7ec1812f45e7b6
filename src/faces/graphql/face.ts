import type { GraphQLSchema } from 'graphql';
import { packagePath } from '../../core/package-files.ts';
import {
  HttpError,
  type FaceRoute,
  type Face,
  type HttpResponse,
  type RequestHead,
} from '../../http/face.ts';
import { renderHtmlPage, pageHeaders, readBuiltPage } from '../../http/html-page.ts';
import type { Admission } from '../../operations/context.ts';
import { refusalResponse } from './response.ts';
import { createApolloEngine } from './apollo.ts';
import { createCompiledEngine, type CompileTiming } from './compiled/engine.ts';
import { createRequestHandler, type ExecuteDependencies } from './execute.ts';
import { negotiateType, subscriptionHint, isLandingPageRequest } from './request/params.ts';
import { createRequestAdmission } from './request/admission.ts';
import { authorize, createDocumentReader, type Introspection, parseManifest } from './request/documents.ts';
import { renderSandboxPage, type SandboxSettings } from './sandbox.ts';
import { printSdl, type GatewaySchema } from './schema.ts';

/** Settings of the GraphQL face. `compiled`: when documents are compiled, if at all. */
interface GraphQLSettings extends SandboxSettings {
  readonly introspection: Introspection;
  readonly compiled: CompileTiming | 'off';
  /** A manifest of operations; `isExclusive`: no other operations run. */
  readonly operations?: { readonly manifest: unknown; readonly isExclusive: boolean };
  readonly admission: Admission;
}

/** Creates the GraphQL face: GraphQL over HTTP, subscriptions over server-sent events or multipart, and the schema as a file. */
export async function createGraphQLFace(
  gatewaySchema: GatewaySchema,
  settings: GraphQLSettings,
): Promise<Face> {
  const { admission, compiled, introspection } = settings;
  const { schema } = gatewaySchema;
  const engine = await createApolloEngine(schema);
  const manifest =
    settings.operations &&
    parseManifest(settings.operations.manifest, settings.operations.isExclusive, schema);
  const readDocument = createDocumentReader(schema, manifest);
  const dependencies: ExecuteDependencies = {
    schema,
    admit: createRequestAdmission(schema, introspection, admission, readDocument),
    admission,
    engine:
      compiled === 'off'
        ? engine
        : createCompiledEngine(schema, engine, [...(manifest?.documents.values() ?? [])], compiled),
  };
  return {
    routes: [
      {
        path: '/graphql',
        methods: ['GET', 'POST'],
        hasOptions: true,
        refuseHead: refuseWebSocket,
        execute: createRequestHandler(
          {
            ...dependencies,
            renderPage: settings.hasExplorer ? () => renderSandboxPage(settings) : undefined,
          },
          'all',
        ),
      },
      {
        path: '/graphql/stream',
        methods: ['GET', 'POST'],
        hasOptions: true,
        hasHead: false,
        refuseHead: refuseWebSocket,
        execute: createRequestHandler(dependencies, 'subscriptions'),
      },
      ...(introspection === 'off' ? [] : createSchemaRoutes(schema, introspection)),
    ],
    links: [sandboxLink, ...(introspection === 'off' ? [] : schemaLinks)],
    toErrorResponse: (error, { headers }, caller) =>
      refusalResponse(error, negotiateType(headers).type, caller),
    varyHeader: 'Accept',
    notFoundHint: 'GraphQL is at /graphql.',
    isPageRequest: isLandingPageRequest,
  };
}

const sandboxLink = { path: '/graphql', title: 'Apollo Sandbox', description: 'needs internet' };
const schemaLinks = [
  { path: '/schema', title: 'Schema', description: 'each operation, type and field' },
  { path: '/schema.graphql', title: 'SDL', description: 'the schema as a file, for tools' },
];

/** Refuses an upgrade to WebSocket and closes the connection, because later data on it would not be read. */
function refuseWebSocket({ headers: { upgrade } }: RequestHead): void {
  if (typeof upgrade === 'string' && /\bwebsocket\b/i.test(upgrade))
    throw new HttpError(400, 'notOffered', subscriptionHint, { connection: 'close' });
}

/** Authorization of the routes that serve the schema: that of an introspection query. */
const introspectionRequirements = { rules: [], includesIntrospection: true, rootFields: [] };

/** Creates a route that serves the schema to callers who may introspect. */
function createSchemaRoute(
  path: string,
  introspection: Introspection,
  headers: HttpResponse['headers'],
  readBody: () => string | Promise<string>,
): FaceRoute {
  return {
    path,
    methods: ['GET'],
    async execute(_request, { viewer }) {
      authorize(viewer, introspectionRequirements, introspection);
      return { status: 200, headers, body: await readBody() };
    },
  };
}

/** docs/schema.md as HTML, rendered by `npm run build`. */
const builtSchemaPage = packagePath('dist/docs/schema.html');

function createSchemaRoutes(schema: GraphQLSchema, introspection: Introspection): FaceRoute[] {
  let sdl: string | undefined;
  const sdlHeaders = { 'content-type': 'application/graphql; charset=utf-8' };
  return [
    createSchemaRoute('/schema.graphql', introspection, sdlHeaders, () => (sdl ??= printSdl(schema))),
    createSchemaRoute('/schema', introspection, pageHeaders, async () =>
      renderHtmlPage('Schema', await readBuiltPage(builtSchemaPage)),
    ),
  ];
}
