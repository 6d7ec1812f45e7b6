import { unavailable } from '../../../src/adapters/postgres/failures.ts';
import { createPatience } from '../../../src/adapters/postgres/spread/patience.ts';
import { eventually } from '../../eventually.ts';

describe('work for a node that is away', () => {
  test('is done when it is back, and does not hold up who asks for it', async () => {
    const patiently = createPatience(5);
    let left = 3;
    let done = 0;
    const work = async (): Promise<void> => {
      if ((left -= 1) >= 0) throw unavailable('Away.');
      done += 1;
    };
    await patiently(work);
    expect(done).toBe(0);
    await eventually(async () => expect(done).toBe(1));
    // Whatever was tried again would have been by the time that later work is.
    let isAway = true;
    await new Promise<void>(
      (resolve) =>
        void patiently(async () => {
          if (!isAway) return resolve();
          isAway = false;
          throw unavailable('Away.');
        }),
    );
    expect(done).toBe(1);
  });

  test('that others were faster with is done at once', async () => {
    let left = 3;
    await createPatience(60_000)(async () => {
      if ((left -= 1) >= 0)
        throw unavailable('Not now.', Object.assign(new Error('deadlock'), { code: '40P01' }));
    });
    expect(left).toBe(-1);
  });

  test('that fails for another reason fails at once', async () => {
    await expect(createPatience(5)(() => Promise.reject(new Error('wrong')))).rejects.toThrow('wrong');
  });

  test('is kept for so many times only', async () => {
    const patiently = createPatience(60_000);
    const work = (): Promise<void> => Promise.reject(unavailable('Away.'));
    for (let index = 0; index < 1000; index += 1) await patiently(work);
    await expect(patiently(work)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });
});
