import { compose } from '../../src/compose.ts';
import { readConfig } from '../../src/config.ts';

describe('the landing page', () => {
  const page = async (env: Record<string, string>) => {
    const { app, demoToken } = await compose(readConfig(env), { logLevel: 'silent' });
    const response = await app.inject({ method: 'GET', url: '/graphql', headers: { accept: 'text/html' } });
    await app.close();
    return { status: response.statusCode, type: String(response.headers['content-type']), body: response.body, token: demoToken ?? 'none' };
  };

  test('of the demo holds an operation that works and the token for it', async () => {
    const { status, type, body, token } = await page({});
    expect([status, type]).toEqual([200, 'text/html']);
    expect(body).toContain('mutation PatchEvent($event: EventInput!)');
    expect(body).toContain(`Bearer ${token}`);
  });

  test('is gone with EXPLORER=off', async () => {
    const { status, type, body, token } = await page({ EXPLORER: 'off' });
    expect([status, type]).toEqual([400, 'application/json; charset=utf-8']);
    expect(body).not.toContain(token);
  });

  test('outside the demo it holds no token', async () => {
    const { status, body } = await page({ AUTH_JWT_SECRET: 'x'.repeat(32), EXPLORER: 'on' });
    expect(status).toBe(200);
    expect(body).toContain('PatchEvent');
    expect(body).not.toContain('Bearer ');
  });
});
