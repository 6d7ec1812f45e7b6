import { SignJWT } from 'jose';
import inject from 'light-my-request';
import { compose, type Replacements } from '../src/app.ts';
import { readConfig } from '../src/config.ts';
import { readTypeDefs } from '../src/faces/graphql/schema.ts';
import type { Issue, Warning } from '../src/core/errors.ts';
import { demoData } from '../src/seed/demo-data.ts';
import { useForAll } from './use-resource.ts';

/** `AUTH_JWT_SECRET` of the tests' gateways: signs and verifies the tokens of their callers. */
export const secret = 'a secret for tests that has 32 bytes or more';

/** Creation time of the tests' demo data: their week begins on 30 November. */
export const demoNow = Date.UTC(2026, 11, 1);
export const demoSeed = demoData(demoNow);

/** All scopes in the schema's files, found by a pattern: building the schema takes longer than most tests. */
export const allScopes: readonly string[] = [
  ...new Set(
    readTypeDefs()
      .join('\n')
      .match(/https:\/\/www\.googleapis\.com\/auth\/[\w.-]*\w/g),
  ),
];

const tokensByKey = new Map<string, Promise<string>>();

/** Signs a bearer token, by default with every scope; it expires an hour after `nowMs`, at a full minute. */
export function tokenFor(
  email: string,
  scopes: readonly string[] = allScopes,
  nowMs = Date.now(),
): Promise<string> {
  const scope = scopes.join(' ');
  const expirySeconds = Math.ceil(nowMs / 60_000) * 60 + 3600;
  const tokenKey = JSON.stringify([email, scope, expirySeconds]);
  const token =
    tokensByKey.get(tokenKey) ??
    new SignJWT({ email, scope })
      .setProtectedHeader({ alg: 'HS256' })
      .setSubject(`sub of ${email}`)
      .setExpirationTime(expirySeconds)
      .sign(Buffer.from(secret));
  tokensByKey.set(tokenKey, token);
  return token;
}

/** The response to a GraphQL request: HTTP parts, and the parts of its body. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  // Tests read whatever they select; a type per query would repeat every query.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly data: any;
  readonly errors:
    | readonly {
        message: string;
        path?: readonly (string | number)[];
        extensions: {
          code: string;
          reason: string;
          issues: readonly Issue[];
          requestId: string;
          etag?: string;
        };
      }[]
    | undefined;
  readonly warnings: readonly (Warning & { readonly field?: string })[] | undefined;
  /** Number of guests notified, by the response key of the root field. */
  readonly guestsNotified: Readonly<Record<string, number>> | undefined;
  readonly body: string;
}

/** Caller and HTTP options of a GraphQL request. */
export interface RequestOptions {
  /** E-mail address in the token; null sends no token. */
  readonly as?: string | null;
  readonly scopes?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly operationName?: string;
}

export type TestGateway = Awaited<ReturnType<typeof startDefaultGateway>>;

let overriddenStart: typeof startDefaultGateway | undefined;

/** Replaces how this test file starts gateways, so that its tests run against another setup. */
export function overrideGatewayStart(start: typeof startDefaultGateway): void {
  overriddenStart = start;
  afterAll(() => {
    overriddenStart = undefined;
  });
}

/** Starts a gateway, by default in memory and with the demo's data. Tests talk to its HTTP routes. */
export const startGateway: typeof startDefaultGateway = (...args) =>
  (overriddenStart ?? startDefaultGateway)(...args);

/** Starts one gateway for all tests of the surrounding `describe`. */
export const useGateway: (...startArgs: Parameters<typeof startDefaultGateway>) => TestGateway = (
  ...startArgs
) => useForAll(() => startGateway(...startArgs));

/** Starts a gateway in this process, regardless of overrides. */
export async function startDefaultGateway(
  env: Readonly<Record<string, string>> = {},
  replacements: Replacements = {},
) {
  const config = readConfig({
    AUTH_JWT_SECRET: secret,
    COMPILED_OPERATIONS: process.env.TEST_COMPILED ?? 'on',
    INTROSPECTION: 'open',
    RATE_LIMIT: 'off',
    ...env,
  });
  const logOptions = replacements.logTarget ? {} : { logLevel: 'silent' as const };
  const seed = config.seedFile === undefined ? demoSeed : undefined;
  const { app, stores, startupMessages } = await compose(config, {
    ...logOptions,
    includesProcessMetrics: false,
    seed,
    ...replacements,
  });
  await app.ready();
  return {
    app,
    stores,
    startupMessages,
    close: (): Promise<void> => app.close(),
    /** Sends a GraphQL operation, by default as Alice with every scope. */
    async ask(
      query: string,
      variables: object = {},
      { as = 'alice@example.com', scopes, headers, operationName }: RequestOptions = {},
    ): Promise<Answer> {
      const authorization =
        as === null ? {} : { authorization: `Bearer ${await tokenFor(as, scopes, replacements.clock?.())}` };
      // Emits `request` on the server, as a connection does; `app.inject` would bypass its listeners.
      const response = await inject((request, reply) => void app.server.emit('request', request, reply), {
        method: 'POST',
        url: '/graphql',
        headers: { 'content-type': 'application/json', ...authorization, ...headers },
        payload: JSON.stringify({ query, variables, operationName }),
      });
      const parsedBody = JSON.parse(response.body) as Answer & {
        extensions?: Pick<Answer, 'warnings' | 'guestsNotified'>;
      };
      return {
        status: response.statusCode,
        headers: response.headers,
        data: parsedBody.data,
        errors: parsedBody.errors,
        warnings: parsedBody.extensions?.warnings,
        guestsNotified: parsedBody.extensions?.guestsNotified,
        body: response.body,
      };
    },
  };
}
