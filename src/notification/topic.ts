/** `//host/projects/P/topics/T`, or the same without the host. */
const form = /^(?:\/\/([^/]+)\/)?projects\/([^/]+)\/topics\/([^/]+)$/;
const host = /^(?=.{1,253}(?::\d{1,5})?$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*(:\d{1,5})?$/i;
const project = /^(?:[a-z0-9.-]{1,253}:)?[a-z][a-z0-9-]{4,28}[a-z0-9]$|^\d{1,20}$/;
const topicName = /^[A-Za-z][A-Za-z0-9._~+%-]{2,254}$/;

/**
 * A topic in its full form, `//{pubsub_host}/projects/<project_id>/topics/<topic_name>` (notification resource,
 * section 2), with the host that was given or the configured one; or what is wrong with it.
 */
export function parseTopic(text: string, defaultHost: string): { topic: string } | { problem: string } {
  const parts = form.exec(text);
  if (!parts) {
    return { problem: 'topic must have the form //host/projects/PROJECT/topics/TOPIC, or projects/PROJECT/topics/TOPIC.' };
  }
  const [, givenHost, projectId = '', name = ''] = parts;
  if (givenHost !== undefined && !isHost(givenHost)) return { problem: 'The host of the topic is not a valid host name.' };
  if (!project.test(projectId)) {
    return {
      problem: 'The project of the topic must have 6 to 30 lowercase letters, digits or hyphens and start with a letter.',
    };
  }
  if (!topicName.test(name) || name.startsWith('goog')) {
    return {
      problem:
        'The name of the topic must have 3 to 255 letters, digits or - . _ ~ + %, start with a letter, and not with "goog".',
    };
  }
  return { topic: `//${givenHost ?? defaultHost}/projects/${projectId}/topics/${name}` };
}

/** A host name (RFC 1123), with a port if need be. */
export function isHost(text: string): boolean {
  if (!host.test(text)) return false;
  const port = /:(\d+)$/.exec(text)?.[1];
  return port === undefined || (Number(port) > 0 && Number(port) < 65536);
}
