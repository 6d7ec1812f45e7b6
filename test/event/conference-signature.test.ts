import fc from 'fast-check';
import type { ConferenceData } from '../../src/event/conference.ts';
import { canonicalJson, hasContent, isSigned, signConference } from '../../src/event/conference-signature.ts';

const secret = 'a secret of the tests';
const sample: ConferenceData = {
  conferenceId: 'abcdefghij',
  conferenceSolution: { iconUri: 'https://a.example/i', key: { type: 'hostedCall' }, name: 'Hosted call' },
  entryPoints: [
    { entryPointType: 'video', uri: 'https://a.example/abc', label: 'a.example/abc' },
    { entryPointType: 'phone', uri: 'tel:+1', pin: '1234', regionCode: 'US' },
  ],
};
const signed = (conference: ConferenceData): ConferenceData => ({
  ...conference,
  signature: signConference(conference, secret),
});

const text = fc.option(fc.string({ unit: 'binary' }), { nil: undefined });
const conferences: fc.Arbitrary<ConferenceData> = fc.record(
  {
    conferenceId: text,
    conferenceSolution: fc.record({ iconUri: text, key: fc.record({ type: text }), name: text }, { requiredKeys: [] }),
    entryPoints: fc.array(
      fc.record({ uri: text, label: text, pin: text, entryPointFeatures: fc.array(fc.string()) }, { requiredKeys: [] }),
    ),
    notes: text,
  },
  { requiredKeys: [] },
);

/** The same meaning in another shape: keys in reverse order, unset fields spelled out or left out. */
function reshaped(value: unknown, unset: undefined | null | 'absent'): unknown {
  if (Array.isArray(value)) return value.map((item) => reshaped(item, unset));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value)
    .reverse()
    .filter(([, item]) => unset !== 'absent' || item !== undefined)
    .map(([key, item]) => [key, item === undefined ? unset : reshaped(item, unset)] as const);
  const extra = unset === 'absent' ? [] : [['neverSet', unset] as const];
  return Object.fromEntries([...entries, ...extra]);
}

describe('signConference', () => {
  test('is base64url of 32 octets, the same each time', () => {
    expect(signConference(sample, secret)).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(signConference(sample, secret)).toBe(signConference(structuredClone(sample), secret));
    expect(signConference(sample, Buffer.from(secret))).toBe(signConference(sample, secret));
    expect(signConference(sample, 'another')).not.toBe(signConference(sample, secret));
  });

  test.each([undefined, null, 'absent'] as const)('does not depend on order or on unset fields (%s)', (unset) => {
    fc.assert(
      fc.property(conferences, (conference) => {
        const other = reshaped(conference, unset) as ConferenceData;
        return signConference(other, secret) === signConference(conference, secret);
      }),
    );
  });

  test('does not depend on what a client may change, or need not send', () => {
    const changed: ConferenceData = {
      ...sample,
      notes: 'n',
      parameters: { addOnParameters: { parameters: { a: 'b' } } },
      createRequest: { requestId: 'r' },
      signature: 'x',
      entryPoints: sample.entryPoints?.map((entry) => ({ ...entry, regionCode: undefined })),
    };
    expect(signConference(changed, secret)).toBe(signConference(sample, secret));
  });

  test.each<[string, ConferenceData]>([
    ['conferenceId', { ...sample, conferenceId: 'abcdefghik' }],
    ['type', { ...sample, conferenceSolution: { ...sample.conferenceSolution, key: { type: 'eventCall' } } }],
    ['uri', { ...sample, entryPoints: [{ entryPointType: 'video', uri: 'https://b.example' }] }],
    ['order', { ...sample, entryPoints: [...(sample.entryPoints ?? [])].reverse() }],
    ['entry', { ...sample, entryPoints: sample.entryPoints?.slice(1) }],
  ])('covers %s', (_, other) => expect(signConference(other, secret)).not.toBe(signConference(sample, secret)));

  test('two contents have one signature only if they mean the same', () => {
    fc.assert(
      fc.property(conferences, conferences, (a, b) => {
        const { notes: _a, ...left } = a;
        const { notes: _b, ...right } = b;
        const same = canonicalJson(left) === canonicalJson(right);
        return (signConference(a, secret) === signConference(b, secret)) === same;
      }),
    );
  });
});

describe('isSigned', () => {
  test('takes what was signed and nothing else', () => {
    expect(isSigned(signed(sample), secret)).toBe(true);
    expect(isSigned(sample, secret)).toBe(false);
    expect(isSigned({ ...sample, signature: '' }, secret)).toBe(false);
    expect(isSigned({ ...sample, signature: 'x'.repeat(43) }, secret)).toBe(false);
    expect(isSigned({ ...sample, signature: 'é'.repeat(43) }, secret)).toBe(false);
    expect(isSigned(signed(sample), 'another')).toBe(false);
    expect(isSigned({ ...signed(sample), conferenceId: 'abcdefghik' }, secret)).toBe(false);
  });

  test('holds for every conference', () => {
    fc.assert(fc.property(conferences, (conference) => isSigned(signed(conference), secret)));
  });
});

describe('canonicalJson', () => {
  test.each<[unknown, string | undefined]>([
    [{ b: 1, a: [true, null, {}], c: undefined, d: null, e: [], f: {} }, '{"a":[true,null,null],"b":1}'],
    [{ a: { b: undefined } }, undefined],
    ['', '""'],
    [JSON.parse('{"__proto__":"x"}'), '{"__proto__":"x"}'],
  ])('%o', (value, json) => expect(canonicalJson(value)).toBe(json));

  test('reads back as what it was', () => {
    const kept = fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.integer()), { minKeys: 1, noNullPrototype: true });
    fc.assert(fc.property(kept, (value) => expect(JSON.parse(canonicalJson(value) ?? '')).toEqual(value)));
  });
});

test('hasContent: notes and requests are none', () => {
  expect(hasContent(sample)).toBe(true);
  expect(hasContent({ notes: 'n', createRequest: { requestId: 'r' }, entryPoints: [], signature: 's' })).toBe(false);
});
