import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';

/** Part of Google's SDK, by its package google-cloud-cli-pubsub-emulator; it needs Java. */
const command = ['/usr/lib/google-cloud-sdk', '/usr/share/google-cloud-sdk', '/opt/google-cloud-sdk']
  .map((sdk) => `${sdk}/platform/pubsub-emulator/bin/cloud-pubsub-emulator`)
  .find((file) => existsSync(file));

/** `describe` for suites that need Google's emulator of Pub/Sub. Without one they are skipped and say so. */
export const describeWithEmulator: (name: string, suite: () => void) => void =
  command !== undefined
    ? describe
    : (name, suite) => describe.skip(`${name} (skipped: the emulator of Pub/Sub is not installed)`, suite);

export interface Received {
  readonly data?: string;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly orderingKey?: string;
}

/** An emulator whose topics are `projects/P/topics/T`. */
export async function startEmulator() {
  if (command === undefined) throw new Error('the emulator of Pub/Sub is not installed');
  const port = await freePort();
  // The command is a script that starts Java: both are one group.
  const running = spawn(command, ['--host=127.0.0.1', `--port=${port}`], { stdio: 'ignore', detached: true });
  const base = `http://127.0.0.1:${port}/v1/`;

  async function ask(method: string, path: string, body: object): Promise<unknown> {
    const response = await fetch(base + path, {
      method,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(15_000),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  }

  await eventually(async () => void (await fetch(base)));
  return {
    host: `127.0.0.1:${port}`,
    /** Makes a topic, and a subscription in order. */
    async create(topic: string) {
      await ask('PUT', encoded(topic), {});
      await ask('PUT', encoded(subscriptionOf(topic)), { topic, enableMessageOrdering: true });
    },
    /** What the subscription has received, once there are at least `count`; what was received is not received again. */
    async receive(topic: string, count: number): Promise<readonly Received[]> {
      const all: Received[] = [];
      while (all.length < count) {
        const { receivedMessages = [] } = (await ask('POST', `${encoded(subscriptionOf(topic))}:pull`, {
          maxMessages: 1000,
        })) as { receivedMessages?: { ackId: string; message: Received }[] };
        all.push(...receivedMessages.map(({ message }) => message));
        const ackIds = receivedMessages.map(({ ackId }) => ackId);
        if (ackIds.length > 0) await ask('POST', `${encoded(subscriptionOf(topic))}:acknowledge`, { ackIds });
      }
      return all;
    },
    async stop() {
      const ended = once(running, 'exit');
      process.kill(-(running.pid as number), 'SIGTERM');
      // One that is busy does not hear it.
      const late = setTimeout(() => process.kill(-(running.pid as number), 'SIGKILL'), 5000);
      await ended;
      clearTimeout(late);
    },
  };
}

const subscriptionOf = (topic: string): string => topic.replace('/topics/', '/subscriptions/');
const encoded = (name: string): string => name.split('/').map(encodeURIComponent).join('/');
