import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { HttpError, type AnswerRoute, type Face, type RequestHead } from '../../http/face.ts';
import { htmlPage, pageHeaders } from '../../http/page.ts';
import type { Admission } from '../../operations/context.ts';
import { refusalAnswer } from './answer.ts';
import { createApolloEngine, type PageSettings } from './apollo.ts';
import { createCompiledEngine, type CompileWhen } from './compiled/engine.ts';
import { createExecute, createSubscribe, type ExecuteDependencies } from './execute.ts';
import { answerType, howToSubscribe, wantsPage } from './request/params.ts';
import { createDocumentAdmission } from './request/admission.ts';
import { admit, createDocumentReader, type Introspection, listedOperations } from './request/documents.ts';
import { printSdl, type Gateway } from './schema.ts';

interface GraphQLSettings extends PageSettings {
  readonly introspection: Introspection;
  readonly compiled: CompileWhen | 'off';
  /** A manifest of operations, and whether these are the only ones that run. */
  readonly operations?: { readonly manifest: unknown; readonly only: boolean };
  readonly admission: Admission;
}

/** GraphQL over HTTP, with subscriptions over server-sent events or multipart, and the schema as a file. */
export async function createGraphQLFace(gateway: Gateway, settings: GraphQLSettings): Promise<Face> {
  const { admission, compiled, introspection } = settings;
  const { engine, page } = await createApolloEngine(gateway, settings);
  const listed =
    settings.operations &&
    listedOperations(settings.operations.manifest, settings.operations.only, gateway.schema);
  const readDocument = createDocumentReader(listed);
  const parts: ExecuteDependencies = {
    schema: gateway.schema,
    admit: createDocumentAdmission({ ...gateway, admission, introspection, readDocument }),
    openMeter: admission.openMeter,
    introspection,
    engine:
      compiled === 'off'
        ? engine
        : createCompiledEngine(gateway.schema, engine, [...(listed?.documents.values() ?? [])], compiled),
    subscribe: createSubscribe({ ...gateway, ...settings }),
  };
  return {
    routes: [
      {
        path: '/graphql',
        methods: ['GET', 'POST'],
        options: true,
        refuseHead: refuseWebSocket,
        execute: createExecute({ ...parts, page: settings.explorer ? page : undefined }, 'all'),
      },
      {
        path: '/graphql/stream',
        methods: ['GET', 'POST'],
        options: true,
        head: false,
        refuseHead: refuseWebSocket,
        execute: createExecute(parts, 'subscriptions'),
      },
      ...(introspection === 'off' ? [] : [schemaFile(gateway, introspection), schemaPage(introspection)]),
    ],
    links: [sandboxLink, ...(introspection === 'off' ? [] : schemaLinks)],
    refuse: (error, { headers }, caller) => refusalAnswer(error, answerType(headers).type, caller),
    varies: 'Accept',
    whereabouts: 'GraphQL is at /graphql.',
    isPage: wantsPage,
  };
}

const sandboxLink = { path: '/graphql', title: 'Apollo Sandbox', description: 'needs internet' };
const schemaLinks = [
  { path: '/schema', title: 'Schema', description: 'each operation, type and field' },
  { path: '/schema.graphql', title: 'SDL', description: 'the schema as a file, for tools' },
];

/** Refuses to switch to WebSocket. What comes behind on the connection would not be read. */
function refuseWebSocket({ headers: { upgrade } }: RequestHead): void {
  if (typeof upgrade === 'string' && /\bwebsocket\b/i.test(upgrade))
    throw new HttpError(400, 'notOffered', howToSubscribe, { connection: 'close' });
}

/** The schema as a file, for whoever may introspect. */
function schemaFile({ schema }: Gateway, introspection: Introspection): AnswerRoute {
  let file: string | undefined;
  return {
    path: '/schema.graphql',
    methods: ['GET'],
    async execute(_request, { viewer }) {
      admit(viewer, { rules: [], introspects: true, rootFields: [] }, introspection);
      return {
        status: 200,
        headers: { 'content-type': 'application/graphql; charset=utf-8' },
        body: (file ??= printSdl(schema)),
      };
    },
  };
}

/** docs/schema.md as HTML, which `npm run build` renders; the path is the same from `src` and `dist`. */
const builtSchemaPage = fileURLToPath(new URL('../../../dist/docs/schema.html', import.meta.url));

/** The documentation of the schema as a page, for whoever may introspect. */
function schemaPage(introspection: Introspection): AnswerRoute {
  return {
    path: '/schema',
    methods: ['GET'],
    async execute(_request, { viewer }) {
      admit(viewer, { rules: [], introspects: true, rootFields: [] }, introspection);
      const page = await readFile(builtSchemaPage, 'utf8').catch(() => {
        throw new HttpError(404, 'notFound', 'The page was not built. Run "npm run build".');
      });
      return { status: 200, headers: pageHeaders, body: htmlPage('Schema', page) };
    },
  };
}
