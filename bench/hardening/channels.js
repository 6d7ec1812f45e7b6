// Attacks by callers who create channels: private addresses, floods of channels, and receivers that never respond.
import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { signToken, withGateway } from './gateway.js';
import { listenOnLoopback } from './loopback.js';
import { smallSeed } from './seed.js';

const watchMutation =
  'mutation ($channel: ChannelInput!) { watchCalendar(calendarId: "primary", channel: $channel) { id resourceId } }';
const patchMutation =
  'mutation ($text: String!) { patchEvent(calendarId: "primary", eventId: "victim", event: { description: $text }) { id } }';
/** Time for the gateway to send messages to the channels. */
const sendingMs = 3000;
/** More than the 20 channels that a caller may have on a calendar. */
const channelCount = 30;
const maxConnectionsPerHost = 10;

/** Starts a silent server on loopback that counts connections. */
async function startSilentServer() {
  const counts = { total: 0, maxOpen: 0 };
  const server = createServer();
  const { port, sockets, stop } = await listenOnLoopback(server);
  server.on('connection', () => {
    counts.total += 1;
    counts.maxOpen = Math.max(counts.maxOpen, sockets.size);
  });
  return { port, counts, stop };
}

/** Spellings of this machine, private networks and odd URLs. `PORT` is that of a server on loopback. */
const forbiddenAddresses = [
  'http://127.0.0.1:PORT/',
  'https://127.0.0.1:PORT/',
  'https://127.1:PORT/',
  'https://0x7f000001:PORT/',
  'https://2130706433:PORT/',
  'https://0177.0.0.1:PORT/',
  'https://[::1]:PORT/',
  'https://[::ffff:127.0.0.1]:PORT/',
  'https://[::ffff:7f00:1]:PORT/',
  'https://[64:ff9b::7f00:1]:PORT/',
  'https://[2002:7f00:1::]:PORT/',
  'https://0.0.0.0:PORT/',
  'https://10.0.0.1/',
  'https://169.254.169.254/latest/meta-data/',
  'http://receiver.example.com/',
  'https://user:password@receiver.example.com/',
  'https://receiver.example.com\\@127.0.0.1:PORT/',
  'https://receiver.example.com/\r\nX-Injected: 1',
  'file:///etc/passwd',
  'gopher://127.0.0.1:PORT/',
];
/** Names of this machine, which are refused when they are resolved. */
const forbiddenNames = ['https://localhost:PORT/', 'https://LOCALHOST:PORT/'];

/** Creates a function that creates a channel. It resolves to 'created' or to the reason of the refusal. */
const createWatcher = (gateway, token) => async (channel) => {
  const { json } = await gateway.sendGraphql(watchMutation, { channel }, { token });
  return json?.errors?.[0]?.extensions?.reason ?? 'created';
};

async function checkAddresses() {
  const server = await startSilentServer();
  try {
    return await withGateway(
      { seed: smallSeed, env: { CHANNELS: 'on', RATE_LIMIT: 'off' } },
      async (gateway) => {
        const watch = createWatcher(gateway, await signToken('alice@example.com'));
        const insertPort = (address) => address.replace('PORT', String(server.port));
        const acceptedAddresses = [];
        for (const [index, address] of forbiddenAddresses.entries())
          if ((await watch({ id: `${index}`, address: insertPort(address) })) !== 'invalid')
            acceptedAddresses.push(address);
        for (const [index, address] of forbiddenNames.entries())
          await watch({ id: `name${index}`, address: `${insertPort(address)}?key=hidden`, token: 'hidden' });
        await pause(sendingMs);
        const log = gateway.readLog();
        return [
          {
            attack: `channels to ${forbiddenAddresses.length} spellings of private and odd addresses`,
            criterion: 'refused as invalid',
            figure:
              acceptedAddresses.length === 0 ? 'all refused' : `accepted: ${acceptedAddresses.join(', ')}`,
            isMet: acceptedAddresses.length === 0,
          },
          {
            attack: 'channels to names of this machine',
            criterion: 'no connection, and neither path nor token in the log',
            figure: `${server.counts.total} connections, ${/hidden/.test(log) ? 'the log leaks' : 'no leak'}`,
            isMet: server.counts.total === 0 && !/hidden/.test(log),
          },
        ];
      },
    );
  } finally {
    server.stop();
  }
}

async function checkFlood() {
  const server = await startSilentServer();
  try {
    return await withGateway(
      { seed: smallSeed, env: { CHANNELS: 'on', WEBHOOK_NETWORKS: '127.0.0.0/8', RATE_LIMIT: 'off' } },
      async (gateway) => {
        const token = await signToken('alice@example.com');
        const watch = createWatcher(gateway, token);
        const outcomes = [];
        for (let index = 0; index < channelCount; index += 1)
          outcomes.push(await watch({ id: `${index}`, address: `http://127.0.0.1:${server.port}/${index}` }));
        let patchCount = 0;
        for (const endAt = Date.now() + sendingMs; Date.now() < endAt; await pause(20)) {
          const { json } = await gateway.sendGraphql(patchMutation, { text: `${patchCount}` }, { token });
          if (json?.data?.patchEvent) patchCount += 1;
        }
        const createdCount = outcomes.filter((outcome) => outcome === 'created').length;
        const { maxOpen } = server.counts;
        const stoppedAt = performance.now();
        gateway.child.kill('SIGTERM');
        const exitStatus = await gateway.exitPromise;
        const shutdownSeconds = (performance.now() - stoppedAt) / 1000;
        return [
          {
            attack: `${channelCount} channels of a caller on one calendar`,
            criterion: '20, the others are refused',
            figure: `${createdCount} created`,
            isMet: createdCount === 20 && outcomes.slice(20).every((outcome) => outcome === 'tooMany'),
          },
          {
            attack: 'the silent receiver of these channels, while the calendar is changed',
            criterion: `1 to ${maxConnectionsPerHost} connections at a time, and changes succeed`,
            figure: `${maxOpen} connections, ${patchCount} changes`,
            isMet: maxOpen > 0 && maxOpen <= maxConnectionsPerHost && patchCount > 0,
          },
          {
            attack: 'SIGTERM while messages are unanswered',
            criterion: 'code 0 within 15 s',
            figure: `code ${exitStatus}, ${shutdownSeconds.toFixed(1)} s`,
            isMet: exitStatus === 0 && shutdownSeconds < 15,
          },
        ];
      },
    );
  } finally {
    server.stop();
  }
}

export const channelChecks = { 'channels-addresses': checkAddresses, 'channels-flood': checkFlood };
