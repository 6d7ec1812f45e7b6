import { writeBatch } from '../../../../src/faces/rest/multipart.ts';

test('responses have the order and the Content-IDs of their requests', async () => {
  const answer = await writeBatch(
    [
      { contentId: '<b29c + 1>', status: 200, headers: { etag: '"1"' }, body: '{"a":"é"}' },
      { status: 204, headers: {}, body: '' },
      { contentId: 'bare', status: 999, headers: {}, body: '{}' },
    ],
    'batch_x',
  );
  const { status, headers } = answer;
  const body = answer.body.toString();
  expect([status, headers]).toEqual([200, { 'content-type': 'multipart/mixed; boundary=batch_x' }]);
  expect(body.replaceAll('\r\n', '\n')).toBe(`--batch_x
Content-Type: application/http
Content-ID: <response-b29c + 1>

HTTP/1.1 200 OK
etag: "1"
content-length: 10

{"a":"é"}
--batch_x
Content-Type: application/http

HTTP/1.1 204 No Content


--batch_x
Content-Type: application/http
Content-ID: response-bare

HTTP/1.1 999 Unknown
content-length: 2

{}
--batch_x--
`);
  expect(body.match(/[^\r]\n/)).toBeNull();
});
