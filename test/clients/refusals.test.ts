import { execFile } from 'node:child_process';
import type { RequestListener } from 'node:http';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { generateKeyPair, SignJWT } from 'jose';
import { createClient as createApollo, errorsOf, rename } from '../../examples/clients/apollo.ts';
import { fieldErrors, messageOf } from '../../examples/clients/errors.ts';
import { createClient as createFetch } from '../../examples/clients/fetch.ts';
import { createClient as createGraphqlRequest, save } from '../../examples/clients/graphql-request.ts';
import { readEvent } from '../../examples/clients/operations.ts';
import { createClient as createPersisted } from '../../examples/clients/persisted.ts';
import { createStream, StreamRefused } from '../../examples/clients/stream.ts';
import { follow, sync, type Replica } from '../../examples/clients/sync.ts';
import { createClient as createUrql, save as saveByUrql } from '../../examples/clients/urql.ts';
import { tokenFor } from '../harness.ts';
import { startListening } from '../http/raw.ts';
import { useForAll } from '../started.ts';
import { serve } from '../loopback.ts';
import { post } from '../gateway-process.ts';

const target = { calendarId: 'primary', eventId: 'teammeeting' };
const file = (name: string): string =>
  fileURLToPath(new URL(`../../examples/clients/${name}`, import.meta.url));
/** The error of something that has to fail. */
const thrownBy = (failing: Promise<unknown>): Promise<unknown> =>
  failing.then(
    () => new Error('It did not fail.'),
    (error: unknown) => error,
  );
const messageIn = (error: unknown): string => (error instanceof Error ? error.message : String(error));
const empty = (): Replica => ({ events: new Map(), syncToken: undefined });
const forever = new AbortController().signal;

/** A gateway that answers any request of a token with one status. */
type Refusing = Awaited<ReturnType<typeof listening>>;

const listening = async (env: Readonly<Record<string, string>>, token: string) => ({
  ...(await startListening(env)),
  token,
});

const refusing: Readonly<Record<string, () => Promise<Refusing>>> = {
  401: () => listening({}, 'not.a.token'),
  async 403() {
    const scopes = ['https://www.googleapis.com/auth/devstorage.read_only'];
    return listening({}, await tokenFor('alice@example.com', scopes));
  },
  async 429() {
    const found = await listening({ RATE_LIMIT: '1' }, await tokenFor('alice@example.com'));
    await found.ask('{ __typename }');
    return found;
  },
  // The keys of its identity provider cannot be had.
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
    return listening(env, await token.sign(privateKey));
  },
};

/** Runs a script of the examples and returns the message of the error that ends it. */
async function messageOfScript(
  name: string,
  { url, token }: Pick<Refusing, 'url' | 'token'>,
): Promise<string> {
  const env = { PATH: process.env.PATH, GATEWAY_URL: url.replace('/graphql', ''), TOKEN: token };
  const ended = await thrownBy(promisify(execFile)(process.execPath, [file(name)], { env }));
  return /^\w*Error\w*: (.*)$/m.exec((ended as { readonly stderr: string }).stderr)?.[1] ?? '';
}

/** What each recipe gives to be shown to a person. */
const shown: Readonly<Record<string, (at: Pick<Refusing, 'url' | 'token'>) => Promise<string>>> = {
  fetch: async ({ url, token }) => messageOf((await createFetch(url, token)(readEvent, target)).errors ?? []),
  'a form with graphql-request': async ({ url, token }) =>
    (await save(createGraphqlRequest(url, token), 'teammeeting', { summary: 'Moved' }))[''] ?? '',
  'a form with @apollo/client': async ({ url, token }) =>
    fieldErrors(errorsOf(await thrownBy(rename(createApollo(url, token), target, 'Moved'))), 'event')[''] ??
    '',
  'queries by their hash': async ({ url, token }) =>
    messageOf(
      errorsOf(await thrownBy(createPersisted(url, token).query({ query: readEvent, variables: target }))),
    ),
  'a form with urql': async ({ url, token }) =>
    (await saveByUrql(createUrql(url, token), 'teammeeting', { summary: 'Moved' }))[''] ?? '',
  sync: async ({ url, token }) =>
    messageIn(await thrownBy(sync(createFetch(url, token), 'primary', empty()))),
  follow: async ({ url, token }) =>
    messageIn(await thrownBy(follow(url, token, 'primary', empty(), forever).next())),
  async 'a stream'({ url, token }) {
    const stream = createStream(`${url}/stream`, () => ({ authorization: `Bearer ${token}` }));
    const query = 'subscription { calendarChanged(calendarId: "primary") { changedAt } }';
    const error = await thrownBy(stream.iterate({ query }).next());
    stream.dispose();
    return error instanceof StreamRefused ? error.message : '';
  },
  'week.mjs': (at) => messageOfScript('week.mjs', at),
};

describe.each(Object.keys(refusing))('a request that is refused with %s', (status) => {
  const found = useForAll(refusing[status] as () => Promise<Refusing>);

  test.each(Object.entries(shown))('is told in the words of the gateway by %s', async (_recipe, show) => {
    const query = '{ event(calendarId: "primary", eventId: "teammeeting") { id } }';
    const answer = await post(found.url.replace('/graphql', ''), found.token, query);
    const { errors } = (await answer.json()) as { errors: { message: string }[] };
    expect(answer.status).toBe(Number(status));
    // Which scopes are lacking, or how many seconds to wait, depends on the request.
    const [words = ''] = /^[^:\d]+/.exec(errors[0]?.message ?? '') ?? [];
    expect(await show(found)).toContain(words);
  });
});

test.each(Object.entries(shown))('a page of a proxy is told to a person by %s', async (_recipe, show) => {
  const proxy: RequestListener = (_request, response) =>
    void response.writeHead(502, { 'content-type': 'text/html' }).end('<html>Bad gateway</html>');
  const server = await serve(proxy);
  try {
    expect(await show({ url: `${server.url}/graphql`, token: 'any' })).toMatch(
      /502|Bad Gateway|cannot be reached/i,
    );
  } finally {
    await server.close();
  }
});

test('two messages for one field, or for none, are both shown', () => {
  const summary = { path: ['event', 'summary'], reason: 'invalid' as const };
  const issues = ['First.', 'Second.'].map((message) => ({ ...summary, message }));
  const errors = [
    { message: 'First. Second.', extensions: { issues } },
    { message: 'Refused.', extensions: { issues: [] } },
    { message: 'Too late.' },
  ];
  expect(fieldErrors(errors, 'event')).toEqual({ summary: 'First. Second.', '': 'Refused. Too late.' });
});
