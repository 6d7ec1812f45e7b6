import type { Path } from '../kernel/errors.ts';
import { isFields } from '../kernel/patch.ts';
import type { Report } from '../kernel/report.ts';
import type { FieldNode } from './table.ts';

/** Reports nulls in the maps of a new resource: null removes an entry, and there are none yet. */
export function reportNullEntries(node: FieldNode, value: unknown, path: Path, report: Report): void {
  if (!isFields(value) || report.isFull()) return;
  for (const name of Object.keys(value)) {
    const field = node.fields.get(name);
    if (field) reportNullEntries(field, value[name], [...path, name], report);
    else if (node.kind === 'map' && value[name] === null) {
      report.issue([...path, name], 'required', 'An entry needs a string. Leave it out, or give it one.');
    }
  }
}
