import { composeServices as composeByApollo } from '@apollo/composition';
import { composeServices as composeByGuild } from '@theguild/federation-composition';
import { Kind, parse, visit, type DocumentNode } from 'graphql';
import { readTypeDefs, readSubgraphSdl } from '../../../src/faces/graphql/schema.ts';
import { startGateway } from '../../harness.ts';

/** Reads the scopes of each `Type.field` from a document's directives. */
function readScopes(document: DocumentNode): Record<string, readonly (readonly string[])[]> {
  const scopes: Record<string, string[][]> = {};
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION && definition.kind !== Kind.OBJECT_TYPE_EXTENSION)
      continue;
    visit(definition, {
      FieldDefinition({ name, directives = [] }) {
        const value = directives.find((node) => node.name.value === 'requiresScopes')?.arguments?.[0]?.value;
        if (value?.kind !== Kind.LIST) return;
        const alternatives = value.values.map((alternative) =>
          alternative.kind === Kind.LIST
            ? alternative.values.map((node) => (node.kind === Kind.STRING ? node.value : ''))
            : [],
        );
        scopes[`${definition.name.value}.${name.value}`] = alternatives
          .map((requiredScopes) => requiredScopes.sort())
          .sort();
      },
    });
  }
  return scopes;
}

const serviceQuery = '{ _service { sdl } }';

describe('as a subgraph of a federated graph', () => {
  const declaredScopes = readScopes(parse(readTypeDefs().join('\n')));

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
    expect(Object.keys(declaredScopes).length).toBeGreaterThan(10);
    expect(readScopes(parse(supergraphSdl ?? ''))).toEqual(declaredScopes);
    expect(supergraphSdl).toMatch(/^ +viewer: Viewer .*@authenticated/m);
  });

  test('returns _service to callers who may introspect, only with FEDERATION=on', async () => {
    const restrictedGateway = await startGateway({ FEDERATION: 'on', INTROSPECTION: 'authenticated' });
    expect((await restrictedGateway.ask(serviceQuery, {}, { as: null })).errors?.[0]?.extensions.code).toBe(
      'UNAUTHENTICATED',
    );
    expect((await restrictedGateway.ask(serviceQuery, {}, { scopes: [] })).data._service.sdl).toBe(
      readSubgraphSdl(),
    );
    await restrictedGateway.close();
    const unfederatedGateway = await startGateway();
    expect((await unfederatedGateway.ask(serviceQuery)).errors?.[0]?.message).toContain('_service');
    await unfederatedGateway.close();
  });
});
