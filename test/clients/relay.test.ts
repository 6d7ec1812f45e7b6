import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { issuesOf } from '../../src/client/client.ts';
import { tokenFor, type Answer, type TestGateway } from '../harness.ts';
import { startListening } from '../http/raw-http.ts';
import { useForAll } from '../use-resource.ts';

const root = new URL('../../', import.meta.url);
const recipeFolder = fileURLToPath(new URL('examples/clients/relay', root));
const compilerPath = fileURLToPath(new URL('node_modules/.bin/relay-compiler', root));

/** Replaces relay-runtime: an environment is its configuration, and a network its function. */
const runtimeReplacement = `
  export class Environment { constructor(config) { Object.assign(this, config); } }
  export const Network = { create: (send) => send };
  export const graphql = () => undefined;`;

/** Relay environment of the recipe. The replaced runtime keeps it as its configuration. */
interface Environment {
  getDataID(object: object, typename: string): string | undefined;
  network(operation: Operation, variables: object): Promise<Pick<Answer, 'data' | 'errors'>>;
}

/** An operation as Relay passes it to a network function. */
interface Operation {
  readonly id: string | null;
  readonly text: string | null;
}

/**
 * A project with the recipe, compiled for the schema of a gateway. `resolveFile` returns the path of a file,
 * `readArtifact` the text of a compiled file, `readOperation` a compiled operation.
 */
interface Project {
  readonly resolveFile: (name: string) => string;
  readonly readArtifact: (name: string) => string;
  readonly readOperation: (name: string) => Operation;
  readonly remove: () => void;
}

async function compileProject(origin: string, configChanges: object = {}): Promise<Project> {
  const folder = mkdtempSync(join(tmpdir(), 'relay-'));
  const resolveFile = (name: string): string => join(folder, name);
  const readArtifact = (name: string): string =>
    readFileSync(resolveFile(`src/__generated__/${name}.graphql.ts`), 'utf8');
  cpSync(recipeFolder, folder, { recursive: true });
  const config = JSON.parse(readFileSync(resolveFile('relay.config.json'), 'utf8')) as object;
  writeFileSync(resolveFile('relay.config.json'), JSON.stringify({ ...config, ...configChanges }));
  writeFileSync(resolveFile('persisted.json'), '{}');
  mkdirSync(resolveFile('node_modules/relay-runtime'), { recursive: true });
  for (const path of ['', 'node_modules/relay-runtime/'])
    writeFileSync(
      resolveFile(`${path}package.json`),
      JSON.stringify({ type: 'module', exports: './index.js' }),
    );
  writeFileSync(resolveFile('node_modules/relay-runtime/index.js'), runtimeReplacement);
  writeFileSync(resolveFile('schema.graphql'), await (await fetch(`${origin}/schema.graphql`)).text());
  await promisify(execFile)(compilerPath, ['--noWatchman'], { cwd: folder });
  return {
    resolveFile,
    readArtifact,
    readOperation: (name) =>
      JSON.parse(/"params": (\{[^]*?\n {2}\})/.exec(readArtifact(name))?.[1] ?? '') as Operation,
    remove: () => rmSync(folder, { recursive: true }),
  };
}

/** Creates the recipe's environment for Alice. */
async function loadEnvironment({ resolveFile }: Project, url: string): Promise<Environment> {
  const { createEnvironment } = (await import(pathToFileURL(resolveFile('src/nodes.js')).href)) as {
    createEnvironment(url: string, token: string): Environment;
  };
  return createEnvironment(url, await tokenFor('alice@example.com'));
}

/** Node ids of one sample object of each type. */
type SampleNodes = Readonly<
  Record<'event' | 'calendar' | 'bucket' | 'notification', { readonly nodeId: string }>
>;

async function readSampleNodes(gateway: Pick<TestGateway, 'ask'>): Promise<SampleNodes> {
  const { data } =
    await gateway.ask(`{ event(calendarId: "primary", eventId: "teammeeting") { nodeId } calendar(calendarId: "primary") { nodeId }
    bucket(bucket: "demo-photos") { nodeId notifications { nodeId } } }`);
  return { ...data, notification: data.bucket.notifications[0] };
}

const week = { timeMin: '2026-11-30T00:00:00+01:00', timeMax: '2026-12-07T00:00:00+01:00' };

/** Refetches an object of each type and expects the fields of its fragment. */
async function expectRefetches(
  { readOperation }: Project,
  { network }: Environment,
  { event, calendar, bucket, notification }: SampleNodes,
): Promise<void> {
  const refetch = async (name: string, { nodeId }: { readonly nodeId: string }, args = {}) =>
    (await network(readOperation(name), { ...args, nodeId })).data.node;
  const meeting = { ...event, id: 'teammeeting', summary: 'Team meeting' };
  expect(await refetch('nodesEventQuery', event)).toMatchObject({ __typename: 'Event', ...meeting });
  const { events } = await refetch('nodesCalendarQuery', calendar, week);
  expect(events.nodes).toContainEqual(expect.objectContaining(meeting));
  const expectedNotification = { ...notification, id: '1', topic: expect.stringContaining('/topics/') };
  expect(await refetch('nodesBucketQuery', bucket)).toMatchObject({
    ...bucket,
    notifications: [expectedNotification],
  });
  expect(await refetch('nodesNotificationQuery', notification)).toMatchObject(expectedNotification);
}

describe('the Relay recipe', () => {
  const gateway = useForAll(startListening);
  const project = useForAll(() => compileProject(gateway.url.replace('/graphql', '')));

  test('sends operations by their ids in the compiled map', async () => {
    const { resolveFile, readOperation } = project;
    expect(readOperation('nodesEventQuery')).toMatchObject({ text: null, id: expect.any(String) });
    const sampleNodes = await readSampleNodes(gateway);
    const listedOnlyGateway = await startListening({
      OPERATIONS_FILE: resolveFile('persisted.json'),
      OPERATIONS: 'listed',
    });
    try {
      const environment = await loadEnvironment(project, listedOnlyGateway.url);
      await expectRefetches(project, environment, sampleNodes);
      const { data } = await environment.network(readOperation('nodesWeekQuery'), week);
      expect(data.calendars).toContainEqual(expect.objectContaining(sampleNodes.calendar));
      const variables = { calendarId: 'primary', eventId: 'teammeeting', event: { summary: 'Moved' } };
      expect(await environment.network(readOperation('nodesPatchEventMutation'), variables)).toMatchObject({
        data: { patchEvent: { summary: 'Moved' } },
      });
    } finally {
      await listedOnlyGateway.close();
    }
  });

  test('is compiled to fragments of all four types that are refetched by nodeId', () => {
    for (const type of ['Event', 'Calendar', 'Bucket', 'Notification']) {
      const fragment = project.readArtifact(`nodes_${type.toLowerCase()}`);
      expect(fragment).toContain(`"operation": nodes${type}Query_graphql`);
      expect(fragment).toContain('"identifierField": "nodeId"');
    }
    // A list without `@connection` is a plain field.
    expect(project.readArtifact('nodes_calendar')).toContain('"connection": null');
  });

  test('is compiled to types without `any`', () => {
    const { readArtifact, resolveFile } = project;
    const names = readdirSync(resolveFile('src/__generated__')).map((name) =>
      name.replace('.graphql.ts', ''),
    );
    expect(names).toHaveLength(10);
    for (const name of names) expect(readArtifact(name)).not.toMatch(/: any\b/);
    expect(readArtifact('nodesPatchEventMutation')).toContain(
      'private?: Record<string, string | null> | null',
    );
  });

  test('caches objects by nodeId, and embeds others', async () => {
    const { getDataID } = await loadEnvironment(project, gateway.url);
    expect(getDataID({ id: 'teammeeting', nodeId: 'node' }, 'Event')).toBe('node');
    expect(getDataID({ id: 'guest', email: 'bob@example.com' }, 'EventAttendee')).toBeUndefined();
  });

  describe('without persistConfig', () => {
    const unpersistedProject = useForAll(() =>
      compileProject(gateway.url.replace('/graphql', ''), { persistConfig: undefined }),
    );

    test('sends the texts of operations', async () => {
      expect(unpersistedProject.readOperation('nodesEventQuery')).toMatchObject({
        id: null,
        text: expect.any(String),
      });
      await expectRefetches(
        unpersistedProject,
        await loadEnvironment(unpersistedProject, gateway.url),
        await readSampleNodes(gateway),
      );
    });

    test('receives refusals in the form that issuesOf reads', async () => {
      const { network } = await loadEnvironment(unpersistedProject, gateway.url);
      const patch = async (summary: unknown) => {
        const variables = { calendarId: 'primary', eventId: 'teammeeting', event: { summary } };
        return network(unpersistedProject.readOperation('nodesPatchEventMutation'), variables);
      };
      const pathsOf = (source: unknown) => issuesOf(source).map(({ path }) => path.join('.'));
      const { data, errors } = await patch('x'.repeat(9000));
      // Relay returns errors beside data. Without data it throws an error whose `source` is the response.
      expect([data, pathsOf(errors)]).toEqual([{ patchEvent: null }, ['event.summary']]);
      const responseWithoutData = await patch(1);
      expect([responseWithoutData.data, pathsOf(responseWithoutData)]).toEqual([
        undefined,
        ['event.summary'],
      ]);
    });
  });
});
