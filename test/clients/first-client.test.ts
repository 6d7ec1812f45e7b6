import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { tokenFor } from '../harness.ts';
import { startListening } from '../http/raw-http.ts';
import { useForAll } from '../use-resource.ts';

/** Node.js options that resolve the import of the package to its source. */
const nodeOptions = ['--import', './test/runner/typescript.js'];

describe('the first client', () => {
  const gateway = useForAll(startListening);

  test('shows an event, its own patch, and a change by somebody else', async () => {
    const env = {
      PATH: process.env.PATH,
      GATEWAY_URL: gateway.url.replace('/graphql', ''),
      TOKEN: await tokenFor('alice@example.com'),
    };
    const client = spawn(process.execPath, [...nodeOptions, 'examples/clients/first.mjs'], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exitEvent = once(client, 'exit');
    let changeTimer: ReturnType<typeof setInterval> | undefined;
    const shownRooms: string[] = [];
    try {
      for await (const line of createInterface({ input: client.stdout })) {
        shownRooms.push(line);
        if (line === 'Room 9') break;
        // The subscription may open after the patch, so the change is repeated until the client shows it.
        if (line === 'Room 7')
          changeTimer = setInterval(() => {
            const event = `{ location: "Room 9", description: "${Date.now()}" }`;
            void gateway.ask(
              `mutation { patchEvent(calendarId: "primary", eventId: "teammeeting", event: ${event}) { id } }`,
            );
          }, 200);
      }
    } finally {
      clearInterval(changeTimer);
      client.kill();
      await exitEvent;
    }
    expect(shownRooms).toEqual(['Room 3', 'Room 7', 'Room 9']);
  });
});
