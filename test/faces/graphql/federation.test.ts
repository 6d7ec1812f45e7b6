import { composeServices as composeByApollo } from '@apollo/composition';
import { composeServices as composeByGuild } from '@theguild/federation-composition';
import { Kind, parse, visit, type DocumentNode } from 'graphql';
import { readTypeDefs, subgraphSdl } from '../../../src/faces/graphql/schema.ts';
import { startGateway } from '../../harness.ts';

/** `Type.field` → its scopes, as a document has them. */
function scopesIn(document: DocumentNode): Record<string, readonly (readonly string[])[]> {
  const found: Record<string, string[][]> = {};
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION && definition.kind !== Kind.OBJECT_TYPE_EXTENSION)
      continue;
    visit(definition, {
      FieldDefinition({ name, directives = [] }) {
        const value = directives.find((one) => one.name.value === 'requiresScopes')?.arguments?.[0]?.value;
        if (value?.kind !== Kind.LIST) return;
        const rule = value.values.map((all) =>
          all.kind === Kind.LIST ? all.values.map((one) => (one.kind === Kind.STRING ? one.value : '')) : [],
        );
        found[`${definition.name.value}.${name.value}`] = rule.map((all) => all.sort()).sort();
      },
    });
  }
  return found;
}

const service = '{ _service { sdl } }';

describe('as a subgraph of a federated graph', () => {
  const declared = scopesIn(parse(readTypeDefs().join('\n')));

  test.each([
    ['@apollo/composition', composeByApollo],
    ['@theguild/federation-composition', composeByGuild],
  ])('it composes with %s and keeps every scope, and which field takes any token', async (_name, compose) => {
    const gateway = await startGateway({ FEDERATION: 'on' });
    const { data } = await gateway.ask(service);
    await gateway.close();
    const { errors, supergraphSdl } = compose([
      { name: 'resources', url: 'http://127.0.0.1/graphql', typeDefs: parse(String(data._service.sdl)) },
    ]);
    expect(errors ?? []).toEqual([]);
    expect(Object.keys(declared).length).toBeGreaterThan(10);
    expect(scopesIn(parse(supergraphSdl ?? ''))).toEqual(declared);
    expect(supergraphSdl).toMatch(/^ +viewer: Viewer .*@authenticated/m);
  });

  test('it answers _service to whoever may introspect, with FEDERATION=on only', async () => {
    const shut = await startGateway({ FEDERATION: 'on', INTROSPECTION: 'authenticated' });
    expect((await shut.ask(service, {}, { as: null })).errors?.[0]?.extensions.code).toBe('UNAUTHENTICATED');
    expect((await shut.ask(service, {}, { scopes: [] })).data._service.sdl).toBe(subgraphSdl());
    await shut.close();
    const off = await startGateway();
    expect((await off.ask(service)).errors?.[0]?.message).toContain('_service');
    await off.close();
  });
});
