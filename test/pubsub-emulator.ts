import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { eventually } from './eventually.ts';
import { findFreePort } from './free-port.ts';

/** Pub/Sub emulator of Google's SDK (package google-cloud-cli-pubsub-emulator); it needs Java. */
const emulatorPath = ['/usr/lib/google-cloud-sdk', '/usr/share/google-cloud-sdk', '/opt/google-cloud-sdk']
  .map((sdk) => `${sdk}/platform/pubsub-emulator/bin/cloud-pubsub-emulator`)
  .find((file) => existsSync(file));

/** `describe` for suites that need Google's emulator of Pub/Sub. Without one they are skipped and say so. */
export const describeWithEmulator: (name: string, suite: () => void) => void =
  emulatorPath !== undefined
    ? describe
    : (name, suite) => describe.skip(`${name} (skipped: the emulator of Pub/Sub is not installed)`, suite);

/** A message as the emulator delivers it; `data` is in base64. */
export interface EmulatorMessage {
  readonly data?: string;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly orderingKey?: string;
}

/** Starts an emulator; its topics are named `projects/P/topics/T`. */
export async function startEmulator() {
  if (emulatorPath === undefined) throw new Error('the emulator of Pub/Sub is not installed');
  const port = await findFreePort();
  // The command is a script that starts Java; `detached` puts both in one process group.
  const emulatorProcess = spawn(emulatorPath, ['--host=127.0.0.1', `--port=${port}`], {
    stdio: 'ignore',
    detached: true,
  });
  const baseUrl = `http://127.0.0.1:${port}/v1/`;

  async function callApi(method: string, path: string, body: object): Promise<unknown> {
    const response = await fetch(baseUrl + path, {
      method,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(15_000),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  }

  await eventually(async () => void (await fetch(baseUrl)));
  return {
    host: `127.0.0.1:${port}`,
    /** Creates a topic, and a subscription with ordered delivery. */
    async createTopic(topic: string) {
      await callApi('PUT', encodePath(topic), {});
      await callApi('PUT', encodePath(subscriptionNameOf(topic)), { topic, enableMessageOrdering: true });
    },
    /** Pulls and acknowledges messages until there are at least `count`. */
    async receiveMessages(topic: string, count: number): Promise<readonly EmulatorMessage[]> {
      const messages: EmulatorMessage[] = [];
      while (messages.length < count) {
        const { receivedMessages = [] } = (await callApi(
          'POST',
          `${encodePath(subscriptionNameOf(topic))}:pull`,
          {
            maxMessages: 1000,
          },
        )) as { receivedMessages?: { ackId: string; message: EmulatorMessage }[] };
        messages.push(...receivedMessages.map(({ message }) => message));
        const ackIds = receivedMessages.map(({ ackId }) => ackId);
        if (ackIds.length > 0)
          await callApi('POST', `${encodePath(subscriptionNameOf(topic))}:acknowledge`, { ackIds });
      }
      return messages;
    },
    async stop() {
      const exited = once(emulatorProcess, 'exit');
      process.kill(-(emulatorProcess.pid as number), 'SIGTERM');
      // A busy emulator may ignore SIGTERM.
      const killTimer = setTimeout(() => process.kill(-(emulatorProcess.pid as number), 'SIGKILL'), 5000);
      await exited;
      clearTimeout(killTimer);
    },
  };
}

const subscriptionNameOf = (topic: string): string => topic.replace('/topics/', '/subscriptions/');
const encodePath = (name: string): string => name.split('/').map(encodeURIComponent).join('/');
