/** Text of a regular expression: a label of a host name (RFC 1123), in lower case. */
export const hostLabelRegExpText = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';

/** A project id, possibly with the prefix of a domain (`example.com:project`), or a project number. */
const projectPattern = new RegExp(
  `^(?:(?=[^:]{1,253}:)(?:${hostLabelRegExpText}\\.)+${hostLabelRegExpText}:)?[a-z][a-z0-9-]{4,28}[a-z0-9]$|^[1-9]\\d{0,18}$`,
);

/** Whether a value has the form of a project id or number. */
export const isProject = (value: string): boolean => projectPattern.test(value);

/** Description of a project's form, to follow "must be" in a message. */
export const projectForm =
  'a project number of up to 19 digits, or a project id: 6 to 30 lowercase letters, digits or hyphens, starting with a ' +
  'letter and not ending with a hyphen; before it may stand the domain it belongs to and a colon';

/** Splits a topic in full form, `//host/projects/P/topics/T`. */
export function splitTopic(topic: string): {
  readonly host: string;
  readonly project: string;
  readonly name: string;
} {
  const [, , host = '', , project = '', , name = ''] = topic.split('/');
  return { host, project, name };
}
