import { readFileSync } from 'node:fs';
import { readConfig } from '../src/config.ts';

const compose = readFileSync(new URL('../compose.yaml', import.meta.url), 'utf8');

test('compose.yaml gives the gateway DRAIN_DELAY and 10 s to stop', () => {
  const { drainDelay } = readConfig({ AUTH_JWT_SECRET: 'x'.repeat(32) });
  expect(Number(/stop_grace_period: (\d+)s/.exec(compose)?.[1])).toBe(drainDelay + 10);
});
