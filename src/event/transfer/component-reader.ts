import type { Path, Reason, WarningReason } from '../../core/errors.ts';
import { groupByKey } from '../../core/json-values.ts';
import type { Report } from '../../core/report.ts';
import { type Component, type ContentLine, type Property, readProperty } from '../../icalendar/parse.ts';

/** Reads the properties of one component of a file, and reports their problems by paths of the file. */
export type ComponentReader = ReturnType<typeof createComponentReader>;

/** Creates the reader of a component. `index`: its position among all components of the text. */
export function createComponentReader({ lines }: Component, index: number, report: Report) {
  const linesByName = groupByKey(lines, ({ name }) => name);
  const pathTo = (name: string, ...subPath: Path): Path => ['icalendar', index, name, ...subPath];
  const linesOf = (name: string): readonly ContentLine[] => linesByName.get(name) ?? [];
  const issue = (name: string, message: string, reason: Reason = 'invalid'): void =>
    report.addIssue(pathTo(name), reason, message);
  const warn = (path: Path, message: string, reason: WarningReason = 'ignored'): void =>
    report.warn(path, reason, message);

  /** Decodes the property of a line; undefined, with an issue, if it is not valid. */
  function propertyOf(line: ContentLine): Property | undefined {
    const property = readProperty(line);
    if (!property) issue(line.name, `Line ${line.lineNumber} of the text is not a valid property.`);
    return property;
  }
  /** Decoded properties of a name without those that are not valid. */
  const propertiesOf = (name: string): Property[] => linesOf(name).flatMap((line) => propertyOf(line) ?? []);
  const textOf = (name: string): string | undefined => {
    const value = propertiesOf(name)[0]?.values.join(',');
    return value === '' ? undefined : value;
  };

  return { linesOf, propertyOf, propertiesOf, textOf, pathTo, issue, warn };
}
