import fc from 'fast-check';

// Property tests have a fixed seed, so that every run checks the same cases. By hand and in nightly runs,
// `TEST_SEED` sets another one.
fc.configureGlobal({ seed: Number(process.env.TEST_SEED ?? 20_261_201) });

export { default as fc } from 'fast-check';

/** Any character, lone surrogates included. fast-check's own unit `binary` first builds a list of a million characters. */
export const anyCharacter = fc.nat(0x10ffff).map((codePoint) => String.fromCodePoint(codePoint));
