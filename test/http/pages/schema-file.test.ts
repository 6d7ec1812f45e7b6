import { buildSchema, findBreakingChanges, type GraphQLSchema } from 'graphql';
import { createGatewaySchema } from '../../../src/faces/graphql/schema.ts';
import { startGateway, tokenFor } from '../../harness.ts';

async function getSchemaFile(env: Record<string, string>, as?: string) {
  const gateway = await startGateway(env);
  const headers = as === undefined ? {} : { authorization: `Bearer ${await tokenFor(as, [])}` };
  const response = await gateway.app.inject({ url: '/schema.graphql', headers });
  await gateway.close();
  return { status: response.statusCode, type: response.headers['content-type'], body: response.body };
}

describe('/schema.graphql', () => {
  test('is the schema in use, with its directives and the descriptions of scopes', async () => {
    const { status, type, body } = await getSchemaFile({ INTROSPECTION: 'open' });
    expect([status, type]).toEqual([200, 'application/graphql; charset=utf-8']);
    const servedSchema: GraphQLSchema = buildSchema(body);
    const { schema } = createGatewaySchema();
    expect([findBreakingChanges(schema, servedSchema), findBreakingChanges(servedSchema, schema)]).toEqual([
      [],
      [],
    ]);
    expect(body).toContain('@requiresScopes(scopes: [["https://www.googleapis.com/auth/calendar"]');
    expect(servedSchema.getMutationType()?.getFields().patchEvent?.description).toContain(
      'Needs one of these scopes:',
    );
  });

  test('follows the rules of INTROSPECTION', async () => {
    expect((await getSchemaFile({ INTROSPECTION: 'authenticated' })).status).toBe(401);
    expect((await getSchemaFile({ INTROSPECTION: 'authenticated' }, 'bob@example.com')).status).toBe(200);
    const offResponse = await getSchemaFile({ INTROSPECTION: 'off' }, 'bob@example.com');
    expect([offResponse.status, offResponse.body.includes('patchEvent')]).toEqual([404, false]);
  });
});
