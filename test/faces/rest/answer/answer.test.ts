import { answerOf } from '../../../../src/faces/rest/answer/answer.ts';
import { maxLength } from '../../../../src/operations/json-writer.ts';

test('an answer that is too long is refused, and other failures stay what they are', async () => {
  await expect(
    answerOf({ json: { text: 'x'.repeat(maxLength) } }, { indented: false }),
  ).rejects.toMatchObject({ code: 'BAD_USER_INPUT', reason: 'tooLong' });
  const broken = {
    toJSON: () => {
      throw new TypeError('broken');
    },
  };
  await expect(answerOf({ json: { broken } }, { indented: false })).rejects.toThrow(TypeError);
});
