import { withRegionCodes } from '../../src/event/conference-region.ts';
import type { ConferenceData } from '../../src/event/conference.ts';
import { apply, kept, other, sign, stored, warned } from './conference.harness.ts';

describe('region codes', () => {
  const [video, phone] = [
    { entryPointType: 'video', uri: 'https://call.test/a', regionCode: 'DE' },
    { entryPointType: 'phone', uri: 'tel:+49-30-5550100', regionCode: 'DE' },
  ] as const;

  test('are kept for phone entry points only, and never come from a client', () => {
    const { regionCode: _, ...bare } = phone;
    expect(withRegionCodes([video, bare], [video, phone])).toEqual([{ entryPointType: 'video', uri: video.uri }, phone]);
    expect(withRegionCodes([phone], [])).toEqual([bare]);
  });
});

describe('applyConference: a copy', () => {
  test('is accepted as it is, onto an event without a conference', () => {
    const source = { ...stored.conference, notes: 'n' };
    const result = apply(undefined, source);
    expect(result).toEqual({
      conference: source,
      callLink: stored.callLink,
      changed: true,
      issues: [],
      warnings: [],
    });
  });

  test('replaces another conference as a whole, fields it does not have too', () => {
    const result = apply({ ...stored.conference, notes: 'old' }, other.conference);
    expect(result).toMatchObject({ conference: other.conference, callLink: other.callLink, changed: true });
    expect(result.conference).not.toHaveProperty('conferenceId');
    expect(result.conference).not.toHaveProperty('notes');
    expect(result.warnings).toEqual([]);
  });

  test('may be sent in part, if the merged conference is signed', () => {
    const before = { ...stored.conference, entryPoints: stored.conference.entryPoints?.slice(1) };
    const { entryPoints, signature } = stored.conference;
    expect(apply(before, { entryPoints, signature })).toMatchObject({ ...kept, changed: true });
  });

  test('leaves a history that is not sent, or not whole, as it was', () => {
    const { createRequest: _, ...bare } = other.conference;
    expect(apply(stored.conference, bare).conference?.createRequest).toEqual(stored.conference.createRequest);
    for (const createRequest of [{ status: { statusCode: 'success' } }, { requestId: 'r2' }] as const) {
      const result = apply(undefined, { ...bare, createRequest });
      expect(result).toMatchObject({ changed: true, issues: [] });
      expect(result.conference).not.toHaveProperty('createRequest');
    }
  });

  test('may clear the history of the event it comes to', () => {
    const result = apply(stored.conference, { ...other.conference, createRequest: null });
    expect(result).toMatchObject({ changed: true, callLink: other.callLink });
    expect(result.conference).not.toHaveProperty('createRequest');
  });

  test('takes no region code from a client', () => {
    const regionCode = 'XX';
    const entryPoints = stored.conference.entryPoints?.map((entry) => ({ ...entry, regionCode }));
    const codes = apply(undefined, { ...stored.conference, entryPoints }).conference?.entryPoints?.map((entry) => entry.regionCode);
    expect(codes).toEqual([undefined, 'US', undefined]);
  });

  test('keeps the region code of an entry that is stored', () => {
    const phone = { entryPointType: 'phone', uri: 'tel:+4912345' } as const;
    const content: ConferenceData = { ...other.conference, entryPoints: [phone] };
    const copy = { ...content, signature: sign(content) };
    const [video = {}] = other.conference.entryPoints ?? [];
    const before = { ...other.conference, entryPoints: [{ ...phone, regionCode: 'DE' }, video] };
    expect(apply(before, copy).conference?.entryPoints).toEqual([{ ...phone, regionCode: 'DE' }]);
    const fresh = apply(undefined, copy);
    expect(fresh.conference?.entryPoints).toEqual([phone]);
    expect(fresh.callLink).toBeUndefined();
  });

  test('without entry points has no call link', () => {
    const content: ConferenceData = { conferenceId: 'x', conferenceSolution: { key: { type: 'eventNamedCall' } } };
    const result = apply(undefined, { ...content, signature: sign(content) });
    expect(result).toMatchObject({ conference: content, changed: true });
    expect(result.conference).not.toHaveProperty('entryPoints');
    expect(result.callLink).toBeUndefined();
  });

  test('without its signature, or altered, is dropped with a warning that says the cure', () => {
    const { signature: _, ...unsigned } = other.conference;
    const entryPoints = [{ entryPointType: 'video', uri: 'https://evil.example' }] as const;
    const altered = { ...other.conference, entryPoints };
    const forged = { ...unsigned, signature: 'forged' };
    for (const patch of [unsigned, altered, forged, { ...unsigned, signature: null }]) {
      for (const before of [undefined, stored.conference]) {
        const result = apply(before, { ...patch, notes: 'n' });
        expect(result).toMatchObject({ conference: before, changed: false, issues: [] });
        expect(result.callLink).toBe(before && stored.callLink);
        expect(warned(result)).toEqual(['conferenceData.signature ignored']);
        expect(result.warnings[0]?.message).toMatch(/with its signature.*createRequest/);
      }
    }
  });

  test('clearing a part of the content is such a change too', () => {
    expect(warned(apply(stored.conference, { entryPoints: null }))).toEqual(['conferenceData.signature ignored']);
    const empty: ConferenceData = {};
    const wiped = { entryPoints: null, conferenceId: null, conferenceSolution: null, signature: sign(empty) };
    expect(apply(stored.conference, wiped)).toMatchObject(kept);
  });

  test('a rule that its content breaks is an issue, also where it would be dropped', () => {
    const entryPoints = [{ entryPointType: 'video', uri: 'ftp://a.example' }] as const;
    expect(apply(undefined, { entryPoints }).issues).toMatchObject([{ reason: 'invalid' }]);
    const signature = sign({ entryPoints });
    expect(apply(undefined, { entryPoints, signature }).issues).toMatchObject([{ reason: 'invalid' }]);
  });

  test('content without a signature breaks no rule by what is stored beside it', () => {
    const result = apply(stored.conference, { conferenceSolution: { key: { type: 'eventCall' } } });
    expect(result).toMatchObject(kept);
    expect(warned(result)).toEqual(['conferenceData.signature ignored']);
    const old = { ...stored.conference, entryPoints: [{}] };
    expect(apply(old, { entryPoints: [{}], conferenceId: 'abcdefghij' }).issues).toEqual([]);
  });
});

describe('a copy beside a request for another type', () => {
  test('is a copy, and the request can still be made', () => {
    const { createRequest: _, ...bare } = stored.conference;
    const createRequest = { requestId: 'later', conferenceSolutionKey: { type: 'eventNamedCall' } };
    const result = apply(undefined, { ...bare, createRequest });
    expect(result).toMatchObject({ changed: true, issues: [] });
    expect(result.conference).not.toHaveProperty('createRequest');
  });
});
