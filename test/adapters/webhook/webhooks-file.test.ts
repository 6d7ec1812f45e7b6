import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openWebhooks } from '../../../src/app/webhooks.ts';
import { ConfigError, readConfig } from '../../../src/config.ts';
import { createMessage } from '../../contracts/publisher.contract.ts';

const folder = mkdtempSync(join(tmpdir(), 'webhooks-'));
const webhooksFile = join(folder, 'webhooks.json');
afterAll(() => rmSync(folder, { recursive: true }));

const hooksUrl = 'https://hooks.example.com/objects?token=hunter2';
const createSecret = (bytes: number, fill = 1): string =>
  `whsec_${Buffer.alloc(bytes, fill).toString('base64')}`;
const webhook = { topic: 'projects/my-project/topics/photos', url: hooksUrl, secrets: [createSecret(32)] };

function openFile(content: unknown, networks = '') {
  writeFileSync(webhooksFile, typeof content === 'string' ? content : JSON.stringify(content));
  const env = { WEBHOOKS_FILE: webhooksFile, WEBHOOK_NETWORKS: networks, PUBSUB_HOST: 'pubsub.test' };
  return openWebhooks(readConfig(env), Date.now);
}
const openWebhook = (changes: object, networks = '') =>
  openFile({ webhooks: [{ ...webhook, ...changes }] }, networks);

/** Returns the lines of the error message after the first. AQEB begins the base64 form of a secret. */
function listProblems(run: () => unknown): string[] {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    const { message } = error as Error;
    expect(message).toMatch(/^WEBHOOKS_FILE: /);
    expect(message).not.toMatch(/hunter2|AQEB/);
    return message
      .split('\n')
      .slice(1)
      .map((line) => line.trim());
  }
  return [];
}

describe('a webhook of the file', () => {
  test('is a destination of its topic alone, in either form', () => {
    const fullTopicName = '//pubsub.test/projects/my-project/topics/photos';
    for (const topic of [webhook.topic, fullTopicName, '//PubSub.test./projects/my-project/topics/photos']) {
      const [destination] = openWebhook({ topic });
      expect(destination).toMatchObject({
        kind: 'webhook',
        locationFields: { host: 'hooks.example.com', path: '/objects' },
        capacity: { maxBytes: 16 * 1024 * 1024, whenFull: 'drop' },
      });
      const otherTopics = [
        fullTopicName.replace('pubsub.test', 'pubsub.googleapis.com'),
        `${fullTopicName}2`,
      ];
      const acceptedFlags = [fullTopicName, ...otherTopics].map((fullTopic) =>
        destination?.accepts(createMessage(fullTopic)),
      );
      expect(acceptedFlags).toEqual([true, false, false]);
      expect(JSON.stringify(destination)).not.toMatch(/hunter2|AQEB/);
    }
  });

  test('keeps its name when secrets or other webhooks change, and its version while the file is unchanged', () => {
    const url = 'https://hooks.example.com/objects?token=other';
    const [firstDestination] = openWebhook({});
    const [otherWebhook, sameWebhook] = openFile({
      webhooks: [
        { ...webhook, url },
        { ...webhook, secrets: [createSecret(24), createSecret(64)] },
      ],
    });
    expect(sameWebhook?.name).toBe(firstDestination?.name);
    expect(firstDestination?.name).toMatch(/^webhook:[\w-]{22}$/);
    expect(sameWebhook?.version).not.toBe(firstDestination?.version);
    expect(openWebhook({})[0]?.version).toBe(firstDestination?.version);
    const [webhookOfOtherTopic] = openWebhook({ topic: 'projects/my-project/topics/other' });
    expect(
      new Set([firstDestination, otherWebhook, webhookOfOtherTopic].map((destination) => destination?.name))
        .size,
    ).toBe(3);
  });

  test.each<[string, string]>([
    ['https://127.0.0.1/x', '127.0.0.1/32'],
    ['http://127.0.0.1:8080/x', '127.0.0.0/8'],
    ['http://hooks.internal/x', '10.0.0.0/8'],
    ['https://[::1]/x', '::1/128'],
    ['https://8.8.8.8/x', ''],
    ['HTTPS://Hooks.Example.com:8443', ''],
  ])('may have the URL %s with WEBHOOK_NETWORKS=%s', (url, networks) => {
    expect(listProblems(() => openWebhook({ url }, networks))).toEqual([]);
  });

  test('may not have loopback in another notation', () => {
    const refusal = 'webhooks[0].url: 127.0.0.1 is not allowed: loopback';
    for (const host of '2130706433 0x7f000001 0177.0.0.1 127.1 127.0.0.1. １２７.0.0.1'.split(' '))
      expect(listProblems(() => openWebhook({ url: `https://${host}/x` }))).toEqual([refusal]);
  });

  const urlFormMessage = 'must start with https://, and have neither blanks nor backslashes';
  test.each<[string, string, string]>([
    ['http://hooks.example.com/x', 'its host is not in WEBHOOK_NETWORKS, so it needs https', ''],
    ['http://8.8.8.8/x', '8.8.8.8 is not in WEBHOOK_NETWORKS, so it needs https', '10.0.0.0/8'],
    ['https://127.0.0.1/x', '127.0.0.1 is not allowed: loopback', ''],
    ['https://127.0.0.2/x', '127.0.0.2 is not allowed: loopback', '127.0.0.1/32'],
    ['https://[fe80::1%25eth0]/x', 'must be a valid URL that starts with https://', ''],
    [
      'https://me:hunter2@a.example/x',
      'must have neither user nor password: signatures identify the sender',
      '',
    ],
    ['https://hooks.example.com/x#hunter2', 'must have no fragment (#), which is never sent', ''],
    ['ftp://hooks.example.com/x', 'must start with https://', ''],
    ['hooks.example.com/hunter2', 'must be a valid URL that starts with https://', ''],
    ['https:hooks.example.com', urlFormMessage, ''],
    [' https://hooks.example.com', urlFormMessage, ''],
    ['https://hooks.example.com:0/', 'must have another port than 0', ''],
  ])('may not have the URL %s: %s', (url, message, networks) => {
    expect(listProblems(() => openWebhook({ url }, networks))).toEqual([`webhooks[0].url: ${message}`]);
  });

  test.each([24, 32, 64])('may have ten secrets, of %i bytes', (bytes) => {
    const secrets = Array.from({ length: 10 }, (_, index) => createSecret(bytes, index));
    expect(listProblems(() => openWebhook({ secrets }))).toEqual([]);
  });

  test('may not have a secret twice', () => {
    expect(
      listProblems(() => openWebhook({ secrets: [createSecret(24), createSecret(32), createSecret(24)] })),
    ).toEqual(['webhooks[0].secrets: must have each secret once']);
  });

  test.each([
    ...[createSecret(23), createSecret(65), createSecret(32).slice(6), createSecret(32).replace('=', '')],
    ...[`${createSecret(32)}\n`, createSecret(32, 255).replaceAll('/', '_'), 'whsec_', 'hunter2', ''],
  ])('may not have the secret %j', (secret) => {
    expect(listProblems(() => openWebhook({ secrets: [createSecret(24), secret] }))).toEqual([
      'webhooks[0].secrets[1]: must be whsec_ and 24 to 64 bytes in base64',
    ]);
  });
});

test('every problem is reported with its path', () => {
  const duplicate = {
    ...webhook,
    topic: '//pubsub.test/projects/my-project/topics/photos',
    secrets: ['hunter2'],
  };
  const content = {
    webhooks: [
      webhook,
      { ...webhook, topic: 'photos', url: 'https://10.0.0.1/', secrets: [] },
      'hunter2',
      { url: 5, secrets: Array.from({ length: 11 }, () => createSecret(32)), hunter2: true },
      duplicate,
    ],
    more: 'hunter2',
  };
  expect(listProblems(() => openFile(content)).sort()).toEqual([
    'the file: has an unknown field; there is webhooks',
    'webhooks[1].secrets: must have one to ten secrets',
    'webhooks[1].topic: topic must have the form //host/projects/PROJECT/topics/TOPIC, or projects/PROJECT/topics/TOPIC.',
    'webhooks[1].url: 10.0.0.1 is not allowed: private',
    'webhooks[2]: must be an object of topic, url and secrets',
    'webhooks[3].secrets: must have one to ten secrets',
    'webhooks[3].topic: must be a topic: projects/PROJECT/topics/TOPIC',
    'webhooks[3].url: must be a URL',
    'webhooks[3]: has an unknown field; there is topic, url and secrets',
    'webhooks[4].secrets[0]: must be whsec_ and 24 to 64 bytes in base64',
    'webhooks[4]: has the topic and the URL of webhooks[0]; give that one all secrets',
  ]);
});

test.each<[unknown]>([[[]], [null], ['5'], [{}], [{ webhooks: {} }]])(
  'the content %j is refused',
  (content) => {
    expect(listProblems(() => openFile(content))).toHaveLength(1);
  },
);

test('a file that is not JSON, or missing, is refused without quoting it', () => {
  const noJson = /^WEBHOOKS_FILE: \S+ is not JSON(: look at position \d+)?\.$/;
  expect(() => openFile('{ "webhooks": [hunter2] }')).toThrow(noJson);
  expect(() => openFile('')).toThrow(/^WEBHOOKS_FILE: \S+ is not JSON\.$/);
  expect(() => openWebhooks(readConfig({ WEBHOOKS_FILE: join(folder, 'none.json') }), Date.now)).toThrow(
    /^WEBHOOKS_FILE: .*none\.json cannot be read: ENOENT/,
  );
  expect(openWebhooks(readConfig({}), Date.now)).toEqual([]);
  expect(openFile({ webhooks: [] })).toEqual([]);
});
