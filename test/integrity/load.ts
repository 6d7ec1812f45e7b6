import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { startGatewayProcess, type GatewayProcess } from '../gateway-process.ts';
import { tokenFor } from '../harness.ts';
import { tally, type Criterion } from './figures.ts';

const operations = [
  'mutation ($room: String) { patchEvent(calendarId: "primary", eventId: "teammeeting", event: { location: $room }) { id etag location } }',
  '{ event(calendarId: "primary", eventId: "teammeeting") { id summary attendees { email responseStatus } } }',
  '{ events(calendarId: "primary", first: 5) { nodes { id summary start { dateTime } } } }',
];

interface Sent {
  readonly status: number;
  /** Why there was no answer. */
  readonly fault?: string;
}

const send = (url: string, agent: Agent, token: string, index: number): Promise<Sent> =>
  new Promise((resolve) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
    const sent = request(`${url}/graphql`, { method: 'POST', agent, headers }, (response) => {
      response
        .resume()
        .on('end', () => resolve({ status: response.statusCode ?? 0 }))
        .on('error', ({ message }) => resolve({ status: 0, fault: message }));
    });
    sent.on('error', (error: NodeJS.ErrnoException) =>
      resolve({ status: 0, fault: error.code ?? error.message }),
    );
    sent.end(
      JSON.stringify({
        query: operations[index % operations.length],
        variables: index % operations.length === 0 ? { room: `Room ${index}` } : {},
      }),
    );
  });

/** Clients that ask as fast as they are answered, each on a connection that is kept, as long as `goesOn` says so. */
async function ask(
  url: string,
  clients: number,
  goesOn: (sent: Sent | undefined, asked: number) => boolean,
): Promise<void> {
  const token = await tokenFor('alice@example.com');
  let asked = 0;
  await Promise.all(
    Array.from({ length: clients }, async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      let sent: Sent | undefined;
      while (goesOn(sent, asked)) {
        sent = await send(url, agent, token, asked++);
      }
      agent.destroy();
    }),
  );
}

const tellMemory = new URL('./tell-memory.js', import.meta.url).href;

/** The megabytes that a gateway uses, without what is only not collected yet. */
async function memoryOf({ child }: GatewayProcess): Promise<number> {
  child.kill('SIGWINCH');
  for (;;) {
    const [text] = (await once(child.stderr as NodeJS.EventEmitter, 'data')) as [string];
    const bytes = /in use: (\d+)/.exec(text)?.[1];
    if (bytes) return Number(bytes) / 1_000_000;
  }
}

/** What a gateway as a process of its own does under load; `env` says what it keeps its data in. */
export function loadCriteria(env: () => Readonly<Record<string, string>>): Criterion[] {
  async function onGateway<T>(work: (gateway: GatewayProcess) => Promise<T>): Promise<T> {
    const gateway = await startGatewayProcess({ ...env(), NODE_OPTIONS: `--import=${tellMemory}` });
    try {
      return await work(gateway);
    } finally {
      await gateway.kill();
    }
  }

  return [
    {
      title: 'SIGTERM under 32 keep-alive clients: 0 dropped, code 0',
      measure: () =>
        onGateway(async ({ url, child }) => {
          const sent: string[] = [];
          const asking = ask(url, 32, (last) => {
            if (last && last.fault !== 'ECONNREFUSED')
              sent.push(last.status === 200 ? 'answered' : (last.fault ?? `${last.status}`));
            return last === undefined || last.status === 200;
          });
          await pause(1000);
          const ended = once(child, 'exit');
          child.kill('SIGTERM');
          await asking;
          const [code] = (await ended) as [number | null];
          const dropped = sent.filter((word) => word !== 'answered');
          return {
            figure: `${dropped.length} of ${sent.length} dropped${dropped.length > 0 ? ` (${tally(dropped)})` : ''}, code ${code}`,
            holds: dropped.length === 0 && code === 0,
          };
        }),
    },
    {
      title: '6,000 valid requests after warm-up: memory grows by less than 30 MB',
      measure: () =>
        onGateway(async (gateway) => {
          const faults: string[] = [];
          const askFor = (amount: number): Promise<void> =>
            ask(gateway.url, 8, (last, asked) => {
              if (last && last.status !== 200) faults.push(last.fault ?? `${last.status}`);
              return asked < amount;
            });
          await askFor(3000);
          const before = await memoryOf(gateway);
          await askFor(6000);
          const growth = (await memoryOf(gateway)) - before;
          return {
            figure: `${growth.toFixed(1)} MB (from ${before.toFixed(0)} MB)${faults.length > 0 ? `, ${tally(faults)}` : ''}`,
            holds: growth < 30 && faults.length === 0,
          };
        }),
    },
  ];
}
