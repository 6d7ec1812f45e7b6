import { execFile } from 'node:child_process';
import type { RequestListener } from 'node:http';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { generateKeyPair, SignJWT } from 'jose';
import { createClient as createApollo, errorsOf, renameEvent } from '../../examples/clients/apollo.ts';
import { fieldErrors, messageOf } from '../../examples/clients/errors.ts';
import { createClient as createFetch } from '../../examples/clients/fetch.ts';
import { createClient as createGraphqlRequest, saveEvent } from '../../examples/clients/graphql-request.ts';
import { readEvent } from '../../examples/clients/operations.ts';
import { createClient as createPersisted } from '../../examples/clients/persisted.ts';
import { createStream, StreamRefused } from '../../examples/clients/stream.ts';
import { followCalendar, syncReplica, type Replica } from '../../examples/clients/sync.ts';
import { createClient as createUrql, saveEvent as saveByUrql } from '../../examples/clients/urql.ts';
import { tokenFor } from '../harness.ts';
import { startListening } from '../http/raw-http.ts';
import { useForAll } from '../use-resource.ts';
import { startLoopbackServer } from '../loopback-server.ts';
import { postOperation } from '../gateway-process.ts';

const target = { calendarId: 'primary', eventId: 'teammeeting' };
const examplePath = (name: string): string =>
  fileURLToPath(new URL(`../../examples/clients/${name}`, import.meta.url));
/** Returns the error of a promise that must reject. */
const catchError = (rejectingPromise: Promise<unknown>): Promise<unknown> =>
  rejectingPromise.then(
    () => new Error('It did not fail.'),
    (error: unknown) => error,
  );
const describeError = (error: unknown): string => (error instanceof Error ? error.message : String(error));
const emptyReplica = (): Replica => ({ events: new Map(), syncToken: undefined });
const neverAborted = new AbortController().signal;

/** A gateway that answers every request of its token with one status. */
type RefusingGateway = Awaited<ReturnType<typeof startWithToken>>;

const startWithToken = async (env: Readonly<Record<string, string>>, token: string) => ({
  ...(await startListening(env)),
  token,
});

const refusingGateways: Readonly<Record<string, () => Promise<RefusingGateway>>> = {
  401: () => startWithToken({}, 'not.a.token'),
  async 403() {
    const scopes = ['https://www.googleapis.com/auth/devstorage.read_only'];
    return startWithToken({}, await tokenFor('alice@example.com', scopes));
  },
  async 429() {
    const limitedGateway = await startWithToken({ RATE_LIMIT: '1' }, await tokenFor('alice@example.com'));
    await limitedGateway.ask('{ __typename }');
    return limitedGateway;
  },
  // The keys of this gateway's identity provider cannot be loaded.
  async 503() {
    const env = {
      AUTH_JWT_SECRET: '',
      AUTH_JWKS_URL: 'http://127.0.0.1:1/keys',
      AUTH_ISSUER: 'https://id.example.com',
      AUTH_AUDIENCE: 'gateway',
    };
    const { privateKey } = await generateKeyPair('ES256');
    const token = new SignJWT({})
      .setProtectedHeader({ alg: 'ES256', kid: 'first' })
      .setSubject('alice')
      .setExpirationTime('1h');
    return startWithToken(env, await token.sign(privateKey));
  },
};

/** Runs a script of the examples and returns the message of the error that ends it. */
async function messageOfScript(
  name: string,
  { url, token }: Pick<RefusingGateway, 'url' | 'token'>,
): Promise<string> {
  const env = { PATH: process.env.PATH, GATEWAY_URL: url.replace('/graphql', ''), TOKEN: token };
  const scriptError = await catchError(promisify(execFile)(process.execPath, [examplePath(name)], { env }));
  return /^\w*Error\w*: (.*)$/m.exec((scriptError as { readonly stderr: string }).stderr)?.[1] ?? '';
}

/** The message that each recipe shows to a user. */
const recipes: Readonly<
  Record<string, (gateway: Pick<RefusingGateway, 'url' | 'token'>) => Promise<string>>
> = {
  fetch: async ({ url, token }) => messageOf((await createFetch(url, token)(readEvent, target)).errors ?? []),
  'a form with graphql-request': async ({ url, token }) =>
    (await saveEvent(createGraphqlRequest(url, token), 'teammeeting', { summary: 'Moved' }))[''] ?? '',
  'a form with @apollo/client': async ({ url, token }) =>
    fieldErrors(errorsOf(await catchError(renameEvent(createApollo(url, token), target, 'Moved'))), 'event')[
      ''
    ] ?? '',
  'queries by their hash': async ({ url, token }) =>
    messageOf(
      errorsOf(await catchError(createPersisted(url, token).query({ query: readEvent, variables: target }))),
    ),
  'a form with urql': async ({ url, token }) =>
    (await saveByUrql(createUrql(url, token), 'teammeeting', { summary: 'Moved' }))[''] ?? '',
  sync: async ({ url, token }) =>
    describeError(await catchError(syncReplica(createFetch(url, token), 'primary', emptyReplica()))),
  follow: async ({ url, token }) =>
    describeError(
      await catchError(followCalendar(url, token, 'primary', emptyReplica(), neverAborted).next()),
    ),
  async 'a stream'({ url, token }) {
    const stream = createStream(`${url}/stream`, () => ({ authorization: `Bearer ${token}` }));
    const query = 'subscription { calendarChanged(calendarId: "primary") { changedAt } }';
    const error = await catchError(stream.iterate({ query }).next());
    stream.dispose();
    return error instanceof StreamRefused ? error.message : '';
  },
  'week.mjs': (gateway) => messageOfScript('week.mjs', gateway),
};

describe.each(Object.keys(refusingGateways))('a request that is refused with %s', (status) => {
  const gateway = useForAll(refusingGateways[status] as () => Promise<RefusingGateway>);

  test.each(Object.entries(recipes))(
    'is shown with the message of the gateway by %s',
    async (_recipe, show) => {
      const query = '{ event(calendarId: "primary", eventId: "teammeeting") { id } }';
      const answer = await postOperation(gateway.url.replace('/graphql', ''), gateway.token, query);
      const { errors } = (await answer.json()) as { errors: { message: string }[] };
      expect(answer.status).toBe(Number(status));
      // The rest of the message depends on the request: missing scopes, or seconds to wait.
      const [fixedPart = ''] = /^[^:\d]+/.exec(errors[0]?.message ?? '') ?? [];
      expect(await show(gateway)).toContain(fixedPart);
    },
  );
});

test.each(Object.entries(recipes))(
  'an HTML error page of a proxy is shown as an error by %s',
  async (_recipe, show) => {
    const proxy: RequestListener = (_request, response) =>
      void response.writeHead(502, { 'content-type': 'text/html' }).end('<html>Bad gateway</html>');
    const server = await startLoopbackServer(proxy);
    try {
      expect(await show({ url: `${server.url}/graphql`, token: 'any' })).toMatch(
        /502|Bad Gateway|cannot be reached/i,
      );
    } finally {
      await server.close();
    }
  },
);

test('several messages for one field, or for none, are all shown', () => {
  const summary = { path: ['event', 'summary'], reason: 'invalid' as const };
  const issues = ['First.', 'Second.'].map((message) => ({ ...summary, message }));
  const errors = [
    { message: 'First. Second.', extensions: { issues } },
    { message: 'Refused.', extensions: { issues: [] } },
    { message: 'Too late.' },
  ];
  expect(fieldErrors(errors, 'event')).toEqual({ summary: 'First. Second.', '': 'Refused. Too late.' });
});
