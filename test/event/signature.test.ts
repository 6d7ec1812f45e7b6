import { isSigned, signConference } from '../../src/event/conference/create.ts';
import { anyCharacter, fc } from '../property.ts';

type Conference = Parameters<typeof signConference>[0];
const secret = 'a secret of the tests';
const sample: Conference = {
  conferenceId: 'abcdefghij',
  conferenceSolution: { iconUri: 'https://a.example/i', key: { type: 'hostedCall' }, name: 'Hosted call' },
  entryPoints: [
    { entryPointType: 'video', uri: 'https://a.example/abc', label: 'a.example/abc' },
    { entryPointType: 'phone', uri: 'tel:+1', pin: '1234', regionCode: 'US' },
  ],
};
const signed = (conference: Conference): Conference => ({
  ...conference,
  signature: signConference(conference, secret),
});
const text = fc.option(fc.string({ unit: anyCharacter }), { nil: undefined });
const entry = fc.record(
  { uri: text, label: text, pin: text, entryPointFeatures: fc.array(fc.string()) },
  { requiredKeys: [] },
);
const solution = fc.record(
  { iconUri: text, key: fc.record({ type: text }), name: text },
  { requiredKeys: [] },
);
const conferences = fc.record(
  { conferenceId: text, conferenceSolution: solution, entryPoints: fc.array(entry) },
  { requiredKeys: [] },
) as fc.Arbitrary<Conference>;

/** The same meaning in another shape: keys in reverse order, what is not set spelled out or left out. */
function reshaped(value: unknown, unset: undefined | null | 'absent'): unknown {
  if (Array.isArray(value)) return value.map((item) => reshaped(item, unset));
  if (typeof value !== 'object' || value === null) return value ?? (unset === 'absent' ? undefined : unset);
  const entries = Object.entries(value)
    .reverse()
    .filter(([, item]) => unset !== 'absent' || item !== undefined);
  return Object.fromEntries(entries.map(([name, item]) => [name, reshaped(item, unset)]));
}

describe('the signature of a conference', () => {
  test('holds for what was signed, with the same secret, and for nothing else', () => {
    fc.assert(fc.property(conferences, (conference) => isSigned(signed(conference), secret)));
    for (const signature of [undefined, '', 'x'.repeat(43), 'é'.repeat(43)])
      expect(isSigned({ ...sample, signature }, secret)).toBe(false);
    expect(isSigned(signed(sample), 'another')).toBe(false);
    expect(isSigned({ ...signed(sample), conferenceId: 'abcdefghik' }, secret)).toBe(false);
  });

  test.each([undefined, null, 'absent'] as const)('depends on no order and nothing unset (%s)', (unset) => {
    fc.assert(
      fc.property(
        conferences,
        (conference) =>
          signConference(reshaped(conference, unset) as Conference, secret) ===
          signConference(conference, secret),
      ),
    );
  });

  test.each<[string, Conference]>([
    ['the order of entry points', { ...sample, entryPoints: [...(sample.entryPoints ?? [])].reverse() }],
    ['each entry point', { ...sample, entryPoints: sample.entryPoints?.slice(1) }],
    ['a pin', { ...sample, entryPoints: sample.entryPoints?.map((point) => ({ ...point, pin: '9' })) }],
  ])('covers %s', (_name, other) =>
    expect(signConference(other, secret)).not.toBe(signConference(sample, secret)),
  );
});
