import {
  getIntrospectionQuery,
  type IntrospectionObjectType,
  type IntrospectionQuery,
  type IntrospectionScalarType,
} from 'graphql';
import { startGateway } from '../../harness.ts';

const google = 'https://www.googleapis.com/auth';

describe('what introspection shows', () => {
  let types: IntrospectionQuery['__schema']['types'];
  beforeAll(async () => {
    const gateway = await startGateway();
    types = ((await gateway.ask(getIntrospectionQuery({ specifiedByUrl: true }))).data as IntrospectionQuery)
      .__schema.types;
    await gateway.close();
  });

  const rootFields = (): { name: string; description: string }[] =>
    types
      .filter((type): type is IntrospectionObjectType => ['Query', 'Mutation'].includes(type.name))
      .flatMap(({ fields }) =>
        fields.map(({ name, description }) => ({ name, description: description ?? '' })),
      );

  test('every root field ends with the scopes it needs, any one of them', () => {
    expect(rootFields().length).toBeGreaterThan(9);
    const ending =
      /^\S[^]+\.\n\n(Needs the scope `https:\S+`|Needs one of these scopes: `https:\S+`(, or `https:\S+`)+)\.$/;
    expect(rootFields().filter(({ description }) => !ending.test(description))).toEqual([]);
    expect(rootFields().find(({ name }) => name === 'patchEvent')?.description).toMatch(
      new RegExp(`Needs one of these scopes: \`${google}/calendar\`, or \`${google}/calendar\\.events\`\\.$`),
    );
  });

  test('every scalar says what it is, as the SDL has it', () => {
    const scalars = types.filter(
      (type): type is IntrospectionScalarType =>
        type.kind === 'SCALAR' && !['String', 'Int', 'Boolean', 'ID'].includes(type.name),
    );
    const described = scalars.map((type) => [
      type.name,
      [type.description?.slice(0, 26), type.specifiedByURL],
    ]);
    expect(Object.fromEntries(described)).toEqual({
      DateTime: ['A moment in time in RFC 33', 'https://www.rfc-editor.org/rfc/rfc3339'],
      JSONObject: ['Any JSON object, kept as i', 'https://www.rfc-editor.org/rfc/rfc8259'],
      LocalDate: ['A day of the calendar with', 'https://www.rfc-editor.org/rfc/rfc3339#section-5.6'],
      PathSegment: ['One step of a path: the na', null],
      StringMap: ['A JSON object whose values', 'https://www.rfc-editor.org/rfc/rfc8259#section-4'],
      ZonedDateTime: ['A date and time of day in ', 'https://www.rfc-editor.org/rfc/rfc3339#section-5.6'],
      federation__Scope: ['The name of one permission', 'https://www.rfc-editor.org/rfc/rfc6749#section-3.3'],
    });
  });
});
