import { compose } from '../../../src/app.ts';
import { readConfig } from '../../../src/config.ts';
import { useForAll } from '../../use-resource.ts';

const startApp = async (env: Record<string, string>) => {
  const { app, demoToken } = await compose(readConfig(env), {
    logLevel: 'silent',
    includesProcessMetrics: false,
  });
  const get = async (url: string, headers: Record<string, string> = { host: 'localhost:4000' }) => {
    const { statusCode: status, body } = await app.inject({ url, headers });
    return { status, body };
  };
  return { get, demoToken, close: () => app.close() };
};
const listLinks = (body: string): string[] =>
  [...body.matchAll(/<a href="([^"]+)"/g)].map(([, path = '']) => path);

describe('the start page of the demo', () => {
  const gateway = useForAll(() => startApp({}));

  test('names the endpoint with a command, and holds no token', async () => {
    const { status, body } = await gateway.get('/');
    expect(status).toBe(200);
    expect(body).toContain('curl -s http://localhost:4000/graphql');
    expect(body).not.toContain(gateway.demoToken);
  });

  test('links to everything that is served', async () => {
    const links = listLinks((await gateway.get('/')).body);
    expect(links).toEqual([
      ...['/demo', '/explorer', '/graphql', '/schema', '/schema.graphql'],
      ...['/discovery/v1/apis', '/docs/README', '/health/live', '/health/ready'],
    ]);
    const headers = { host: 'localhost:4000', accept: 'text/html' };
    for (const link of links) expect([link, (await gateway.get(link, headers)).status]).toEqual([link, 200]);
  });

  test('leads to documentation whose links work', async () => {
    const paths = new Set(['/docs/README']);
    for (const page of paths) {
      const { status, body } = await gateway.get(page);
      expect([page, status]).toEqual([page, 200]);
      for (const link of listLinks(body)) if (link.startsWith('/')) paths.add(link.replace(/#.*/, ''));
    }
    expect(paths.size).toBeGreaterThan(20);
    expect((await gateway.get('/docs/schema')).status).toBe(404);
    expect((await gateway.get('/docs/../package.json')).status).toBe(404);
  });
});

describe('the documentation of the schema', () => {
  test('describes operations and types', async () => {
    const gateway = await startApp({});
    const { status, body } = await gateway.get('/schema');
    expect(status).toBe(200);
    expect(body).toContain('<h3 id="patchevent">patchEvent</h3>');
    expect(body).toContain('<h3 id="eventinput">EventInput</h3>');
    await gateway.close();
  });

  test('follows INTROSPECTION', async () => {
    const env = { AUTH_JWT_SECRET: 'x'.repeat(32), EXPLORER: 'on' };
    const authenticatedApp = await startApp(env);
    expect((await authenticatedApp.get('/schema')).status).toBe(401);
    await authenticatedApp.close();
    const appWithoutIntrospection = await startApp({ ...env, INTROSPECTION: 'off' });
    expect((await appWithoutIntrospection.get('/schema')).status).toBe(404);
    expect(listLinks((await appWithoutIntrospection.get('/')).body)).not.toContain('/schema');
    await appWithoutIntrospection.close();
  });
});
