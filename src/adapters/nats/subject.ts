import { topicParts } from '../../core/text/topic.ts';

/** The pattern of the subjects of all topics. */
export const subjectsOfAll = 'projects.*.topics.*';

/**
 * The subject of a topic: `//host/projects/P/topics/T` becomes `projects.P.topics.T`. What a subject's token cannot
 * hold is percent-encoded. The host is left out: the broker is the host.
 */
export function subjectOf(topic: string): string {
  const { project, name } = topicParts(topic);
  return `projects.${token(project)}.topics.${token(name)}`;
}

const token = (name: string): string =>
  name.replace(
    /[^A-Za-z0-9_~+-]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
