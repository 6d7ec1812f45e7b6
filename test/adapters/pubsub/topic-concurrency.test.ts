import { install, type Clock } from '@sinonjs/fake-timers';
import {
  createTopicConcurrency,
  type TopicConcurrencyLimits,
} from '../../../src/adapters/pubsub/topic-concurrency.ts';

const silentTopicMessage = 'the topic does not answer';

let clock: Clock;
beforeEach(() => void (clock = install()));
afterEach(() => clock.uninstall());

/** Runs requests under limits by topic. `states`: the state of each message; `complete`: ends an attempt by name. */
function trackRequests(limits: Partial<TopicConcurrencyLimits> = {}) {
  const concurrency = createTopicConcurrency({
    maxRequests: 2,
    maxProbes: 1,
    silentAfterMs: 1000,
    maxWaitMs: 5000,
    ...limits,
  });
  const states: Record<string, string> = {};
  const complete: Record<string, (error?: Error) => void> = {};
  return {
    states,
    complete,
    /** Sends named messages on a topic and runs all that is due now. */
    async run(topic: string, ...names: string[]): Promise<void> {
      for (const name of names) {
        states[name] = 'waits';
        const send = () =>
          new Promise<string>((resolve, reject) => {
            states[name] = 'sent';
            complete[name] = (error) => (error ? reject(error) : resolve('answered'));
          });
        void concurrency.run(topic, send).then(
          (outcome) => (states[name] = outcome),
          (error: Error) => (states[name] = error.message),
        );
      }
      await clock.tickAsync(0);
    },
  };
}

test('each topic has its own limit, and sends in the order of its messages', async () => {
  const { run, states, complete } = trackRequests();
  await run('one', 'a', 'b', 'c', 'd');
  await run('other', 'x');
  expect(states).toEqual({ a: 'sent', b: 'sent', c: 'waits', d: 'waits', x: 'sent' });
  complete.b?.();
  await run('one');
  expect(states).toEqual({ a: 'sent', b: 'answered', c: 'sent', d: 'waits', x: 'sent' });
  complete.a?.(new Error('reset'));
  await run('one');
  await run('one', 'e');
  expect(states).toEqual({ a: 'reset', b: 'answered', c: 'sent', d: 'sent', e: 'waits', x: 'sent' });
});

test('messages of a topic without any answer fail after `silentAfterMs`', async () => {
  const { run, states } = trackRequests();
  await run('one', 'a', 'b', 'c');
  await clock.tickAsync(999);
  expect(states.c).toBe('waits');
  await clock.tickAsync(1);
  await run('one', 'd');
  expect(states).toEqual({ a: 'sent', b: 'sent', c: silentTopicMessage, d: silentTopicMessage });
});

test('messages wait for a topic that answers some requests', async () => {
  const { run, states, complete } = trackRequests();
  await run('one', 'a', 'b', 'c', 'd');
  await clock.tickAsync(900);
  complete.b?.();
  await clock.tickAsync(900);
  expect(states).toEqual({ a: 'sent', b: 'answered', c: 'sent', d: 'waits' });
  await clock.tickAsync(100);
  expect(states.d).toBe(silentTopicMessage);
});

test('a silent topic is probed, and gets its limit back once it answers', async () => {
  const { run, states, complete } = trackRequests();
  await run('one', 'a', 'b');
  await clock.tickAsync(1000);
  for (const name of ['a', 'b']) complete[name]?.(new Error('no answer'));
  await run('one');
  await run('one', 'probe', 'c');
  expect(states).toMatchObject({ probe: 'sent', c: silentTopicMessage });
  complete.probe?.();
  await run('one');
  await run('one', 'd', 'e', 'f');
  expect(states).toMatchObject({ d: 'sent', e: 'sent', f: 'waits' });
});

test('no message waits longer than `maxWaitMs`', async () => {
  const { run, states } = trackRequests({ silentAfterMs: 60_000 });
  await run('one', 'a', 'b', 'c');
  await clock.tickAsync(4999);
  expect(states.c).toBe('waits');
  await clock.tickAsync(1);
  expect(states).toEqual({ a: 'sent', b: 'sent', c: 'too many messages wait for the topic' });
});
