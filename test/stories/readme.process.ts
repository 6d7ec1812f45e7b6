import { describeInChromium, startChromium } from '../browser/chromium.ts';
import { createDatabase, describeWithPostgres, type TestDatabase } from '../postgres-server.ts';
import { readCodeBlocks, openShell } from './documented-commands.ts';
import { useForAll } from '../use-resource.ts';

const blocks = readCodeBlocks('README.md');
const blocksOfSections = (...sections: readonly string[]) =>
  blocks.filter(({ section }) => sections.includes(section));

describe('README.md', () => {
  const shell = useForAll(() => openShell({}));

  test('has working sections Start and First requests', async () => {
    await shell.followBlocks(blocksOfSections('Start'));
    await shell.run('eval "$(grep "^export TOKEN=" started)"');
    await shell.followBlocks(blocksOfSections('First requests'));
  });

  describeInChromium('in a browser', () => {
    test('leads to a demo page with the patched event', async () => {
      const browser = await startChromium();
      try {
        const url = (await shell.run('echo $URL')).trim();
        const { page, faults, outsideRequests } = await browser.visit(`${url}/demo`);
        await page.getByRole('button', { name: /^Team meeting.*Room 5/ }).waitFor();
        expect([...faults, ...outsideRequests]).toEqual([]);
      } finally {
        await browser.close();
      }
    });
  });

  const readKickoffCommand = `curl -s $URL/graphql -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '{ "query": "{ event(calendarId: \\"primary\\", eventId: \\"kickoff\\") { summary } }" }'\n`;
  const kickoffResponse = '{"data":{"event":{"summary":"Kick-off"}}}\n';

  test('starts with the data of the file in the section Your own data', async () => {
    await shell.followBlocks(blocksOfSections('Your own data'));
    const printedResponse = await shell.run(`eval "$(grep '^curl' started)"`);
    expect(printedResponse).toMatch(/^\{"data":\{"patchEvent":\{"id":"kickoff"/);
    expect(printedResponse).not.toContain('"errors"');
    expect(await shell.run(readKickoffCommand)).toBe(kickoffResponse);
  });

  describeWithPostgres('with a database', () => {
    let database: TestDatabase;
    beforeAll(async () => (database = await createDatabase()));
    afterAll(async () => {
      await shell.run('stop');
      await database.remove();
    });

    test('has a working section Production, and imports that file', async () => {
      await shell.followBlocks(blocksOfSections('Production'), database.url);
      expect(await shell.run('npm run -s data -- import my-data.json')).toContain(
        'Events: 1 added, 0 changed, 0 unchanged, 0 refused.',
      );
      const tokenCommand = 'npm run -s token -- --email alice@example.com --scope calendar';
      expect(await shell.run(`TOKEN=$(${tokenCommand}); ${readKickoffCommand}`)).toBe(kickoffResponse);
    });
  });
});
