import { composeServices as composeByApollo } from '@apollo/composition';
import { composeServices as composeByGuild } from '@theguild/federation-composition';
import { Kind, parse, visit, type DocumentNode } from 'graphql';
import { readTypeDefs, subgraphSdl } from '../../../src/faces/graphql/schema.ts';
import { startGateway } from '../../harness.ts';

/** Reads the scopes of each `Type.field` from a document's directives. */
function scopesIn(document: DocumentNode): Record<string, readonly (readonly string[])[]> {
  const scopes: Record<string, string[][]> = {};
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION && definition.kind !== Kind.OBJECT_TYPE_EXTENSION)
      continue;
    visit(definition, {
      FieldDefinition({ name, directives = [] }) {
        const value = directives.find((node) => node.name.value === 'requiresScopes')?.arguments?.[0]?.value;
        if (value?.kind !== Kind.LIST) return;
        const rule = value.values.map((all) =>
          all.kind === Kind.LIST
            ? all.values.map((node) => (node.kind === Kind.STRING ? node.value : ''))
            : [],
        );
        scopes[`${definition.name.value}.${name.value}`] = rule.map((all) => all.sort()).sort();
      },
    });
  }
  return scopes;
}

const serviceQuery = '{ _service { sdl } }';

describe('as a subgraph of a federated graph', () => {
  const declared = scopesIn(parse(readTypeDefs().join('\n')));

  test.each([
    ['@apollo/composition', composeByApollo],
    ['@theguild/federation-composition', composeByGuild],
  ])('composes with %s and keeps scopes and @authenticated', async (_name, compose) => {
    const gateway = await startGateway({ FEDERATION: 'on' });
    const { data } = await gateway.ask(serviceQuery);
    await gateway.close();
    const { errors, supergraphSdl } = compose([
      { name: 'resources', url: 'http://127.0.0.1/graphql', typeDefs: parse(String(data._service.sdl)) },
    ]);
    expect(errors ?? []).toEqual([]);
    expect(Object.keys(declared).length).toBeGreaterThan(10);
    expect(scopesIn(parse(supergraphSdl ?? ''))).toEqual(declared);
    expect(supergraphSdl).toMatch(/^ +viewer: Viewer .*@authenticated/m);
  });

  test('answers _service to callers who may introspect, only with FEDERATION=on', async () => {
    const shut = await startGateway({ FEDERATION: 'on', INTROSPECTION: 'authenticated' });
    expect((await shut.ask(serviceQuery, {}, { as: null })).errors?.[0]?.extensions.code).toBe(
      'UNAUTHENTICATED',
    );
    expect((await shut.ask(serviceQuery, {}, { scopes: [] })).data._service.sdl).toBe(subgraphSdl());
    await shut.close();
    const off = await startGateway();
    expect((await off.ask(serviceQuery)).errors?.[0]?.message).toContain('_service');
    await off.close();
  });
});
