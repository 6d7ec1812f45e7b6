import { getIntrospectionQuery, type IntrospectionObjectType, type IntrospectionQuery } from 'graphql';
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
});
