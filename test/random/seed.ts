const { RANDOM_SEED = '1', RANDOM_RUNS = '1' } = process.env;
export const randomSeed = Number(RANDOM_SEED);
export const randomRuns = Number(RANDOM_RUNS);

/** The seeds of all runs: each run is a test that has its seed in its title, and RANDOM_SEED repeats it alone. */
export const seeds: readonly number[] = Array.from({ length: randomRuns }, (_, run) => randomSeed + run);
