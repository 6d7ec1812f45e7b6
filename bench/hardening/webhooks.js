// Webhooks with hostile receivers on this machine: row W. Each topic of the bucket has one receiver.
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { codeOf, tokenOf } from './gateway.js';

const changeCount = 150;
const key = Buffer.alloc(32, 7).toString('base64');

const onRequest = (act) => (socket) => socket.once('data', () => act(socket));
const writeForever = (socket, text) => {
  const more = () =>
    !socket.destroyed && (socket.write(text) ? setImmediate(more) : socket.once('drain', more));
  more();
};
const trickle = (socket, text) => {
  const timer = setInterval(() => socket.write(text), 100);
  socket.on('close', () => clearInterval(timer));
};

const hostileReceivers = {
  silent: () => undefined,
  'a header a tenth of a second': onRequest(
    (socket) => (socket.write('HTTP/1.1 200 OK\r\n'), trickle(socket, 'X: y\r\n')),
  ),
  'an endless head': onRequest(
    (socket) => (socket.write('HTTP/1.1 200 OK\r\nX: '), writeForever(socket, 'y'.repeat(65_536))),
  ),
  'an endless body': onRequest(
    (socket) => (socket.write('HTTP/1.1 200 OK\r\n\r\n'), writeForever(socket, 'y'.repeat(65_536))),
  ),
  'an endless body of chunks': onRequest(
    (socket) => (
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'),
      writeForever(socket, '1\r\ny\r\n'.repeat(10_000))
    ),
  ),
  'a flood of 1xx': onRequest((socket) =>
    writeForever(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(2000)),
  ),
  'a redirect to itself': onRequest((socket) =>
    socket.end('HTTP/1.1 307 Temporary Redirect\r\nLocation: /\r\nContent-Length: 0\r\n\r\n'),
  ),
  'a reset': onRequest((socket) => socket.resetAndDestroy()),
  'a redirect inside': onRequest((socket) =>
    socket.end('HTTP/1.1 302 Found\r\nLocation: http://127.0.0.2:1/\r\nContent-Length: 0\r\n\r\n'),
  ),
};

async function startServer(server) {
  const sockets = new Set();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket
      .on('error', () => undefined)
      .on('close', () => sockets.delete(socket))
      .resume();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const stop = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { url: `http://127.0.0.1:${server.address().port}/hook?token=hidden`, stop };
}

/** Starts a receiver that responds at once and records the first arrival of each id. */
async function startGoodReceiver() {
  const arrived = new Map();
  const server = await startServer(
    createServer((request, response) => {
      const id = request.headers['webhook-id'];
      if (!arrived.has(id)) arrived.set(id, performance.now());
      request.resume().on('end', () => response.writeHead(204).end());
    }),
  );
  return { ...server, arrived };
}

const median = (times) => times.sort((a, b) => a - b)[Math.floor(times.length / 2)];
const publish =
  'mutation ($change: ObjectChangeInput!) { publishObjectChange(bucket: "photos", change: $change) { messages { messageId topic } } }';
const patch =
  'mutation { patchEvent(calendarId: "primary", eventId: "victim", event: { description: "as usual" }) { id } }';
const list = '{ events(calendarId: "primary", first: 3) { nodes { id summary } } }';

/** Measures a gateway with a good receiver on the first topic and these receivers on the others. */
async function measure(start, seed, receivers) {
  const folder = mkdtempSync(join(tmpdir(), 'hardening-webhooks-'));
  const file = join(folder, 'webhooks.json');
  const goodReceiver = await startGoodReceiver();
  const hostileServers = await Promise.all(
    receivers.map((onSocket) => startServer(createTcpServer(onSocket))),
  );
  const webhooks = [goodReceiver, ...hostileServers].map(({ url }, index) => ({
    topic: `projects/my-project/topics/topic-${index}`,
    url,
    secrets: [`whsec_${key}`],
  }));
  writeFileSync(file, JSON.stringify({ webhooks }));
  const gateway = await start({
    seed,
    env: { WEBHOOKS_FILE: file, WEBHOOK_NETWORKS: '127.0.0.0/8', RATE_LIMIT: 'off', DRAIN_DELAY: '0' },
  });
  try {
    const token = await tokenOf('alice@example.com');
    const base = gateway.memory().now;
    const [published, deliveryTimes, patches, lists] = [new Map(), [], [], []];
    for (let index = 0; index < changeCount; index += 1) {
      const at = performance.now();
      const answer = await gateway.ask(
        publish,
        {
          change: {
            eventType: 'OBJECT_FINALIZE',
            objectId: `albums/${index}`,
            object: { name: 'x'.repeat(10_000) },
          },
        },
        { token },
      );
      const message = answer.json?.data?.publishObjectChange?.messages.find(({ topic }) =>
        topic.endsWith('topic-0'),
      );
      if (!message) throw new Error(`not published: ${codeOf(answer)}`);
      published.set(message.messageId, at);
      patches.push((await gateway.ask(patch, undefined, { token })).ms);
      lists.push((await gateway.ask(list, undefined, { token })).ms);
    }
    for (let waited = 0; waited < 20_000 && goodReceiver.arrived.size < changeCount; waited += 50)
      await new Promise((resolve) => setTimeout(resolve, 50));
    for (const [id, at] of published) deliveryTimes.push((goodReceiver.arrived.get(id) ?? Infinity) - at);
    // Retries continue for a few seconds without other requests.
    await new Promise((resolve) => setTimeout(resolve, 8000));
    const growth = Math.round(gateway.memory().peak - base);
    const stopped = performance.now();
    gateway.child.kill('SIGTERM');
    const code = await gateway.ended;
    const log = gateway.readLog();
    return {
      arrived: goodReceiver.arrived.size,
      way: Math.round(median(deliveryTimes)),
      longest: Math.round(deliveryTimes.at(-1)),
      patch: median(patches),
      list: median(lists),
      growth,
      code,
      seconds: (performance.now() - stopped) / 1000,
      tells: /token=hidden|albums\/|xxxxx/.test(log) || log.includes(key),
    };
  } finally {
    await gateway.stop();
    for (const { stop } of [goodReceiver, ...hostileServers]) stop();
    rmSync(folder, { recursive: true });
  }
}

async function checkHostileWebhooks({ start, seed }) {
  const baseline = await measure(start, seed, []);
  let attacked;
  const asFast = (figure) => attacked[figure] <= Math.max(2 * baseline[figure], baseline[figure] + 20);
  // The best of three counts, because other load on the machine can only slow it down.
  for (let round = 0; round < 3 && !(attacked && ['way', 'patch', 'list'].every(asFast)); round += 1)
    attacked = await measure(start, seed, Object.values(hostileReceivers));
  const attack = `${Object.keys(hostileReceivers).length} hostile webhooks (${Object.keys(hostileReceivers).join(', ')})`;
  const row = (title, criterion, figure, held) => ({ row: 'W', attack: title, criterion, figure, held });
  return [
    row(
      `${attack}: a well-behaved one beside them`,
      'gets everything, as fast as alone (2 times or 20 ms)',
      `${attacked.arrived} of ${changeCount}, ${baseline.way} → ${attacked.way} ms, longest ${baseline.longest} → ${attacked.longest} ms`,
      attacked.arrived === changeCount && asFast('way'),
    ),
    row(
      'the same: patches and lists',
      'as fast as without (2 times or 20 ms)',
      `${baseline.patch} → ${attacked.patch} ms, ${baseline.list} → ${attacked.list} ms`,
      asFast('patch') && asFast('list'),
    ),
    row(
      'the same: memory',
      '< 60 MB more than without',
      `${baseline.growth} → ${attacked.growth} MB`,
      attacked.growth - baseline.growth < 60,
    ),
    row(
      'the same: SIGTERM',
      'without DRAIN_DELAY code 0 within 10 s',
      `code ${attacked.code}, ${attacked.seconds.toFixed(1)} s`,
      attacked.code === 0 && attacked.seconds < 10,
    ),
    row(
      'the same: the log',
      'no query, name of an object, body or secret',
      attacked.tells ? 'it tells' : 'none',
      !attacked.tells,
    ),
  ];
}

export const webhookChecks = [['W', 'hostile webhooks', checkHostileWebhooks]];
