import { describeInChromium, startChromium } from '../browser/chromium.ts';
import { createDatabase, describeWithPostgres, type TestDatabase } from '../postgres-server.ts';
import { readCodeBlocks, openShell } from './page.ts';
import { useForAll } from '../started.ts';

const blocks = readCodeBlocks('README.md');
const blocksOfSections = (...sections: readonly string[]) =>
  blocks.filter(({ section }) => sections.includes(section));

describe('README.md', () => {
  const shell = useForAll(() => openShell({}));

  test('has working sections Start and First requests', async () => {
    await shell.follow(blocksOfSections('Start'));
    await shell.run('eval "$(grep "^export TOKEN=" started)"');
    await shell.follow(blocksOfSections('First requests'));
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
  const shown = '{"data":{"event":{"summary":"Kick-off"}}}\n';

  test('starts from a file that the reader wrote', async () => {
    await shell.follow(blocksOfSections('Your own data'));
    const printed = await shell.run(`eval "$(grep '^curl' started)"`);
    expect(printed).toMatch(/^\{"data":\{"patchEvent":\{"id":"kickoff"/);
    expect(printed).not.toContain('"errors"');
    expect(await shell.run(readKickoffCommand)).toBe(shown);
  });

  describeWithPostgres('with a database', () => {
    let database: TestDatabase;
    beforeAll(async () => (database = await createDatabase()));
    afterAll(async () => {
      await shell.run('stop');
      await database.remove();
    });

    test('runs it over PostgreSQL and imports the file', async () => {
      await shell.follow(blocksOfSections('Production'), database.url);
      expect(await shell.run('npm run -s data -- import my-data.json')).toContain(
        'Events: 1 added, 0 changed, 0 unchanged, 0 refused.',
      );
      const token = 'npm run -s token -- --email alice@example.com --scope calendar';
      expect(await shell.run(`TOKEN=$(${token}); ${readKickoffCommand}`)).toBe(shown);
    });
  });
});
