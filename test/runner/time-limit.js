import { addEventHandler } from 'jest-circus';

/** Limit for all tests and hooks: a hanging one ends and is named, and slow ones on a busy machine pass. */
const defaultLimitMs = 300_000;
// Node's timers, before a test installs fake ones.
const { setTimeout, clearTimeout } = globalThis;

// Tests run without limits of their runner, so that only this one applies.
addEventHandler(({ name }, { currentDescribeBlock: { children, hooks } }) => {
  const testOrHook = { add_test: children, add_hook: hooks }[name]?.at(-1);
  if (testOrHook?.fn) testOrHook.fn = withTimeLimit(testOrHook.fn, testOrHook.timeout ?? defaultLimitMs);
});

const withTimeLimit = (run, limitMs) => async () => {
  let timer;
  const timeout = new Promise((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new Error(`The test or hook has not ended within ${limitMs / 1000} s.`)),
      limitMs,
    );
  });
  try {
    await Promise.race([run(), timeout]);
  } finally {
    clearTimeout(timer);
  }
};
