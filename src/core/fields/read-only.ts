import type { Path } from '../kernel/errors.ts';
import { isFields } from '../kernel/patch.ts';
import type { ChangedField } from './changes.ts';
import type { FieldNode } from './table.ts';

/** Removes read-only values, and notes them as unapplied: warnings, unless the stored result has the same values. */
export function withoutReadOnly(
  node: FieldNode,
  value: unknown,
  path: Path,
  unapplied: (ChangedField & { readonly value: unknown })[],
): unknown {
  if (node.change === 'readOnly' && node.uniform) {
    if (value !== null && value !== undefined) unapplied.push({ node, path, value });
    return undefined;
  }
  if (node.entry?.change === 'readOnly' && isFields(value)) {
    for (const name of Object.keys(value))
      unapplied.push({ node: node.entry, path: [...path, name], value: value[name] });
    return undefined;
  }
  if (Array.isArray(value)) {
    return node.fields.size === 0 || (node.max && value.length > node.max.entries)
      ? value
      : value.map((entry, index) => withoutFields(node, entry, [...path, index], unapplied));
  }
  return node.fields.size > 0 ? withoutFields(node, value, path, unapplied) : value;
}

function withoutFields(
  node: FieldNode,
  value: unknown,
  path: Path,
  unapplied: (ChangedField & { readonly value: unknown })[],
): unknown {
  if (!isFields(value)) return value;
  let result: Record<string, unknown> | undefined;
  for (const name of Object.keys(value)) {
    const field = node.fields.get(name);
    const remaining = field ? withoutReadOnly(field, value[name], [...path, name], unapplied) : value[name];
    if (remaining === value[name]) continue;
    result ??= { ...value };
    if (remaining === undefined) delete result[name];
    else result[name] = remaining;
  }
  return result ?? value;
}
