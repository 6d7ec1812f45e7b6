import { subjectOf } from '../../../src/adapters/nats/publisher.ts';

test.each([
  ['projects/my-project/topics/photos', 'projects.my-project.topics.photos'],
  ['projects/a.com:my-project/topics/a.b~c+d%e', 'projects.a%2Ecom%3Amy-project.topics.a%2Eb~c+d%25e'],
])('the subject of the topic %s is %s', (topic, subject) => {
  expect(subjectOf(`//pubsub.test/${topic}`)).toBe(subject);
});
