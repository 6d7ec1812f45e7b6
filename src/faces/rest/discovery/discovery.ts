import type { RequestHead } from '../../../http/face.ts';
import type { Api } from '../method.ts';
import { documentOf, type DocumentParts } from './document.ts';

const list = '/discovery/v1/apis';

const first = (header: string | readonly string[] | undefined): string =>
  typeof header === 'string' ? header : (header?.[0] ?? '');

/** Where a request came to, with a slash at the end: its own host, and https behind a proxy that says so. */
export function rootUrlOf(headers: RequestHead['headers']): string {
  const isSecure = /^\s*https\s*(,|$)/i.test(first(headers['x-forwarded-proto']));
  return `${isSecure ? 'https' : 'http'}://${first(headers.host)}/`;
}

/** What is at a path of the discovery service; undefined where nothing is. */
export function discover(
  path: string,
  apis: readonly Api[],
  parts: DocumentParts,
  rootUrl: string,
): object | undefined {
  if (path === list)
    return {
      kind: 'discovery#directoryList',
      discoveryVersion: 'v1',
      items: apis.map((api) => itemOf(api, rootUrl)),
    };
  const api = apis.find(({ name, version }) => path === `${list}/${name}/${version}/rest`);
  return api && documentOf(api, parts, rootUrl);
}

const itemOf = ({ name, version, title, description }: Api, rootUrl: string): object => ({
  kind: 'discovery#directoryItem',
  id: `${name}:${version}`,
  name,
  version,
  title,
  description,
  discoveryRestUrl: `${rootUrl}${list.slice(1)}/${name}/${version}/rest`,
  discoveryLink: `./apis/${name}/${version}/rest`,
  preferred: true,
});
