import { install, type Clock } from '@sinonjs/fake-timers';
import { createLanes, type LaneLimits } from '../../../src/adapters/pubsub/lanes.ts';

const silent = 'the topic does not answer';

let clock: Clock;
beforeEach(() => void (clock = install()));
afterEach(() => clock.uninstall());

/** Lanes with what was asked of them: how each went, and a way to answer those that were sent. */
function lanesOf(limits: Partial<LaneLimits> = {}) {
  const lanes = createLanes({ most: 2, probes: 1, patience: 1000, turn: 5000, ...limits });
  const went: Record<string, string> = {};
  const sent: Record<string, (error?: Error) => void> = {};
  return {
    went,
    sent,
    /** Sends messages on a topic, each named, and lets everything happen that needs no time. */
    async run(topic: string, ...names: string[]): Promise<void> {
      for (const name of names) {
        went[name] = 'waits';
        const send = () =>
          new Promise<string>((resolve, reject) => {
            went[name] = 'sent';
            sent[name] = (error) => (error ? reject(error) : resolve('answered'));
          });
        void lanes.run(topic, send).then(
          (answer) => (went[name] = answer),
          (error: Error) => (went[name] = error.message),
        );
      }
      await clock.tickAsync(0);
    },
  };
}

test('a topic has its share, in the order of its messages, and other topics theirs', async () => {
  const { run, went, sent } = lanesOf();
  await run('one', 'a', 'b', 'c', 'd');
  await run('other', 'x');
  expect(went).toEqual({ a: 'sent', b: 'sent', c: 'waits', d: 'waits', x: 'sent' });
  sent.b?.();
  await run('one');
  expect(went).toEqual({ a: 'sent', b: 'answered', c: 'sent', d: 'waits', x: 'sent' });
  sent.a?.(new Error('reset'));
  await run('one');
  await run('one', 'e');
  expect(went).toEqual({ a: 'reset', b: 'answered', c: 'sent', d: 'sent', e: 'waits', x: 'sent' });
});

test('nobody waits for a topic that gives no answer at all', async () => {
  const { run, went } = lanesOf();
  await run('one', 'a', 'b', 'c');
  await clock.tickAsync(999);
  expect(went.c).toBe('waits');
  await clock.tickAsync(1);
  await run('one', 'd');
  expect(went).toEqual({ a: 'sent', b: 'sent', c: silent, d: silent });
});

test('a topic that answers some requests is waited for', async () => {
  const { run, went, sent } = lanesOf();
  await run('one', 'a', 'b', 'c', 'd');
  await clock.tickAsync(900);
  sent.b?.();
  await clock.tickAsync(900);
  expect(went).toEqual({ a: 'sent', b: 'answered', c: 'sent', d: 'waits' });
  await clock.tickAsync(100);
  expect(went.d).toBe(silent);
});

test('a silent topic is probed, and has its share again once it answers', async () => {
  const { run, went, sent } = lanesOf();
  await run('one', 'a', 'b');
  await clock.tickAsync(1000);
  for (const name of ['a', 'b']) sent[name]?.(new Error('no answer'));
  await run('one');
  await run('one', 'probe', 'c');
  expect(went).toMatchObject({ probe: 'sent', c: silent });
  sent.probe?.();
  await run('one');
  await run('one', 'd', 'e', 'f');
  expect(went).toMatchObject({ d: 'sent', e: 'sent', f: 'waits' });
});

test('nobody waits for longer than a turn may take', async () => {
  const { run, went } = lanesOf({ patience: 60_000 });
  await run('one', 'a', 'b', 'c');
  await clock.tickAsync(4999);
  expect(went.c).toBe('waits');
  await clock.tickAsync(1);
  expect(went).toEqual({ a: 'sent', b: 'sent', c: 'too much waits for the topic' });
});
