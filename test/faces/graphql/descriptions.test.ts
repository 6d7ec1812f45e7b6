import { getIntrospectionQuery, type IntrospectionObjectType, type IntrospectionQuery } from 'graphql';
import { startGateway } from '../../harness.ts';

const scopePrefix = 'https://www.googleapis.com/auth';

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

  const listRootFields = (): { name: string; description: string }[] =>
    schema.types
      .filter((type): type is IntrospectionObjectType => ['Query', 'Mutation'].includes(type.name))
      .flatMap(({ fields }) =>
        fields.map(({ name, description }) => ({ name, description: description ?? '' })),
      );

  test('of the schema explain the rules that all fields share, in introspection and in the schema file', () => {
    // Terms of the explained rules.
    for (const term of ['viewer', 'issues', 'extensions.warnings', 'nodeId', 'maxResults'])
      expect(schema.description).toContain(`\`${term}\``);
    expect(sdl).toContain(`"""\n${schema.description}\n"""\nschema {`);
  });

  test('of root fields end with the scopes they accept', () => {
    expect(listRootFields().length).toBeGreaterThan(9);
    const scopeSentence =
      /^\S[^]+\.\n\n(Needs a token, with any scope|Needs the scope `https:\S+`|Needs one of these scopes: `https:\S+`(, or `https:\S+`)+)\.$/;
    expect(listRootFields().filter(({ description }) => !scopeSentence.test(description))).toEqual([]);
    const fieldsForAnyToken = listRootFields().filter(({ description }) =>
      description.endsWith('with any scope.'),
    );
    expect(fieldsForAnyToken.map(({ name }) => name)).toEqual(['viewer']);
    expect(listRootFields().find(({ name }) => name === 'patchEvent')?.description).toMatch(
      new RegExp(
        `Needs one of these scopes: \`${scopePrefix}/calendar\`, or \`${scopePrefix}/calendar\\.events\`\\.$`,
      ),
    );
  });
});
