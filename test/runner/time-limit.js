import { addEventHandler } from 'jest-circus';

/** For all tests and hooks: so that one that hangs ends and is named, and none that a busy machine makes slow. */
const defaultLimitMs = 300_000;
// Timers of Node, before a test takes others in their place.
const { setTimeout, clearTimeout } = globalThis;

// The runner knows of no limits.
addEventHandler(({ name }, { currentDescribeBlock: { children, hooks } }) => {
  const added = { add_test: children, add_hook: hooks }[name]?.at(-1);
  if (added?.fn) added.fn = limited(added.fn, added.timeout ?? defaultLimitMs);
});

const limited = (run, limitMs) => async () => {
  let timer;
  const late = new Promise((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`It has not ended within ${limitMs / 1000} s.`)), limitMs);
  });
  try {
    await Promise.race([run(), late]);
  } finally {
    clearTimeout(timer);
  }
};
