import { startReceiver } from '../../adapters/webhook/receiver.ts';
import { eventually } from '../../eventually.ts';
import { useForAll } from '../../use-resource.ts';
import { eventListUrl, useRest } from './rest.harness.ts';

const stopUrl = '/calendar/v3/channels/stop';
const discoveryUrl = '/discovery/v1/apis/calendar/v3/rest';

describe('channels over REST', () => {
  const rest = useRest({ CHANNELS: 'on', WEBHOOK_NETWORKS: '127.0.0.0/8' });
  const receiver = useForAll(() => startReceiver());

  test('are watched and stopped as in the official API', async () => {
    const address = `http://127.0.0.1:${receiver.port}/`;
    const expiration = String(Date.now() + 3_600_000);
    const body = { id: 'rest', type: 'web_hook', address, token: 't', expiration, params: { ttl: '60' } };
    const { status, json, warnings } = await rest.send(`POST ${eventListUrl}/watch`, body);
    expect({ status, json, warnings }).toEqual({
      status: 200,
      json: {
        kind: 'api#channel',
        id: 'rest',
        resourceId: expect.stringMatching(/^[\w-]{27}$/),
        resourceUri: 'https://calendar.example.com/calendar/v3/calendars/alice%40example.com/events?alt=json',
        address,
        token: 't',
        expiration,
      },
    });
    await eventually(async () => expect(receiver.received).toHaveLength(1));
    expect(receiver.received[0]?.headers['x-goog-resource-uri']).toBe(json.resourceUri);
    // The response of the official API is a valid body.
    expect((await rest.send(`POST ${stopUrl}`, json)).status).toBe(204);
    expect(await rest.refusal(`POST ${stopUrl}`, json)).toBe('404 notFound id');
  });

  test('accept an expiration as a number, and report issues with paths of the body', async () => {
    const body = { id: 'number', address: 'https://receiver.invalid/' };
    const expiration = Date.now() + 60_000;
    expect(await rest.json(`POST ${eventListUrl}/watch`, { ...body, expiration })).toMatchObject({
      expiration: String(expiration),
    });
    expect(
      await rest.refusal(`POST ${eventListUrl}/watch`, { id: 'é', type: 'email', params: { ttl: 'x' } }),
    ).toBe('400 invalid id, invalid params.ttl, invalid type, required address');
    expect(await rest.refusal(`POST ${stopUrl}`, {})).toBe('400 required id, required resourceId');
    expect((await rest.send(`GET ${stopUrl}`)).headers.allow).toBe('POST, OPTIONS');
  });

  test('are in the discovery document', async () => {
    const { resources, schemas } = await rest.json(`GET ${discoveryUrl}`);
    expect(resources.events.methods.watch).toMatchObject({
      path: 'calendars/{calendarId}/events/watch',
      request: { $ref: 'Channel' },
      response: { $ref: 'Channel' },
    });
    expect(resources.channels.methods.stop).not.toHaveProperty('response');
    expect(schemas.Channel.properties.expiration).toMatchObject({ type: 'string', format: 'int64' });
  });
});

describe('without channels', () => {
  const rest = useRest();

  test('the paths do not exist, and the discovery document has no methods for them', async () => {
    for (const path of [`${eventListUrl}/watch`, stopUrl])
      expect(await rest.refusal(`POST ${path}`, { id: '1' })).toBe('404 notOffered');
    const { resources } = await rest.json(`GET ${discoveryUrl}`);
    expect(resources.channels).toBeUndefined();
    expect(resources.events.methods.watch).toBeUndefined();
  });
});
