/** The parts of a topic in full form, `//host/projects/P/topics/T`. */
export function topicParts(topic: string): {
  readonly host: string;
  readonly project: string;
  readonly name: string;
} {
  const [, , host = '', , project = '', , name = ''] = topic.split('/');
  return { host, project, name };
}
