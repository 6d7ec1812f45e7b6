import closeWithGrace from 'close-with-grace';
import { compose } from './compose.ts';
import { ConfigError, readConfig } from './config.ts';
import { SeedError } from './seed/seed.ts';

/** The demo's welcome: everything to copy and paste. */
function welcome(url: string, token: string): string {
  const curl = (query: string): string =>
    `curl -s ${url} -H 'Content-Type: application/json' -H "Authorization: Bearer ${token}" -d '${JSON.stringify({ query })}'`;
  const insert =
    'mutation { insertNotification(bucket: "demo-photos", notification: { topic: "projects/demo-project/topics/new" }) { id topic selfLink } }';
  const patch =
    'mutation { patchEvent(calendarId: "primary", eventId: "teammeeting", event: { summary: "Team meeting, moved" }) { id summary etag updated } }';
  return [
    `The demo gateway is ready. Open ${url} in a browser for Apollo Sandbox.`,
    '',
    'The header for every request (all scopes, valid for one day):',
    `Authorization: Bearer ${token}`,
    '',
    'Insert a notification:',
    curl(insert),
    '',
    'Patch an event:',
    curl(patch),
    '',
  ].join('\n');
}

try {
  const config = readConfig();
  const { app, demoToken } = await compose(config);
  // Before it listens: a signal may come as soon as somebody knows that it does.
  closeWithGrace({ delay: 9000 }, async ({ err }) => {
    if (err) app.log.error({ err }, 'stopping after an error');
    else await app.drain();
    await app.close();
  });
  const address = await app.listen({ port: config.port, host: config.host });
  const url = `${address}/graphql`;
  console.log(demoToken ? welcome(url, demoToken) : `The gateway is ready at ${url}`);
} catch (error) {
  const { code, message } = error as NodeJS.ErrnoException;
  const cannotListen = ['EADDRINUSE', 'EADDRNOTAVAIL', 'EACCES'].includes(code ?? '');
  if (!cannotListen && !(error instanceof ConfigError) && !(error instanceof SeedError)) throw error;
  console.error(cannotListen ? `PORT, HOST: the gateway cannot listen there: ${message}` : message);
  process.exit(1);
}
