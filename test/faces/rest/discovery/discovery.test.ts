import { startRest } from '../rest.harness.ts';

test('discovery documents are open to everybody, under the address that was asked', async () => {
  const gateway = await startRest();
  const get = (path: string, headers: Readonly<Record<string, string>> = {}) => gateway.send(`GET ${path}`, undefined, { as: null, headers });
  const list = await get('/discovery/v1/apis', { host: 'gateway.example:8443', 'x-forwarded-proto': 'https' });
  expect(list.json.items.map(({ id }: { id: string }) => id)).toEqual(['calendar:v3', 'storage:v1']);
  expect(list.json.items[0].discoveryRestUrl).toBe('https://gateway.example:8443/discovery/v1/apis/calendar/v3/rest');
  const { status, json } = await get('/discovery/v1/apis/storage/v1/rest', { host: '127.0.0.1:4000' });
  expect([status, json.kind, json.rootUrl, json.batchPath]).toEqual([200, 'discovery#restDescription', 'http://127.0.0.1:4000/', 'batch/storage/v1']);
  expect(await get('/discovery/v1/apis/drive/v3/rest')).toMatchObject({ status: 404, reasons: ['notFound'] });
  const { paths, offered } = { paths: Object.keys(json.resources), offered: JSON.stringify(json) };
  expect([paths.sort(), offered.includes('constant')]).toEqual([['buckets', 'notifications', 'objects'], false]);
  await gateway.close();
});
