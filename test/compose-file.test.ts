import { readFileSync } from 'node:fs';

const compose = readFileSync(new URL('../compose.yaml', import.meta.url), 'utf8');
const secondsAt = (name: string): number =>
  Number(new RegExp(`^ +${name}: (\\d+)s?$`, 'm').exec(compose)?.[1]);

test('compose.yaml gives the gateway DRAIN_DELAY and 10 s to stop', () => {
  expect(secondsAt('stop_grace_period')).toBe(secondsAt('DRAIN_DELAY') + 10);
});
