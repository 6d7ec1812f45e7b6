import { subjectOf } from '../../../src/adapters/nats/subject.ts';

describe('the subject of a topic', () => {
  test.each([
    ['//pubsub.test/projects/my-project/topics/photos', 'projects.my-project.topics.photos'],
    [
      '//pubsub.test/projects/example.com:my-project/topics/a.b~c+d%e',
      'projects.example%2Ecom%3Amy-project.topics.a%2Eb~c+d%25e',
    ],
  ])('%s → %s', (topic, subject) => {
    expect(subjectOf(topic)).toBe(subject);
  });
});
