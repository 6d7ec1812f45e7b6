import { buildSchema } from 'graphql';
import { describeInputShapes } from '../../../../src/faces/graphql/input/variable-reader.ts';
import { createGatewaySchema } from '../../../../src/faces/graphql/schema.ts';
import * as generated from '../../../../src/generated/input-shapes.ts';

describe('the shapes of input types', () => {
  const shapes = describeInputShapes(createGatewaySchema().schema);

  test('are the same in browsers, which use generated code, and in the server', () => {
    for (const [type, fields] of Object.entries(generated.inputFields)) {
      expect(Object.entries(shapes.inputFields[type] ?? {})).toEqual(Object.entries(fields));
      expect(
        Object.values(shapes.defaults?.[type] ?? {}).every((defaultValue) => defaultValue === undefined),
      ).toBe(true);
    }
    expect(shapes.enumValues).toMatchObject(generated.enumValues);
  });

  test('reject @oneOf types, which coercion cannot read', () =>
    expect(() =>
      describeInputShapes(
        buildSchema('directive @oneOf on INPUT_OBJECT type Query { a(b: B): Int } input B @oneOf { c: Int }'),
      ),
    ).toThrow('@oneOf'));
});
