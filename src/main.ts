import { setTimeout as pause } from 'node:timers/promises';
import closeWithGrace from 'close-with-grace';
import { formatShellCommand, readArguments, runCommand } from './command-line.ts';
import { readConfig, type Config } from './config.ts';
import { settingsHelp } from './config/environment.ts';
import { listen } from './http/connections.ts';
import { createProgressLine } from './seed/import-report.ts';
import type { SeedNames } from './seed/demo-data.ts';

/** Creates the welcome text of the demo with commands to copy: at most 40 lines and 2.5 kB. */
function createWelcomeText(
  address: string,
  token: string,
  { eventId, bucket }: Pick<SeedNames, 'eventId' | 'bucket'>,
  { explorer, operations }: Config,
): string {
  const runsAll = !operations?.isExclusive;
  const formatCurlCommand = (query: string): string =>
    `curl -s ${address}/graphql -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '${JSON.stringify({ query })}'`;
  const commandLines = [
    ...(bucket === undefined
      ? []
      : [
          'Insert a notification:',
          formatCurlCommand(
            `mutation { insertNotification(bucket: ${JSON.stringify(bucket)}, notification: { topic: "projects/demo-project/topics/new" }) { id topic selfLink } }`,
          ),
          '',
        ]),
    ...(eventId === undefined
      ? ['List your calendars:', formatCurlCommand('{ calendars { id summary accessRole } }')]
      : [
          'Patch an event:',
          formatCurlCommand(
            `mutation { patchEvent(calendarId: "primary", eventId: ${JSON.stringify(eventId)}, event: { location: "Room 5" }) { id summary location etag updated } }`,
          ),
        ]),
  ];
  const pageLines = [
    `  ${address}/demo       a calendar and a bucket, live`,
    `  ${address}/explorer   every operation, to try`,
    `  ${address}/           links to all pages and documentation`,
  ];
  const showsPages = runsAll && explorer;
  return [
    runsAll
      ? `The demo gateway is ready. ${showsPages ? 'Open one of these in a browser, or paste' : 'Paste'} the lines below into a shell.`
      : `The demo gateway is ready at ${address}/graphql. It runs only the operations of OPERATIONS_FILE.`,
    ...(showsPages ? pageLines : []),
    '',
    'A token that opens everything, valid for one day:',
    `export TOKEN=${token}`,
    '',
    ...(runsAll ? [...commandLines, ''] : []),
    `A token for somebody else: ${formatShellCommand('token')} --email bob@example.com --scope calendar`,
  ].join('\n');
}

/** Starts the gateway, and stops it after a signal or an unexpected error. */
async function startGateway(config: Config): Promise<void> {
  // Imported here, so that help and invalid settings are reported in a third of the time.
  const { compose } = await import('./app.ts');
  const { app, metricsServer, demoToken, demoNames, startupMessages } = await compose(
    config,
    process.stderr.isTTY ? { onProgress: createProgressLine(process.stderr) } : {},
  );
  // A demo prints for its user; other gateways only write their log.
  const printMessage = config.demo ? console.error : (message: string) => app.log.warn(message);
  for (const message of startupMessages) printMessage(message);
  // Registered before listening, because a signal may come right afterwards.
  const drainMs = config.drainDelay * 1000;
  closeWithGrace({ delay: drainMs + maxCloseMs, logger: app.log }, async ({ err, signal }) => {
    if (err) app.log.error({ err }, 'stopping after an error');
    else {
      app.log.info({ signal, drainDelay: config.drainDelay }, 'stopping');
      app.announceStop();
      await pause(drainMs);
      await app.drain();
    }
    await app.close();
  });
  const address = await listen(app, config, 'PORT, HOST');
  if (metricsServer && config.metrics)
    await listen(metricsServer, config.metrics, 'METRICS_PORT, METRICS_HOST');
  if (demoToken) console.log(createWelcomeText(address, demoToken, demoNames ?? {}, config));
  else app.log.info(`The gateway is ready at ${address}/graphql`);
}

/** Time limit (ms) for closing, once no more connections are accepted. */
const maxCloseMs = 9000;

/** Help text of the command that starts the gateway. */
const usage = `Starts the gateway. All its settings come from the environment:

${settingsHelp}

An empty variable counts as absent. Without any AUTH_… variable the gateway is a demo. docs/configuration.md describes each.

Other commands, each with what it takes:

  ${formatShellCommand('token')} --help
  ${formatShellCommand('migrate')} --help
  ${formatShellCommand('data')} --help`;

await runCommand(async () => {
  if (readArguments(usage, {})) await startGateway(readConfig());
});
