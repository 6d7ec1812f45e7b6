import cluster from 'node:cluster';
import closeWithGrace from 'close-with-grace';
import { compose } from './compose.ts';
import { readConfig, type Config } from './config.ts';
import { StartError } from './core/kernel/errors.ts';
import { listen, listenForFigures } from './http/listen.ts';
import { progressOn } from './seed/progress.ts';
import { runWorkers, stopMessage } from './workers.ts';

/** The demo's welcome: everything to copy and paste, at most 40 lines and 2.5 kB. */
function welcome(address: string, token: string, pages: boolean): string {
  const curl = (query: string): string =>
    `curl -s ${address}/graphql -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '${JSON.stringify({ query })}'`;
  const insert =
    'mutation { insertNotification(bucket: "demo-photos", notification: { topic: "projects/demo-project/topics/new" }) { id topic selfLink } }';
  const patch =
    'mutation { patchEvent(calendarId: "primary", eventId: "teammeeting", event: { summary: "Team meeting, moved" }) { id summary etag updated } }';
  const addresses = [`  ${address}/demo       a calendar and a bucket, live`, `  ${address}/explorer   every operation, to try`];
  return [
    `The demo gateway is ready. ${pages ? 'Open one of these in a browser, or paste' : 'Paste'} the lines below into a shell.`,
    ...(pages ? addresses : []),
    '',
    'A token that opens everything, valid for one day:',
    `export TOKEN=${token}`,
    '',
    'Insert a notification:',
    curl(insert),
    '',
    'Patch an event:',
    curl(patch),
    '',
    'A token for somebody else: npm run -s token -- --email bob@example.com --scope calendar',
  ].join('\n');
}

async function serve(config: Config): Promise<void> {
  const { worker } = cluster;
  const { app, metricsServer, demoToken, notices } = await compose(config, process.stderr.isTTY && !worker ? { onProgress: progressOn(process.stderr) } : {});
  const tell = config.demo ? console.error : (notice: string) => app.log.warn(notice);
  if (!worker || worker.id === 1) notices.forEach((notice) => tell(notice));
  // Before it listens: a signal may come as soon as somebody knows that it does.
  const { close } = closeWithGrace({ delay: 9000, ...(worker && { skip: [...signals] }) }, async ({ err }) => {
    if (err) app.log.error({ err }, 'stopping after an error');
    else await app.drain();
    await app.close();
  });
  if (worker) {
    for (const signal of signals) process.on(signal, () => undefined); // the first process passes them on
    worker.on('message', (message) => void (message === stopMessage && close()));
  }
  const address = await listen(app, config, 'PORT, HOST');
  if (worker) return;
  await listenForFigures(metricsServer, config.metrics);
  console.log(demoToken ? welcome(address, demoToken, config.explorer) : `The gateway is ready at ${address}/graphql`);
}

const signals = ['SIGINT', 'SIGTERM'] as const;

try {
  const config = readConfig();
  await (config.workers > 1 && cluster.isPrimary ? runWorkers(config) : serve(config));
} catch (error) {
  if (!(error instanceof StartError)) throw error;
  console.error(error.message);
  process.exit(1);
}
