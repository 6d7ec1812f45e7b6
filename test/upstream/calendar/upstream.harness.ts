import { buildSchema, execute, parse, type GraphQLFieldResolver } from 'graphql';
import inject, { type DispatchFunc } from 'light-my-request';
import { calendarFields } from '../../../src/calendar/calendar.fields.ts';
import { createCalendarModule } from '../../../src/calendar/calendar.module.ts';
import { bucketTable } from '../../../src/bucket/bucket.fields.ts';
import type { Viewer } from '../../../src/access/permissions.ts';
import { AppError, type Issue } from '../../../src/core/kernel/errors.ts';
import { compileTable } from '../../../src/core/fields/table.ts';
import { createEventModule } from '../../../src/event/event.module.ts';
import type { EventService } from '../../../src/event/event.service.ts';
import { eventFields } from '../../../src/event/model/fields.ts';
import { compileModel } from '../../../src/event/model/model.ts';
import { GatewayContext } from '../../../src/faces/graphql/context.ts';
import { resolversOf } from '../../../src/faces/graphql/root-fields.ts';
import { giveScalars } from '../../../src/faces/graphql/scalars.ts';
import { readTypeDefs } from '../../../src/faces/graphql/schema.ts';
import { createSchemas } from '../../../src/official/schemas.ts';
import type { Operations } from '../../../src/operations/operation.ts';
import { createUpstreamCalendarService } from '../../../src/upstream/calendar/calendar.service.ts';
import { createUpstreamEventService } from '../../../src/upstream/calendar/event.service.ts';
import {
  ServiceRefusal,
  type Call,
  type Reply,
  type UpstreamClient,
} from '../../../src/upstream/client/call.ts';
import { rememberBearer } from '../../../src/upstream/identity/bearer.ts';
import { tokenFor, type TestGateway } from '../../harness.ts';

const resolve: GraphQLFieldResolver<unknown, GatewayContext & { readonly operations: Operations }> = (
  root,
  args,
  context,
  info,
): unknown =>
  resolversOf(context.operations[info.fieldName] as Operations[string]).resolve?.(root, args, context, info);
const schema = buildSchema(readTypeDefs().join('\n'));
for (const field of Object.values({
  ...schema.getQueryType()?.getFields(),
  ...schema.getMutationType()?.getFields(),
}))
  field.resolve = resolve;
giveScalars(schema);
export { schema };

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
export const model = compileModel(eventFields);
export const schemas = createSchemas({
  event: compileTable(eventFields),
  calendar: calendarFields,
  bucket: bucketTable,
});

export interface FrontAnswer {
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- test code reads whatever a selection holds
  readonly data: any;
  /** Each error as its code and its issues. */
  readonly errors: readonly {
    readonly code: string;
    readonly issues: readonly Issue[];
    readonly message: string;
  }[];
}

export interface Front {
  readonly events: EventService;
  /** Runs a document over the service, as a face does. */
  ask(document: string, variables?: object, as?: string): Promise<FrontAnswer>;
  /** The calls that were made so far; forgets them. */
  calls(): Call[];
  viewer(email: string): Promise<Viewer>;
}

/** The gateway's operations in front of a service. */
export function inFrontOf(
  answer: (call: Call, token: string) => Promise<Reply> | Reply,
  pollSeconds = 0.005,
): Front {
  const made: Call[] = [];
  const client: UpstreamClient = {
    async call(call, { token }) {
      made.push(call);
      return answer(call, token);
    },
    close: () => undefined,
  };
  const tools = {
    model,
    clock: Date.now,
    signingSecret: 'x'.repeat(32),
    links: { event: 'https://calendar.example/event', call: 'https://calendar.example/call' },
  };
  const parts = { client, model, schemas, tools, clock: Date.now, pollSeconds };
  const events = createUpstreamEventService(parts);
  const operations: Operations = {
    ...createEventModule(events, model).operations,
    ...createCalendarModule(createUpstreamCalendarService(parts)).operations,
  };
  const viewer = async (email: string): Promise<Viewer> =>
    rememberBearer(
      { sub: email, identity: email, key: email, scopes: new Set<string>() },
      email.includes('@') ? await tokenFor(email) : email,
    );
  return {
    events,
    viewer,
    calls: () => made.splice(0),
    async ask(document, variables = {}, as = 'alice@example.com') {
      const context = new GatewayContext({
        requestId: 'r',
        viewer: await viewer(as),
        address: '',
        log: silent,
        report: { codes: [] },
      });
      const { data, errors = [] } = await execute({
        schema,
        document: parse(document),
        contextValue: Object.assign(context, { operations }),
        variableValues: variables as Readonly<Record<string, unknown>>,
      });
      return {
        data: JSON.parse(JSON.stringify(data ?? null)) as unknown,
        errors: errors.map(({ originalError, message }) =>
          originalError instanceof AppError
            ? { code: originalError.code, issues: originalError.issues, message }
            : { code: 'UNEXPECTED', issues: [], message },
        ),
      };
    },
  };
}

/** Answers calls by the REST face of a gateway. */
export function overRest(gateway: TestGateway): (call: Call, token: string) => Promise<Reply> {
  const dispatch: DispatchFunc = (request, reply) => void gateway.app.server.emit('request', request, reply);
  return async ({ verb, path, query = {}, body, ifMatch }, token) => {
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query))
      for (const one of [value ?? []].flat()) search.append(name, String(one));
    const response = await inject(dispatch, {
      method: verb,
      url: `/calendar/v3/${path.map(encodeURIComponent).join('/')}?${search.toString()}`,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body && { 'content-type': 'application/json' }),
        ...(ifMatch && { 'if-match': ifMatch }),
      },
      ...(body && { payload: JSON.stringify(body) }),
    });
    const json =
      response.body === ''
        ? undefined
        : (JSON.parse(response.body) as {
            error?: { errors: { reason: string; message: string; location?: string }[] };
          });
    if (response.statusCode < 300) return { status: response.statusCode, body: json };
    const [first] = json?.error?.errors ?? [];
    if (response.statusCode === 401) throw new AppError('UNAUTHENTICATED', 'authError', 'The token is none.');
    throw new ServiceRefusal(response.statusCode, first?.reason ?? '', first?.message ?? '', first?.location);
  };
}
