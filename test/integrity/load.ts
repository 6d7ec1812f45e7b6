import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { startGatewayProcess, type GatewayProcess } from '../gateway-process.ts';
import { tokenFor } from '../harness.ts';
import { tally, type Criterion } from './figure-table.ts';

const operations = [
  'mutation ($room: String) { patchEvent(calendarId: "primary", eventId: "teammeeting", event: { location: $room }) { id etag location } }',
  '{ event(calendarId: "primary", eventId: "teammeeting") { id summary attendees { email responseStatus } } }',
  '{ events(calendarId: "primary", first: 5) { nodes { id summary start { dateTime } } } }',
];

interface RequestResult {
  readonly status: number;
  /** Error code if there was no response. */
  readonly fault?: string;
}

const sendOperation = (url: string, agent: Agent, token: string, index: number): Promise<RequestResult> =>
  new Promise((resolve) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
    const clientRequest = request(`${url}/graphql`, { method: 'POST', agent, headers }, (response) => {
      response
        .resume()
        .on('end', () => resolve({ status: response.statusCode ?? 0 }))
        .on('error', ({ message }) => resolve({ status: 0, fault: message }));
    });
    clientRequest.on('error', (error: NodeJS.ErrnoException) =>
      resolve({ status: 0, fault: error.code ?? error.message }),
    );
    clientRequest.end(
      JSON.stringify({
        query: operations[index % operations.length],
        variables: index % operations.length === 0 ? { room: `Room ${index}` } : {},
      }),
    );
  });

/** Runs clients that each send request after request on a keep-alive connection, while `shouldContinue` is true. */
async function runClients(
  url: string,
  clientCount: number,
  shouldContinue: (lastResult: RequestResult | undefined, requestCount: number) => boolean,
): Promise<void> {
  const token = await tokenFor('alice@example.com');
  let requestCount = 0;
  await Promise.all(
    Array.from({ length: clientCount }, async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      let lastResult: RequestResult | undefined;
      while (shouldContinue(lastResult, requestCount))
        lastResult = await sendOperation(url, agent, token, requestCount++);
      agent.destroy();
    }),
  );
}

const memoryReporterUrl = new URL('./report-memory.js', import.meta.url).href;

/** Measures the memory of a gateway after garbage collection, in MB. */
async function measureMemoryMb({ child }: GatewayProcess): Promise<number> {
  // report-memory.js prints the bytes in use on this signal.
  child.kill('SIGWINCH');
  for (;;) {
    const [text] = (await once(child.stderr as NodeJS.EventEmitter, 'data')) as [string];
    const bytes = /in use: (\d+)/.exec(text)?.[1];
    if (bytes) return Number(bytes) / 1_000_000;
  }
}

/** Criteria for a gateway process under load; the variables of `createEnv` select its store. */
export function loadCriteria(createEnv: () => Readonly<Record<string, string>>): Criterion[] {
  async function withGateway<T>(action: (gateway: GatewayProcess) => Promise<T>): Promise<T> {
    const gateway = await startGatewayProcess({
      ...createEnv(),
      NODE_OPTIONS: `--import=${memoryReporterUrl}`,
    });
    try {
      return await action(gateway);
    } finally {
      await gateway.kill();
    }
  }

  return [
    {
      title: 'SIGTERM under 32 keep-alive clients: 0 dropped, code 0',
      measure: () =>
        withGateway(async ({ url, child }) => {
          const outcomes: string[] = [];
          const clientRuns = runClients(url, 32, (previousResult) => {
            if (previousResult && previousResult.fault !== 'ECONNREFUSED')
              outcomes.push(
                previousResult.status === 200
                  ? 'answered'
                  : (previousResult.fault ?? `${previousResult.status}`),
              );
            return previousResult === undefined || previousResult.status === 200;
          });
          await pause(1000);
          const exitEvent = once(child, 'exit');
          child.kill('SIGTERM');
          await clientRuns;
          const [code] = (await exitEvent) as [number | null];
          const droppedOutcomes = outcomes.filter((outcome) => outcome !== 'answered');
          return {
            figure: `${droppedOutcomes.length} of ${outcomes.length} dropped${droppedOutcomes.length > 0 ? ` (${tally(droppedOutcomes)})` : ''}, code ${code}`,
            holds: droppedOutcomes.length === 0 && code === 0,
          };
        }),
    },
    {
      title: '6,000 valid requests after warm-up: memory grows by less than 30 MB',
      measure: () =>
        withGateway(async (gateway) => {
          const faults: string[] = [];
          const sendRequests = (maxRequests: number): Promise<void> =>
            runClients(gateway.url, 8, (priorResult, requestCount) => {
              if (priorResult && priorResult.status !== 200)
                faults.push(priorResult.fault ?? `${priorResult.status}`);
              return requestCount < maxRequests;
            });
          await sendRequests(3000);
          const memoryBeforeMb = await measureMemoryMb(gateway);
          await sendRequests(6000);
          const growthMb = (await measureMemoryMb(gateway)) - memoryBeforeMb;
          return {
            figure: `${growthMb.toFixed(1)} MB (from ${memoryBeforeMb.toFixed(0)} MB)${faults.length > 0 ? `, ${tally(faults)}` : ''}`,
            holds: growthMb < 30 && faults.length === 0,
          };
        }),
    },
  ];
}
