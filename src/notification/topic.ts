import * as z from 'zod/mini';
import { hostLabel, isProject, projectForm } from '../core/text/project.ts';

/** `//host/projects/P/topics/T`, or the same without the host. */
const form = /^(?:\/\/(?<givenHost>[^/]*)\/)?projects\/(?<projectId>[^/]+)\/topics\/(?<name>[^/]+)$/;
/** Names of hosts (RFC 1123): the last label is not a number, or the name would be read as an address. */
const hostName = new RegExp(`^(?:${hostLabel}\\.)*(?!\\d+$)${hostLabel}$`);
const hostAndPort = /^(\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z.-]+)(?::([1-9]\d{0,4}))?$/;
const ipv4 = z.ipv4();
const ipv6 = z.ipv6();
const topicName = /^(?!goog)[A-Za-z][A-Za-z0-9._~+%-]{2,254}$/;

/**
 * Parses a topic into its full form, `//{pubsub_host}/projects/<project_id>/topics/<topic_name>`, with the default host where
 * it names none. Returns the problem of a topic that has another form.
 */
export function parseTopic(value: string, defaultHost: string): { topic: string } | { problem: string } {
  const parts = form.exec(value)?.groups as { givenHost?: string; projectId: string; name: string } | undefined;
  if (!parts) {
    return { problem: 'topic must have the form //host/projects/PROJECT/topics/TOPIC, or projects/PROJECT/topics/TOPIC.' };
  }
  const { givenHost, projectId, name } = parts;
  const host = canonicalHost(givenHost ?? defaultHost);
  if (host === undefined) {
    return {
      problem:
        'The host of the topic must be a host name or an IP address, with a port if need be. Names in other ' +
        'scripts are written with xn--. Without a host (projects/PROJECT/topics/TOPIC) the usual one is taken.',
    };
  }
  if (!isProject(projectId)) return { problem: `The project of the topic must be ${projectForm}.` };
  if (!topicName.test(name)) {
    return {
      problem:
        'The name of the topic must have 3 to 255 letters, digits or - . _ ~ + %, start with a letter, and not with "goog".',
    };
  }
  return { topic: `//${host}/projects/${projectId}/topics/${name}` };
}

/**
 * The canonical form of a host and its port, in which topics are stored and compared: lower case, without the dot of the root.
 * Undefined for anything that is no host.
 */
export function canonicalHost(value: string): string | undefined {
  const [, given = '', port] = hostAndPort.exec(value) ?? [];
  const name = given.toLowerCase().replace(/\.$/, '');
  if (Number(port ?? 0) > 65535) return undefined;
  const isAddress = name.startsWith('[') ? ipv6.safeParse(name.slice(1, -1)).success : ipv4.safeParse(name).success;
  if (!isAddress && (name.length > 253 || !hostName.test(name))) return undefined;
  return port === undefined ? name : `${name}:${port}`;
}
