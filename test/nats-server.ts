import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:net';
import { AckPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect as connectToNats } from '@nats-io/transport-node';
import { streamName } from '../src/adapters/nats/publisher.ts';
import { eventually } from './eventually.ts';
import { findFreePort } from './free-port.ts';

const natsServerPath = ['nats-server', '/usr/sbin/nats-server'].find(
  (name) => spawnSync(name, ['--version']).status === 0,
);

/**
 * `describe` for suites that need a real NATS server. Without one they are skipped and say so; in CI, which installs
 * it, they run and fail.
 */
export const describeWithNats: (name: string, suite: () => void) => void =
  natsServerPath !== undefined || process.env.CI === 'true'
    ? describe
    : (name, suite) => describe.skip(`${name} (skipped: nats-server is not installed)`, suite);

export type NatsServer = Awaited<ReturnType<typeof startNats>>;

/** Starts a real NATS server with its own storage on loopback; it can be stopped and started again. */
export async function startNats() {
  if (natsServerPath === undefined)
    throw new Error('nats-server is not installed (Debian package nats-server)');
  const port = await findFreePort();
  const storageFolder = mkdtempSync(join(tmpdir(), 'nats-'));
  let serverProcess: ChildProcess | undefined;
  const server = {
    url: `nats://127.0.0.1:${port}`,
    async start() {
      serverProcess = spawn(
        natsServerPath,
        ['-a', '127.0.0.1', '-p', String(port), '-js', '-sd', storageFolder],
        {
          stdio: 'ignore',
        },
      );
      await eventually(() => waitForGreeting(port));
    },
    async stop() {
      const exitEvent = serverProcess && once(serverProcess, 'exit');
      serverProcess?.kill('SIGTERM');
      await exitEvent;
      serverProcess = undefined;
    },
    /** Stops the server and deletes its storage. */
    async remove(): Promise<void> {
      await server.stop();
      rmSync(storageFolder, { recursive: true, force: true });
    },
  };
  await server.start();
  return server;
}

/** A message as it is stored in the stream. */
interface StoredMessage {
  readonly id: string;
  readonly topic: string;
  readonly data: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** Reads all messages of the stream with NATS's client library, oldest first. */
export async function readNatsStream(url: string): Promise<readonly StoredMessage[]> {
  const connection = await connectToNats({ servers: url });
  try {
    const manager = await jetstreamManager(connection);
    const { state } = await manager.streams.info(streamName);
    if (state.messages === 0) return [];
    const { name } = await manager.consumers.add(streamName, { ack_policy: AckPolicy.None });
    const consumer = await jetstream(connection).consumers.get(streamName, name);
    const messages: StoredMessage[] = [];
    for await (const message of await consumer.fetch({ max_messages: state.messages, expires: 5000 })) {
      messages.push({
        id: message.headers?.get('Nats-Msg-Id') ?? '',
        topic: message.headers?.get('topic') ?? '',
        data: message.string(),
        attributes: JSON.parse(message.headers?.get('attributes') ?? '') as StoredMessage['attributes'],
      });
    }
    return messages;
  } finally {
    await connection.close();
  }
}

/** Connects and waits for the server's greeting; rejects if nothing listens on the port. */
async function waitForGreeting(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'data');
  } finally {
    socket.destroy();
  }
}
