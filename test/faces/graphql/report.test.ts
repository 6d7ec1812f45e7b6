import { startGateway, useGateway } from '../../harness.ts';

describe('the root field report', () => {
  const gateway = useGateway();
  const reportField =
    'report { warnings { field path reason message params } guestsNotified { field count } }';
  const patchField = (alias: string, event: string): string =>
    `${alias}: patchEvent(calendarId: "primary", eventId: "holiday", event: { ${event} }) { id }`;

  test('has the warnings of the fields before it, as extensions do, compiled or not', async () => {
    const query = `mutation ($off: Boolean = false) { none: ${reportField} ${patchField('one', 'htmlLink: "https://example.com/x"')} first: ${reportField}
      skipped: report @include(if: $off) { __typename } ${patchField('two', 'etag: "\\"x\\""')} ${reportField} }`;
    // A document is compiled after its first response, by default.
    for (const _time of [1, 2, 3]) {
      const { data, warnings = [] } = await gateway.ask(query);
      expect(warnings.map(({ field }) => field)).toEqual(['one', 'two']);
      const withParams = (list: readonly object[]) => list.map((warning) => ({ params: null, ...warning }));
      expect(data.none).toEqual({ warnings: [], guestsNotified: [] });
      expect(data.first).toEqual({ warnings: withParams(warnings.slice(0, 1)), guestsNotified: [] });
      expect(data.report).toEqual({ warnings: withParams(warnings), guestsNotified: [] });
      expect(data).not.toHaveProperty('skipped');
    }
  });

  test('has the number of guests notified', async () => {
    const { data, guestsNotified } = await gateway.ask(
      `mutation { made: insertEvent(calendarId: "primary", sendUpdates: all, event: { start: { date: "2027-01-01" }, end: { date: "2027-01-02" }, attendees: [{ email: "carol@elsewhere.example" }] }) { id } ${reportField} }`,
    );
    expect(guestsNotified).toEqual({ made: 1 });
    expect(data.report.guestsNotified).toEqual([{ field: 'made', count: 1 }]);
  });

  test('costs nothing', async () => {
    const limitedGateway = await startGateway({ RATE_LIMIT: '2' });
    const reports = Array.from({ length: 20 }, (_, index) => `r${index}: report { __typename }`).join(' ');
    const { errors } = await limitedGateway.ask(
      `mutation { ${patchField('one', 'summary: "A"')} ${reports} }`,
    );
    await limitedGateway.close();
    expect(errors).toBeUndefined();
  });
});
