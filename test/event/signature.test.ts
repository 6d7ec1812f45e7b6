import { isSignatureValid, signConference } from '../../src/event/conference/create.ts';
import { anyCharacter, fc } from '../property.ts';

type Conference = Parameters<typeof signConference>[0];
const secret = 'a secret of the tests';
const sampleConference: Conference = {
  conferenceId: 'abcdefghij',
  conferenceSolution: { iconUri: 'https://a.example/i', key: { type: 'hostedCall' }, name: 'Hosted call' },
  entryPoints: [
    { entryPointType: 'video', uri: 'https://a.example/abc', label: 'a.example/abc' },
    { entryPointType: 'phone', uri: 'tel:+1', pin: '1234', regionCode: 'US' },
  ],
};
const withSignature = (conference: Conference): Conference => ({
  ...conference,
  signature: signConference(conference, secret),
});
const anyText = fc.option(fc.string({ unit: anyCharacter }), { nil: undefined });
const anyEntryPoint = fc.record(
  { uri: anyText, label: anyText, pin: anyText, entryPointFeatures: fc.array(fc.string()) },
  { requiredKeys: [] },
);
const anySolution = fc.record(
  { iconUri: anyText, key: fc.record({ type: anyText }), name: anyText },
  { requiredKeys: [] },
);
const anyConference = fc.record(
  { conferenceId: anyText, conferenceSolution: anySolution, entryPoints: fc.array(anyEntryPoint) },
  { requiredKeys: [] },
) as fc.Arbitrary<Conference>;

/** Reverses the order of keys, and writes unset values as null or undefined, or omits them. */
function reorderAndRewriteUnset(value: unknown, unsetForm: undefined | null | 'absent'): unknown {
  if (Array.isArray(value)) return value.map((item) => reorderAndRewriteUnset(item, unsetForm));
  if (typeof value !== 'object' || value === null)
    return value ?? (unsetForm === 'absent' ? undefined : unsetForm);
  const entries = Object.entries(value)
    .reverse()
    .filter(([, item]) => unsetForm !== 'absent' || item !== undefined);
  return Object.fromEntries(entries.map(([name, item]) => [name, reorderAndRewriteUnset(item, unsetForm)]));
}

describe('signConference and isSignatureValid', () => {
  test('accept only the signed conference with the same secret', () => {
    fc.assert(
      fc.property(anyConference, (conference) => isSignatureValid(withSignature(conference), secret)),
    );
    // A signature has 43 characters.
    for (const signature of [undefined, '', 'x'.repeat(43), 'é'.repeat(43)])
      expect(isSignatureValid({ ...sampleConference, signature }, secret)).toBe(false);
    expect(isSignatureValid(withSignature(sampleConference), 'another')).toBe(false);
    expect(isSignatureValid({ ...withSignature(sampleConference), conferenceId: 'abcdefghik' }, secret)).toBe(
      false,
    );
  });

  test.each([undefined, null, 'absent'] as const)(
    'ignore the order of keys and unset values (%s)',
    (unsetValueForm) => {
      const signatureOf = (conference: unknown) => signConference(conference as Conference, secret);
      const isIgnored = (conference: Conference) =>
        signatureOf(reorderAndRewriteUnset(conference, unsetValueForm)) === signatureOf(conference);
      fc.assert(fc.property(anyConference, isIgnored));
    },
  );

  test.each<[string, Conference]>([
    [
      'the order of entry points',
      { ...sampleConference, entryPoints: [...(sampleConference.entryPoints ?? [])].reverse() },
    ],
    ['each entry point', { ...sampleConference, entryPoints: sampleConference.entryPoints?.slice(1) }],
    [
      'a pin',
      {
        ...sampleConference,
        entryPoints: sampleConference.entryPoints?.map((point) => ({ ...point, pin: '9' })),
      },
    ],
  ])('cover %s', (_name, changedConference) =>
    expect(signConference(changedConference, secret)).not.toBe(signConference(sampleConference, secret)),
  );
});
