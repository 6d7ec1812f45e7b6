import type { FieldNode } from '../../core/fields/table.ts';
import type { Path } from '../../core/kernel/errors.ts';
import { isFields } from '../../core/kernel/patch.ts';
import type { EventField, EventPatch } from '../../event/model/fields.ts';
import type { EventParts } from './parts.ts';

/** The parts of a body that somebody may change or not as a whole. */
export function unitsOf({ fields }: EventParts['model'], body: EventPatch): readonly Path[] {
  const inside = (node: FieldNode, value: unknown, path: Path): Path[] => {
    if (node.uniform || node.kind !== 'object' || !isFields(value)) return [path];
    return Object.keys(value).flatMap((name) => {
      const field = node.fields.get(name);
      return field ? inside(field, value[name], [...path, name]) : [];
    });
  };
  return (Object.keys(body) as EventField[]).flatMap((name) => {
    const node = fields.get(name);
    return node && node.change !== 'request' ? inside(node, body[name], ['event', name]) : [];
  });
}
