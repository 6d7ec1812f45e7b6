import { canonicalHost } from '../core/text/host.ts';
import { isProject, projectForm } from '../core/text/project.ts';

/** `//host/projects/P/topics/T`, or the same without the host. */
const form = /^(?:\/\/(?<givenHost>[^/]*)\/)?projects\/(?<projectId>[^/]+)\/topics\/(?<name>[^/]+)$/;
const topicName = /^(?!goog)[A-Za-z][A-Za-z0-9._~+%-]{2,254}$/;

/**
 * Parses a topic into its full form, `//{pubsub_host}/projects/<project_id>/topics/<topic_name>`, with the default host where
 * it names none. Returns the problem of a topic that has another form.
 */
export function parseTopic(value: string, defaultHost: string): { topic: string } | { problem: string } {
  const parts = form.exec(value)?.groups as
    { givenHost?: string; projectId: string; name: string } | undefined;
  if (!parts) {
    return {
      problem:
        'topic must have the form //host/projects/PROJECT/topics/TOPIC, or projects/PROJECT/topics/TOPIC.',
    };
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
