import { getIntrospectionQuery, type IntrospectionObjectType, type IntrospectionQuery } from 'graphql';
import { startGateway } from '../../harness.ts';

const google = 'https://www.googleapis.com/auth';

describe('schema descriptions', () => {
  let schema: IntrospectionQuery['__schema'];
  let sdl: string;
  beforeAll(async () => {
    const gateway = await startGateway();
    const document = getIntrospectionQuery({ specifiedByUrl: true, schemaDescription: true });
    schema = ((await gateway.ask(document)).data as IntrospectionQuery).__schema;
    sdl = (await gateway.app.inject('/schema.graphql')).body;
    await gateway.close();
  });

  const rootFields = (): { name: string; description: string }[] =>
    schema.types
      .filter((type): type is IntrospectionObjectType => ['Query', 'Mutation'].includes(type.name))
      .flatMap(({ fields }) =>
        fields.map(({ name, description }) => ({ name, description: description ?? '' })),
      );

  test('of the schema state the rules of all fields, in introspection and in the schema file', () => {
    for (const word of ['viewer', 'issues', 'extensions.warnings', 'nodeId', 'maxResults'])
      expect(schema.description).toContain(`\`${word}\``);
    expect(sdl).toContain(`"""\n${schema.description}\n"""\nschema {`);
  });

  test('of root fields end with the scopes they accept', () => {
    expect(rootFields().length).toBeGreaterThan(9);
    const ending =
      /^\S[^]+\.\n\n(Needs a token, with any scope|Needs the scope `https:\S+`|Needs one of these scopes: `https:\S+`(, or `https:\S+`)+)\.$/;
    expect(rootFields().filter(({ description }) => !ending.test(description))).toEqual([]);
    const forAnyToken = rootFields().filter(({ description }) => description.endsWith('with any scope.'));
    expect(forAnyToken.map(({ name }) => name)).toEqual(['viewer']);
    expect(rootFields().find(({ name }) => name === 'patchEvent')?.description).toMatch(
      new RegExp(`Needs one of these scopes: \`${google}/calendar\`, or \`${google}/calendar\\.events\`\\.$`),
    );
  });
});
