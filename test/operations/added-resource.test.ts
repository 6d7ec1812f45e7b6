import { errorAt } from '../../src/core/errors.ts';
import { query, type ResourceModule, write } from '../../src/operations/operation.ts';
import { startGateway, useGateway } from '../harness.ts';

// Notes are a resource besides those of the gateway, added only by a module and type definitions.
const typeDefs = `
type Note { id: ID! text: String author: String }
input NoteInput { text: String! color: String }
extend type Query {
  note(id: ID!): Note @requiresScopes(scopes: [["notes"], ["notes.readonly"]])
  notes: [Note!] @requiresScopes(scopes: [["notes"], ["notes.readonly"]])
}
extend type Mutation {
  writeNote(id: ID!, note: NoteInput!, validateOnly: Boolean = false): Note @requiresScopes(scopes: [["notes"]])
}`;

type Note = Readonly<Record<'id' | 'text' | 'author', string>>;

const colorMessage = 'Notes have no color.';
const colorWarning = { path: ['note', 'color'], reason: 'ignored' as const, message: colorMessage };

interface WriteNoteArgs {
  readonly id: string;
  readonly note: { readonly text: string; readonly color?: string | null };
  readonly validateOnly: boolean;
}

/** A service that stores notes in memory. */
function createNoteService() {
  const notes = new Map<string, Note>();
  return {
    list: async (author: string) => [...notes.values()].filter((note) => note.author === author),
    async read(author: string, id: string) {
      const note = notes.get(id);
      if (note?.author !== author) throw errorAt('NOT_FOUND', ['id'], 'notFound', 'There is no such note.');
      return note;
    },
    async write(author: string, { id, note: { text, color }, validateOnly }: WriteNoteArgs) {
      if (text === '') throw errorAt('BAD_USER_INPUT', ['note', 'text'], 'required', 'A note needs a text.');
      const note: Note = { id, text, author };
      if (!validateOnly) notes.set(id, note);
      return { note, warnings: color ? [colorWarning] : [] };
    },
  };
}

const createNoteModule = (service: ReturnType<typeof createNoteService>) =>
  ({
    operations: {
      note: query(({ identity }, { id }: { readonly id: string }) => service.read(identity, id)),
      notes: query(({ identity }, _args: object) => service.list(identity)),
      writeNote: write(
        ({ identity }, args: WriteNoteArgs) => service.write(identity, args),
        ({ note }) => note,
      ),
    },
  }) satisfies ResourceModule;

describe('an added resource', () => {
  const scopes = ['notes'];
  const module = createNoteModule(createNoteService());
  const gateway = useGateway({}, { resources: { modules: [module], typeDefs: [typeDefs] } });

  test('is served over GraphQL, with warnings, errors and scopes', async () => {
    const writeNote = 'mutation ($note: NoteInput!) { writeNote(id: "n1", note: $note) { text author } }';
    const answer = await gateway.ask(writeNote, { note: { text: 'Milk', color: 'red' } }, { scopes });
    expect(answer.data).toEqual({ writeNote: { text: 'Milk', author: 'alice@example.com' } });
    expect(answer.warnings).toEqual([{ field: 'writeNote', ...colorWarning }]);
    const { errors } = await gateway.ask('{ notes { id } note(id: "n2") { id } }', {}, { scopes });
    expect(errors).toMatchObject([{ path: ['note'], extensions: { code: 'NOT_FOUND' } }]);
    const invalidAnswer = await gateway.ask(writeNote, { note: { text: '', color: 5 } }, { scopes });
    const issues = invalidAnswer.errors?.[0]?.extensions.issues.map(({ path, reason }) =>
      [...path, reason].join(' '),
    );
    expect(issues).toEqual(['note color invalid', 'note text required']);
    const readOnlyOptions = { scopes: ['notes.readonly'] };
    expect((await gateway.ask(writeNote, { note: { text: 'Eggs' } }, readOnlyOptions)).status).toBe(403);
  });

  test('does not start if an operation or a root field is missing', async () => {
    const { note, ...otherOperations } = module.operations;
    const startWithOperations = (operations: ResourceModule['operations']) =>
      startGateway({}, { resources: { modules: [{ operations }], typeDefs: [typeDefs] } });
    await expect(startWithOperations(otherOperations)).rejects.toThrow(
      'these root fields have no operation: Query.note',
    );
    await expect(startWithOperations({ ...module.operations, wipe: note })).rejects.toThrow(
      'these operations have no root field: Query.wipe',
    );
  });
});
